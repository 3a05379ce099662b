"""People from platforms: known again, kept apart, one campaign of a family each, erasable."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from goldmark.campaigns.assignments.strata import mixed
from goldmark.campaigns.definition.conditions import (
    ParticipantProgress,
    filled,
    progress_of_participants,
    stratum_problems,
)
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.campaigns.transfer.export import record_of
from goldmark.exchange.formats import export_bytes
from goldmark.people.annotators import JoinClosed, join
from goldmark.people.exclusions import exclude
from goldmark.people.participants import (
    Arrival,
    ErasedIds,
    NothingToErase,
    NotIdentified,
    NotProven,
    PlatformIdNotUsable,
    PlatformNotUsable,
    TookPartBefore,
    erase,
    platform_ids,
    token_of,
)
from goldmark.protocols import load
from goldmark.store import Store, open_store
from goldmark.store.tables import annotator, assignment, metadata, participant
from goldmark.store.tables import unit as units
from tests.campaigns.house import NAME, House, unit
from tests.postgres import Databases

WORKER = "5f1e9c-secret-worker-id"


def invite_of(house: House, name: str = NAME) -> str:
    row = house.store.read(lambda connection: find_campaign(connection, name))
    return house.links.invite(row.id, row.invite_nonce)


def second(house: House, name: str = "second", **settings: object) -> None:
    create(
        house.store,
        name=name,
        title=name,
        protocol=load("accuracy"),
        settings=Settings.model_validate(settings),
        units=[unit("v1")],
        author="test",
    )
    move(house.store, name, "started", author="test")


def ids(house: House, name: str = NAME) -> list[tuple[str, str | None]]:
    found = house.store.read(lambda connection: platform_ids(connection, find_campaign(connection, name)))
    return [(one.annotator, one.platform_id) for one in found]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"PROLIFIC_PID": "p1", "STUDY_ID": "s"}, Arrival("prolific", "p1")),
        ({"workerId": "A2", "assignmentId": "3", "hitId": "4"}, Arrival("mturk", "A2")),
        ({"participant": " x "}, Arrival("link", "x")),
        ({"participant": ""}, None),
        ({}, None),
    ],
)
def test_platforms_name_people_in_the_address(parameters: dict[str, str], expected: Arrival | None) -> None:
    assert Arrival.of(parameters) == expected


def test_ids_that_cannot_be_kept_are_refused() -> None:
    with pytest.raises(PlatformIdNotUsable):
        Arrival.of({"participant": "x" * 201})
    with pytest.raises(PlatformNotUsable):
        Arrival.from_outside("account", "1")  # nobody may come in an account's name


def test_who_comes_again_goes_on_where_they_were(store: Store) -> None:
    house = House.build(store)
    claimed, proven = Arrival("prolific", WORKER), Arrival("prolific", WORKER, proven=True)
    token = join(store, house.links, invite_of(house), arrival=claimed)
    assert join(store, house.links, invite_of(house), arrival=proven) == token
    assert join(store, house.links, invite_of(house), arrival=claimed, kept=token) == token
    with pytest.raises(NotProven, match="proves nothing"):  # anybody can type an id
        join(store, house.links, invite_of(house), arrival=claimed)
    assert token_of(store, house.links, 1, claimed) is None
    assert token_of(store, house.links, 1, proven) == token_of(store, house.links, 1, claimed, token) == token
    # The same letters on another platform are another person.
    assert join(store, house.links, invite_of(house), arrival=Arrival("mturk", WORKER)) != token
    assert ids(house) == [("annotator-1", WORKER), ("annotator-2", WORKER)]


def test_one_campaign_of_a_family_for_each_person(store: Store) -> None:
    house = House.build(store, join={"pool": "spring"})
    second(house, join={"pool": "spring"})
    second(house, "other", join={"pool": "autumn"})
    arrival = Arrival("prolific", WORKER)
    join(store, house.links, invite_of(house), arrival=arrival)
    with pytest.raises(TookPartBefore, match="each person can take part once"):
        join(store, house.links, invite_of(house, "second"), arrival=arrival)
    join(store, house.links, invite_of(house, "other"), arrival=arrival)
    join(store, house.links, invite_of(house, "second"), arrival=Arrival("prolific", "somebody else"))


def test_a_campaign_for_identified_people_takes_no_others(store: Store) -> None:
    house = House.build(store, join={"identified": True, "pool": "spring"})
    for arrival in (None, Arrival.browser(None)):
        with pytest.raises(NotIdentified):
            join(store, house.links, invite_of(house), arrival=arrival)
    join(store, house.links, invite_of(house), arrival=Arrival("prolific", WORKER))


def test_the_platform_id_is_in_no_other_table_and_in_no_export(store: Store) -> None:
    house = House.build(store)
    token = join(store, house.links, invite_of(house), "Real Name", Arrival("prolific", WORKER))
    house.submit(token, house.task(token))

    def everything(connection: object) -> dict[str, str]:
        return {
            table.name: repr(connection.execute(select(table)).all())  # type: ignore[attr-defined]
            for table in metadata.sorted_tables
        }

    holding = [name for name, rows in store.read(everything).items() if WORKER in rows]
    assert holding == ["participant"]
    packed = export_bytes(record_of(store, NAME), "jsonl")[1]
    assert WORKER.encode() not in packed
    assert record_of(store, NAME).annotators[0].id == "annotator-1"  # whom a platform names gets a pseudonym


def test_erasing_takes_the_id_and_leaves_the_answers(store: Store) -> None:
    house = House.build(store, join={"pool": "spring"})
    second(house, join={"pool": "spring"})
    arrival = Arrival("prolific", WORKER)
    token = join(store, house.links, invite_of(house), arrival=arrival)
    house.submit(token, house.task(token))
    assert erase(store, NAME, [], author="test", reason="nobody is named").people == 0
    assert erase(store, NAME, ["annotator-1"], author="test", reason="paid").people == 1
    assert ids(house) == [("annotator-1", None)]
    assert len(record_of(store, NAME).final_responses()) == 1
    assert erase(store, NAME, None, author="test", reason="again").people == 0
    with pytest.raises(TookPartBefore):  # the keyed hash is still there
        join(store, house.links, invite_of(house, "second"), arrival=arrival)
    assert erase(store, NAME, ["annotator-1"], forget=True, author="test", reason="asked for it").people == 1
    join(store, house.links, invite_of(house, "second"), arrival=arrival)  # nobody knows them any more
    kinds = [one.kind for one in record_of(store, NAME).events]
    assert kinds[-2:] == ["platform id erased", "participant forgotten"]
    with pytest.raises(NothingToErase):
        erase(store, NAME, ["nobody"], author="test", reason="")


def test_an_erased_id_is_in_no_file_any_more(sqlite_database: str) -> None:
    store = open_store(sqlite_database)
    house = House.build(store)
    join(store, house.links, invite_of(house), arrival=Arrival("prolific", WORKER))

    def files_with_it() -> list[str]:
        folder = Path(sqlite_database).parent
        return [path.name for path in folder.iterdir() if path.is_file() and WORKER.encode() in path.read_bytes()]

    assert files_with_it() != []
    with closing(sqlite3.connect(sqlite_database)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM participant").fetchone()
        assert not erase(store, NAME, None, author="test", reason="asked for it").gone_from_files
    assert files_with_it() != []
    assert erase(store, NAME, None, author="test", reason="once more") == ErasedIds(0, True)
    assert files_with_it() == []
    store.close()


def test_an_erased_id_is_in_no_file_of_a_table_of_postgresql(postgres_databases: Databases, postgres: str) -> None:
    store = open_store(postgres_databases.unused())
    house = House.build(store)
    join(store, house.links, invite_of(house), arrival=Arrival("prolific", WORKER))

    def files_with_it() -> list[str]:
        with store.engine().connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("ANALYZE")  # statistics hold examples of what is in a column
            connection.exec_driver_sql("CHECKPOINT")
            place = "SELECT current_setting('data_directory') || '/' || pg_relation_filepath('participant')"
            folder = Path(str(connection.exec_driver_sql(place).scalar_one())).parent
        return [path.name for path in folder.iterdir() if path.is_file() and WORKER.encode() in path.read_bytes()]

    assert len(files_with_it()) >= 1
    # Who writes meanwhile, even elsewhere on the server, could still see the row, and so it is copied.
    with psycopg.connect(postgres) as elsewhere:
        elsewhere.execute("CREATE TABLE writes_meanwhile ()")
        assert not erase(store, NAME, None, author="test", reason="asked for it").gone_from_files
        assert len(files_with_it()) >= 1
        elsewhere.rollback()
    while not erase(store, NAME, None, author="test", reason="once more").gone_from_files:
        """Other tests write on the same server."""
    assert files_with_it() == []
    store.close()


CONDITIONS = [{"name": name, "places": 4} for name in ("a", "b", "c")]


def conditions_of(house: House) -> list[str | None]:
    query = select(annotator.c.condition).order_by(annotator.c.id)
    return list(house.store.read(lambda connection: connection.execute(query).scalars().all()))


def people_of(store: Store, name: str = NAME) -> list[ParticipantProgress]:
    return store.read(lambda connection: progress_of_participants(connection, find_campaign(connection, name)))


def test_conditions_are_balanced_at_every_moment_and_closed_when_full(store: Store) -> None:
    house = House.build(store, conditions=CONDITIONS)
    for number in range(12):
        join(store, house.links, invite_of(house), arrival=Arrival("prolific", str(number)))
        counts = [conditions_of(house).count(name) for name in "abc"]
        assert max(counts) - min(counts) <= 1
    with pytest.raises(JoinClosed, match="all places are taken"):
        join(store, house.links, invite_of(house), arrival=Arrival("prolific", "late"))
    # Blocks are permutations: a lot decides, not the order in the file.
    drawn = conditions_of(house)
    assert {tuple(drawn[start : start + 3]) for start in range(0, 12, 3)} != {("a", "b", "c")}


def test_the_same_seed_draws_the_same_conditions(sqlite_database: str, postgres_database: str) -> None:
    drawn = []
    for address in (sqlite_database, postgres_database):
        store = open_store(address)
        house = House.build(store, conditions=CONDITIONS, order={"seed": 5})
        for _ in range(9):
            join(store, house.links, invite_of(house))
        drawn.append(conditions_of(house))
        store.close()
    assert drawn[0] == drawn[1]


def strata_seen(house: House, token: str, size: int) -> list[str]:
    """The strata of the units in one person's batch, in their order."""
    for _ in range(size):
        house.submit(token, house.task(token))
    assert house.next(token).finished is not None
    held = (
        select(units.c.stratum)
        .join(assignment, assignment.c.unit_id == units.c.id)
        .where(assignment.c.annotator_id == house.links.read_person(token).id)
        .order_by(assignment.c.id)
    )
    return list(house.store.read(lambda connection: connection.execute(held).scalars().all()))


def test_batches_are_mixed_as_the_condition_says(store: Store) -> None:
    texts = [unit(f"{stratum}{number}", stratum=stratum) for stratum in ("human", "old", "new") for number in range(6)]
    conditions = [{"name": "a", "mix": {"human": 1, "old": 1}}, {"name": "b", "mix": {"human": 1, "new": 1}}]
    house = House.build(store, texts, batch={"size": 5, "per_person": 1}, labels_per_unit=9, conditions=conditions)
    batches = []
    for _ in range(8):
        token = join(store, house.links, invite_of(house))
        batches.append(strata_seen(house, token, 5))
    for drawn, batch in zip(conditions_of(house), batches, strict=True):
        machine = {"a": "old", "b": "new"}[str(drawn)]
        assert set(batch) == {"human", machine}
        assert batch.count("human") in (2, 3)  # five of one to one: two of each, and one more by lot
    assert len({tuple(name == "human" for name in batch) for batch in batches}) > 3  # the order is by lot too


@given(
    st.dictionaries(st.sampled_from("abcde"), st.integers(1, 7), min_size=1),
    st.integers(1, 30),
    st.binary(min_size=1, max_size=4),
)
def test_a_batch_has_its_size_and_each_stratum_its_share(mix: dict[str, int], size: int, key: bytes) -> None:
    batch = mixed(tuple(mix.items()), size, 1, key)
    assert len(batch) == size
    for stratum, weight in mix.items():
        share = size * weight / sum(mix.values())
        assert share - 1 < batch.count(stratum) < share + 1


def test_over_many_people_the_mix_is_exact() -> None:
    keys = [number.to_bytes(2) for number in range(2000)]
    human = sum(mixed((("human", 1), ("machine", 1)), 5, 1, key).count("human") for key in keys) / len(keys)
    # The odd text is human with probability 1/2: mean 2.5, standard error 0.5 / sqrt(2000) = 0.011.
    assert human == pytest.approx(2.5, abs=0.05)


def test_who_is_excluded_leaves_the_place_to_the_next(store: Store) -> None:
    house = House.build(store, conditions=CONDITIONS)
    for _ in range(12):
        join(store, house.links, invite_of(house))
    victim = conditions_of(house)[4]
    exclude(store, NAME, "annotator-5", author="test", reason="copied the text")
    join(store, house.links, invite_of(house))
    assert conditions_of(house)[-1] == victim


def test_who_stopped_coming_leaves_the_place_to_the_next(store: Store) -> None:
    house = House.build(store, units=30, conditions=CONDITIONS, batch={"size": 1}, lease_minutes=0.0001)
    for _ in range(12):
        token = join(store, house.links, invite_of(house))
        house.submit(token, house.task(token))  # finished: keeps the place
    time.sleep(0.02)
    with pytest.raises(JoinClosed):
        join(store, house.links, invite_of(house))
    unfinished = update(annotator).where(annotator.c.condition == "a").values(batch_done=0, done=0)
    store.write(lambda connection: connection.execute(unfinished))
    taken = store.read(lambda connection: filled(connection, find_campaign(connection, NAME)))
    assert taken == {"b": 4, "c": 4}


def test_people_who_join_at_once_are_balanced_and_known_once(database: str) -> None:
    store = open_store(database)
    house = House.build(store, conditions=CONDITIONS, join={"pool": "spring"})
    second(house, join={"pool": "spring"}, conditions=CONDITIONS)
    ways = [invite_of(house), invite_of(house, "second")]

    def come(number: int) -> str:
        try:
            return join(store, house.links, ways[number % 2], arrival=Arrival("prolific", str(number // 4), True))
        except TookPartBefore:
            return "refused"

    with ThreadPoolExecutor(8) as pool:
        tokens = list(pool.map(come, range(48)))
    # Twelve people knock four times each, twice at either door: one door opens, twice for the same token.
    assert tokens.count("refused") == 24
    assert len(set(tokens) - {"refused"}) == 12
    people = select(participant.c.id)
    assert len(store.read(lambda connection: connection.execute(people).all())) == 12
    for name in (NAME, "second"):
        found = people_of(store, name)
        counts = [sum(one.condition == condition for one in found) for condition in "abc"]
        assert max(counts) - min(counts) <= 1
    store.close()


def test_conditions_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="two conditions have the same name"):
        Settings.model_validate({"conditions": [{"name": "a"}, {"name": "a"}]})
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        Settings.model_validate({"conditions": [{"name": "a", "mix": {"x": 0}}]})
    settings = Settings.model_validate({"conditions": [{"name": "a", "mix": {"human": 1, "robot": 1}}, {"name": "b"}]})
    found = stratum_problems(settings, {"human"}, "campaign.yaml:3")
    assert [one.what.split('"')[1] for one in found] == ["robot", "work"]
