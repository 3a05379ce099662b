"""For those who run a server: whether it lives and can work, what it has done, its logs, its backups, its doctor."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import insert, text
from sqlalchemy.exc import OperationalError

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.rate_limits import RateLimits
from goldmark.accounts.roles import Role
from goldmark.accounts.second_factor import SecondFactors
from goldmark.accounts.service import AccountService
from goldmark.cli import run
from goldmark.store import Store, open_store
from goldmark.store.tables import job
from goldmark.store.upkeep import kept_backups
from goldmark.store.upkeep.backup import backup
from goldmark.store.upkeep.kept_backups import BackupNotSound, BackupPlan
from goldmark.web.runtime import operation
from goldmark.web.runtime.doctor.diagnosis import diagnose
from goldmark.web.runtime.logs import JsonLines, teller, without_secrets
from goldmark.web.runtime.telemetry import Telemetry
from tests.web.house import House


def test_it_lives_and_is_ready_until_its_tables_are_of_another_version(house: House) -> None:
    client = house.client()
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").text == "ready\n"
    store, older = house.services.store, text("UPDATE alembic_version SET version_num = '0001'")
    store.write(lambda connection: connection.execute(older))
    assert operation.not_ready(store) == "the tables are of another version"


def test_a_full_disk_and_a_file_that_may_not_be_written_are_not_ready(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changes no row writes nothing, so that SQLite itself would not have noticed."""
    store = house.services.store
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 0))
        assert operation.not_ready(store) == "the disk is full"
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda path, mode: False)
        assert operation.not_ready(store) == "the database cannot be written"
    assert operation.not_ready(store) == ""


def test_a_database_that_is_away_is_told_in_words(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Asked every few seconds, a traceback each time would fill the log."""

    def away(work: object) -> None:
        raise OperationalError("SELECT 1", {}, Exception("connection refused"))

    client = house.client(raise_server_exceptions=False)
    client.get("/signin")
    monkeypatch.setattr(type(house.services.store), "read", lambda store, work: away(work))
    said = client.get("/healthz")
    assert (said.status_code, said.text) == (503, "the database does not answer\n")
    assert operation.not_ready(house.services.store) == "the database cannot be written"
    assert client.get("/metrics", headers={"authorization": "Bearer gm_x"}).status_code == 503
    monkeypatch.setattr(operation, "address_of", lambda request: "127.0.0.1")
    found = parsed(client.get("/metrics").text)
    assert found["goldmark_database_up", ()] == 0
    assert ("goldmark_responses_total", ()) not in found
    assert not caplog.records


def parsed(said: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """What Prometheus' own reader makes of it."""
    families = list(text_string_to_metric_families(said))
    assert len({one.name for one in families}) == len(families), "each metric in one place"
    assert all(one.documentation and one.type != "unknown" for one in families)
    rows = [one for family in families for one in family.samples]
    found = {(one.name, tuple(sorted(one.labels.items()))): one.value for one in rows}
    assert len(found) == len(rows), "no sample twice"
    return found


def test_whichever_process_is_asked_tells_of_all(tmp_path: Path) -> None:
    first, second = Telemetry(), Telemetry()
    for number, one in enumerate((first, second), start=1):
        for _ in range(number):
            one.note("GET", "/signin", 200, 0.02)
        one.share(tmp_path, number)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("*.told"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    for asked in (first, second):
        found = parsed("\n".join(asked.everybody()) + "\n")
        counted = {labels: value for (name, labels), value in found.items() if name == "goldmark_reply_seconds_count"}
        assert counted == {
            (("area", "pages"), ("process", "1")): 1,
            (("area", "pages"), ("process", "2")): 2,
        }
    first.note("GET", "/signin", 200, 0.02)
    found = parsed("\n".join(first.everybody()) + "\n")
    labels = (("method", "GET"), ("pattern", "/signin"), ("process", "1"), ("status", "200"))
    assert found["goldmark_replies_total", labels] == 2, "of itself it knows what it did just now"


def test_metrics_are_for_this_machine_and_for_managers(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    client = house.client()
    client.get("/signin")
    client.get("/a/secret-of-somebody")
    client.get("/nothing/here")
    assert client.get("/metrics").status_code == 401  # the test's client comes from elsewhere
    assert house.program("curator").get("/metrics").status_code == 403
    found = house.program("manager").get("/metrics")
    assert found.status_code == 200
    assert "secret-of-somebody" not in found.text
    assert re.search(r'method="GET",pattern="/signin",status="200"\} \d', found.text)
    assert re.search(r'pattern="none",status="404"\} \d', found.text)
    assert re.search(r'goldmark_reply_seconds_count\{process="\d+",area="annotators"\} \d', found.text)
    assert parsed(found.text)["goldmark_database_up", ()] == 1
    monkeypatch.setattr(operation, "address_of", lambda request: "127.0.0.1")
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", headers={"x-forwarded-for": "203.0.113.9"}).status_code == 401


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    stream, logger = io.StringIO(), logging.getLogger("goldmark")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def test_logs_are_lines_of_json_that_open_no_door(house: House, written: io.StringIO) -> None:
    house.client().get("/a/very-secret-link?next=gm_abc")
    try:
        raise ValueError("postgresql://ann:hunter2@db/x refused gm_abcdef at /link/one-time-secret")
    except ValueError:
        logging.getLogger("goldmark.test").exception("Bearer gm_zzz failed")
    reply, failed = map(json.loads, written.getvalue().splitlines())
    assert (reply["message"], reply["method"], reply["status"]) == ("reply", "GET", reply["status"])
    assert reply["pattern"].startswith("/a/{")
    assert "ValueError: postgresql://ann:***@db/x refused gm_*** at /link/***" in failed["error"]
    for secret in ("very-secret", "hunter2", "abcdef", "one-time", "zzz"):
        assert secret not in written.getvalue()
    assert without_secrets("nothing to hide: 12:30") == "nothing to hide: 12:30"


def test_a_log_that_cannot_be_written_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full, or whoever read it has gone."""

    class Full(io.StringIO):
        def write(self, said: str) -> int:
            raise OSError(28, "No space left on device")

        def fileno(self) -> int:
            return 2

    for hook in ("stderr", "__stderr__", "excepthook"):
        monkeypatch.setattr(sys, hook, Full() if hook != "excepthook" else sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    root, ours = logging.getLogger(), logging.getLogger("goldmark")
    before = root.handlers[:], root.level, ours.level
    try:
        teller(as_json=True)("at work")
        ours.warning("access refused")
        print("printed", file=sys.stderr)
    finally:
        logging.captureWarnings(False)
        root.handlers[:], root.level, ours.level = before
        logging.getLogger("goldmark").setLevel(before[2])


def test_errors_of_the_database_do_not_repeat_what_people_wrote(store: Store) -> None:
    with pytest.raises(Exception, match="no_such_table") as told:
        store.read(lambda connection: connection.execute(text("SELECT :x FROM no_such_table"), {"x": "my secret"}))
    assert "my secret" not in str(told.value)


def test_backups_by_schedule_are_tried_and_the_oldest_leave(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, store = tmp_path / "backups", open_store(database)
    made = [BackupPlan(folder, keep=2).make(store) for _ in range(3)]
    assert BackupPlan(folder).kept() == [made[1].path, made[2].path]
    assert sorted(folder.iterdir()) == [made[1].path, made[2].path]  # nothing else is left lying there

    def damaged(source: Store, target: Path) -> int:
        size = backup(source, target)
        with target.open("r+b") as file:
            file.truncate(size // 2)
        return size

    monkeypatch.setattr(kept_backups, "backup", damaged)
    with pytest.raises((BackupNotSound, Exception), match=r"not a Goldmark backup|did not come back"):
        BackupPlan(folder, keep=1).make(store)
    assert BackupPlan(folder).kept() == [made[1].path, made[2].path]  # a bad one drives out nobody
    store.close()


def test_as_many_backups_stay_as_were_asked_for(sqlite_database: str, tmp_path: Path) -> None:
    store, plan = open_store(sqlite_database), BackupPlan(tmp_path / "backups", keep=4)
    kept = []
    for _ in range(6):
        plan.make(store)
        kept.append(len(plan.kept()))
    assert kept == [1, 2, 3, 4, 4, 4]
    store.close()


def test_a_clock_that_was_wrong_holds_up_no_backup(database: str, tmp_path: Path) -> None:
    """Set back, it left backups behind from what is now the future; the new one is not the one that leaves."""
    store, plan = open_store(database), BackupPlan(tmp_path, keep=2)
    for year in (2091, 2092):
        path = tmp_path / f"goldmark-{year}0101T000000.000000Z.backup"
        path.write_bytes(b"")
        os.utime(path, (2**32, 2**32))
    assert plan.newest(time.time()) == 0.0
    made = plan.make(store)
    assert made.path.exists()
    assert len(plan.kept()) == 2
    assert plan.newest(time.time()) == pytest.approx(made.path.stat().st_mtime)
    store.close()


def test_a_database_that_is_away_ends_no_schedule(
    sqlite_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Enough(BaseException):
        pass

    def wait(seconds: float) -> None:
        raise Enough

    def away(plan: BackupPlan, store: Store) -> None:
        raise OperationalError("SELECT 1", {}, Exception("connection refused"))

    failed: list[str] = []
    monkeypatch.setattr(BackupPlan, "make", away)
    monkeypatch.setattr("time.sleep", wait)
    store = open_store(sqlite_database)
    with pytest.raises(Enough):
        BackupPlan(tmp_path).keep_making(store, done=lambda made: None, failed=failed.append)
    assert len(failed) == 1
    assert failed[0].startswith("no backup was made")
    store.close()


def test_what_a_killed_try_left_is_removed_and_what_goes_on_is_not(sqlite_database: str, tmp_path: Path) -> None:
    left, working = tmp_path / ".trying-killed", tmp_path / ".trying-now"
    for room in (left, working):
        room.mkdir()
        (room / "restored.db").write_bytes(b"much")
    store = open_store(sqlite_database)
    with kept_backups._held(working):
        BackupPlan(tmp_path).make(store)
    assert not left.exists()
    assert working.exists()
    store.close()


def test_the_command_makes_one_and_the_doctor_sees_it(
    sqlite_database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "backups")
    Path(sqlite_database).chmod(0o600)
    assert run(["database", "keep-backups", folder, "--once", "--database", sqlite_database, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["responses"] == 0
    monkeypatch.setenv("GOLDMARK_PUBLIC", "https://eval.example.org")
    assert run(["doctor", "--backups", folder, "--database", sqlite_database, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is True
    assert {one["what"]: one["state"] for one in said["findings"]} == {
        "version": "ok",
        "extras": "ok",
        "signing key": "ok",
        "address": "ok",
        "sessions": "ok",
        "disk": "ok",
        "database": "ok",
        "accounts": "look",
        "backups": "ok",
    }


def test_the_doctor_finds_what_is_wrong(
    sqlite_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GOLDMARK_SECRET")
    key = Path(f"{sqlite_database}.key")
    key.write_text("x" * 40)
    key.chmod(0o644)
    monkeypatch.setenv("GOLDMARK_PUBLIC", "http://eval.example.org")
    monkeypatch.setenv("GOLDMARK_SESSION_IDLE", "an hour")
    store, old = open_store(sqlite_database), datetime.now(UTC) - timedelta(hours=1)
    about = {"kind": "x", "arguments": {}, "subject": "", "attempt": 0, "most_attempts": 3, "done": 0, "message": ""}
    late = {**about, "state": "waiting", "due_at": old, "author": "test", "created_at": old}
    store.write(lambda connection: connection.execute(insert(job).values(**late)))
    ada = AccountService(store).create("Ada", Role.OWNER, None, author="test")
    SecondFactors(store, SignedLinks(b"another key"), RateLimits(store)).begin(ada, "", address="", where="")
    store.close()
    (tmp_path / "empty").mkdir()
    Path(sqlite_database).chmod(0o644)
    assert run(["doctor", "--database", sqlite_database, "--backups", str(tmp_path / "empty")]) == 1
    said = capsys.readouterr()
    wrong = {line.split(":")[0].split()[-1] for line in said.out.splitlines() if line.strip().startswith("wrong")}
    assert wrong == {"key", "address", "sessions", "jobs", "accounts", "backups"}
    assert "GOLDMARK_SESSION_IDLE is 'an hour'; write a number with its unit" in said.out
    assert "1 second factors were set up with another signing key" in said.out
    assert f"chmod 600 {sqlite_database}*" in said.out
    found = {one.what: one.state for one in diagnose("postgresql://nobody:pw@127.0.0.1:1/none")}
    assert (found["signing key"], found["database"]) == ("wrong", "wrong")
