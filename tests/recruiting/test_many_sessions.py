"""A platform that tells of many people: noted some at a time, and only what is new."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest
from sqlalchemy.event import listen as listens_for

from goldmark.people.platform import PartReport, Platform, SessionReport, Snapshot
from goldmark.recruiting.ordering import decisions, orders
from goldmark.recruiting.watching.sync import take_over
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.store import Store, pieces
from tests.recruiting.ground import Ground

MANY = 60


class Telling:
    """A platform that says what it is told to say."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def sync(self, parts: object) -> Snapshot:
        return self.snapshot


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
    written: list[str] = []
    listens_for(lite.engine(), "before_cursor_execute", lambda *given: written.append(given[2]))
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
    assert not [one for one in written if "sum(unit." in one or "sum(response." in one]
