"""How many annotations a board needs, what they cost and which differences they show, before and after any data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlalchemy import Connection, select

from goldmark.errors import GoldmarkError
from goldmark.leaderboards.definition.boards import BoardRow
from goldmark.leaderboards.human.money import to_cents
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.ranks.ranking import bhatia_davis
from goldmark.stats.significance.power import smallest_effect, smallest_n, t_power
from goldmark.store.tables import board_round, board_score

USUAL_POWER = 0.8
SMALLEST = 0.0001  # what nobody can pay for need not be planned


class PlanNotPossible(GoldmarkError):
    code = "BOARD-04"
    message = "{reason}"


@dataclass(frozen=True)
class PlanRequest:
    """A plan for one system. Give the number of annotations, or the standard error that they should reach."""

    annotations: int | None = None
    error: float | None = None
    mean: float = 0.5  # the score that is expected; the middle of the scale is the worst case
    deviation: float | None = None  # of a single annotation, measured; none: the largest that there can be
    price: float = 0.0
    tests: float = 0.0  # the share of test questions among what people answer
    systems: int = 1
    difference: float | None = None  # between two systems that should be told apart
    power: float = USUAL_POWER
    alpha: float = 0.05


def board_plan(connection: Connection, row: BoardRow, main: str, wanted: PlanRequest) -> Table:
    """A plan from what a board knows: its price, its test questions, and how far annotations have varied so far.

    Measured variation counts where the board has any; before that, the largest there can be.
    """
    if not main:
        raise PlanNotPossible(reason=f"{row.name!r} has no protocol, so nobody is asked and nothing is to be planned")
    human, subset = row.settings.human, row.settings.subset
    measured = None if row.settings.scores.z else measured_deviation(connection, row, main)
    if wanted.annotations is None and wanted.error is None and wanted.difference is None:
        wanted = replace(wanted, annotations=max(2, subset.size if subset else 300))
    return plan_annotations(
        replace(
            wanted,
            deviation=min(measured, 0.5) if measured else None,
            price=float(human.pay.per_unit),
            tests=human.test_questions.positive + human.test_questions.negative,
        )
    )


def plan_annotations(wanted: PlanRequest) -> Table:
    """One row: annotations, the standard error they give, what they cost, and the difference they can show.

    Scores lie between 0 and 1. Before any data the standard deviation of an annotation is at most sqrt(m(1-m)), m the
    expected score (Bhatia and Davis); after a round it is known.
    """
    _sensible(wanted)
    deviation = bhatia_davis(wanted.mean, 1) if wanted.deviation is None else wanted.deviation
    if deviation == 0:
        raise PlanNotPossible(reason="with this mean or deviation nothing varies; there is nothing to plan")
    annotations = _annotations(wanted, deviation)
    error = deviation / math.sqrt(annotations)
    gap = wanted.difference
    if gap is None:
        effect = smallest_effect(lambda size: t_power(size, annotations, alpha=wanted.alpha), wanted.power)
        gap, power = effect * deviation, wanted.power
    else:
        power = t_power(gap / deviation, annotations, alpha=wanted.alpha)
    labels = math.ceil(annotations * wanted.systems / (1 - wanted.tests))
    row: dict[str, Cell] = {
        "annotations": annotations,
        "error": error,
        "interval": 2 * 1.959963984540054 * error,
        "deviation": deviation,
        "difference": gap,
        "power": power,
        "systems": wanted.systems,
        "labels": labels,
        "cost": float(to_cents(labels * Decimal(str(wanted.price)))),
    }
    bound = "Bhatia-Davis" if wanted.deviation is None else "measured"
    notes = (
        f"standard deviation of an annotation: {deviation:.3f}, "
        + ("the largest that a score of this mean can have" if wanted.deviation is None else "as measured"),
        "difference: between two systems with so many annotations each, t-test of two samples, "
        f"power {wanted.power:g} at {wanted.alpha:g}; the same items for both make it easier, not harder",
        *((f"labels include {wanted.tests:.0%} test questions",) if wanted.tests else ()),
    )
    labels_of = {
        "error": "s.e.",
        "interval": "width of the 95 % interval",
        "deviation": "s.d.",
        "labels": "labels in all",
    }
    signature = str(Signature.of(figure="plan", deviation=bound, alpha=wanted.alpha))
    return Table.of("Annotations of a system", [row], notes=notes, signature=signature, labels=labels_of)


def _annotations(wanted: PlanRequest, deviation: float) -> int:
    if wanted.annotations is not None:
        return wanted.annotations
    if wanted.error is not None:
        # A hair less, so that 800 annotations are not 801 because of the last digit of a square root.
        return max(2, math.ceil((deviation / wanted.error) ** 2 - 1e-9))
    gap = wanted.difference or 0.0
    return smallest_n(lambda n: t_power(gap / deviation, n, alpha=wanted.alpha), wanted.power)


def _sensible(wanted: PlanRequest) -> None:
    problem = ""
    if wanted.annotations is None and wanted.error is None and wanted.difference is None:
        problem = "give a number of annotations, a standard error, or a difference to be found"
    elif wanted.annotations is not None and wanted.annotations < 2:
        problem = "at least two annotations are needed"
    elif wanted.annotations is not None and wanted.error is not None:
        problem = "give the number of annotations or the standard error; the one follows from the other"
    elif wanted.error is not None and not SMALLEST <= wanted.error <= 0.5:
        problem = f"a standard error between {SMALLEST:g} and 0.5 is needed, not {wanted.error:g}"
    elif wanted.difference is not None and not SMALLEST <= wanted.difference <= 1:
        problem = f"a difference between {SMALLEST:g} and 1 is needed, not {wanted.difference:g}"
    elif not 0 < wanted.mean < 1:
        problem = f"an expected score between 0 and 1 is needed, not {wanted.mean:g}"
    elif wanted.deviation is not None and not 0 < wanted.deviation <= 0.5:
        problem = f"scores between 0 and 1 have a standard deviation of at most 0.5, not {wanted.deviation:g}"
    elif not 0 <= wanted.tests < 1 or not 0 < wanted.power < 1 or not 0 < wanted.alpha < 1:
        problem = "power and alpha lie between 0 and 1, the share of test questions below 1"
    elif wanted.systems < 1 or wanted.price < 0:
        problem = "at least one system, and a price that is not negative"
    if problem:
        raise PlanNotPossible(reason=problem)


def measured_deviation(connection: Connection, row: BoardRow, axis: str) -> float | None:
    """The standard deviation of a single annotation in the board's rounds so far, differences between people included.

    From each system's standard error and number of annotations, as if each had an item of its own, which errs on the
    wide side. None before any system was scored.
    """
    query = (
        select(board_score.c.error, board_score.c.labels)
        .join(board_round, board_round.c.id == board_score.c.round_id)
        .where(board_round.c.board_id == row.id, board_score.c.axis == axis, board_score.c.error.is_not(None))
    )
    variances = [one.error**2 * one.labels for one in connection.execute(query)]
    return math.sqrt(sum(variances) / len(variances)) if variances else None
