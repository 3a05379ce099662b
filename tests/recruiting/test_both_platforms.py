"""What holds on every platform: each place is used once, everybody is paid once, and the books agree to the cent."""

from __future__ import annotations

import pytest

from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.progress import progress_of
from goldmark.people.exclusions import exclude
from goldmark.recruiting.offering import publish
from goldmark.recruiting.offering.publish import NotConfirmed, NotEnoughMoney, OnOfferAlready
from goldmark.recruiting.ordering import decisions
from goldmark.recruiting.paying import budget
from goldmark.recruiting.paying.budget import CampaignOverBudget
from goldmark.recruiting.paying.wages import pay_of
from goldmark.recruiting.visiting.arrivals import ArrivalDenied, AskAgain, OnePlaceEach
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.simulate.platforms.server import StandIn
from goldmark.store import Store
from tests.recruiting.ground import Ground


def charged(there: StandIn) -> int:
    """What the platform has really taken, in cents."""
    if isinstance(there, MTurkStandIn):
        return 1_000_000 - int(there.balance * 100)
    assert isinstance(there, ProlificStandIn)
    return 1_000_000 - there.balance


def paid(there: StandIn) -> int:
    """How many people the platform has paid."""
    if isinstance(there, MTurkStandIn):
        return sum(one.state == "Approved" for one in there.assignments.values())
    assert isinstance(there, ProlificStandIn)
    return sum(one.status == "APPROVED" for one in there.submissions.values())


def done(ground: Ground[StandIn]) -> tuple[int, int]:
    found = ground.store.read(lambda connection: progress_of(connection, ground.row))
    return found.labels_done, found.labels_wanted


def test_from_publishing_to_payment(store: Store, there: StandIn) -> None:
    ground = Ground.build(store, there)  # 12 labels in batches of 3: 4 places
    for number in range(4):
        ground.person(number).whole()
    assert not ground.person(9).has_place
    ground.look()
    assert done(ground) == (12, 12)
    assert ground.states() == ["approved"] * 4
    books = ground.books()
    assert books.agrees
    assert books.spent.rewards == 600
    assert books.spent.total == charged(there) <= ground.confirmed
    move(store, ground.name, "closed", author="test")
    assert ground.look().again is None, "everything is settled"
    assert ground.posting.state == "closed"


def test_the_cost_is_confirmed_before_anything_is_published(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there, publish_now=False)
    found = publish.estimate(lite, ground.name)
    assert found.cost.places == 4
    assert found.balance == 1_000_000
    for confirm in (None, found.cost.total - 1):
        with pytest.raises(NotConfirmed, match="confirm exactly this amount"):
            publish.publish(lite, ground.house.links, ground.name, author="test", confirm=confirm, base="https://x.org")
    assert not [one for one in there.log if "HIT" in one or one == "POST /studies/"]
    ground.publish()
    with pytest.raises(OnOfferAlready):
        ground.publish()


def test_more_than_there_is_cannot_be_published(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there, publish_now=False)
    there.balance = type(there.balance)(5)  # type: ignore[attr-defined]
    with pytest.raises(NotEnoughMoney, match=r"only (5|0)\.0"):
        ground.publish()


def test_nothing_goes_beyond_the_budget(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there, recruit={"budget": "9.00"})  # 4 places of 1.80, or of about 2.10
    before = ground.store.read(lambda connection: budget.reserved_in_campaign(connection, ground.row, live=True))
    assert before == ground.confirmed
    with pytest.raises(CampaignOverBudget, match=r"more than the budget of 9\.00"):
        publish.add_places(lite, ground.name, 5, author="test")
    ground.person(1).whole()
    ground.look()
    exclude(lite, ground.name, ground.sessions()[0].annotator or "", author="test")
    look = ground.look()
    after = ground.store.read(lambda connection: budget.reserved_in_campaign(connection, ground.row, live=True))
    assert after <= 900
    assert after + ground.posting.offer.reward + ground.posting.offer.fee > 900 or "budget" not in look.trouble


def test_who_gives_their_place_back_leaves_their_units_to_others_at_once(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)
    gone = ground.person("GONE")
    gone.come()
    ground.work(gone.token, most=2)
    assert done(ground)[0] == 2
    gone.give_back()
    ground.look(minutes=3)
    assert ground.states() == ["returned"]
    assert done(ground)[0] == 0
    for number in range(4):
        ground.person(number).whole()
    ground.look()
    assert done(ground) == (12, 12)
    assert paid(there) == 4
    assert ground.books().agrees


def test_who_runs_out_of_time_is_replaced_and_not_paid(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)
    slow = ground.person("SLOW")
    slow.come()
    ground.work(slow.token, most=1)
    there.pass_time(hours=3)
    ground.look()
    assert ground.states() == ["timed out"]
    assert done(ground)[0] == 0
    for number in range(4):
        ground.person(number).whole()
    ground.look()
    assert (paid(there), done(ground)) == (4, (12, 12))


def test_one_person_one_place(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there, 30)  # 20 places: three hits
    eager = ground.person("EAGER")
    eager.come()
    again = ground.person("EAGER")
    if again.has_place:  # another hit of the same campaign; Prolific does not let them
        with pytest.raises(OnePlaceEach, match="give this one back"):
            again.come()
        again.give_back()
    ground.work(eager.token)
    eager.hand_in()
    ground.look()
    ground.look()
    assert not ground.person("EAGER").has_place, "the list of those who took part keeps them out"


def test_a_known_id_opens_nobodys_work(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)
    victim = ground.person("VICTIM")
    token = victim.come()
    assert victim.come() == token, "their own place leads back to their work"
    thief = ground.person("THIEF")
    thief_id, victim_id = thief.name, victim.name
    with pytest.raises((ArrivalDenied, OnePlaceEach)):
        ground.come(thief.url.replace(thief_id, victim_id))
    with pytest.raises((ArrivalDenied, AskAgain, OnePlaceEach)):
        ground.come(victim.url.replace(victim.place.id, victim.place.id[::-1]))
    with pytest.raises(ArrivalDenied):
        ground.come(victim.url.replace(victim_id, thief_id))


def test_excluded_people_are_paid_and_replaced(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)
    ground.person(1).whole()
    ground.look()
    name = ground.sessions()[0].annotator or ""
    exclude(lite, ground.name, name, author="test")
    ground.look()  # another place is asked for
    for number in range(2, 7):
        person = ground.person(number)
        if person.has_place:
            person.whole()
    ground.look()
    assert done(ground) == (12, 12)
    assert paid(there) == 5
    assert ground.books().agrees
    assert not ground.person(1).has_place, "nor do they come again"


def test_only_a_manager_rejects_and_only_with_words(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there, recruit={"approve": {"rule": "by hand"}})
    one, other = ground.person(1), ground.person(2)
    one.whole()
    other.whole()
    ground.look()
    assert ground.states() == ["submitted"] * 2, "nothing happens by itself"
    names = [session.annotator or "" for session in ground.sessions()]
    with pytest.raises(decisions.RejectionReasonMissing):
        decisions.reject(lite, ground.name, names[0], author="test", words=" ", category="LOW_EFFORT")
    words = (
        "Every answer was given within two seconds, which is not enough time to read even the first sentence of a text."
    )
    decisions.reject(lite, ground.name, names[0], author="test", words=words, category="LOW_EFFORT")
    decisions.approve(lite, ground.name, [names[1]], author="test")
    with pytest.raises(decisions.NotHandedIn):
        decisions.approve(lite, ground.name, [names[0]], author="test")
    ground.look()
    assert ground.states() == ["rejected", "approved"]
    assert [one.state, other.state] == ["rejected", "approved"]
    assert ground.books().agrees


def test_pay_is_brought_up_to_the_wage_once(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there, pay={"target_hourly": 15.0})
    quick, slow = ground.person(1), ground.person(2)
    quick.whole(seconds=60.0)  # 3 minutes: worth 0.75
    slow.whole(seconds=240.0)  # 12 minutes: worth 3.00, and paid 1.50
    left = ground.person(3)
    left.come()
    ground.work(left.token, most=1, seconds=240.0)
    there.give_back(left.place.id)  # type: ignore[attr-defined]
    ground.look(minutes=4)
    plan = lite.read(lambda connection: decisions.bonus_plan(connection, ground.name, ground.platform))
    assert [(one.owed, one.fair) for one in plan.dues] == [(150, 300)]
    _, report = pay_of(lite, ground.name)
    assert [(one.earned, one.bonus) for one in report.earners] == [(1.5, 0.0), (1.5, 1.5), (0.0, 0.0)], "the same page"
    with pytest.raises(decisions.BonusNotConfirmed):
        decisions.pay_bonuses(lite, ground.name, author="test", confirm=plan.total + 1)
    decisions.pay_bonuses(lite, ground.name, author="test", confirm=plan.total)
    with pytest.raises(decisions.NothingOwed):  # it is under way
        decisions.pay_bonuses(lite, ground.name, author="test", confirm=plan.total)
    ground.look()
    there.pass_time(minutes=10)
    ground.look()
    with pytest.raises(decisions.NothingOwed):
        decisions.pay_bonuses(lite, ground.name, author="test", confirm=plan.total)
    assert ground.spent().bonuses == 150
    assert ground.books().agrees
    assert ground.spent().total == charged(there)


def test_who_takes_no_place_up_is_seen_all_the_same(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)
    never = ground.person("NEVER")
    if isinstance(there, ProlificStandIn):
        there.complete(never.place.id, "a guessed code")
    else:
        never.place.state, never.place.submitted = "Submitted", there.now()
    ground.look()
    (session,) = ground.sessions()
    assert (session.state, session.annotator, session.outcome) == ("submitted", None, "")
    ground.look(hours=48)
    assert ground.states() == ["submitted"], "nobody approves what was not done here"


def test_who_has_taken_a_place_and_not_come_yet_is_not_replaced(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)  # 4 places
    people = [ground.person(number) for number in range(2)]
    for _ in range(2):
        ground.look()
    assert sum(one.places for one in ground.orders(verb="publish")) == 4
    for one in people:
        one.whole()
    ground.look()
    assert sum(one.places for one in ground.orders(verb="publish")) == 4
    assert ground.states() == ["approved"] * 2


def test_a_clock_that_is_ahead_delays_nobodys_pay(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there)
    there.pass_time(hours=1)
    ground.person(1).whole()
    ground.look(hours=-1)
    assert ground.states() == ["approved"]


def test_what_a_campaign_does_not_need_is_given_up_for_good(lite: Store, there: StandIn) -> None:
    ground = Ground.build(lite, there, pay={"target_hourly": 15.0})
    ground.person(1).whole(seconds=240.0)  # owed 1.50 more
    ground.look()
    move(lite, ground.name, "closed", author="test")
    ground.look()
    plan = lite.read(lambda connection: decisions.bonus_plan(connection, ground.name, ground.platform))
    spent = ground.spent().total
    need = lite.read(lambda connection: budget.still_needed(connection, ground.row, live=True))
    needed = lite.write(lambda connection: budget.give_up_rest(connection, ground.row, need, live=True))
    assert spent + plan.total <= needed == ground.posting.budget <= spent + plan.total + 2, "but for rounding"
    decisions.pay_bonuses(lite, ground.name, author="test", confirm=plan.total)
    with pytest.raises(CampaignOverBudget):
        publish.add_places(lite, ground.name, 1, author="test")
