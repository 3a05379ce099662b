"""When test questions come: at their rates, in nobody else's order, and at no moment that could be foreseen."""

from __future__ import annotations

from collections import Counter
from math import ceil, floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from sqlalchemy import Connection, select

from goldmark.campaigns.assignments.strata import (
    BLOCK,
    DueTestQuestion,
    NextSource,
    Placement,
    due,
    next_source,
    placement_of,
)
from goldmark.campaigns.definition.settings import Settings, TestQuestions
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.progress import progress_of
from goldmark.campaigns.unit_overview import list_units, unit_dots
from goldmark.store import Store
from goldmark.store.tables import unit
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit
from tests.databases import on_sqlite

rates = st.floats(0, 0.25)
keys = st.binary(min_size=4, max_size=16)


def drawn(given_rates: TestQuestions, key: bytes, units: int) -> list[str]:
    """What someone gets, unit by unit: `work` or the stratum of a test question."""
    turns = (due(given_rates, ordinal, key) for ordinal in range(units))
    return [turn.stratum if turn and turn.due else "work" for turn in turns]


@given(rates, rates, keys)
def test_the_rates_are_kept_in_every_block_and_in_the_long_run(positive: float, negative: float, key: bytes) -> None:
    got = drawn(TestQuestions(positive=positive, negative=negative), key, 10 * BLOCK)
    for stratum, rate in (("test-positive", positive), ("test-negative", negative)):
        # Never more than one away from what the rate says, however long somebody works.
        assert floor(10 * BLOCK * rate) <= got.count(stratum) <= ceil(10 * BLOCK * rate)
        for start in range(0, len(got), BLOCK):
            assert floor(BLOCK * rate) <= got[start : start + BLOCK].count(stratum) <= ceil(BLOCK * rate)


def test_five_and_five_per_cent_are_one_of_each_in_twenty() -> None:
    got = drawn(TestQuestions(positive=0.05, negative=0.05), b"a key", 100 * BLOCK)
    for start in range(0, len(got), BLOCK):
        block = Counter(got[start : start + BLOCK])
        assert block == {"work": 18, "test-positive": 1, "test-negative": 1}


def test_short_batches_meet_test_questions_at_the_rate_as_well() -> None:
    """Ten units each at 5 %: half of the people get one. 400 people, so 200 with a standard error of 10."""
    people = [drawn(TestQuestions(positive=0.05), f"person {number}".encode(), 10) for number in range(400)]
    assert 160 <= sum("test-positive" in got for got in people) <= 240


def test_places_are_spread_evenly_and_differ_between_people() -> None:
    settings = TestQuestions(positive=0.05)
    places = [drawn(settings, f"person {number}".encode(), BLOCK).index("test-positive") for number in range(2_000)]
    # 100 at each of the 20 places, standard error just under 10.
    assert all(50 <= Counter(places)[place] <= 150 for place in range(BLOCK))


def test_no_test_questions_unless_asked_for() -> None:
    assert next_source(Settings(), 7, b"a key") == NextSource(("work",), None)


def test_a_due_test_question_is_looked_for_from_a_random_place_of_its_stratum() -> None:
    settings = Settings(test_questions={"negative": 0.5})
    turns = [next_source(settings, ordinal, b"a key").test for ordinal in range(40)]
    assert all(turns), "one is looked for even where none is due, so that looking tells nothing"
    found = [turn for turn in turns if turn is not None and turn.due]
    assert len(found) == 20
    assert all(isinstance(turn, DueTestQuestion) and 0 <= turn.place < 1 for turn in found)
    assert len({turn.place for turn in found}) == 20


def test_half_of_the_work_is_the_most() -> None:
    with pytest.raises(ValidationError, match="at most half"):
        TestQuestions(positive=0.3, negative=0.3)


def test_a_unit_lies_where_its_hidden_facts_say() -> None:
    assert placement_of({}) == Placement("work", True)
    assert placement_of({"stratum": "news"}) == Placement("news", True)
    assert placement_of({"test": "positive", "stratum": "news"}) == Placement("test-positive", False)
    assert placement_of({"test": "introduced"}) == Placement("test-negative", False)
    assert placement_of({"test": "split"}) == Placement("work", True)  # somebody's own column of that name


def test_a_unit_knows_of_what_it_is_a_version() -> None:
    assert placement_of({"item": "q7"}).item == "q7"
    assert placement_of({"item": 7, "test": "positive"}).item == "7"
    assert placement_of({"item": ""}).item is None


def build(store: Store, work: int, positive: int, negative: int, **settings: Any) -> House:
    units = [make_unit(f"w{number}") for number in range(work)]
    units += [make_unit(f"p{number}", test="positive") for number in range(positive)]
    units += [make_unit(f"n{number}", test="negative") for number in range(negative)]
    return House.build(store, units, test_questions={"positive": 0.25, "negative": 0.25}, **settings)


def work_through(house: House, token: str) -> list[str]:
    """Everything there is for someone, as the names of the units they met."""
    names = house.store.read(
        lambda connection: {row.id: row.name for row in connection.execute(select(unit.c.id, unit.c.name))}
    )
    met = []
    following = house.next(token)
    while following.task is not None:
        met.append(names[following.task.unit_id])
        _, following = house.submit(token, following.task)
    return met


def test_test_questions_are_mixed_in_once_each_and_stop_with_the_work(store: Store) -> None:
    house = build(store, 20, 3, 30)
    met = work_through(house, house.person("Ada"))
    assert len(met) == len(set(met))
    kinds = Counter(name[0] for name in met)
    assert kinds["w"] == 20
    assert kinds["p"] == 3  # all there are; from then on work comes instead
    # 20 work units and 3 positives, and of any 20 things 5 are negative: 27 to 32 things in all.
    assert 5 <= kinds["n"] <= 9
    assert met[-1].startswith("w"), "a test question is handed out only while there is work left"


@on_sqlite
def test_no_work_left_means_no_test_question_either(store: Store) -> None:
    house = build(store, 4, 10, 10, labels_per_unit=1)
    work_through(house, house.person("Ada"))
    finished = house.next(house.person("Bo")).finished
    assert finished is not None
    assert finished.why == "all"


def test_someone_at_a_test_question_keeps_nobody_waiting(store: Store) -> None:
    """The only work is done; that Ada still holds a test question is nothing that could come back to Bo."""
    house = build(store, 6, 10, 10, labels_per_unit=1)
    ada, bo = house.person("Ada"), house.person("Bo")
    while _name(store, house.task(ada).unit_id).startswith("w"):
        house.submit(ada, house.task(ada))
    for name in work_through(house, bo):
        assert name
    finished = house.next(bo).finished
    assert finished is not None
    assert finished.why == "all"


def _name(store: Store, unit_id: int) -> str:
    query = select(unit.c.name).where(unit.c.id == unit_id)
    return str(store.read(lambda connection: connection.execute(query).scalar_one()))


def test_many_people_answer_one_test_question_and_its_counts_stay_at_nought(store: Store) -> None:
    house = build(store, 8, 1, 1, labels_per_unit=3)
    seen = [work_through(house, house.person(name)) for name in ("Ada", "Bo", "Cleo")]
    assert all(len(met) == 10 for met in seen)

    def look(connection: Connection) -> None:
        row = find_campaign(connection, NAME)
        progress = progress_of(connection, row)
        assert (progress.units, progress.units_finished) == (8, 8)
        assert (progress.labels_wanted, progress.labels_done, progress.labels_in_progress) == (24, 24, 0)
        tests = list_units(connection, row, state="test").items
        assert sorted((one.name, one.wanted, one.done, one.state) for one in tests) == [
            ("n0", 0, 0, "test"),
            ("p0", 0, 0, "test"),
        ]
        assert list_units(connection, row, state="finished").total == 8
        dots = unit_dots(connection, row, most=100)
        assert dots is not None
        assert len(dots) == 8

    store.read(look)
    assert check(store).problems == ()


@on_sqlite
def test_test_questions_fill_a_batch_like_any_unit(store: Store) -> None:
    house = build(store, 40, 10, 10, batch={"size": 20})
    met = work_through(house, house.person("Ada"))
    assert Counter(name[0] for name in met) == {"w": 10, "p": 5, "n": 5}


@on_sqlite
def test_people_meet_different_test_questions_in_different_orders(store: Store) -> None:
    house = build(store, 30, 40, 0, labels_per_unit=4)
    orders = [
        tuple(name for name in work_through(house, house.person(name)) if name[0] == "p")
        for name in ("Ada", "Bo", "Cleo", "Dev")
    ]
    assert len(set(orders)) == 4


@on_sqlite
def test_nobody_reviews_test_questions(store: Store) -> None:
    house = build(store, 10, 5, 5, review={"required": True})
    met = work_through(house, house.person("Ada"))
    assert Counter(name[0] for name in met)["w"] == 10
    assert {one.unit[0] for one in house.waiting("Rhea")} == {"w"}


def test_finding_a_test_question_walks_the_same_index(sqlite_database: str) -> None:
    """Flat cost: neither the ends of a stratum nor the next question in it need a look at the table."""
    from goldmark.campaigns.assignments.allocation import _ends_of_stratum, _walks
    from goldmark.store import open_store

    store = open_store(sqlite_database)
    build(store, 3, 2, 2)

    def plans(connection: Connection) -> list[str]:
        found = []
        for statement in (*_walks[False, False], *_walks[True, False], _ends_of_stratum):
            compiled = statement.compile(dialect=connection.dialect)
            values = {**compiled.params, "campaign_id": 1, "stratum": "test-positive"}
            values |= {"level": 0, "annotator_id": 1, "cursor": 0}
            order = tuple(values[key] for key in compiled.positiontup or ())
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", order).all()
            found.append(" | ".join(str(row[-1]) for row in rows))
        return found

    for plan in store.read(plans):
        assert "INDEX ix_unit_free" in plan
        assert "SCAN unit" not in plan
        assert "TEMP B-TREE" not in plan
    store.close()
