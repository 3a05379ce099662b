"""How far people agree with themselves: the same unit answered twice by the same person.

Every reading is a pair of answers of one person to one unit. Other units and other people could have been drawn, so
intervals are over both, as crossed clusters; of a single person they are over units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Undefined
from goldmark.stats.agreement_measures.coefficients import Coefficient
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.jackknife import Spread, jackknife
from goldmark.stats.inference.proportions import few_texts, spread_interval
from goldmark.stats.inference.sums import OfSums, left_out

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class RepeatedReadings:
    """Of each pair of answers the unit and the person, as codes."""

    unit: Codes
    person: Codes

    def __len__(self) -> int:
        return len(self.unit)

    def take(self, places: NDArray[np.bool_]) -> RepeatedReadings:
        return RepeatedReadings(self.unit[places], self.person[places])

    def spread(self, counts: Floats, statistic: OfSums) -> Spread | Undefined:
        """How far a figure from sums over readings would move with other units and other people.

        units + people - single readings, never less than the largest of them; degrees of freedom as Satterthwaite has
        them.
        """
        parts = [self._over(counts, statistic, codes) for codes in (self.unit, self.person)]
        known = [part for part in parts if isinstance(part, Spread)]
        if not known:
            return parts[0]
        if len(known) == 1:
            return known[0]
        single = self._over(counts, statistic, np.arange(len(self)))
        noise = single.variance if isinstance(single, Spread) else 0.0
        variance = max(*(one.variance for one in known), noise, sum(one.variance for one in known) - noise)
        below = sum(one.variance**2 / one.freedom for one in known)
        freedom = sum(one.variance for one in known) ** 2 / below if below > 0 else min(one.freedom for one in known)
        return Spread(variance, max(freedom, min(one.freedom for one in known)))

    @property
    def clusters(self) -> int:
        """The smaller of the numbers of units and people, among those of which there are several."""
        return min((size for size in self.sizes if size > 1), default=1)

    @property
    def sizes(self) -> tuple[int, int]:
        return len(np.unique(self.unit)), len(np.unique(self.person))

    @staticmethod
    def _over(counts: Floats, statistic: OfSums, codes: Codes) -> Spread | Undefined:
        own = np.unique(codes, return_inverse=True)[1]
        if own.max(initial=0) < 1:
            return Undefined("there is only one unit")
        sums = np.stack([np.bincount(own, weights=column) for column in counts.T], axis=1)
        return jackknife(left_out(sums.astype(np.float64), statistic))


def share_kept(readings: RepeatedReadings, whole: Floats, kept: Floats, level: float = 0.95) -> Figure:
    """So much of the whole was said again: readings that are equal, or marked tokens that were marked again."""
    counts = np.stack([whole, kept], axis=1).astype(np.float64)

    def share(sums: Floats) -> Floats:
        return ratio(sums[:, 1], sums[:, 0])

    value = float(share(counts.sum(axis=0, keepdims=True))[0]) if len(readings) else math.nan
    if math.isnan(value):
        return Figure(None, reason="nothing was said that could be said again", used=len(readings))
    spread = readings.spread(counts, share)
    if isinstance(spread, Undefined):
        return Figure(value, reason=f"no interval: {spread.reason}", used=len(readings))
    interval = spread_interval(value, spread, readings.clusters, float(whole.sum()), level)
    return Figure(value, interval, careful(readings), used=len(readings))


def kappa(
    readings: RepeatedReadings, first: Floats | Codes, again: Floats | Codes, *, ordered: bool, level: float = 0.95
) -> Figure:
    """Cohen's kappa of the first and the second answers, weighted by squared differences where they have an order."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(again, dtype=np.float64)
    if not len(readings):
        return Figure(None, reason="nobody answered anything twice", used=0)
    low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
    if low == high:
        return Figure(None, reason="without variation, agreement cannot be told from chance", used=len(readings))
    if ordered:
        a, b = (x - low) / (high - low), (y - low) / (high - low)
        counts = np.stack([np.ones(len(a)), (a - b) ** 2, a**2 + b**2, a, b], axis=1)
    else:
        values, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
        one, two = (np.eye(len(values))[codes[half]] for half in (slice(len(x)), slice(len(x), None)))
        counts = np.hstack([np.ones((len(x), 1)), (x != y)[:, None], one, two])
    wide = (counts.shape[1] - 2) // 2

    def chance(sums: Floats) -> Floats:
        n = sums[:, 0]
        if ordered:
            return ratio(sums[:, 2], n) - 2 * ratio(sums[:, 3] * sums[:, 4], n**2)
        return 1 - ratio((sums[:, 2 : 2 + wide] * sums[:, 2 + wide :]).sum(axis=1), n**2)

    def lost(sums: Floats) -> Floats:
        by_chance = chance(sums)
        return ratio(ratio(sums[:, 1], sums[:, 0]), np.where(by_chance > 1e-12, by_chance, 0.0))

    total = counts.sum(axis=0, keepdims=True)
    found = Coefficient(float(lost(total)[0]), np.empty(readings.clusters), float(chance(total)[0]), len(readings))
    if math.isnan(found.lost):
        return Figure(None, reason="without variation, agreement cannot be told from chance", used=len(readings))
    spread = readings.spread(counts, lost)
    if isinstance(spread, Undefined):
        return Figure(found.value, reason=f"no interval: {spread.reason}", used=len(readings))
    return Figure(found.value, found.interval(spread, level), careful(readings), used=len(readings))


def careful(readings: RepeatedReadings) -> str:
    """What stands beside figures of few readings."""
    units, people = readings.sizes
    return few_texts(units, "unit") or ("" if people == 1 else few_texts(people, "person"))
