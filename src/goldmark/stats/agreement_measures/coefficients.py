"""Intervals of coefficients that allow for chance: alpha, the kappas, Gwet's AC; and of percent agreement.

All of them are 1 - Do / De, the disagreement seen over the disagreement that chance would give. What is lost to
disagreement, Do / De, is a share in disguise: times the chance that two labels differ, it is how often labels that
could be equal are not. So Wilson's interval serves it as it serves shares: near full agreement it is lopsided, and it
has a width even where nobody ever differed. Its variance is the jackknife's, over units, or over units and annotators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Interval, Undefined, counted
from goldmark.stats.agreement_measures.unit_labels import UnitLabels, without_labels
from goldmark.stats.inference.jackknife import Spread, jackknife, parts_of, student_interval
from goldmark.stats.inference.proportions import few_texts, spread_interval
from goldmark.stats.inference.sums import OfSums, left_out

Floats = NDArray[np.float64]
Draw = Literal["units", "units-and-annotators"]  # what an interval takes to be a sample

ENOUGH_UNITS = 20  # with fewer, intervals of coefficients hold less often than they say
ENOUGH_ANNOTATORS = 5
UNMOVED = "it is the same without any one of the units, so they cannot tell how sure it is"
PARTS = 100  # so many parts of the annotators, or of the labels, are left out in turn, if there are more of them


@dataclass(frozen=True)
class Coefficient:
    """What a coefficient loses to disagreement, and the same without each unit (or text, or part of them)."""

    lost: float  # Do / De
    without: Floats
    differ: float  # the chance that two labels differ
    labels: int
    careful: str = ""  # why the interval is not to be trusted, if it is not

    @property
    def value(self) -> float:
        return 1 - self.lost

    def interval(self, spread: Spread, level: float = 0.95) -> Interval:
        share = self.lost * self.differ
        if share >= 1:  # as on a scale of many values, below chance: no share, and far from full agreement
            found = student_interval(self.value, spread, level)
            return Interval(found.low, min(1.0, found.high), level)
        scaled = Spread(spread.variance * self.differ**2, spread.freedom)
        found = spread_interval(share, scaled, len(self.without), self.labels, level)
        return Interval(1 - found.high / self.differ, 1 - found.low / self.differ, level)


def figure_of(
    found: Coefficient,
    used: int,
    skipped: int | None,
    *,
    labels: UnitLabels | None = None,
    value: Callable[[UnitLabels], float | None] | None = None,
    rng: np.random.Generator | None = None,
) -> Figure:
    """A coefficient with its interval over units; over annotators too, if their labels and the measure are given."""
    spread = jackknife(found.without)
    careful = found.careful
    if labels is not None and value is not None and rng is not None and isinstance(spread, Spread):
        spread, few = over_annotators(labels, value, spread, rng)
        careful = careful or few
    if isinstance(spread, Undefined):
        return Figure(found.value, reason=f"no interval: {spread.reason}", used=used, skipped=skipped)
    interval = found.interval(spread)
    if interval.low == interval.high:
        return Figure(found.value, reason=f"no interval: {UNMOVED}", used=used, skipped=skipped)
    return Figure(found.value, interval, careful, used=used, skipped=skipped)


def coefficient_figure(counts: Floats, lost_of: OfSums, differ: float, labels: int, level: float = 0.95) -> Figure:
    """A coefficient whose loss is a function of sums over texts, which are left out in turn."""
    rows = len(counts)
    lost = float(lost_of(counts.sum(axis=0, keepdims=True))[0]) if rows else float("nan")
    if np.isnan(lost):
        return Figure(
            None, reason="there is nothing to divide by" if rows else "there is nothing to compare", used=rows
        )
    found = Coefficient(lost, left_out(counts, lost_of), differ, labels)
    spread = jackknife(found.without, "text")
    if isinstance(spread, Undefined):
        return Figure(found.value, reason=f"no interval: {spread.reason}", used=rows)
    return Figure(found.value, found.interval(spread, level), few_texts(rows), used=rows)


def why_careful(units: int, telling: int, what: str) -> str:
    """What stands beside an interval that rests on too little: few units, or few that can tell anything."""
    if units < ENOUGH_UNITS:
        return (
            f"{counted(units, 'unit')}: with fewer than {ENOUGH_UNITS} the interval does not hold as often as it says"
        )
    if telling < ENOUGH_UNITS:
        return f"the interval rests on {counted(telling, 'unit')} {what} and may be too narrow"
    return ""


def other_label(values: NDArray[np.int64]) -> str:
    """The same for labels of two people, a row each: few units may have another label than the most common one."""
    common = int(np.argmax(np.bincount(values.ravel())))
    others = int((values != common).any(axis=0).sum())
    return why_careful(values.shape[1], others, "that have another label than the most common one")


def few_differ(units: int, differing: int) -> str:
    """The same where differences have sizes: where nobody differs, Wilson sees to it; a few may differ by much."""
    return why_careful(units, differing or units, "on which people differ at all")


def over_annotators(
    labels: UnitLabels, value: Callable[[UnitLabels], float | None], units: Spread, rng: np.random.Generator
) -> tuple[Spread | Undefined, str]:
    """How far a measure would move with other units and other annotators, both drawn; and why to be careful with it.

    The spread over units and that over annotators both hold the noise of the single labels, which is therefore taken
    off once (as in two-way clustering; Cameron, Gelbach and Miller 2011); degrees of freedom as Satterthwaite has them.
    Needs three annotators: without one of two, nothing can be compared.
    """
    people = np.unique(labels.annotators)
    if len(people) < 3:
        return Undefined(f"{counted(len(people), 'annotator')} cannot stand for others; three are needed"), ""
    place = np.zeros(int(people.max()) + 1, dtype=np.int64)
    place[people] = parts_of(len(people), PARTS, rng)
    own = _spread(labels, place[labels.annotators], value)
    if isinstance(own, Undefined):
        return Undefined("without one of the annotators there is no such figure"), ""
    single = _spread(labels, parts_of(len(labels), PARTS, rng), value)
    noise = single.variance if isinstance(single, Spread) else 0.0
    variance = max(units.variance, own.variance, units.variance + own.variance - noise)
    parts = units.variance**2 / units.freedom + own.variance**2 / own.freedom
    freedom = (units.variance + own.variance) ** 2 / parts if parts > 0 else own.freedom
    few = f"{len(people)} annotators tell little of how others would differ; with fewer than {ENOUGH_ANNOTATORS} the "
    careful = "" if len(people) >= ENOUGH_ANNOTATORS else few + "interval does not hold as often as it says"
    return Spread(variance, max(freedom, own.freedom)), careful


def _spread(
    labels: UnitLabels, part: NDArray[np.int64], value: Callable[[UnitLabels], float | None]
) -> Spread | Undefined:
    without = [value(without_labels(labels, part == one)) for one in range(int(part.max()) + 1)]
    return jackknife(np.array([np.nan if one is None else one for one in without]), "part")
