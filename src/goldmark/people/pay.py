"""Fair pay: how long a unit really takes, what it should therefore cost, and who was paid too little.

Time is active time: the page counts only while it is visible and something happens on it, so idle time is out of it
already. The median unit sets the price, because a few very long ones should not; its interval is over annotators,
because the answers of one person are not independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import ceil
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, func, select

from goldmark.campaigns.definition.settings import Pay, TestQuestions
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.records.figures import Figure, Interval, Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.inference.medians import clustered_median
from goldmark.store.tables import annotator, assignment, response, unit

HOUR = 3600.0
BONUS_COLUMNS = ("annotator", "state", "answers", "active_minutes", "earned", "hourly", "bonus", "doubtful_times")
NO_TIMES = "nobody has answered a unit yet"
NO_PRICE = "the campaign does not say what an answer is paid"
NO_WAGE = "the campaign does not say what an hour should earn"


class Timed(NamedTuple):
    """One answer that is paid: whose it is, how long it took, and how long the person had the unit."""

    annotator: str
    state: str  # of the annotator
    seconds: float
    elapsed: float | None


class Earner(NamedTuple):
    """What one person did, earned and should have earned."""

    annotator: str
    state: str
    answers: int
    seconds: float
    earned: float | None
    hourly: float | None
    fair: float | None  # what the time is worth at the wage that is aimed at
    bonus: float | None  # what is missing; 0 if nothing is
    doubtful: int  # answers whose active time is longer than the person had the unit


class PayReport(NamedTuple):
    """Times, prices and what is still to be paid. Money is in `currency`."""

    currency: str
    per_unit: float | None
    target_hourly: float | None
    seconds: Figure  # median active time of a unit
    hourly: Figure  # what an hour earns at the present price
    suggested: Figure  # the price of a unit at which an hour earns what is aimed at
    answers: int
    spent: Figure
    labels_left: int
    tests_left: int  # test questions that come with them
    left_at_price: Figure
    left_at_suggested: Figure
    earners: tuple[Earner, ...]
    signature: str


def pay_report(connection: Connection, row: CampaignRow, *, paid: Mapping[str, float] | None = None) -> PayReport:
    """The fair-pay page of a campaign. Excluded people's times set no price, but their answers were paid.

    `paid` is what people really got, where a platform pays them; else they get the price of each answer.
    """
    pay, times = row.settings.pay, timed_answers(connection, row)
    seconds = median_time([one for one in times if one.state != "excluded"])
    suggested = _scaled(seconds, pay.target_hourly, NO_WAGE, lambda time, wage: up_to_cents(time * wage / HOUR))
    left, tests = labels_left(connection, row)
    signature = Signature.of(method="fair-pay", figure="median", interval="woodruff-annotators")
    return PayReport(
        pay.currency,
        pay.per_unit,
        pay.target_hourly,
        seconds,
        _hourly(seconds, pay.per_unit),
        suggested,
        len(times),
        _known(pay.per_unit, NO_PRICE, len(times)) if paid is None else _paid(paid, len(times)),
        left,
        tests,
        _known(pay.per_unit, NO_PRICE, left + tests),
        _scaled(suggested, float(left + tests), "", lambda price, answers: price * answers),
        earners(times, pay, paid),
        str(signature),
    )


def timed_answers(connection: Connection, row: CampaignRow) -> list[Timed]:
    """Every answer that is paid, test questions and late ones among them, with all its active time."""
    rows = connection.execute(
        select(
            annotator.c.name,
            annotator.c.state,
            func.sum(response.c.seconds_active).label("seconds"),
            assignment.c.claimed_at,
            func.max(response.c.server_time).label("last"),
        )
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .where(assignment.c.campaign_id == row.id)
        .group_by(assignment.c.id, annotator.c.name, annotator.c.state, assignment.c.claimed_at, annotator.c.id)
        .order_by(annotator.c.id, assignment.c.id)
    )
    return [Timed(one.name, one.state, float(one.seconds), _elapsed(one.claimed_at, one.last)) for one in rows]


def median_seconds(connection: Connection, campaigns: Sequence[int]) -> float | None:
    """The median of the same over campaigns, without excluded people and unknown times; the database sorts them."""
    seconds = func.sum(response.c.seconds_active)
    times = (
        select(seconds.label("seconds"))
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .where(assignment.c.campaign_id.in_(campaigns), annotator.c.state != "excluded")
        .group_by(assignment.c.id)
        .having(seconds > 0)
        .subquery()
    )
    many = int(connection.execute(select(func.count()).select_from(times)).scalar_one())
    middle = select(times.c.seconds).order_by(times.c.seconds).offset(max(0, many - 1) // 2).limit(2 - many % 2)
    found = [float(one) for one in connection.execute(middle).scalars()]
    return sum(found) / len(found) if found else None


def _elapsed(claimed: datetime, last: datetime | None) -> float | None:
    return None if last is None else (last - claimed).total_seconds()


def median_time(times: Sequence[Timed]) -> Figure:
    """The median active time with the interval that other annotators would give; 0 is a time not known."""
    times = [one for one in times if one.seconds > 0]
    if not times:
        return Figure(None, reason=NO_TIMES)
    who = np.unique([one.annotator for one in times], return_inverse=True)[1]
    return clustered_median([one.seconds for one in times], who, 0.95, "annotator")


def labels_left(connection: Connection, row: CampaignRow) -> tuple[int, int]:
    """How many labels the plan still wants, and how many test questions will come with them."""
    wanted, done = connection.execute(
        select(func.coalesce(func.sum(unit.c.wanted), 0), func.coalesce(func.sum(unit.c.done), 0)).where(
            unit.c.campaign_id == row.id, unit.c.counts
        )
    ).one()
    left = int(wanted) - int(done)
    has_tests = connection.execute(
        select(func.count()).where(unit.c.campaign_id == row.id, ~unit.c.counts)
    ).scalar_one()
    return left, questions_among(left, row.settings.test_questions) if has_tests else 0


def questions_among(labels: int, rates: TestQuestions) -> int:
    """Test questions that come with so many labels: the rates are parts of all that people get."""
    share = min(rates.positive + rates.negative, 0.95)
    return ceil(labels * share / (1 - share) - 1e-9)


def earners(times: Sequence[Timed], pay: Pay, paid: Mapping[str, float] | None = None) -> tuple[Earner, ...]:
    """Everybody with what they earned and what is missing to the wage that is aimed at."""
    people: dict[str, list[Timed]] = {}
    for one in times:
        people.setdefault(one.annotator, []).append(one)
    return tuple(_earner(name, own, pay, None if paid is None else paid.get(name, 0.0)) for name, own in people.items())


def _earner(name: str, own: Sequence[Timed], pay: Pay, paid: float | None) -> Earner:
    seconds = sum(one.seconds for one in own)
    earned = paid if paid is not None else None if pay.per_unit is None else round(pay.per_unit * len(own), 2)
    fair = None if pay.target_hourly is None else pay.target_hourly * seconds / HOUR
    return Earner(
        name,
        own[0].state,
        len(own),
        seconds,
        earned,
        None if earned is None or not seconds else earned / (seconds / HOUR),
        fair,
        None if earned is None or fair is None else max(0.0, up_to_cents(fair - earned)),
        sum(one.elapsed is not None and one.seconds > one.elapsed + 1 for one in own),
    )


def up_to_cents(amount: float) -> float:
    """A price in whole cents, never below what it should be."""
    return ceil(round(amount * 100, 6)) / 100


def _hourly(seconds: Figure, per_unit: float | None) -> Figure:
    if per_unit is None:
        return Figure(None, reason=NO_PRICE)
    if seconds.value is None or seconds.value <= 0:
        return Figure(None, reason=seconds.reason or "no active time was measured")
    interval = seconds.interval
    turned = None
    if interval is not None and interval.low > 0:  # slower people earn less
        turned = Interval(per_unit * HOUR / interval.high, per_unit * HOUR / interval.low, interval.level)
    return Figure(per_unit * HOUR / seconds.value, turned, reason=seconds.reason, used=seconds.used)


def _scaled(figure: Figure, by: float | None, missing: str, scale: Callable[[float, float], float]) -> Figure:
    if by is None:
        return Figure(None, reason=missing)
    if figure.value is None:
        return figure
    interval = figure.interval
    drawn = None if interval is None else Interval(scale(interval.low, by), scale(interval.high, by), interval.level)
    return Figure(scale(figure.value, by), drawn, figure.reason, figure.used)


def _known(per_unit: float | None, missing: str, answers: int) -> Figure:
    if per_unit is None:
        return Figure(None, reason=missing)
    return Figure(round(per_unit * answers, 2), reason="counted, not estimated", used=answers)


def _paid(paid: Mapping[str, float], answers: int) -> Figure:
    return Figure(round(sum(paid.values()), 2), reason="from the ledger of the platform", used=answers)


def bonus_table(report: PayReport) -> Table:
    """Whom to pay how much more, for a crowd platform's bonus payments."""
    rows: list[tuple[Cell, ...]] = [
        (
            one.annotator,
            one.state,
            one.answers,
            round(one.seconds / 60, 1),
            one.earned,
            None if one.hourly is None else round(one.hourly, 2),
            one.bonus,
            one.doubtful,
        )
        for one in sorted(report.earners, key=lambda one: -(one.bonus or 0))
        if one.bonus
    ]
    total = sum(one.bonus or 0 for one in report.earners)
    note = f"{len(rows)} of {len(report.earners)} people are paid below the wage; {total:.2f} {report.currency} in all"
    priced = report.per_unit is not None or any(one.earned is not None for one in report.earners)
    if not priced or report.target_hourly is None:
        note = NO_WAGE if priced else NO_PRICE
    return Table("Bonus payments", BONUS_COLUMNS, tuple(rows), (note,), report.signature)
