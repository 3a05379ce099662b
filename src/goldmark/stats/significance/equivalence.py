"""Are two means equal, up to a margin that does not matter? Two one-sided tests (TOST), and their power.

That no difference was found does not show that there is none. Here the hypothesis is turned round: the means differ by
the margin or more; to reject that, the difference must lie surely above the one end of the margin and surely below the
other (Schuirmann 1987; Lakens 2017). At alpha it is rejected just where the interval of level 1 - 2 alpha lies within
the margin.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from goldmark.records.figures import Interval
from goldmark.stats.inference.student import student_quantile
from goldmark.stats.significance.studentized_range import estimated_errors
from goldmark.stats.significance.tests import SignificanceTest, error_of_difference, no_test

Design = Literal["one-sample", "paired", "two-sample"]


def equivalence(first: ArrayLike, second: ArrayLike, margin: float) -> SignificanceTest:
    """Are two independent means equal up to `margin`? Welch's tests, which take no variances to be equal.

    A p-value below alpha says that the difference lies within the margin. The statistic is the nearer side's.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(a) < 2 or len(b) < 2:
        return no_test(f"groups of {len(a)} and {len(b)} observations; each needs two")
    error, freedom = error_of_difference(a, b, equal_variance=False)
    if error == 0:
        return no_test("both groups are constant, so their spread is 0")
    return two_sides(float(a.mean() - b.mean()), error, freedom, margin)


def equivalence_to(values: ArrayLike, expected: float, margin: float) -> SignificanceTest:
    """Is a mean equal to a known number up to `margin`? Of pairs: give their differences, and 0."""
    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:
        return no_test(f"{len(sample)} observations; two are needed to estimate a spread")
    error = float(sample.std(ddof=1)) / math.sqrt(len(sample))
    if error == 0:
        return no_test("all observations are equal, so their spread is 0")
    return two_sides(float(sample.mean()) - expected, error, len(sample) - 1, margin)


def two_sides(gap: float, error: float, freedom: float, margin: float) -> SignificanceTest:
    """The two one-sided tests of a difference that is known with a standard error."""
    from scipy.special import stdtr

    if margin <= 0:
        return no_test("the margin must be above 0")
    t = (margin - abs(gap)) / error
    return SignificanceTest(t, freedom, float(stdtr(freedom, -t)))


def within(interval: Interval, margin: float) -> bool:
    """Whether an interval lies within the margin."""
    return -margin < interval.low and interval.high < margin


def equivalence_power(
    margin: float, n: int, *, difference: float = 0.0, alpha: float = 0.05, design: Design = "two-sample"
) -> float:
    """The probability of showing equality up to `margin` with `n` observations (pairs; per group for two samples).

    Margin and true difference are in standard deviations. Exact for normal data: the estimated error is averaged over
    (Phillips 1990), for both tests use the same.
    """
    from scipy.special import ndtr

    if n < 2:
        return 0.0
    freedom, error = (2 * n - 2, math.sqrt(2 / n)) if design == "two-sample" else (n - 1, math.sqrt(1 / n))
    scale, weight = estimated_errors(freedom)
    # Given the estimated error, the difference found must lie this far within the margin.
    reach = np.maximum(margin - student_quantile(1 - alpha, freedom) * error * scale, 0.0)
    inside = ndtr((reach - difference) / error) - ndtr((-reach - difference) / error)
    return float(min(1.0, max(0.0, float(weight @ inside))))
