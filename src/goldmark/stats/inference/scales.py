"""The interval of a mean of numbers that have ends: answers on a scale from 1 to 5, or errors, of which no text has
fewer than none.

Student's interval knows no ends. Where most answers are the best there is, it reaches beyond them, and on the other
side not far enough: a mean varies less the nearer it is to an end, so that a mean of 0.98 is likelier a lucky 0.95
than an unlucky 1.01. Wilson's (1927) score interval takes the variance that the mean would have if the truth lay at
the end of the interval: in proportion to (truth - low) (high - truth) on a scale with two ends, to truth - low on one
that is open above. The variance itself is that of the data, with whatever clusters they have, so that one method
serves shares, scales and counts; without ends it is Student's.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from goldmark.records.figures import Interval
from goldmark.stats.inference.jackknife import Spread, student_interval
from goldmark.stats.inference.proportions import wilson_interval

Ends = tuple[float, float]  # the smallest and the largest number possible
OPEN: Ends = (-math.inf, math.inf)
SHARE: Ends = (0.0, 1.0)
COUNT: Ends = (0.0, math.inf)
ENOUGH_APART = 20  # answers that are not at the end of the scale, of which an interval may be sure


def told_ends(low: float | None, high: float | None) -> Ends | None:
    """Ends of which one may not be there; None if nothing was told."""
    if low is None and high is None:
        return None
    return (-math.inf if low is None else low, math.inf if high is None else high)


def ends_of(scores: ArrayLike, told: Ends | None) -> Ends:
    """The ends that were told; numbers that lie beyond one show that it is none. Untold: 0 and 1 if all lie there."""
    values = np.asarray(scores, dtype=np.float64)
    if not len(values):
        return told or OPEN
    least, most = float(values.min()), float(values.max())
    if told is None:
        return SHARE if least >= 0 and most <= 1 else OPEN
    low, high = told
    return (low if least >= low else -math.inf, high if most <= high else math.inf)


def scale_interval(
    value: float, spread: Spread, ends: Ends, *, clusters: float, most: float = math.inf, level: float = 0.95
) -> Interval | None:
    """The interval of a mean within its ends; None if nothing varies, so that nothing tells how far it would move.

    At the end of a scale that has two nothing can vary, and every one of the `clusters` counts as one answer. The mean
    is worth no more than `most` answers of one end or the other, if that is known.
    """
    low, high = ends
    width = high - low
    if math.isfinite(width) and width > 0:
        share, variance = (value - low) / width, spread.variance / width**2
        chance = share * (1 - share)
        if chance > 0 and variance <= 0 and math.isinf(most):
            return None
        worth = min(most, chance / variance) if chance > 0 and variance > 0 else min(clusters, most)
        found = wilson_interval(share, worth, spread.freedom, level)
        return Interval(low + width * found.low, low + width * found.high, level)
    if spread.variance <= 0:
        return None
    if math.isinf(low) and math.isinf(high):
        return student_interval(value, spread, level)
    if math.isinf(low):
        turned = _from_end(high - value, spread, level)
        return Interval(high - turned.high, high - turned.low, level)
    found = _from_end(value - low, spread, level)
    return Interval(low + found.low, low + found.high, level)


def _from_end(distance: float, spread: Spread, level: float) -> Interval:
    """Wilson's interval as the other end goes away: that of counts (Rao's score)."""
    if distance <= 0:  # it varies, and yet it is at the end: only rounding makes that
        return student_interval(distance, spread, level)
    far = spread.quantile(level) ** 2 * spread.variance / distance
    half = math.sqrt(far * distance + far * far / 4)
    # Low times high is the distance squared; the difference of two near numbers would lose digits.
    high = distance + far / 2 + half
    return Interval(distance * distance / high, high, level)


def mean_on_scale(values: ArrayLike, ends: Ends, level: float = 0.95) -> Interval | None:
    """Of the mean of independent numbers, such as one of each person; None of fewer than two."""
    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:
        return None
    n = len(sample)
    spread = Spread(float(sample.var(ddof=1)) / n, n - 1)
    return scale_interval(float(sample.mean()), spread, ends_of(sample, ends), clusters=n, level=level)


def few_apart(values: ArrayLike, ends: Ends) -> str:
    """What stands beside such a mean if nearly all answers are at one end of the scale; nothing if not."""
    sample = np.asarray(values, dtype=np.float64)
    apart = len(sample) - max(int((sample == end).sum()) for end in ends)
    if not 0 < apart < min(ENOUGH_APART, len(sample) / 4):
        return ""
    return f"{apart} of {len(sample)} answers are not at the end of the scale: the interval may be too narrow"


def clipped(interval: Interval, low: float, high: float) -> Interval:
    """Without what is impossible. The interval of a test is cut, not bent, so that both say the same."""
    return Interval(min(max(interval.low, low), high), max(min(interval.high, high), low), interval.level)
