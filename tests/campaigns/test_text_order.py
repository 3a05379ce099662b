"""Which of two texts is shown first: balanced for each unit and each person, stored, and hidden from the annotator."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.assignments.allocation import due_first
from goldmark.campaigns.assignments.text_order import TIMES, draw
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.errors import ProblemsFound
from goldmark.exchange.formats import export_campaign, import_campaign
from goldmark.observations.frames import collect
from goldmark.observations.source import RecordSource
from goldmark.people.exclusions import exclude
from goldmark.protocols import load, parse
from goldmark.protocols.shown_order import ComparedTexts, compared_texts
from goldmark.records.campaigns import CampaignRecord
from goldmark.reviews.review import ReviewRemark
from goldmark.store import Store, open_store
from goldmark.store.states import HOLD_A_PLACE
from goldmark.store.tables import annotator, assignment, campaign, response, unit
from tests.campaigns.house import NAME, House, pair
from tests.databases import fresh, on_sqlite

FOUND = compared_texts(load("pairwise"))
assert isinstance(FOUND, ComparedTexts)
PAIR = FOUND.roles
BLOCK = TIMES * len(PAIR)
MARKING = parse(
    """
protocol: marking/1
title: Mark and choose
texts: [a, b]
steps:
  - questions:
      - {id: better, kind: compare}
      - {id: faults_a, kind: spans}
      - {id: faults_b, kind: spans, of: b}
"""
)
Orders = dict[Any, list[str | None]]


def _orders(store: Store, column: Any, *, states: tuple[str, ...] = HOLD_A_PLACE) -> Orders:
    """What came first in every assignment that holds a place, by unit or by person, in the order of the claims."""

    def look(connection: Connection) -> Orders:
        found: Orders = defaultdict(list)
        rows = connection.execute(
            select(column, assignment.c.shown_first)
            .select_from(assignment)
            .join(unit, unit.c.id == assignment.c.unit_id)
            .join(annotator, annotator.c.id == assignment.c.annotator_id)
            .where(assignment.c.state.in_(states))
            .order_by(assignment.c.id)
        )
        for name, first in rows:
            found[name].append(first)
        return found

    return store.read(look)


def _lean(orders: list[str | None]) -> int:
    """How many more labels begin with the one text than with the other."""
    counted = Counter(orders)
    assert set(counted) <= {"a", "b"}
    return abs(counted["a"] - counted["b"])


def _work(house: House, token: str, most: int = 1_000) -> None:
    following = house.next(token)
    while following.task is not None and most:
        _, following = house.submit(token, following.task, {"preferred": "a"})
        most -= 1


def test_every_block_of_a_persons_lots_is_even_and_nobody_foresees_it() -> None:
    keys = [SignedLinks(b"k").draw_key(1, name, 0) for name in ("Ada", "Bo")]
    drawn = [[draw(PAIR, number, key)[0] for number in range(10 * BLOCK)] for key in keys]
    for lots in drawn:
        assert all(lots[start : start + BLOCK].count("a") == BLOCK // 2 for start in range(0, len(lots), BLOCK))
    assert drawn[0] != drawn[1]
    assert draw(PAIR, 3, keys[0]) == draw(PAIR, 3, keys[0])
    assert drawn[0] != [
        draw(PAIR, number, SignedLinks(b"another").draw_key(1, "Ada", 0))[0] for number in range(10 * BLOCK)
    ]


@pytest.mark.parametrize(("labels", "fill"), [(1, "evenly"), (2, "evenly"), (3, "finish_first")])
@on_sqlite
def test_orders_are_even_within_each_unit_and_for_each_person(store: Store, labels: int, fill: str) -> None:
    house = House.build(
        store, [pair(f"u{n}") for n in range(20)], "pairwise", labels_per_unit=labels, order={"seed": 5, "fill": fill}
    )
    people = [house.person(name) for name in ("Ada", "Bo", "Cleo", "Dee")]
    for _ in range(5):
        for token in people:
            _work(house, token, most=4)
    for token in people:
        _work(house, token)
    by_unit = _orders(store, unit.c.name)
    assert len(by_unit) == 20
    assert all(len(orders) == labels and _lean(orders) <= 1 for orders in by_unit.values())
    for orders in _orders(store, annotator.c.name).values():
        # Free choices are even in blocks of four, so they lean by two at most. The others follow people who chose by
        # lots of their own: of n units a lean beyond 2.6 sqrt(n), 2.6 standard deviations, comes once in a hundred.
        assert _lean(orders) <= (2 if labels == 1 else 2.6 * len(orders) ** 0.5)


def test_one_label_a_unit_is_even_for_each_person(store: Store) -> None:
    house = House.build(store, [pair(f"u{n}") for n in range(5 * BLOCK)], "pairwise")
    _work(house, house.person("Ada"))
    assert Counter(_orders(store, annotator.c.name)["Ada"]) == {"a": 10, "b": 10}


def test_many_at_once_keep_every_unit_even(store: Store) -> None:
    house = House.build(store, [pair(f"u{n}") for n in range(6)], "pairwise", labels_per_unit=4)
    tokens = [house.person(f"p{number}") for number in range(6)]
    together = threading.Barrier(len(tokens))

    def work(token: str) -> None:
        together.wait()
        _work(house, token)

    with ThreadPoolExecutor(len(tokens)) as crowd:
        list(crowd.map(work, tokens))
    by_unit = _orders(store, unit.c.name)
    assert all(Counter(orders) == {"a": 2, "b": 2} for orders in by_unit.values())
    assert len(by_unit) == 6


@pytest.mark.parametrize("leaves", ["lease", "exclusion"])
def test_who_fills_a_place_that_was_left_gets_the_order_that_is_missing(store: Store, leaves: str) -> None:
    """Four labels; the first two people leave. Counting places alone would repeat an order that is there already."""
    house = House.build(store, [pair("u")], "pairwise", labels_per_unit=4)
    people = {name: house.person(name) for name in ("Ada", "Bo", "Cleo", "Dee", "Eve", "Fay")}
    for name in ("Ada", "Bo", "Cleo"):
        house.task(people[name])
    before = _orders(store, unit.c.name)["u"]
    assert _lean(before) == 1
    if leaves == "lease":
        past = datetime.now(UTC) - timedelta(hours=1)
        ids = [house.task(people[name]).id for name in ("Ada", "Cleo")]
        run_out = update(assignment).where(assignment.c.id.in_(ids)).values(lease_until=past)
        store.write(lambda connection: connection.execute(run_out))
    else:
        for name in ("Ada", "Cleo"):
            exclude(store, NAME, name, author="Mo", reason="noise")
    assert before[0] == before[2] != before[1]  # two with the same order leave, one with the other stays
    for name in ("Dee", "Eve", "Fay"):
        house.task(people[name])
    assert Counter(_orders(store, unit.c.name)["u"]) == {"a": 2, "b": 2}


def test_the_same_campaign_draws_the_same_orders_again(sqlite_database: str, tmp_path: Path) -> None:
    drawn = []
    for address in (sqlite_database, fresh(tmp_path, "again.db")):
        store = open_store(address)
        house = House.build(store, [pair(f"u{n}") for n in range(9)], "pairwise", labels_per_unit=2, order={"seed": 8})
        for name in ("Ada", "Bo"):
            _work(house, house.person(name))
        drawn.append(_orders(store, unit.c.name))
        store.close()
    assert drawn[0] == drawn[1]


def test_the_turn_of_a_unit_is_looked_up_by_index(sqlite_database: str) -> None:
    """The order costs no statement of its own, and reads only the assignments of that one unit."""
    store = open_store(sqlite_database)
    House.build(store, [pair("u")], "pairwise")

    def plan(connection: Connection) -> str:
        compiled = select(due_first(2)).compile(dialect=connection.dialect)
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", (0,) * len(compiled.positiontup or ()))
        return " | ".join(str(row[-1]) for row in rows)

    found = store.read(plan)
    assert "SEARCH assignment USING INDEX" in found
    assert "(unit_id=?)" in found
    store.close()


def test_test_questions_are_drawn_too(store: Store) -> None:
    units = [pair(f"u{n}") for n in range(30)] + [pair(f"t{n}", test="positive") for n in range(12)]
    house = House.build(store, units, "pairwise", labels_per_unit=2, test_questions={"positive": 0.25})
    for name in ("Ada", "Bo"):
        _work(house, house.person(name))
    orders = _orders(store, unit.c.counts)
    assert {name: set(some) for name, some in orders.items()} == {True: {"a", "b"}, False: {"a", "b"}}
    assert all(_lean(some) < len(some) / 2 for some in orders.values())


@on_sqlite
def test_a_text_alone_has_no_order(store: Store) -> None:
    house = House.build(store, 2)
    house.task(house.person("Ada"))
    assert list(_orders(store, unit.c.name).values()) == [[None]]


def _shown_first(house: House, token: str, first: str) -> Any:
    """A task of this person in which this text is shown first."""
    for _ in range(5 * BLOCK):
        task = house.task(token)
        if task.order.changed == (first == "b"):
            return task
        house.submit(token, task, {"better": "a", "faults_a": [], "faults_b": []})
    raise AssertionError("one order never came")


@pytest.mark.parametrize("first", ["a", "b"])
def test_an_answer_means_the_stored_text_whatever_was_shown_first(store: Store, first: str) -> None:
    """The longer text, b, has words 4 and 5; whoever sees it first marks them under `faults_a` and chooses `a`."""
    house = House.build(store, [pair(f"u{n}") for n in range(5 * BLOCK)], MARKING, labels_per_unit=1)
    token = house.person("Ada")
    task = _shown_first(house, token, first)
    long, short = ("a", "b") if first == "b" else ("b", "a")
    mark = {"id": "e1", "start": 4, "end": 6}
    said = {"better": long, f"faults_{long}": [mark], f"faults_{short}": []}

    wrong = {**said, f"faults_{long}": [], f"faults_{short}": [mark]}
    with pytest.raises(ProblemsFound) as refused:
        house.submit(token, task, wrong)
    assert [(one.where, one.part) for one in refused.value.problems] == [(f"faults_{short}", "e1")]

    house.responses.save_draft(token, task.id, said, 0, 1.0)
    draft = house.responses.look(token, task.id).draft
    assert draft is not None
    assert draft.answers == said
    stored = {"better": "b", "faults_a": [], "faults_b": [mark]}
    drafts = select(assignment.c.draft).where(assignment.c.id == task.id)
    assert store.read(lambda connection: connection.execute(drafts).scalar_one()) == stored

    house.submit(token, task, said)
    answers = select(response.c.answers).where(response.c.assignment_id == task.id)
    assert store.read(lambda connection: connection.execute(answers).scalar_one()) == stored
    assert house.responses.look(token, task.id).answers == said

    # A reviewer sees the stored roles; the annotator's remark comes beside the answer that it is about.
    house.judge(task.id, "returned", "Rhea", remarks=[ReviewRemark("faults_b", "e1", "too long")])
    again = house.responses.look(token, task.id)
    assert again.returned is not None
    assert again.returned.remarks == ({"where": f"faults_{long}", "part": "e1", "comment": "too long"},)
    amended = {**said, f"faults_{long}": [{**mark, "end": 5}]}
    house.submit(token, task, amended)
    final = [one for one in record_of(store, NAME).responses if one.final and one.revision == 2]
    assert [one.answers for one in final] == [{**stored, "faults_b": [{**mark, "end": 5}]}]


def test_a_late_server_knows_the_order_from_the_database(store: Store) -> None:
    """Nothing hangs on what one process remembers: another one reads the same page and stores the same answer."""
    house = House.build(store, [pair(f"u{n}") for n in range(5 * BLOCK)], MARKING)
    token = house.person("Ada")
    task = _shown_first(house, token, "b")
    other = House.over(store)
    assert other.responses.look(token, task.id) == house.responses.look(token, task.id)
    other.submit(token, task, {"better": "a", "faults_a": [], "faults_b": []})
    assert record_of(store, NAME).responses[-1].answers["better"] == "b"


def _worked(store: Store) -> CampaignRecord:
    house = House.build(store, [pair(f"u{n}") for n in range(12)], "pairwise", labels_per_unit=2)
    for name in ("Ada", "Bo"):
        _work(house, house.person(name), most=11)  # and hold one more
    return record_of(store, NAME)


def test_the_order_survives_export_and_import(store: Store, tmp_path: Path) -> None:
    record = _worked(store)
    said = {(one.unit, one.annotator): one.facts["shown_first"] for one in record.assignments}
    assert set(said.values()) == {"a", "b"}
    # Everybody pressed the first key each time, so what they preferred is what they were shown first.
    assert all(one.answers["preferred"] == said[one.unit, one.annotator] for one in record.responses)

    export_campaign(record, "jsonl", tmp_path / "out.jsonl")
    restore(store, import_campaign(tmp_path / "out.jsonl", "jsonl"), name="again", author="test")
    again = {(one.unit, one.annotator): one.facts for one in record_of(store, "again").assignments}
    assert again == {(one.unit, one.annotator): one.facts for one in record.assignments}

    # Bo goes on in the copy, with the unit that they hold, in the order that it was drawn in.
    house = House.over(store)
    held = next(one for one in record.assignments if one.annotator == "Bo" and one.state == "active")
    nonce = store.read(lambda connection: connection.execute(_link_of("Bo", "again")).one())
    task = house.task(house.links.person(*nonce))
    assert task.order.changed == (held.facts["shown_first"] == "b")


def _link_of(name: str, where: str) -> Any:
    return (
        select(annotator.c.id, annotator.c.link_nonce)
        .join(campaign, campaign.c.id == annotator.c.campaign_id)
        .where(annotator.c.name == name, campaign.c.name == where)
    )


@on_sqlite
def test_an_export_from_before_there_were_orders_is_imported_as_given(store: Store) -> None:
    record = _worked(store)
    older = replace(
        record,
        assignments=tuple(
            replace(one, facts={key: value for key, value in one.facts.items() if key != "shown_first"})
            for one in record.assignments
        ),
    )
    restore(store, older, name="older", author="test")
    again = record_of(store, "older")
    assert all("shown_first" not in one.facts for one in again.assignments)
    assert again.responses == older.responses
    # Answers that were made elsewhere have no order either, so it is not known, and no effect of it is counted.
    assert set(collect(RecordSource(again)).frames["comparisons"].cells["first"]) == {""}
    assert set(collect(RecordSource(record)).frames["comparisons"].cells["first"]) == {"a", "b"}


def test_an_order_that_names_no_text_is_refused(store: Store) -> None:
    record = _worked(store)
    first, *others = record.assignments
    for wrong in ("c", "", 3, ["a"]):
        changed = replace(first, facts={**first.facts, "shown_first": wrong})
        with pytest.raises(ProblemsFound) as refused:
            restore(store, replace(record, assignments=(changed, *others)), name="again", author="test")
        assert [one.part for one in refused.value.problems] == ["shown_first"]
