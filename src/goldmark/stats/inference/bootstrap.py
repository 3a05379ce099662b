"""Percentile bootstrap: how far a figure would move if other texts, items or people had been drawn.

Count per unit first and compute the figure from the sums, so that a resample is only a re-sum. Randomness is an
argument, memory stays bounded, and where no interval can be given the answer says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Interval, Undefined
from goldmark.stats.inference.draws import times_drawn

Floats = NDArray[np.float64]

CELLS = 1 << 20  # how many drawn cells are held at once: 8 MB of indices
EXACT_DRAWS = 50_000_000  # above this many single draws the mean is resampled by bins of scores instead
BINS = 256
TOLERATED = 0.05  # share of resamples in which a figure may be undefined before the interval is refused


def bootstrap_sums(
    counts: NDArray[np.generic],
    statistic: Callable[[Floats], Floats],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Interval | Undefined:
    """The interval of one figure that is computed from column sums of per-unit counts.

    `counts` has one row per unit. `statistic` receives the sums of many resamples (resamples x columns) and returns
    one value for each, NaN where it is undefined: `lambda sums: ratio(sums[:, 0], sums[:, 1])`.
    """
    if len(counts) < 2:
        return too_few(len(counts))
    return percentile_interval(statistic(resampled_sums(counts, resamples=resamples, rng=rng)), level=level)


def bootstrap_mean(
    scores: NDArray[np.generic] | Sequence[float],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Interval | Undefined:
    """The interval of the mean of independent scores."""
    values = np.asarray(scores, dtype=np.float64)
    if len(values) < 2:
        return too_few(len(values))
    return percentile_interval(resampled_means(values, resamples=resamples, rng=rng), level=level)


def percentile_interval(replicates: Floats, *, level: float = 0.95) -> Interval | Undefined:
    """The middle `level` of the replicates; refused if the figure is undefined in more than 5 % of them."""
    replicates = np.asarray(replicates, dtype=np.float64)
    defined = replicates[~np.isnan(replicates)]
    lost = len(replicates) - len(defined)
    if not len(defined) or lost > TOLERATED * len(replicates):
        return Undefined(f"the figure is undefined in {lost} of {len(replicates)} resamples")
    ordered = np.sort(defined)
    low, high = (_at(ordered, share * (len(ordered) - 1)) for share in ((1 - level) / 2, (1 + level) / 2))
    return Interval(low, high, level)


def bca_interval(replicates: Floats, value: float, without: Floats, *, level: float = 0.95) -> Interval | Undefined:
    """The bias-corrected and accelerated interval (Efron 1987): percentiles moved for bias and for skewness.

    `value` is the figure itself and `without` the figure with each unit left out, from which the acceleration is taken.
    Where all replicates lie on one side of the value there is no such interval.
    """
    from scipy.special import ndtr, ndtri

    plain = percentile_interval(replicates, level=level)
    if isinstance(plain, Undefined):
        return plain
    if np.isnan(without).any():
        return Undefined("without some unit the figure is undefined")
    ordered = np.sort(replicates[~np.isnan(replicates)])
    below = (np.count_nonzero(ordered < value) + np.count_nonzero(ordered == value) / 2) / len(ordered)
    if not 0 < below < 1:
        return Undefined("all resamples lie on one side of the figure")
    bias = float(ndtri(below))
    away = without.mean() - without
    cubes, squares = float((away**3).sum()), float((away**2).sum())
    skew = cubes / (6 * squares**1.5) if squares > 0 else 0.0

    def moved(share: float) -> float:
        z = bias + float(ndtri(share))
        return _at(ordered, float(ndtr(bias + z / (1 - skew * z))) * (len(ordered) - 1))

    return Interval(moved((1 - level) / 2), moved((1 + level) / 2), level)


def ratio(above: Floats, below: Floats) -> Floats:
    """Element by element, NaN (undefined) where there is nothing to divide by."""
    missing = below == 0
    quotient: Floats = np.where(missing, np.nan, above / np.where(missing, 1.0, below))
    return quotient


def resampled_sums(counts: NDArray[np.generic], *, resamples: int, rng: np.random.Generator) -> Floats:
    """Column sums of `resamples` resamples of the rows of `counts`: resamples x columns."""
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    units, columns = table.shape
    if columns == 1:
        sums: Floats = resampled_means(table[:, 0], resamples=resamples, rng=rng)[:, None] * units
        return sums
    if units * resamples > EXACT_DRAWS:
        rows, frequency = np.unique(table, axis=0, return_counts=True)
        if len(rows) <= units // 10:  # how often each of few different rows is drawn says the same
            share = frequency / units
            return np.concatenate([rng.multinomial(units, share, size=n) @ rows for n in _chunks(resamples, len(rows))])
    return np.concatenate([weights @ table for weights in resampled_weights(units, resamples=resamples, rng=rng)])


def resampled_weights(units: int, *, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each unit is drawn in each resample, in chunks of rows (resamples x units) of bounded size."""
    for rows in _chunks(resamples, units):
        yield times_drawn(units, rows, rng).astype(np.float64)


def resampled_means(scores: Floats, *, resamples: int, rng: np.random.Generator) -> Floats:
    """The mean of each of `resamples` resamples of the scores.

    Three ways to the same distribution. Few distinct scores (a Likert scale): draw how often each occurs. Otherwise
    draw every score. If that is more than 50 million draws: draw how often each of 256 bins of equal width occurs,
    and the sum of the remainders within bins, of tens of thousands of terms no wider than a bin, from its normal limit.
    """
    units = len(scores)
    values, frequency = np.unique(scores, return_counts=True)
    if len(values) <= max(2, units // 10):
        return _means_of_groups(values, np.zeros(len(values)), frequency, resamples, rng)
    if units * resamples <= EXACT_DRAWS:
        means = np.empty(resamples)
        drawn = np.empty(units)
        for start in range(0, resamples, CELLS // units + 1):
            for row, indices in enumerate(
                rng.integers(0, units, size=(min(CELLS // units + 1, resamples - start), units))
            ):
                # mode="clip" lets numpy write straight into `drawn`, which is three times as fast as indexing
                means[start + row] = np.take(scores, indices, out=drawn, mode="clip").mean()
        return means
    low, high = values[0], values[-1]
    bins = np.minimum(((scores - low) / (high - low) * BINS).astype(np.int64), BINS - 1)
    frequency = np.bincount(bins, minlength=BINS)
    filled = frequency > 0
    mean = np.bincount(bins, weights=scores, minlength=BINS)[filled] / frequency[filled]
    remainder = (scores - mean[np.cumsum(filled)[bins] - 1]) ** 2
    variance = np.bincount(bins, weights=remainder, minlength=BINS)[filled] / frequency[filled]
    return _means_of_groups(mean, variance, frequency[filled], resamples, rng)


def too_few(units: int) -> Undefined:
    return Undefined("there is nothing to resample" if not units else "one unit alone cannot be resampled")


def _at(ordered: Floats, place: float) -> float:
    """Linear interpolation between neighbours; np.quantile does the same, but its first call costs 40 ms of imports."""
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))


def _means_of_groups(
    mean: Floats, variance: Floats, frequency: NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> Floats:
    units = int(frequency.sum())
    share = frequency / units
    sums = []
    for rows in _chunks(resamples, len(mean)):
        times = rng.multinomial(units, share, size=rows)
        total = times @ mean
        if variance.any():
            total += np.sqrt(times @ variance) * rng.standard_normal(rows)
        sums.append(total)
    return np.concatenate(sums) / units


def _chunks(resamples: int, width: int) -> Iterator[int]:
    step = max(1, CELLS // max(1, width))
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
