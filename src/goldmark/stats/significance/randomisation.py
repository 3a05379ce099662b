"""Paired randomisation: is the difference between two systems more than the luck of the texts?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from goldmark.stats.inference.bootstrap import CELLS, Floats


def paired_randomisation(
    first: NDArray[np.generic],
    second: NDArray[np.generic],
    statistic: Callable[[Floats], Floats],
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
) -> Floats:
    """Two-sided p-value for each figure that `statistic` computes from column sums.

    `first` and `second` hold the counts of two systems on the same units, one row per unit. If the systems are
    equally good, each unit's two rows might as well be swapped; p is the share of random swappings whose difference is
    at least as large as the one seen, the one seen included, so it is never 0. NaN where a figure is undefined.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    difference, total = a - b, a.sum(axis=0) + b.sum(axis=0)
    units = len(difference)
    seen = np.abs(statistic(a.sum(axis=0)[None]) - statistic(b.sum(axis=0)[None]))[0]
    reached = np.zeros_like(seen)
    step = max(1, CELLS // max(1, units))
    for start in range(0, resamples, step):
        signs = rng.integers(0, 2, size=(min(step, resamples - start), units)) * 2.0 - 1.0
        gap = signs @ difference
        apart = np.abs(statistic((total + gap) / 2) - statistic((total - gap) / 2))
        # Sums of integers are exact, but ratios of them may differ in the last bit; an undefined swap counts as equal.
        reached += np.sum(~(apart < seen - 1e-12), axis=0)
    p: Floats = np.where(np.isnan(seen), np.nan, (reached + 1) / (resamples + 1))
    return p
