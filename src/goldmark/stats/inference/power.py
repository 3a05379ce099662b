"""How many people or texts does a study need? Power of t-tests and of analysis of variance, before any data exist.

Power is the probability that a test at `alpha` finds an effect of a given size. All functions take Cohen's d (a
difference in standard deviations) or Cohen's f, and solve for what is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from goldmark.errors import GoldmarkError

Design = Literal["one-sample", "paired", "two-sample"]
MOST = 10_000_000  # no study has more participants per group than this


class CannotReachPower(GoldmarkError):
    code = "POWER-01"
    message = "{what}; {remedy}"


def t_power(effect: float, n: int, *, alpha: float = 0.05, design: Design = "two-sample") -> float:
    """Power of a two-sided t-test of effect size d with `n` observations (pairs; per group for two samples)."""
    from scipy.special import nctdtr, stdtrit

    if n < 2:
        return 0.0
    freedom, scale = (2 * n - 2, math.sqrt(n / 2)) if design == "two-sample" else (n - 1, math.sqrt(n))
    critical = float(stdtrit(freedom, 1 - alpha / 2))
    shift = abs(effect) * scale
    if shift > 37:  # beyond this the noncentral t is 1 to the last digit, and scipy's series gives up
        return 1.0
    below = float(nctdtr(freedom, shift, critical))
    beyond = float(nctdtr(freedom, shift, -critical))
    return min(1.0, max(0.0, 1 - below + (0.0 if math.isnan(beyond) else beyond)))


def anova_power(effect: float, n: int, *, groups: int, alpha: float = 0.05) -> float:
    """Power of one-way analysis of variance of effect size f with `n` observations in each of `groups`."""
    from scipy.special import fdtri, ncfdtr

    if n < 2 or groups < 2:
        return 0.0
    between, within = groups - 1, groups * (n - 1)
    critical = float(fdtri(between, within, 1 - alpha))
    return min(1.0, max(0.0, 1 - float(ncfdtr(between, within, effect**2 * groups * n, critical))))


def smallest_n(power_of: Callable[[int], float], wanted: float) -> int:
    """The smallest number of observations that gives the wanted power."""
    high = 2
    while power_of(high) < wanted:
        high *= 2
        if high > MOST:
            raise CannotReachPower(
                what=f"power {wanted:g} needs more than {MOST:,} observations", remedy="look for a larger effect"
            )
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= wanted else (middle, high)
    return max(2, high)


def smallest_effect(power_of: Callable[[float], float], wanted: float) -> float:
    """The smallest effect that a study of given size finds with the wanted power."""
    low, high = 0.0, 1.0
    while power_of(high) < wanted:
        high *= 2
        if high > 1e6:
            raise CannotReachPower(what="no effect is large enough", remedy="take more observations")
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(middle) >= wanted else (middle, high)
        if high - low < 1e-12:
            break
    return high


def accuracy_effect(accuracy: float, baseline: float, *, texts: int, between: float = 0.0) -> float:
    """Cohen's d of a change in accuracy, when each person judges `texts` texts right or wrong.

    A person's share of right answers varies by chance, variance p(1-p)/texts, and because people differ: `between`
    is the standard deviation of their true accuracies. p is the middle of the two accuracies.
    """
    middle = (accuracy + baseline) / 2
    spread = math.sqrt(middle * (1 - middle) / texts + between**2)
    if spread == 0:
        raise CannotReachPower(what="with these accuracies nothing varies", remedy="give accuracies between 0 and 1")
    return (accuracy - baseline) / spread
