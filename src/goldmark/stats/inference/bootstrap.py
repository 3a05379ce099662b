"""Bootstrap: how far a figure would move if other units had been drawn, seen by drawing them again.

Only for figures that leaving units out in turn (`jackknife`) does not serve, such as medians, and for whoever asks for
it. Randomness is an argument, memory stays bounded, and where no interval can be given the answer says why.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Interval, Undefined
from goldmark.stats.inference.draws import times_drawn

Floats = NDArray[np.float64]

CELLS = 1 << 20  # how many drawn cells are held at once: 8 MB of indices
TOLERATED = 0.05  # share of resamples in which a figure may be undefined before the interval is refused


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


def resampled_weights(units: int, *, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each unit is drawn in each resample, in chunks of rows (resamples x units) of bounded size."""
    step = max(1, CELLS // max(1, units))
    for start in range(0, resamples, step):
        yield times_drawn(units, min(step, resamples - start), rng).astype(np.float64)


def too_few(units: int) -> Undefined:
    return Undefined("there is nothing to resample" if not units else "one unit alone cannot be resampled")


def _at(ordered: Floats, place: float) -> float:
    """Linear interpolation between neighbours; np.quantile does the same, but its first call costs 40 ms of imports."""
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))
