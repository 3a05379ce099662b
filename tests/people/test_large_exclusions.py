"""Somebody with many answers is excluded: these go and come back together for everybody, and places some at a time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection, select

from goldmark.campaigns import settings_change
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.campaigns.settings_change import change_settings
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.unit_overview import find_units
from goldmark.people import set_aside
from goldmark.people.annotators import invite, set_paused
from goldmark.people.exclusions import exclude, exclude_now
from goldmark.people.undo_exclusion import undo
from goldmark.protocols import load
from goldmark.reviews.final_spot_check import NothingToSample, draw
from goldmark.reviews.responses import list_responses
from goldmark.store import Store, open_store
from goldmark.store.events import history
from goldmark.store.tables import annotator, assignment, job, unit
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit
from tests.cut_writes import cut_small, killed_before_piece, steps_of_writer, worked_off


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Everybody has many answers, and two of them are set aside, or come back, at a time."""
    monkeypatch.setattr(set_aside, "FEW", 2)
    return cut_small(monkeypatch)


def at_work(store: Store, units: int = 7, **settings: Any) -> tuple[House, str]:
    """A campaign, and Ada, who has answered all but the last unit and holds that."""
    house = House.build(store, units, **settings)
    ada = house.person("Ada")
    for _ in range(units - 1):
        house.submit(ada, house.task(ada))
    return house, ada


def rows(store: Store) -> tuple[list[Any], list[Any]]:
    """What units count, and what assignments are."""
    units = select(unit.c.id, unit.c.wanted, unit.c.taken, unit.c.done).order_by(unit.c.id)
    held = select(assignment.c.id, assignment.c.state, assignment.c.state_before).order_by(assignment.c.id)

    def look(connection: Any) -> tuple[list[Any], list[Any]]:
        return [tuple(one) for one in connection.execute(units)], [tuple(one) for one in connection.execute(held)]

    return store.read(look)


def states(store: Store) -> Counter[str]:
    return Counter(state for _, state, _ in rows(store)[1])


def owed(store: Store) -> int:
    return len(store.read(lambda connection: connection.execute(select(job.c.id)).all()))


def shut_out(store: Store) -> Any:
    return exclude(store, NAME, "Ada", author="Mo", reason="noise")


def let_in(store: Store) -> Any:
    return undo(store, NAME, "Ada", author="Mo", reason="a mistake")


def test_in_pieces_it_comes_to_the_same_as_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    house, ada = at_work(store, labels_per_unit=1)
    excluded, gone = shut_out(store), rows(store)
    restored, back = let_in(store), rows(store)
    house.task(ada)  # what lapsed is in her hands again
    monkeypatch.setattr(set_aside, "FEW", 2)
    written = cut_small(monkeypatch)
    assert shut_out(store) == excluded
    assert rows(store) == gone
    assert written == [2, 2, 2, 1]
    written.clear()
    assert let_in(store) == restored
    assert rows(store) == back
    assert written == [2, 2, 2]
    assert owed(store) == 0
    assert check(store).problems == ()


def test_nobody_sees_half_of_an_exclusion_and_a_worker_gives_the_rest_of_the_places_back(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    house, ada = at_work(store, labels_per_unit=1)
    answered = (
        select(assignment.c.id).where(assignment.c.state == "done").order_by(assignment.c.unit_id.desc()).limit(1)
    )
    last = store.read(lambda connection: connection.execute(answered).scalar_one())
    with killed_before_piece(monkeypatch, 2):
        shut_out(store)
    assert states(store)["done"] in (4, 5)
    nobody_sees_work_of_ada(house)
    assert check(store).problems == ()  # counts are exact at every moment
    house.submit(ada, last, {"mistakes": []})  # she changes an answer that still has its place
    bo = house.person("Bo")  # gets what was given back, and nothing twice
    house.submit(bo, house.task(bo))
    assert worked_off(store) == 1
    assert states(store)["excluded"] == 6
    while (task := house.next(bo).task) is not None:
        house.submit(bo, task)
    assert check(store).problems == ()
    assert [(taken, done) for _, _, taken, done in rows(store)[0]] == [(1, 1)] * 7


def nobody_sees_work_of_ada(house: House) -> None:
    """Neither figures, files and lists, nor reviewers, checkers and curators."""
    store = house.store
    record = record_of(store, NAME)
    assert record.final_responses() == ()
    assert {one.state for one in record.assignments if one.state not in ("active", "lapsed")} == {"excluded"}
    assert house.waiting("Rhea") == []
    with pytest.raises(NothingToSample):
        draw(store, NAME, size=1, author="Mo")

    def look(connection: Connection) -> set[str]:
        row = find_campaign(connection, NAME)
        lines = list_responses(connection, row).items
        units = find_units(connection, row, [one.unit_id for one in lines])
        return {*(one.state for one in lines), *(label.state for one in units for label in one.labels)}

    assert store.read(look) - {"active", "lapsed"} == {"excluded"}


def test_answers_come_back_together_after_a_kill(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    house, ada = at_work(store, labels_per_unit=2)
    shut_out(store)
    with killed_before_piece(monkeypatch, 2):
        let_in(store)
    assert states(store) == {"done": 2, "excluded": 4, "lapsed": 1}
    nobody_sees_work_of_ada(house)
    back = select(assignment.c.id).where(assignment.c.state == "done").limit(1)
    house.submit(ada, store.read(lambda connection: connection.execute(back).scalar_one()), {"mistakes": []})
    assert check(store).problems == ()
    for token in (house.person(name) for name in ("Bo", "Cy")):  # take all places that are not taken again yet
        while (task := house.next(token).task) is not None:
            house.submit(token, task)
    assert worked_off(store) == 1
    assert states(store) == {"done": 2 + 12, "extra": 4, "lapsed": 1}
    assert check(store).problems == ()
    assert all(taken <= wanted == 2 for _, wanted, taken, _ in rows(store)[0])
    assert history_of(store)["labels"] == 2


def history_of(store: Store) -> Any:
    """What is told of the exclusion that was undone last."""
    said = store.read(lambda connection: history(connection, find_campaign(connection, NAME).id))
    return next(one.facts for one in said if one.kind == "exclusion undone")


def test_an_undoing_that_was_killed_does_not_undo_the_next_exclusion(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    at_work(store, labels_per_unit=1)
    shut_out(store)
    with killed_before_piece(monkeypatch, 2):
        let_in(store)
    let_in(store)
    shut_out(store)
    assert worked_off(store) == 0
    assert states(store)["excluded"] == 6


def test_who_is_excluded_while_they_are_coming_back_does_not_come_back(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    at_work(store, labels_per_unit=1)
    set_paused(store, NAME, "Ada", True, author="Mo")
    shut_out(store)
    with killed_before_piece(monkeypatch, 2):
        let_in(store)
    assert states(store)["done"] == 2
    assert shut_out(store).changed
    assert not shut_out(store).changed
    assert worked_off(store) == 0
    assert states(store) == {"excluded": 6, "lapsed": 1}
    assert [(taken, done) for _, _, taken, done in rows(store)[0]] == [(0, 0)] * 7
    assert let_in(store).labels == 6
    paused = store.read(lambda connection: connection.execute(select(annotator.c.state)).scalar_one())
    assert (paused, states(store)["done"]) == ("paused", 6)
    assert check(store).problems == ()


@pytest.mark.parametrize("where", [NAME, "second"])
def test_whoever_excludes_somebody_stops_an_undoing_in_all_campaigns_of_the_crowd(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int], where: str
) -> None:
    crowd: Any = {"quality": {"crowd": "ours"}}
    house, _ = at_work(store, labels_per_unit=1, **crowd)
    units, settings = [make_unit(f"v{number}") for number in range(4)], Settings(labels_per_unit=1, **crowd)
    create(store, name="second", title="2", protocol=load("accuracy"), settings=settings, units=units, author="test")
    move(store, "second", "started", author="test")
    there = invite(store, house.links, "second", "Ada", author="test")[1]
    for _ in units:
        house.submit(there, house.task(there))
    shut_out(store)
    count = set_aside.labels_of

    def counting(connection: Connection, annotator_id: int, campaign_id: int) -> int:
        found = count(connection, annotator_id, campaign_id)
        monkeypatch.setattr(set_aside, "labels_of", count)
        in_another_process(lambda: exclude(store, where, "Ada", author="Mo", reason="noise"))
        return found

    monkeypatch.setattr(set_aside, "labels_of", counting)
    assert not let_in(store).changed  # what has come back in the first is gone again, and nothing comes in the second
    assert states(store) == {"excluded": 10, "lapsed": 1}
    assert all((taken, done) == (0, 0) for _, _, taken, done in rows(store)[0])
    assert owed(store) == 0
    assert check(store).problems == ()


def test_what_was_not_yet_given_back_does_not_stand_in_the_way_of_coming_back(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    at_work(store, labels_per_unit=1)
    with killed_before_piece(monkeypatch, 2):
        shut_out(store)
    assert (let_in(store).labels, states(store)["extra"]) == (6, 0)
    worked_off(store)
    assert states(store)["done"] == 6
    assert check(store).problems == ()


def test_a_rule_leaves_the_places_of_many_answers_to_a_worker(store: Store, written: list[int]) -> None:
    at_work(store, labels_per_unit=1)

    def act(connection: Any) -> None:
        row = find_campaign(connection, NAME)
        person = connection.execute(select(annotator.c.id)).scalar_one()
        exclude_now(connection, row.id, person, author="rule", reason="", evidence={})

    store.write(act)
    assert record_of(store, NAME).final_responses() == ()
    assert written == []
    assert worked_off(store) == 1
    assert states(store)["excluded"] == 6
    assert check(store).problems == ()


def test_said_twice_it_is_undone_once(store: Store, written: list[int]) -> None:
    house, ada = at_work(store, labels_per_unit=1)
    assert shut_out(store).changed
    assert let_in(store).changed
    assert not let_in(store).changed
    assert states(store)["done"] == 6
    assert house.next(ada).task is not None


def test_two_servers_with_managers_who_change_their_minds(
    database: str, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    """One excludes and takes back, the other asks for more labels and fewer; people answer at both meanwhile."""
    monkeypatch.setattr(settings_change, "SMALL", 2)
    here, there = open_store(database), open_store(database)
    house, _ = at_work(here, units=24, labels_per_unit=2)
    other = House.over(there)
    servers = {"Bo": house, "Cy": other, "Dee": other}
    tokens = {name: house.person(name) for name in servers}
    over = Event()

    def answers(name: str) -> int:
        """Until nothing is left for them and nobody changes anything any more."""
        count = 0
        while True:
            last = over.is_set()
            while (task := servers[name].next(tokens[name]).task) is not None:
                servers[name].submit(tokens[name], task)
                count += 1
            if last:
                return count
            time.sleep(0.01)

    def changes() -> None:
        for _ in range(3):
            shut_out(here)
            let_in(here)

    def asks() -> None:
        for labels in (3, 1, 2, 3):
            change_settings(there, NAME, Settings(labels_per_unit=labels), title="T", author="Mo", reason="")

    with ThreadPoolExecutor(5) as threads:
        people = [threads.submit(answers, name) for name in tokens]
        for manager in [threads.submit(changes), threads.submit(asks)]:
            manager.result()
        over.set()
        assert sum(one.result() for one in people) > 0
    assert written
    assert owed(here) == 0
    assert check(here).problems == ()
    units, held = rows(there)
    assert all(taken == done == wanted == 3 for _, wanted, taken, done in units)
    assert Counter(state for _, state, _ in held)["done"] == 3 * len(units)
    for store in (here, there):
        store.close()


def in_another_process(work: Callable[[], Any]) -> Any:
    """Or as good as: on a connection of its own."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result(timeout=300)


def test_an_answer_that_comes_while_somebody_is_counted_is_counted_too(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    house, ada = at_work(store, labels_per_unit=1)
    count, late = set_aside.what_goes, [house.task(ada)]

    def counting(connection: Connection, annotator_id: int) -> set_aside.Holding:
        found = count(connection, annotator_id)
        while late:
            in_another_process(partial(house.submit, ada, late.pop()))
        return found

    monkeypatch.setattr(set_aside, "what_goes", counting)
    done = shut_out(store)
    assert (done.labels, done.places, done.reopened) == (7, 7, 7)
    assert states(store) == {"excluded": 7}
    assert check(store).problems == ()


def test_what_comes_back_is_not_set_aside_once_more_by_whoever_still_was_at_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    at_work(store, labels_per_unit=1)
    with killed_before_piece(monkeypatch, 2):
        shut_out(store)
    count, late = set_aside.labels_of, [1]

    def counting(connection: Connection, annotator_id: int, campaign_id: int) -> int:
        while late:
            late.pop()
            # The rest of the exclusion, and the undoing, which is due as well.
            assert in_another_process(lambda: worked_off(store)) == 2
        return count(connection, annotator_id, campaign_id)

    monkeypatch.setattr(set_aside, "labels_of", counting)
    let_in(store)
    assert states(store)["done"] == 6
    assert history_of(store)["labels"] == 6
    assert check(store).problems == ()


def test_an_undoing_does_not_undo_what_another_manager_decided_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    at_work(store, labels_per_unit=1)
    shut_out(store)
    count, others = set_aside.labels_of, [let_in, shut_out]

    def counting(connection: Connection, annotator_id: int, campaign_id: int) -> int:
        found, acts = count(connection, annotator_id, campaign_id), others.copy()
        others.clear()
        for act in acts:  # another manager lets her in as well, and then shuts her out once more
            in_another_process(partial(act, store))
        return found

    monkeypatch.setattr(set_aside, "labels_of", counting)
    assert not let_in(store).changed
    assert states(store)["excluded"] == 6
    assert owed(store) == 0
    assert check(store).problems == ()


def test_the_writer_is_held_no_longer_for_somebody_with_more_answers(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its longest transaction, in steps of SQLite's machine: the first is no longer than the others."""
    lite = open_store(sqlite_database)
    house, _ = at_work(lite, units=60, labels_per_unit=2)
    bo = house.person("Bo")
    for _ in range(6):
        house.submit(bo, house.task(bo))
    monkeypatch.setattr(set_aside, "FEW", 2)
    cut_small(monkeypatch)

    def longest(act: Callable[..., Any], name: str) -> int:
        with steps_of_writer(lite) as steps:
            act(lite, NAME, name, author="Mo", reason="")
        return max(steps)

    few_answers = [longest(act, "Bo") for act in (exclude, undo)]
    assert [longest(act, "Ada") for act in (exclude, undo)] == pytest.approx(few_answers, rel=0.5)
    lite.close()


def test_nobody_who_answers_waits_for_whoever_holds_their_campaign(postgres_database: str) -> None:
    """Answers refer to the campaign, and what is referred to must not go; that it changes is no reason to wait."""
    here, there = open_store(postgres_database), open_store(postgres_database)
    house, other = House.build(here, 3), House.over(there)
    bo = house.person("Bo")
    house.task(bo)
    with ThreadPoolExecutor(1) as threads:

        def hold(connection: Connection) -> None:
            find_campaign(connection, NAME, hold=True)
            threads.submit(lambda: other.submit(bo, other.task(bo))).result(timeout=300)

        here.write(hold)
    assert states(there)["done"] == 1
    for store in (here, there):
        store.close()
