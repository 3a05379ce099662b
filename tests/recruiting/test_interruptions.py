"""Requests that are not answered, answered late, or never sent: whatever happens, each is carried out once."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from goldmark.people.platform import PlatformSilent
from goldmark.recruiting.ordering import carry_out, decisions, orders
from goldmark.recruiting.watching import look_after
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.simulate.platforms.server import Fault, StandIn
from goldmark.store import Store
from goldmark.store.tables import posting, posting_order
from tests.recruiting.ground import NAME, Ground
from tests.recruiting.test_both_platforms import charged

# What each order asks of each platform.
REQUESTS = {
    ("mturk", "publish"): "CreateHITWithHITType",
    ("mturk", "approve"): "ApproveAssignment",
    ("mturk", "bonus"): "SendBonus",
    ("mturk", "reject"): "RejectAssignment",
    ("prolific", "publish"): "POST /studies/",
    ("prolific", "start"): "POST /studies/ID/transition/",
    ("prolific", "approve"): "POST /submissions/ID/transition/",
    ("prolific", "reject"): "POST /submissions/ID/transition/",
    ("prolific", "bonus"): "POST /bulk-bonus-payments/ID/pay/",
    ("prolific", "message"): "POST /messages/",
}
FAULTS: tuple[Fault, ...] = ("busy", "error", "lost before", "lost after")
WORDS = "Every answer was given within two seconds, which is not enough time to read even the first sentence of a text."


def ago(ground: Ground[StandIn], **how_long: float) -> None:
    """Orders that were sent were sent so much longer ago."""
    sent = datetime.now(UTC) - timedelta(**how_long)
    query = update(posting_order).where(posting_order.c.state == orders.SENT).values(sent_at=sent)
    ground.store.write(lambda connection: connection.execute(query))


def look_until_settled(ground: Ground[StandIn]) -> None:
    for _ in range(6):
        ground.look()
        ago(ground, hours=2)
        ground.there.pass_time(minutes=10)
    assert not ground.orders(orders.ASKED, orders.SENT)


@pytest.mark.parametrize(("platform", "verb"), [one for one in REQUESTS if one[1] in ("publish", "start")])
def test_publishing(platform: str, verb: str, lite: Store, request: pytest.FixtureRequest) -> None:
    there: StandIn = request.getfixturevalue(platform)
    ground = Ground.build(lite, there, 60, publish_now=False)  # 120 labels in batches of 3: 40 places
    there.faults[REQUESTS[platform, verb]] = list(FAULTS)
    ground.publish()
    look_until_settled(ground)
    assert there.faults[REQUESTS[platform, verb]] == []
    if isinstance(there, MTurkStandIn):
        assert sorted(one.places for one in there.hits.values()) == [4, 9, 9, 9, 9]
    else:
        assert isinstance(there, ProlificStandIn)
        assert [(one.status, one.given["total_available_places"]) for one in there.studies.values()] == [("ACTIVE", 40)]
    assert ground.posting.state == "open"


@pytest.mark.parametrize(
    "verb", [pytest.param("approve", marks=pytest.mark.slow), "bonus", pytest.param("reject", marks=pytest.mark.slow)]
)
def test_paying(there: StandIn, verb: str, lite: Store) -> None:
    by_hand = {"approve": {"rule": "by hand"}}
    ground = Ground.build(lite, there, 8, pay={"target_hourly": 30.0}, recruit=by_hand)
    for number in range(5):
        ground.person(number).whole(seconds=120.0)  # worth 3.00, and paid 1.50
    ground.look()
    request = REQUESTS[ground.posting.platform, verb]
    if verb == "reject":
        there.faults[request] = list(FAULTS)
        for one in ground.sessions():
            decisions.reject(lite, ground.name, one.reference, author="test", words=WORDS, category="LOW_EFFORT")
        look_until_settled(ground)
        assert there.faults[request] == []
        assert ground.states() == ["rejected"] * 5
        assert charged(there) == 0
        return
    if verb == "approve":
        there.faults[request] = list(FAULTS)
    decisions.approve(lite, ground.name, None, author="test")
    look_until_settled(ground)
    if verb == "bonus":
        there.faults[request] = list(FAULTS)
    plan = lite.read(lambda connection: decisions.bonus_plan(connection, ground.name, ground.platform))
    decisions.pay_bonuses(lite, ground.name, author="test", confirm=plan.total)
    look_until_settled(ground)
    assert there.faults[request] == []
    assert ground.states() == ["approved"] * 5
    books = ground.books()
    assert (books.spent.rewards, books.spent.bonuses) == (750, 750)
    assert all(one.bonuses_there == (150,) for one in books.lines)
    assert books.agrees
    assert books.spent.total == charged(there)


def test_a_bonus_that_may_have_been_paid_is_not_paid_again_in_haste(lite: Store, prolific: ProlificStandIn) -> None:
    """Prolific pays some minutes later, and twice if it is asked twice."""
    ground = Ground.build(lite, prolific, pay={"target_hourly": 30.0})
    ground.person(1).whole(seconds=120.0)
    ground.look()
    plan = lite.read(lambda connection: decisions.bonus_plan(connection, ground.name, ground.platform))
    decisions.pay_bonuses(lite, ground.name, author="test", confirm=plan.total)
    prolific.faults[REQUESTS["prolific", "bonus"]] = ["lost after"]
    ground.look()
    (order,) = ground.orders(verb="bonus")
    for _ in range(3):
        look = ground.look()
        (order,) = ground.orders(verb="bonus")
        assert (order.state, order.attempts) == (orders.SENT, 1)
        assert "not settled yet" in look.trouble
    prolific.pass_time(minutes=5)
    ground.look()
    assert [one.bonuses for one in prolific.submissions.values()] == [[150]]
    assert ground.orders(verb="bonus")[0].state == orders.DONE
    assert Counter(prolific.log)[REQUESTS["prolific", "bonus"]] == 1
    assert ground.books().agrees


def test_a_message_is_never_sent_twice(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)
    ground.person(1).whole()
    ground.look()
    name = ground.sessions()[0].annotator or ""
    asked = "NotifyWorkers" if isinstance(there, MTurkStandIn) else "POST /messages/"
    there.faults[asked] = ["lost after"]
    decisions.tell(lite, ground.name, [name], subject="Thank you", words="A second part comes soon.", author="test")
    ground.look()
    ago(ground, hours=48)
    ground.look()
    mails = there.mails  # type: ignore[attr-defined]
    assert len(mails) == 1
    (order,) = ground.orders(verb="message")
    if isinstance(there, MTurkStandIn):  # which does not tell; a manager has to
        assert order.state == orders.SENT
        settled = decisions.settle_order(lite, ground.name, order.id, was_done=True, author="test")
        assert settled.state == orders.DONE
        with pytest.raises(orders.OrderSettled):
            decisions.settle_order(lite, ground.name, order.id, was_done=False, author="test")
    else:
        assert order.state == orders.DONE
    ground.look()
    assert len(mails) == 1


def test_a_process_that_dies_between_the_answer_and_the_journal(
    lite: Store, there: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at the worst moment: the platform has done it, and nothing was written down."""
    ground = Ground.build(lite, there)
    ground.person(1).whole()

    class Killed(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(carry_out, "_done", die)
        with pytest.raises(Killed):
            ground.look()
    assert [one.state for one in ground.orders(verb="approve")] == [orders.SENT]
    ground.look()
    assert ground.states() == ["approved"]
    assert ground.books().agrees
    assert ground.spent().total == charged(there)


def test_somebody_else_at_work_is_left_alone(lite: Store, there: StandIn) -> None:
    from goldmark.recruiting.offering.postings import HeldElsewhere, held

    ground = Ground.build(lite, there)
    with held(lite, ground.posting.id):
        assert ground.look().again is not None
        with pytest.raises(HeldElsewhere), held(lite, ground.posting.id):
            pass


@pytest.mark.parametrize("step", ["_follow_rules", "_send"])
def test_a_look_that_took_too_long_asks_for_nothing_more(
    lite: Store, there: StandIn, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Somebody else has begun one meanwhile, and may have sent what this one has before it."""
    ground = Ground.build(lite, there)
    ground.person(1).whole()
    ground.look()
    go_on = getattr(look_after, step)

    def too_late(*given: Any, **more: Any) -> Any:
        other = {"holder": "elsewhere:1:another:1", "held_until": datetime.now(UTC) + timedelta(minutes=2)}
        lite.write(lambda connection: connection.execute(update(posting).values(**other)))
        return go_on(*given, **more)

    decisions.tell(lite, NAME, ["annotator-1"], subject="Hello", words="Thank you.", author="Mo")
    with monkeypatch.context() as here:
        here.setattr(look_after, step, too_late)
        assert ground.look().again is not None
    assert [one.state for one in ground.orders(verb="message")] == [orders.ASKED]
    assert ground.posting.trouble == ""
    lite.write(lambda connection: connection.execute(update(posting).values(holder=None, held_until=None)))
    ground.look()
    assert [one.state for one in ground.orders(verb="message")] == [orders.DONE]


def test_a_platform_that_does_not_answer_is_told_and_asked_again(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)
    asked = "GetHIT" if isinstance(there, MTurkStandIn) else "GET /studies/ID/"
    there.faults[asked] = ["error"]
    look = ground.look()
    assert "did not answer" in look.trouble
    assert ground.posting.trouble == look.trouble
    assert ground.look().trouble == ""
    parts = ground.store.read(lambda connection: orders.parts_of(connection, ground.posting.id))
    there.faults[asked] = ["lost after"]
    with pytest.raises(PlatformSilent):
        ground.platform.sync(parts)
