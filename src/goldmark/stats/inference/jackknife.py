"""The jackknife: how far a figure moves when each unit in turn is left out.

Where a figure is a smooth function of sums over units, its spread over samples of other units is told by the figure
without each of them (Tukey 1958; Efron and Stein 1981). It needs no random numbers, costs one figure per unit, and with
Student's t it holds for fewer units than the percentile bootstrap does: `benchmarks/coverage.py` shows how few.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Interval, Undefined
from goldmark.stats.inference.student import student_quantile

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class Spread(NamedTuple):
    """The variance of a figure over samples, and the degrees of freedom with which it is known."""

    variance: float
    freedom: float

    def quantile(self, level: float) -> float:
        """Student's t for the middle `level`."""
        return student_quantile((1 + level) / 2, max(1.0, self.freedom))


def jackknife(without: Floats, what: str = "unit") -> Spread | Undefined:
    """The spread of a figure from its values with each unit (or part) left out; NaN where it has none."""
    parts = len(without)
    if parts < 2:
        return Undefined(f"there is only one {what}" if parts else f"there is no {what}")
    lost = int(np.isnan(without).sum())
    if lost:
        which = "one of them" if lost == 1 else f"any of {lost} of them"
        return Undefined(f"without {which} the {what}s left have no such figure")
    return Spread(float((parts - 1) / parts * ((without - without.mean()) ** 2).sum()), parts - 1)


def parts_of(units: int, most: int, rng: np.random.Generator) -> Codes:
    """For each unit the part it is left out with: every unit alone, or `most` parts of equal size, drawn at random."""
    if units <= most:
        return np.arange(units)
    return rng.permutation(np.arange(units) % most)


def student_interval(value: float, spread: Spread, level: float = 0.95) -> Interval:
    reach = spread.quantile(level) * math.sqrt(spread.variance)
    return Interval(value - reach, value + reach, level)
