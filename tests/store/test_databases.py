"""Migrations, transactions, backups: the same promises on both databases."""

from __future__ import annotations

import re
import resource
import sqlite3
import threading
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, insert, select, text, update
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.exc import OperationalError

from goldmark.accounts.credentials import SecretNotValid
from goldmark.accounts.roles import Role
from goldmark.accounts.service import AccountService
from goldmark.campaigns.transfer.export import record_of
from goldmark.store import Store, open_store
from goldmark.store.engine import CONNECTIONS, DatabaseAddressNotUnderstood, DatabaseUnreachable, database_url
from goldmark.store.migrate import NEWEST, DatabaseOutdated, DatabaseTooNew, alembic_config, prepare, upgrade
from goldmark.store.prepared import Prepared
from goldmark.store.states import STILL_OPEN
from goldmark.store.tables import annotator, event, metadata, rate_limit, unit
from goldmark.store.upkeep import backup as backups
from goldmark.store.upkeep.backup import (
    BackupExists,
    BackupFailed,
    NotABackup,
    NotEmpty,
    RestoreFailed,
    backup,
    restore,
)
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME, House, pair
from tests.postgres import empty_database

SOURCES = Path(__file__).parents[2] / "src"


def test_the_migrations_make_the_tables_that_the_code_expects(store: Store) -> None:
    with store.engine().connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_the_newest_step_is_the_one_we_say() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == NEWEST


def test_upgrading_twice_changes_nothing(store: Store) -> None:
    assert upgrade(store).before == NEWEST
    prepare(store)


def test_what_is_read_inside_a_transaction_needs_no_second_connection(store: Store) -> None:
    """Were it otherwise, as many people at once as there are connections would wait for each other for ever."""
    everybody = threading.Barrier(2 * CONNECTIONS)
    found: list[int] = []

    def work(connection: Connection) -> None:
        if store.locks_rows:
            everybody.wait(timeout=300)
        found.append(store.read(lambda inner: inner.execute(select(func.count()).select_from(event)).scalar_one()))

    people = [threading.Thread(target=store.write, args=(work,)) for _ in range(2 * CONNECTIONS)]
    for one in people:
        one.start()
    for one in people:
        one.join(timeout=300)
    assert len(found) == 2 * CONNECTIONS


def test_what_somebody_still_has_to_do_is_found_by_its_index(store: Store) -> None:
    """However much they have done: it is asked with every answer."""

    def plan(connection: Connection) -> str:
        explain = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # which it prefers for an empty table
        spelled_out = f"SELECT id FROM assignment WHERE annotator_id = 1 AND assignment.{STILL_OPEN}"
        return str(connection.exec_driver_sql(f"{explain} {spelled_out}").all())

    assert "ix_assignment_open" in store.read(plan)


@pytest.mark.parametrize(("version", "error"), [("0000", DatabaseOutdated), ("9999", DatabaseTooNew)])
def test_a_database_of_another_version_is_refused(store: Store, version: str, error: type[Exception]) -> None:
    store.write(lambda connection: connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{version}'"))
    with pytest.raises(error):
        prepare(store)


@pytest.mark.parametrize("address", ["mysql://host/name", "sqlite://", "://", "sqlite:///:memory:"])
def test_addresses_that_make_no_sense_are_refused(address: str) -> None:
    with pytest.raises(DatabaseAddressNotUnderstood):
        database_url(address)


def test_a_database_in_no_folder_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachable, match="no folder"):
        open_store(str(tmp_path / "nowhere" / "goldmark.db"))


def test_a_postgres_that_is_not_there_is_said_in_words() -> None:
    store = open_store("postgresql://nobody@127.0.0.1:1/nothing")
    with pytest.raises(DatabaseUnreachable):
        prepare(store)
    store.close()


def test_a_machine_that_goes_without_a_goodbye_is_noticed_soon(postgres_database: str) -> None:
    """As the system is set, only after a quarter of an hour; until then each who asks would wait."""
    apart = "&" if "?" in postgres_database else "?"
    for address, idle in ((postgres_database, "10"), (f"{postgres_database}{apart}keepalives_idle=77", "77")):
        store = open_store(address)
        with store.engine().connect() as connection:
            given = connection.connection.driver_connection.info.get_parameters()  # type: ignore[union-attr]
        assert (given["keepalives_idle"], given["tcp_user_timeout"], given["connect_timeout"]) == (idle, "30000", "10")
        store.close()


def test_one_write_that_fails_takes_no_other_with_it(store: Store) -> None:
    """Many threads write at once; every third fails. Exactly the others are there afterwards."""

    def put(number: int) -> None:
        def work(connection: Connection) -> None:
            connection.execute(
                event.insert().values(
                    at=datetime.now(UTC), author="t", kind="k", subject=str(number), reason="", facts={}
                )
            )
            if number % 3 == 0:
                raise ZeroDivisionError

        if number % 3 == 0:
            with pytest.raises(ZeroDivisionError):
                store.write(work)
        else:
            store.write(work)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = store.read(lambda connection: {int(name) for name in connection.execute(select(event.c.subject)).scalars()})
    assert kept == {number for number in range(60) if number % 3}


def test_what_may_be_on_disk_already_is_not_done_once_more(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is lost after the commit, before its reply: nobody knows, so whoever asked is told."""
    store, commit = open_store(postgres_database), cast("Any", DefaultDialect.do_commit)
    prepare(store)
    losing = [True]

    def lost(self: DefaultDialect, connection: Any) -> None:
        commit(self, connection)
        if losing:
            losing.clear()
            connection.dbapi_connection.close()
            raise psycopg.OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr(type(store.engine().dialect), "do_commit", lost, raising=False)
    once = {"author": "x", "kind": "said once", "subject": "x", "reason": "", "facts": {}, "at": datetime.now(UTC)}
    with pytest.raises(OperationalError, match="closed the connection"):
        store.write(lambda connection: connection.execute(insert(event).values(once)))
    said = select(func.count()).where(event.c.kind == "said once")
    assert store.read(lambda connection: connection.execute(said).scalar_one()) == 1
    store.close()


def test_times_come_back_in_utc_and_times_without_zone_are_refused(store: Store) -> None:
    moment = datetime(2026, 3, 29, 3, 30, 15, 123456, tzinfo=timezone(timedelta(hours=2)))

    def put(at: datetime) -> None:
        store.write(
            lambda connection: connection.execute(
                event.insert().values(at=at, author="t", kind="k", subject="s", reason="", facts={"a": [1, None]})
            )
        )

    put(moment)
    row = store.read(lambda connection: connection.execute(select(event)).one())
    assert row.at == moment
    assert row.at.tzinfo is UTC
    assert row.facts == {"a": [1, None]}
    with pytest.raises(Exception, match="no time zone"):
        put(datetime(2026, 1, 1))  # noqa: DTZ001 - that is the point


def test_a_prepared_statement_reads_what_sqlalchemy_reads(store: Store) -> None:
    House.build(store).person("Ada")
    query = select(annotator)
    prepared = Prepared(query)
    fast = store.read(lambda connection: prepared.first(connection))
    slow = store.read(lambda connection: connection.execute(query).one())
    assert tuple(fast) == tuple(slow)
    missing = Prepared(select(unit.c.id).where(unit.c.name == func.lower(None)))
    assert store.read(lambda connection: missing.first(connection)) is None


def test_a_backup_made_while_people_work_restores_into_either_database(
    store: Store, tmp_path: Path, postgres_database: str, postgres: str
) -> None:
    house = House.build(store, 40, labels_per_unit=4)  # a newcomer finds work, however much was done
    tokens = [house.person(f"p{number}") for number in range(3)]
    stop = threading.Event()

    def work(token: str) -> None:
        following = house.next(token)
        while following.task is not None and not stop.is_set():
            _, following = house.submit(token, following.task)

    crowd = [threading.Thread(target=work, args=(token,)) for token in tokens]
    for person in crowd:
        person.start()
    copy = tmp_path / "copy.goldmark"
    assert backup(store, copy) > 0
    stop.set()
    for person in crowd:
        person.join()
    with pytest.raises(BackupExists):
        backup(store, copy)
    with pytest.raises(NotEmpty):
        restore(copy, postgres_database)

    restored = str(tmp_path / "restored.db")
    restore(copy, restored)
    with pytest.raises(NotEmpty):
        restore(copy, restored)
    twin = open_store(restored)
    assert check(twin).problems == ()
    record = record_of(twin, NAME)
    assert len(record.units) == 40
    twin.close()

    empty = empty_database(postgres)
    restore(copy, empty)
    other = open_store(empty)
    assert check(other).problems == ()
    assert record_of(other, NAME) == record
    again = House.over(other)
    assert again.next(again.person("a newcomer")).finished is None  # ids go on after the restored ones
    other.close()


def test_a_restore_that_breaks_off_leaves_nothing_and_can_be_repeated(
    store: Store, tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    House.build(store, 5)
    copy = tmp_path / "copy.goldmark"
    backup(store, copy)
    goals = [str(tmp_path / "restored.db"), empty_database(postgres)]
    steps = {"at": 0}

    def break_off(*given: Any, **more: Any) -> Any:
        steps["at"] += 1
        if steps["at"] == 3:
            raise OSError(28, "no space left on device")
        return insert(*given, **more)

    for goal in goals:
        with monkeypatch.context() as patch:
            steps["at"] = 2 if goal == goals[0] else 0
            patch.setattr("goldmark.store.upkeep.backup.insert", break_off)  # rows into PostgreSQL
            patch.setattr("goldmark.store.upkeep.backup.os.fsync", break_off)  # the file of SQLite
            with pytest.raises(RestoreFailed, match="no space left"):
                restore(copy, goal)
        assert not any(tmp_path.glob("*.restoring*"))
        restore(copy, goal)
        again = open_store(goal)
        assert check(again).problems == ()
        again.close()


def test_a_backup_that_was_cut_short_is_told_and_not_restored(store: Store, tmp_path: Path, postgres: str) -> None:
    House.build(store, 40)
    copy, short = tmp_path / "copy.goldmark", tmp_path / "short.goldmark"
    backup(store, copy)
    short.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    for goal in (str(tmp_path / "restored.db"), empty_database(postgres)):
        with pytest.raises(NotABackup, match=r"malformed|damaged|missing|short|disk image|page"):
            restore(short, goal)
    assert not any(tmp_path.glob("restored*"))


def test_a_backup_of_which_a_byte_changed_is_told_and_not_restored(store: Store, tmp_path: Path, postgres: str) -> None:
    """Any byte: SQLite itself would not notice that somebody's answer is another one now."""
    House.build(store, 5)
    copy, changed = tmp_path / "copy.goldmark", tmp_path / "changed.goldmark"
    size = backup(store, copy)
    content = copy.read_bytes()
    for place in (200, size // 2, size - 1000, size - 3):
        changed.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(NotABackup):
            restore(changed, str(tmp_path / "restored.db"))
    changed.write_bytes(content[: size - 10])  # a little short, and so without the digest
    for goal in (str(tmp_path / "restored.db"), empty_database(postgres)):
        with pytest.raises(NotABackup):
            restore(changed, goal)
    with sqlite3.connect(copy) as looked_into:  # it stays a database that can be looked into
        assert looked_into.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        looked_into.execute(f"VACUUM INTO '{tmp_path / 'on-purpose'}'")
    looked_into.close()
    restore(tmp_path / "on-purpose", str(tmp_path / "restored.db"))


def test_files_with_answers_are_their_owners_alone(tmp_path: Path) -> None:
    made = open_store(str(tmp_path / "new.db"))
    upgrade(made)
    backup(made, tmp_path / "copy.goldmark")
    restore(tmp_path / "copy.goldmark", str(tmp_path / "restored.db"))
    private = {path.name for path in tmp_path.iterdir() if path.stat().st_mode & 0o077 == 0}
    made.close()
    assert private == {"new.db", "new.db-wal", "new.db-shm", "copy.goldmark", "restored.db"}


def test_a_backup_of_a_newer_version_is_refused(store: Store, tmp_path: Path, postgres: str) -> None:
    copy, newer = tmp_path / "copy.goldmark", tmp_path / "newer.goldmark"
    backup(store, copy)
    with sqlite3.connect(copy) as changed:
        changed.execute("UPDATE alembic_version SET version_num = '9999'")
        changed.commit()
        changed.execute(f"VACUUM INTO '{newer}'")
    changed.close()
    for goal in (str(tmp_path / "restored.db"), empty_database(postgres)):
        with pytest.raises(DatabaseTooNew, match="install a newer Goldmark"):
            restore(newer, goal)


def test_what_ended_after_a_backup_stays_ended_when_it_is_restored(store: Store, tmp_path: Path, postgres: str) -> None:
    accounts = AccountService(store)
    owner = accounts.create("Ada", Role.OWNER, "four unrelated words", author="test")
    session, link = accounts.session_for(owner.id), accounts.one_time_link(owner.id)
    _, token = accounts.new_token(owner.id, "laptop")
    copy = tmp_path / "copy.goldmark"
    backup(store, copy)
    accounts.sign_out(session)
    accounts.enter_by_link(link, password=None)
    for goal in (str(tmp_path / "restored.db"), empty_database(postgres)):
        restore(copy, goal)
        again = open_store(goal)
        restored = AccountService(again)
        with pytest.raises(SecretNotValid):
            restored.account_of(session, "session")
        with pytest.raises(SecretNotValid):
            restored.enter_by_link(link, password=None)
        assert restored.account_of(token, "token").name == "Ada"
        assert restored.sign_in("Ada", "four unrelated words").complete
        again.close()


def _before_orders(store: Store) -> None:
    """The tables as they were before an assignment said which of two texts it showed first."""

    def take_back(connection: Connection) -> None:
        for table in ("second_factor", "server_setting"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        for column in ("scope", "role"):
            connection.exec_driver_sql(f"ALTER TABLE credential DROP COLUMN {column}")
        connection.exec_driver_sql("ALTER TABLE account DROP COLUMN registered")
        for index in ("ix_assignment_open", "ix_assignment_unreviewed", "ix_unit_test"):
            connection.exec_driver_sql(f"DROP INDEX {index}")
        connection.exec_driver_sql("ALTER TABLE assignment DROP COLUMN reviewed")
        connection.exec_driver_sql("DROP INDEX ix_annotator_same_browser")
        connection.exec_driver_sql("ALTER TABLE annotator DROP COLUMN same_browser")
        connection.exec_driver_sql("ALTER TABLE response DROP COLUMN reply")
        connection.exec_driver_sql("ALTER TABLE annotator DROP COLUMN seen_at")
        connection.exec_driver_sql("ALTER TABLE response DROP COLUMN language")
        connection.exec_driver_sql("DROP TABLE rate_limit")
        for table in ("ledger", "posting_order", "posting_session", "posting"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql("ALTER TABLE annotator DROP COLUMN withdrew")
        newer = ("board_item phase", "board_submission phase", "board_submission same_outputs", "board_team invitation")
        for table, column in (words.split() for words in newer):
            connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.exec_driver_sql("ALTER TABLE board_score DROP COLUMN shared")
        for index in ("ix_assignment_item", "ix_annotator_condition"):
            connection.exec_driver_sql(f"DROP INDEX {index}")
        for table in ("unit", "assignment"):
            connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN item")
        connection.exec_driver_sql("ALTER TABLE unit RENAME COLUMN stratum TO drawer")
        connection.exec_driver_sql("DROP INDEX ix_campaign_crowd")
        connection.exec_driver_sql("ALTER TABLE campaign DROP COLUMN crowd")
        connection.exec_driver_sql("ALTER TABLE test_answer DROP COLUMN revision")
        connection.exec_driver_sql("ALTER TABLE annotator DROP COLUMN kind")
        connection.exec_driver_sql("ALTER TABLE assignment DROP COLUMN shown_first")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0006'")

    store.write(take_back)
    store.close()


def _compared(store: Store) -> House:
    """A campaign of comparisons in which Ada has answered one and holds another."""
    house = House.build(store, [pair(f"u{number}") for number in range(4)], "pairwise", labels_per_unit=2)
    ada = house.person("Ada")
    house.submit(ada, house.task(ada), {"preferred": "a"})
    return house


def test_comparisons_of_an_older_database_stay_as_they_were_given(database: str) -> None:
    store = open_store(database)
    ada = _compared(store).person("Ada")
    stored = record_of(store, NAME).responses
    _before_orders(store)
    store = open_store(database)
    with pytest.raises(DatabaseOutdated):
        prepare(store)
    assert upgrade(store).before == "0006"
    with store.engine().connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    record = record_of(store, NAME)
    assert record.responses == stored
    assert all("shown_first" not in one.facts for one in record.assignments)

    house = House.over(store)
    (done, held) = sorted(house.responses.earlier(ada), key=lambda one: one.id)
    assert not done.order.changed
    assert house.responses.look(ada, done.id).answers == stored[0].answers
    _, following = house.submit(ada, held.id, {"preferred": "b"})
    record = record_of(store, NAME)
    assert record.responses[-1].answers == {"preferred": "b"}, "b is b where the order was never drawn"
    assert following.task is not None
    assert record.assignments[-1].facts["shown_first"] in ("a", "b"), "what comes now is drawn"
    store.close()


def test_a_backup_of_an_older_database_restores_into_postgres_and_back(
    sqlite_database: str, tmp_path: Path, postgres: str
) -> None:
    """Backing up comes before upgrading, so what is copied may have fewer columns than this Goldmark knows."""
    store = open_store(sqlite_database)
    _compared(store)
    stored = record_of(store, NAME).responses
    _before_orders(store)
    address = empty_database(postgres)
    restore(Path(sqlite_database), address)
    other = open_store(address)
    assert record_of(other, NAME).responses == stored
    _before_orders(other)
    other = open_store(address)
    copy = tmp_path / "copy.goldmark"
    backup(other, copy)
    other.close()
    again = open_store(str(copy))
    assert record_of(again, NAME).responses == stored
    again.close()


@pytest.mark.parametrize("content", [b"", b"not a database at all, just words"])
def test_something_else_is_not_restored(tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "source"
    source.write_bytes(content)
    with pytest.raises(NotABackup):
        restore(source, str(tmp_path / "new.db"))
    with pytest.raises(NotABackup):
        restore(tmp_path / "missing", str(tmp_path / "new.db"))


def test_the_check_finds_counts_that_do_not_add_up(store: Store) -> None:
    house = House.build(store)
    house.task(house.person("Ada"))
    assert check(store).problems == ()
    store.write(lambda connection: connection.execute(update(unit).values(taken=1, done=1)))
    store.write(lambda connection: connection.execute(update(annotator).values(done=7)))
    problems = check(store).problems
    assert any("unit" in problem for problem in problems)
    assert any("annotator Ada: 7 done are noted, 0 exist" in problem for problem in problems)


def test_whatever_is_held_can_be_referred_to() -> None:
    """Without `key_share`, PostgreSQL lets nobody insert a row that refers to one that is held: annotators waited for
    managers, and both for each other.
    """
    calls = [
        (str(path.relative_to(SOURCES)), call)
        for path in sorted(SOURCES.rglob("*.py"))
        for call in re.findall(r"with_for_update\([^)]*\)", path.read_text(encoding="utf-8"))
    ]
    assert len(calls) > 20
    assert [one for one in calls if "key_share=True" not in one[1]] == []


@pytest.mark.parametrize("how", ["read", "snapshot", "write"])
def test_what_broke_off_among_its_rows_does_not_hold_the_log(sqlite_store: Store, how: str) -> None:
    """SQLite's log is emptied when nobody reads what was. Who failed would go on, for as long as their error is kept.

    So an export for which there was no room on the disk let the log grow until there was none for anybody.
    """
    left = list[Any]()

    def breaks_off(connection: Connection) -> None:
        rows = iter(connection.execute(text("SELECT name FROM sqlite_master")))
        left.append((next(rows), rows))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        getattr(sqlite_store, how)(breaks_off)
    sqlite_store.write(lambda connection: connection.execute(rate_limit.delete()))
    assert sqlite_store.scrub(rate_limit), "the log can be folded in and emptied"


def test_nobody_moves_the_log_of_a_backup_while_it_becomes_one_file(
    postgres_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From PostgreSQL rows go through the writer of a new SQLite file, whose log has a thread of its own."""
    store, fold_in = open_store(postgres_database), backups._fold_in
    upgrade(store)
    told = {
        "author": "x",
        "kind": "x",
        "subject": "x",
        "reason": "",
        "at": datetime.now(UTC),
        "facts": {"x": "y" * 8000},
    }
    store.write(lambda connection: connection.execute(insert(event), [told] * 2000))

    def a_moment_later(copy: Any) -> None:
        time.sleep(0.01)
        fold_in(copy)

    monkeypatch.setattr(backups, "_fold_in", a_moment_later)
    made = tmp_path / "made.backup"
    assert backup(store, made) > 0
    assert made.read_bytes()[18:20] == b"\x01\x01", "it has no log beside it"
    restore(made, str(tmp_path / "again.db"))
    store.close()


def test_a_backup_for_which_there_is_no_room_is_told_and_leaves_nothing(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "folder" / "backup.db"
    target.parent.mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))  # of a file: less than any backup has
    try:
        with pytest.raises(BackupFailed):
            backup(store, target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(target.parent.iterdir()) == []
    assert backup(store, target) > 60_000


def test_work_that_is_called_off_while_it_waits_stops_nobody_elses(sqlite_store: Store) -> None:
    """Telling its result to nobody ended the thread that writes, and with it all writing of the server."""
    held = threading.Event()
    first = sqlite_store.write_soon(lambda _: held.wait())
    called_off = sqlite_store.write_soon(lambda connection: connection.execute(rate_limit.delete()))
    assert called_off.cancel()
    held.set()
    assert first.result(300)
    assert sqlite_store.write_soon(lambda _: "written").result(300) == "written"
