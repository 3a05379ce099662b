"""Allocation is exact: a model keeps score beside the real database while people come, work, vanish and come back."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import Connection, func, select, text, update

from goldmark.campaigns.assignments.allocation import ask_run_out, lapse
from goldmark.campaigns.assignments.work_service import NextUnit
from goldmark.people.exclusions import exclude
from goldmark.people.undo_exclusion import undo
from goldmark.reviews.review import Verdict
from goldmark.store import Store
from goldmark.store.tables import (
    annotator,
    assignment,
    campaign,
    credential,
    event,
    response,
    review,
    unit,
    unit_secret,
)
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit
from tests.examples import one_in

HOUR_AGO = timedelta(hours=1)


class People(RuleBasedStateMachine):
    """Any order of claims, answers, late answers, run-out leases and newcomers keeps the promises."""

    tokens = Bundle("tokens")
    store: Store

    @initialize(
        units=st.integers(1, 5),
        labels=st.integers(1, 3),
        fill=st.sampled_from(["evenly", "finish_first"]),
        required=st.booleans(),
        tests=st.integers(0, 3),
    )
    def open(self, units: int, labels: int, fill: str, required: bool, tests: int) -> None:
        _empty(self.store)
        self.labels, self.units = labels, units
        made = [make_unit(f"u{number}") for number in range(units)]
        made += [make_unit(f"t{number}", test=("positive", "negative")[number % 2]) for number in range(tests)]
        self.house = House.build(
            self.store,
            made,
            test_questions={"positive": 0.25, "negative": 0.25},
            labels_per_unit=labels,
            order={"seed": 3, "fill": fill},
            review={"required": required, "share": 0.7},
        )
        self.held: dict[str, int] = {}  # token: assignment in progress, whether or not its lease ran out
        self.met: dict[str, set[int]] = defaultdict(set)  # token: units
        self.answered: dict[int, str] = {}  # assignment: token
        self.returned: dict[str, set[int]] = defaultdict(set)  # token: assignments to amend
        self.names: dict[str, str] = {}
        self.excluded: set[str] = set()  # tokens

    @rule(target=tokens)
    def someone_joins(self) -> str:
        name = f"p{len(self.names)}"
        token = self.house.person(name)
        self.names[token] = name
        return token

    @rule(token=tokens)
    def someone_asks(self, token: str) -> None:
        following = self.house.next(token)
        if following.task is None:
            assert following.finished is not None
            return
        assert token not in self.excluded
        if self.returned[token]:
            assert following.task.state == "returned", "what was returned comes first"
            assert following.task.id in self.returned[token]
            return
        if self.held.get(token) != following.task.id:
            assert following.task.unit_id not in self.met[token], "the same unit twice for one person"
        self.met[token].add(following.task.unit_id)
        self.held[token] = following.task.id

    @rule(token=tokens)
    def someone_answers(self, token: str) -> None:
        number = self.held.pop(token, None)
        if number is None:
            return
        accepted, following = self.house.submit(token, number)
        assert accepted.revision == 1
        assert accepted.extra or token not in self.excluded
        self.answered[number] = token
        self._goes_on(token, following)

    def _goes_on(self, token: str, following: NextUnit) -> None:
        if following.task is not None and following.task.state != "returned":
            assert following.task.unit_id not in self.met[token] or following.task.state == "active"
            self.met[token].add(following.task.unit_id)
            self.held[token] = following.task.id

    @rule(data=st.data(), verdict=st.sampled_from(["approved", "returned"]))
    def a_reviewer_judges(self, data: st.DataObject, verdict: Verdict) -> None:
        waiting = [one.id for one in self.house.waiting("Rhea")]
        returned = [number for some in self.returned.values() for number in some]
        if not waiting and not returned:
            return
        number = data.draw(st.sampled_from(waiting + returned))
        judged = self.house.judge(number, verdict, "Rhea")
        assert judged.state == {"approved": "done", "returned": "returned"}[verdict]
        token = self.answered[number]
        (self.returned[token].add if verdict == "returned" else self.returned[token].discard)(number)

    @rule(token=tokens)
    def someone_amends(self, token: str) -> None:
        if not self.returned[token] or token in self.excluded:
            return
        task = self.house.task(token)
        assert task.returned is not None
        assert task.returned.comment == "look again"
        accepted, following = self.house.submit(token, task)
        assert accepted.revision == task.revision + 1
        self.returned[token].remove(task.id)
        self._goes_on(token, following)

    @rule(token=tokens)
    def someone_is_excluded(self, token: str) -> None:
        before = self._counted()
        done = exclude(self.store, NAME, self.names[token], author="Mo", reason="noise", rule="model")
        assert done.changed == (token not in self.excluded)
        assert self._states(token) <= {"excluded", "lapsed"}
        if done.changed:
            taken, _ = self._counted()
            assert taken == before[0] - done.places
        self.excluded.add(token)
        self.returned[token].clear()

    @rule(token=tokens)
    def an_exclusion_is_undone(self, token: str) -> None:
        before = self._counted()
        done = undo(self.store, NAME, self.names[token], author="Mo", reason="a mistake")
        assert done.changed == (token in self.excluded)
        assert "excluded" not in self._states(token)
        assert self._counted()[0] == before[0] + done.labels
        self.excluded.discard(token)
        returned = select(assignment.c.id).where(
            assignment.c.state == "returned",
            assignment.c.annotator_id
            == select(annotator.c.id).where(annotator.c.name == self.names[token]).scalar_subquery(),
        )
        self.returned[token] = set(self.store.read(lambda connection: connection.execute(returned).scalars().all()))

    def _counted(self) -> tuple[int, int]:
        query = select(func.sum(unit.c.taken), func.sum(unit.c.done))
        taken, done = self.store.read(lambda connection: connection.execute(query).one())
        return taken, done

    def _states(self, token: str) -> set[str]:
        query = select(assignment.c.state).join(annotator, annotator.c.id == assignment.c.annotator_id)
        query = query.where(annotator.c.name == self.names[token])
        return set(self.store.read(lambda connection: connection.execute(query).scalars().all()))

    @rule(token=tokens)
    def a_lease_runs_out(self, token: str) -> None:
        number = self.held.get(token)
        if number is not None:
            past = datetime.now(UTC) - HOUR_AGO
            self.store.write(
                lambda connection: connection.execute(
                    update(assignment).where(assignment.c.id == number).values(lease_until=past)
                )
            )

    @invariant()
    def counts_add_up(self) -> None:
        assert check(self.store).problems == ()
        rows = self.store.read(
            lambda connection: connection.execute(select(unit.c.taken, unit.c.done, unit.c.wanted)).all()
        )
        assert all(done <= taken <= wanted for taken, done, wanted in rows)
        tests = self.store.read(
            lambda connection: connection.execute(select(unit.c.taken, unit.c.done).where(~unit.c.counts)).all()
        )
        assert set(tests) <= {(0, 0)}, "a test question has no places"
        waiting = self.store.read(
            lambda connection: connection.execute(
                select(func.count())
                .select_from(assignment.join(unit, unit.c.id == assignment.c.unit_id))
                .where(~unit.c.counts, assignment.c.state.in_(("waiting", "returned", "extra")))
            ).scalar_one()
        )
        assert waiting == 0, "nobody reviews a test question, and none comes too late"
        kept = self.store.read(lambda connection: set(connection.execute(select(response.c.assignment_id)).scalars()))
        assert kept == set(getattr(self, "answered", {}))


def _empty(store: Store) -> None:
    """Begin again with the first numbers: lots hang on the campaign's, and the same events must always do the same."""
    tables = (review, response, assignment, annotator, unit_secret, unit, event, credential, campaign)

    def clear(connection: Connection) -> None:
        if store.locks_rows:  # PostgreSQL's sequences go on, SQLite begins again by itself
            connection.execute(text(f"TRUNCATE {', '.join(one.name for one in tables)} RESTART IDENTITY CASCADE"))
            return
        for table in tables:
            connection.execute(table.delete())

    store.write(clear)


def test_any_order_of_events_keeps_the_promises(store: Store) -> None:
    class OnThisDatabase(People):
        pass

    OnThisDatabase.store = store
    run_state_machine_as_test(
        OnThisDatabase,
        settings=settings(max_examples=one_in(4), stateful_step_count=25, suppress_health_check=list(HealthCheck)),
    )


def test_every_unit_gets_its_first_label_before_any_gets_a_second(store: Store) -> None:
    house = House.build(store, 6, labels_per_unit=2, order={"fill": "evenly"})
    people = [house.person(name) for name in ("Ada", "Bo", "Cleo")]
    given = []
    for _ in range(2):
        for token in people:
            task = house.task(token)
            given.append(task.unit_id)
            house.submit(token, task)
    # Each submit hands out one more, so only the order in which the first six places were taken is looked at.
    assert len(set(given)) == 6


def test_units_that_were_begun_are_finished_first(store: Store) -> None:
    house = House.build(store, 6, labels_per_unit=2, order={"fill": "finish_first"})
    ada, bo = house.person("Ada"), house.person("Bo")
    assert house.task(ada).unit_id == house.task(bo).unit_id


def test_people_meet_the_same_units_in_different_orders(store: Store) -> None:
    house = House.build(store, 20, labels_per_unit=4, order={"seed": 5})
    orders = [_work_through(house, house.person(name)) for name in ("Cleo", "Eve", "Fay", "Gil")]
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(orders[0]))}
    # Two may start at the same of the 20 places by chance, but hardly all four.
    assert len({tuple(order) for order in orders}) >= 3


def _work_through(house: House, token: str) -> list[int]:
    """Everything there is for someone, as the units they met."""
    units = []
    following = house.next(token)
    while following.task is not None:
        units.append(following.task.unit_id)
        _, following = house.submit(token, following.task)
    return units


def test_a_place_whose_lease_ran_out_goes_to_someone_else_and_the_late_answer_is_extra(
    store: Store,
) -> None:
    house = House.build(store, 1, labels_per_unit=1)
    ada, bo = house.person("Ada"), house.person("Bo")
    late = house.task(ada)
    waiting = house.next(bo).finished
    assert waiting is not None
    assert waiting.why == "waiting"
    _run_out(store)
    taken_over = house.task(bo)
    assert taken_over.unit_id == late.unit_id
    accepted, _ = house.submit(bo, taken_over)
    assert not accepted.extra
    accepted, _ = house.submit(ada, late)
    assert accepted.extra
    assert check(store).problems == ()


def test_a_late_answer_counts_while_the_place_is_still_free(store: Store) -> None:
    house = House.build(store, 1, labels_per_unit=1)
    ada = house.person("Ada")
    task = house.task(ada)
    _run_out(store)
    bo = house.person("Bo")
    house.work.store.write(lambda connection: None)
    accepted, following = house.submit(ada, task)
    assert not accepted.extra
    assert following.finished is not None
    assert following.finished.why == "all"
    assert house.next(bo).finished is not None


def test_coming_back_after_the_lease_gives_the_same_unit_again_with_its_draft(store: Store) -> None:
    house = House.build(store, 3, labels_per_unit=1)
    ada, bo = house.person("Ada"), house.person("Bo")
    task = house.task(ada)
    house.responses.save_draft(ada, task.id, {"mistakes": [{"id": "e1", "start": 0, "end": 1}]}, 0, 5.0)
    _run_out(store)
    house.task(bo)  # takes back what ran out
    again = house.task(ada)
    assert (again.id, again.state) == (task.id, "active")
    assert again.draft is not None
    assert again.draft.answers == {"mistakes": [{"id": "e1", "start": 0, "end": 1}]}


@pytest.mark.parametrize("comes_back", ["to go on", "with an answer"])
def test_who_comes_back_while_their_place_is_taken_back_has_one_place(store: Store, comes_back: str) -> None:
    """Both happen at once: it is no longer theirs when they see it, so they take a place anew."""
    house = House.build(store, 1, labels_per_unit=2)
    ada = house.person("Ada")
    task = house.task(ada)
    _run_out(store)
    is_taken, ada_waits = threading.Event(), threading.Event()

    def take_back(connection: Connection) -> None:
        (number,) = connection.execute(select(campaign.c.id)).scalars()
        lapse(connection, ask_run_out(connection, number, now=datetime.now(UTC))())
        is_taken.set()
        assert ada_waits.wait(300)

    with ThreadPoolExecutor(2) as both:
        taking = both.submit(store.write, take_back)
        assert is_taken.wait(300)
        back: Future[Any] = (
            both.submit(house.next, ada) if comes_back == "to go on" else both.submit(house.submit, ada, task)
        )
        wait([back], timeout=0.2)
        ada_waits.set()
        taking.result()
        back.result()
    assert check(store).problems == ()


def test_many_at_once_take_exactly_the_places_there_are(store: Store) -> None:
    """12 people grab 10 units x 2 labels at the same moment and work until nothing is left."""
    house = House.build(store, 10, labels_per_unit=2)
    tokens = [house.person(f"p{number}") for number in range(12)]
    together = threading.Barrier(len(tokens))
    seen: dict[str, list[int]] = {}

    def work(token: str) -> None:
        together.wait()
        seen[token] = _work_through(house, token)

    with ThreadPoolExecutor(len(tokens)) as crowd:
        list(crowd.map(work, tokens))
    assert all(len(units) == len(set(units)) for units in seen.values())
    labels = Counter(one for units in seen.values() for one in units)
    assert set(labels.values()) == {2}
    assert len(labels) == 10
    assert check(store).problems == ()


def test_excluding_while_everybody_works_leaves_no_unit_short_or_overfull(store: Store) -> None:
    """8 people work 12 units x 2 labels; two are excluded in the middle, and the others fill what they left."""
    house = House.build(store, 12, labels_per_unit=2)
    names = [f"p{number}" for number in range(8)]
    tokens = {name: house.person(name) for name in names}
    together = threading.Barrier(len(names) + 2)

    def work(name: str) -> None:
        together.wait()
        for _ in range(2):  # a second time, for what was opened again after the first
            _work_through(house, tokens[name])

    def shut_out(name: str) -> None:
        together.wait()
        exclude(store, NAME, name, author="Mo", reason="noise")

    with ThreadPoolExecutor(len(names) + 2) as crowd:
        waiting = [crowd.submit(work, name) for name in names]
        waiting += [crowd.submit(shut_out, name) for name in names[:2]]
        for one in waiting:
            one.result()
    for name in names[2:]:
        _work_through(house, tokens[name])
    assert check(store).problems == ()
    done = store.read(lambda connection: connection.execute(select(unit.c.done)).scalars().all())
    assert set(done) == {2}
    # Undone at the same moment, none gets a place that is not there: all their work is extra.
    with ThreadPoolExecutor(2) as crowd:
        undone = list(crowd.map(lambda name: undo(store, NAME, name, author="Mo"), names[:2]))
    assert check(store).problems == ()
    assert [one.labels for one in undone] == [0, 0]


def test_the_walk_uses_the_index_and_nothing_else(sqlite_database: str) -> None:
    """Flat cost: the search for a free unit never scans the table."""
    from goldmark.campaigns.assignments.allocation import _walks
    from goldmark.store import open_store

    store = open_store(sqlite_database)
    House.build(store, 3)

    def plans(connection: Connection) -> list[str]:
        found = []
        for part in (*_walks[False, False], *_walks[True, False]):
            compiled = part.compile(dialect=connection.dialect)
            values = {
                "campaign_id": 1,
                "stratum": "work",
                "level": 0,
                "annotator_id": 1,
                "cursor": 0,
                "param_1": 1,
                "param_2": 0,
            }
            order = tuple(values[key] for key in compiled.positiontup or ())
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", order).all()
            found.append(" | ".join(str(row[-1]) for row in rows))
        return found

    for plan in store.read(plans):
        assert "INDEX ix_unit_free" in plan
        assert "SCAN" not in plan
        assert "TEMP B-TREE" not in plan
    store.close()


def _run_out(store: Store) -> None:
    past = datetime.now(UTC) - HOUR_AGO
    store.write(
        lambda connection: connection.execute(
            update(assignment).where(assignment.c.state == "active").values(lease_until=past)
        )
    )


@pytest.mark.parametrize("labels", [1, 3])
def test_nothing_is_left_over_when_the_crowd_is_large_enough(store: Store, labels: int) -> None:
    house = House.build(store, 4, labels_per_unit=labels)
    for number in range(labels):
        _work_through(house, house.person(f"p{number}"))
    done = store.read(lambda connection: connection.execute(select(func.sum(unit.c.done))).scalar_one())
    assert done == 4 * labels
