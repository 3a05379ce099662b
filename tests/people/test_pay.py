"""Fair pay: prices and bonuses worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.definition.settings import Pay, TestQuestions
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.people.exclusions import exclude
from goldmark.people.pay import (
    PayReport,
    Timed,
    bonus_table,
    earners,
    median_time,
    pay_report,
    questions_among,
    up_to_cents,
)
from goldmark.store import Store
from goldmark.store.tables import assignment
from tests.campaigns.house import NAME, House, unit

PAY = {"currency": "EUR", "per_unit": 0.10, "target_hourly": 15.0}


def timed(name: str, *seconds: float) -> list[Timed]:
    return [Timed(name, "active", time, time + 60) for time in seconds]


def report(store: Store) -> PayReport:
    return store.read(lambda connection: pay_report(connection, find_campaign(connection, NAME)))


def test_the_median_comes_with_the_interval_that_other_annotators_would_give() -> None:
    # Six people of ten answers each, 20 to 70 s: three wholly below the median and three above.
    people = [timed(f"P{place}", *[20.0 + 10 * place] * 10) for place in range(6)]
    found = median_time([one for own in people for one in own])
    assert found.value == 45
    assert found.used == 60
    # The share below has the variance of six coins, 6/5 x 6 x 25 / 60^2 = .05; t = 2.571 gives more than all of it.
    assert found.interval is None
    assert "6 annotators are too few" in found.reason
    even = median_time([one for place in range(12) for one in timed(f"P{place}", *range(20 + place, 60 + place))])
    assert even.interval is not None
    assert 20 < even.interval.low < 45 < even.interval.high < 71


def test_one_annotator_gives_no_interval_and_nobody_no_time() -> None:
    assert "one annotator" in median_time(timed("Ada", 20, 30)).reason
    assert median_time([]).value is None


def test_a_price_is_rounded_up_to_cents() -> None:
    # 30 s at 15 an hour are 15 / 120 = 0.125.
    assert up_to_cents(15 * 30 / 3600) == 0.13
    assert up_to_cents(0.1 * 3) == 0.30


def test_a_bonus_makes_up_for_what_is_missing() -> None:
    # Ada: 2 x 60 s at 0.10 earn 0.20 in 1/30 h; 15 an hour are 0.50: 0.30 are missing. Bo: 2 x 10 s earn 36 an hour.
    ada, bo = earners(timed("Ada", 60, 60) + timed("Bo", 10, 10), Pay(**PAY))
    assert (ada.earned, ada.bonus) == (0.20, 0.30)
    assert [ada.hourly, ada.fair] == pytest.approx([6.0, 0.5])
    assert bo.bonus == 0
    assert bo.hourly == pytest.approx(36.0)
    assert earners(timed("Ada", 60), Pay())[0].bonus is None


def test_times_longer_than_a_person_had_the_unit_are_doubtful() -> None:
    (ada,) = earners([Timed("Ada", "active", 100, 90), Timed("Ada", "active", 80, 90)], Pay(**PAY))
    assert ada.doubtful == 1


def test_test_questions_come_with_the_labels_that_are_left() -> None:
    # A tenth of what people get is a test question: with 90 labels come 10.
    assert questions_among(90, TestQuestions(positive=0.05, negative=0.05)) == 10
    assert questions_among(90, TestQuestions()) == 0


def test_a_campaign_knows_what_it_has_cost_and_what_is_left(store: Store) -> None:
    units = [unit(f"u{number}") for number in range(18)] + [unit("t", test="positive", expected={"mistakes": []})]
    house = House.build(store, units, labels_per_unit=1, pay=PAY, test_questions={"positive": 0.1})
    for name, seconds in (("Ada", 20.0), ("Bo", 40.0), ("Spam", 1.0)):
        token = house.person(name)
        for number in range(3):
            answers: dict[str, object] = {"mistakes": []}
            house.responses.submit(
                token, house.task(token).id, Submission(answers, f"{name}-key-{number}", None, seconds)
            )
    exclude(store, NAME, "Spam", author="Mo")
    past = datetime.now(UTC) - timedelta(minutes=5)
    store.write(lambda connection: connection.execute(update(assignment).values(claimed_at=past)))
    found = report(store)
    assert found.seconds.value == 30, "an excluded person's times set no price"
    assert found.suggested.value == 0.13
    assert found.hourly.value == pytest.approx(0.10 * 3600 / 30)
    assert found.answers == 9
    assert found.spent.value == 0.90, "but their answers were paid"
    left = found.labels_left
    assert 18 - 6 <= left <= 18 - 6 + 1, "the test question that came among the six does not count"
    assert found.tests_left == questions_among(left, TestQuestions(positive=0.1))
    assert found.left_at_price.value == pytest.approx(0.10 * (left + found.tests_left))
    assert found.left_at_suggested.value == pytest.approx(0.13 * (left + found.tests_left))
    table = bonus_table(found)
    # Bo: 120 s at 15 an hour are 0.50, 0.30 were paid. Ada: 60 s are 0.25, less than 0.30.
    assert [(row["annotator"], row["bonus"], row["doubtful_times"]) for row in table.records()] == [("Bo", 0.20, 0)]
    assert found.signature.startswith("method:fair-pay|")


def test_without_a_price_or_a_wage_it_says_what_is_missing(store: Store) -> None:
    house = House.build(store, 2)
    ada = house.person("Ada")
    house.submit(ada, house.task(ada))
    found = report(store)
    assert found.suggested.value is None
    assert "what an hour should earn" in found.suggested.reason
    assert "what an answer is paid" in found.hourly.reason
    assert bonus_table(found).rows == ()
    assert "what an answer is paid" in bonus_table(found).notes[0]
