"""Every two systems compared on items: difference with its interval, p-value, and what they were compared on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, islice
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Interval
from goldmark.stats.inference import tests
from goldmark.stats.inference.bootstrap import percentile_interval, ratio, resampled_weights

Floats = NDArray[np.float64]
Test = Literal["permutation", "signed-rank", "rank-sum"]
CELLS = 1 << 22  # items x pairs held at once, so that memory does not grow with the square of the systems
MOST_FLIPS = 50_000  # more permutations than this take longer than another test is worth


class Compared(NamedTuple):
    """System `first` minus system `second`."""

    first: int
    second: int
    difference: float | None
    interval: Interval | None
    shared: int  # items that both have
    p: float | None
    reason: str = ""
    adjusted: float | None = None  # p corrected by Holm for all pairs

    def turned(self) -> Compared:
        """The same pair from the other side."""
        interval = self.interval and Interval(-self.interval.high, -self.interval.low, self.interval.level)
        gap = None if self.difference is None else -self.difference
        return self._replace(first=self.second, second=self.first, difference=gap, interval=interval)


def compare_all(
    cells: Floats, test: Test | None, *, resamples: int, permutations: int, level: float, rng: np.random.Generator
) -> list[Compared]:
    """Compare the rows of a table systems x items, NaN where a system lacks an item.

    `permutation` and `signed-rank` are paired: they use the items that both systems have. `rank-sum` uses all items of
    each. The interval resamples items in the same way. Without a test there are differences and intervals only.
    """
    if test in ("signed-rank", "rank-sum"):
        cells = np.round(cells, 10)  # means that differ by rounding errors only are ties, not an order
    found: list[Compared] = []
    for pairs in _batches(len(cells), max(1, CELLS // max(1, cells.shape[1]))):
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        difference = (cells[first] - cells[second]).T
        shared = (~np.isnan(difference)).sum(axis=0)
        if test == "rank-sum":
            gaps, drawn = _of_means(cells, first, second, resamples, rng)
            p_values = [tests.rank_sum(_known(cells[i]), _known(cells[j])).p for i, j in pairs]
        else:
            gaps, drawn = _of_items(difference, resamples, rng)
            p_values = _paired(difference, test, permutations, rng)
        for place, (i, j) in enumerate(pairs):
            if test != "rank-sum" and shared[place] < 2:
                few = f"{shared[place]} shared items; two are needed"
                gap = float(gaps[place]) if shared[place] else None
                found.append(Compared(i, j, gap, None, int(shared[place]), None, few))
                continue
            interval = percentile_interval(drawn[:, place], level=level)
            known = interval if isinstance(interval, Interval) else None
            reason = "" if p_values[place] is not None or test is None else "no shared item differs"
            found.append(Compared(i, j, float(gaps[place]), known, int(shared[place]), p_values[place], reason))
    adjusted = tests.holm([pair.p for pair in found])
    return [pair._replace(adjusted=p) for pair, p in zip(found, adjusted, strict=True)]


def enough_permutations(systems: int, test: Test | None, wanted: int, alpha: float) -> int:
    """As many permutations as a p-value needs to be significant still after correction for all pairs, if affordable."""
    if test != "permutation":
        return wanted
    return max(wanted, min(needed_permutations(systems, alpha), MOST_FLIPS))


def needed_permutations(systems: int, alpha: float) -> int:
    return math.ceil(systems * (systems - 1) / alpha)


def _batches(systems: int, size: int) -> Iterator[list[tuple[int, int]]]:
    pairs = combinations(range(systems), 2)
    while batch := list(islice(pairs, size)):
        yield batch


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _paired(difference: Floats, test: Test | None, permutations: int, rng: np.random.Generator) -> list[float | None]:
    if test is None:
        return [None] * difference.shape[1]
    if test == "permutation":
        return [float(p) for p in tests.sign_flips(difference, flips=permutations, rng=rng)]
    return [tests.signed_rank(_known(column)).p for column in difference.T]


def _of_items(difference: Floats, resamples: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Mean differences, and those of each resample."""
    present = (~np.isnan(difference)).astype(np.float64)
    filled = np.nan_to_num(difference)
    drawn = [
        ratio(times @ filled, times @ present)
        for times in resampled_weights(len(difference), resamples=resamples, rng=rng)
    ]
    return ratio(filled.sum(axis=0), present.sum(axis=0)), np.concatenate(drawn)


def _of_means(
    cells: Floats, first: NDArray[np.int64], second: NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Differences of means over each system's own items, and those of each resample."""
    means, drawn = _of_items(cells.T, resamples, rng)
    return means[first] - means[second], drawn[:, first] - drawn[:, second]
