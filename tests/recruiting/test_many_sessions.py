"""A platform with many people and many hits: what has to be found out is found out beside the writer."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

import pytest
from sqlalchemy import delete, select

from goldmark.connectors.prolific.platform import Prolific
from goldmark.people import set_aside
from goldmark.people.annotators import invite
from goldmark.people.platform import PartReport, Platform, SessionReport, Snapshot
from goldmark.recruiting.offering import availability, begin, postings, publish
from goldmark.recruiting.ordering import decisions, orders
from goldmark.recruiting.ordering.carry_out import send
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.paying.reconcile import adopt
from goldmark.recruiting.watching import scheduler
from goldmark.recruiting.watching.sync import take_over
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.store import Store, pieces
from goldmark.store.tables import assignment, job
from goldmark.store.upkeep.health import check
from tests.cut_writes import asked_of_writer, cut_small, killed_before_piece, worked_off
from tests.recruiting.ground import NAME, Ground

MANY = 60


class Telling:
    """A platform that says what it is told to say."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def sync(self, parts: object) -> Snapshot:
        return self.snapshot

    def fee_of_bonus(self, amount: int) -> int:
        return 1

    def bonus(self, order: object) -> str:
        return "paid"


def test_what_is_known_already_is_not_written_again(
    lite: Store, prolific: ProlificStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = Ground.build(lite, prolific)
    worker = ground.person(1)
    worker.whole()
    ground.look()
    part = lite.read(lambda connection: orders.parts_of(connection, ground.posting.id))[0]
    own = ground.sessions()[0]
    now = datetime.now(UTC)
    writes = []
    write = lite.write

    def counted(work: Any) -> Any:
        writes.append(work)
        return write(work)

    monkeypatch.setattr(lite, "write", counted)

    def told(state: str) -> int:
        """How many transactions it takes to note that everybody is so far."""
        writes.clear()
        people = [SessionReport(f"s{number}", part, f"p{number}", cast("Any", state)) for number in range(MANY)]
        mine = SessionReport(own.reference, part, worker.name, own.state)
        report = PartReport(part, MANY, 0, None, on_offer=True)
        platform = cast("Platform", Telling(Snapshot((report,), (mine, *people))))
        take_over(lite, ground.house.links, ground.posting, platform, now)
        assert ground.states().count(state) == MANY
        return len(writes)

    assert told("open") > 2
    assert told("open") == 1
    assert told("submitted") > 2
    assert told("submitted") == 1
    assert ground.sessions()[0] == own


def test_nobody_waits_while_all_answers_or_texts_are_added_up(
    lite: Store, prolific: ProlificStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people took, and how many labels are left, is read beside the writer; all are approved, once."""
    ground = Ground.build(lite, prolific, pay={"target_hourly": 30.0})
    for number in (1, 2, 3):
        ground.person(number).whole(seconds=120.0)
    with asked_of_writer(lite) as written:
        ground.look()
        monkeypatch.setattr(pieces, "MOST", 2)
        decisions.approve(lite, ground.name, None, author="test")
        assert decisions.approve(lite, ground.name, None, author="test") == []
        ground.look()
        plan = lite.read(lambda connection: decisions.bonus_plan(connection, ground.name, ground.platform))
        assert len(plan.dues) == 3
        decisions.pay_bonuses(lite, ground.name, author="test", confirm=plan.total)
    (order,) = ground.orders(verb="bonus")
    assert (order.state, order.amount, order.fee) == (orders.ASKED, plan.amount, plan.fee)
    assert order.facts["lines"] == [[one.session, one.owed] for one in plan.dues]
    assert written
    assert not [one for one in written if "sum(unit." in one or "sum(response." in one or "max(assignment." in one]


def asked(store: Store, work: Callable[[], object]) -> int:
    with asked_of_writer(store) as seen:
        work()
    return len(seen)


def test_the_writer_is_asked_as_little_for_many_hits_as_for_few(lite: Store, mturk: MTurkStandIn) -> None:
    """Places asked for, paused and closed; and a look after all of them have ended."""
    ground = Ground.build(lite, mturk, recruit={"budget": "10000"})
    assert len({asked(lite, partial(publish.add_places, lite, NAME, many, author="test")) for many in (9, 540)}) == 1
    ground.look()
    parts = lite.read(lambda connection: orders.parts_of(connection, ground.posting.id))
    assert len(parts) > 60

    def ended(some: Sequence[str]) -> None:
        reports = tuple(PartReport(one, 9, 0, 0, on_offer=False) for one in some)
        platform = cast("Platform", Telling(Snapshot(reports, ())))
        take_over(lite, ground.house.links, ground.posting, platform, datetime.now(UTC))

    assert asked(lite, partial(ended, parts[:1])) == asked(lite, partial(ended, parts))
    assert lite.read(lambda connection: ledger.released_parts(connection, ground.posting.id)) == set(parts)
    assert asked(lite, partial(availability.set_state, lite, NAME, "close", author="test")) < 20
    assert len(ground.orders(orders.ASKED, verb="close")) == len(parts)


def three_are_owed(store: Store, prolific: ProlificStandIn) -> Ground[Any]:
    """Each another amount."""
    ground = Ground.build(store, prolific, pay={"target_hourly": 30.0}, recruit={"budget": "10000"})
    for number in (1, 2, 3):
        ground.person(number).whole(seconds=120.0 + number)
    ground.look()
    return ground


def test_fees_are_asked_for_and_people_found_before_anybody_has_to_wait(
    lite: Store, prolific: ProlificStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prolific says over the network what a bonus costs."""
    ground = three_are_owed(lite, prolific)
    asking, fee = [], Prolific.bonus_fee

    def noting(self: Prolific, amount: int) -> int:
        asking.append(threading.current_thread().name)
        return fee(self, amount)

    monkeypatch.setattr(Prolific, "bonus_fee", noting)
    plan = lite.read(lambda connection: decisions.bonus_plan(connection, NAME, ground.platform))
    asking.clear()
    decisions.pay_bonuses(lite, NAME, author="test", confirm=plan.total)
    assert len(asking) == 3
    assert "goldmark-writer" not in asking
    people = [one.annotator or "" for one in ground.sessions()]
    told = {asked(lite, partial(_tell, lite, people[:many])) for many in (1, 3)}
    assert len(told) == 1
    assert [one.session_id for one in ground.orders(verb="message")] == [
        one.id for one in (ground.sessions()[0], *ground.sessions())
    ]


def _tell(store: Store, people: Sequence[str]) -> None:
    decisions.tell(store, NAME, people, subject="Hello", words="Thank you.", author="test")


def test_a_long_list_of_bonuses_is_entered_at_once(lite: Store, prolific: ProlificStandIn) -> None:
    ground = Ground.build(lite, prolific)
    part = lite.read(lambda connection: orders.parts_of(connection, ground.posting.id))[0]
    people = [SessionReport(f"s{number}", part, f"p{number}", "submitted") for number in range(MANY)]
    platform = cast("Any", Telling(Snapshot((), tuple(people))))
    take_over(lite, ground.house.links, ground.posting, platform, datetime.now(UTC))

    def pay(many: int) -> None:
        lines = [[f"s{number}", 10 + number] for number in range(many)]
        order = lite.write(
            lambda connection: orders.ask(connection, ground.posting.id, "bonus", author="test", lines=lines)
        )
        send(lite, ground.posting, platform, order)

    assert asked(lite, partial(pay, 1)) == asked(lite, partial(pay, MANY))
    assert ground.spent().bonuses == 10 + sum(range(10, 10 + MANY))
    assert ground.spent().fees == 1 + MANY
    paid = lite.read(lambda connection: ledger.bonuses_of(connection, ground.posting.id, ["s0", "s1", "s99"]))
    assert paid == {"s0": (10, 10), "s1": (11,), "s99": ()}


def test_payments_that_two_take_over_at_once_are_taken_over_once(
    lite: Store, prolific: ProlificStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = Ground.build(lite, prolific)
    for number in (1, 2, 3):
        ground.person(number).whole()
    ground.look()
    for one in prolific.submissions.values():
        one.bonuses.append(50)
    books = ground.books()  # both have looked at them
    monkeypatch.setattr(pieces, "MOST", 2)
    assert [adopt(lite, books, author=name) for name in ("Mo", "Flo")] == [3, 0]
    assert ground.spent().bonuses == 150
    assert all(one.agrees for one in ground.books().lines)


def test_who_comes_back_with_many_answers_gets_them_in_pieces_and_may_leave_again_meanwhile(
    lite: Store, prolific: ProlificStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = Ground.build(lite, prolific, batch={"size": 6, "per_person": 1})
    monkeypatch.setattr(set_aside, "FEW", 2)
    written = cut_small(monkeypatch)
    bo = ground.person(1)
    bo.come()
    ground.work(bo.token)
    part = lite.read(lambda connection: orders.parts_of(connection, ground.posting.id))[0]

    def told(state: str) -> None:
        report = SessionReport(ground.sessions()[0].reference, part, bo.name, cast("Any", state))
        platform = cast("Platform", Telling(Snapshot((), (report,))))
        take_over(lite, ground.house.links, ground.posting, platform, datetime.now(UTC))

    def answers() -> Counter[str]:
        states = select(assignment.c.state)
        return Counter(lite.read(lambda connection: connection.execute(states).scalars().all()))

    def worked() -> None:
        """A worker does what is owed, and does not ask the platform, which knows of nothing."""
        lite.write(lambda connection: connection.execute(delete(job).where(job.c.kind == scheduler.KIND)))
        worked_off(lite)

    told("returned")
    worked()
    assert answers() == {"excluded": 6}
    written.clear()
    told("submitted")
    assert written == [1, 2, 2, 2], "the report, and then the answers"
    assert answers() == {"done": 6}
    told("returned")
    worked()
    with killed_before_piece(monkeypatch, 3):
        told("submitted")
    told("returned")  # before a worker has gone on
    worked()
    assert answers() == {"excluded": 6}
    told("submitted")
    assert answers() == {"done": 6}
    assert check(lite).problems == ()


def test_nobody_waits_while_it_is_found_out_what_is_offered_by_a_campaign_that_starts(
    lite: Store, prolific: ProlificStandIn
) -> None:
    """The first time what a batch takes, as it was measured; later whether anybody is needed."""
    terms = {"start": "with the campaign", "minutes": None, "reward": None}
    ground = Ground.build(lite, prolific, publish_now=False, pay={"target_hourly": 12.0}, recruit=terms)
    token = invite(lite, ground.house.links, NAME, "Ada", author="test")[1]
    ground.work(token, seconds=120.0)
    found = []
    for state in (None, postings.CLOSED):
        if state:
            lite.write(lambda connection: postings.change(connection, ground.posting.id, state=postings.CLOSED))
        begin.move(lite, NAME, "closed", author="test")
        with asked_of_writer(lite) as written:
            begin.move(lite, NAME, "started", author="test")
        assert not [one for one in written if "sum(" in one]
        found.append((ground.posting.state, ground.posting.offer.reward, ground.posting.offer.minutes))
    assert found == [("planned", 120, 6.0), ("open", 120, 6.0)], "three texts of two minutes, at 12 an hour"
