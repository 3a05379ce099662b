"""How many people or texts does a study need? Power of t-tests, of analysis of variance, and of tests that are to hold
for other texts as well as other people, before any data exist.

Power is the probability that a test at `alpha` finds an effect of a given size. All functions take Cohen's d (a
difference in standard deviations) or Cohen's f, and solve for what is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from goldmark.errors import GoldmarkError

Design = Literal["one-sample", "paired", "two-sample"]
MOST = 10_000_000  # no study has more participants per group than this


class CannotReachPower(GoldmarkError):
    code = "POWER-01"
    message = "{what}; {remedy}"


def t_power(effect: float, n: int, *, alpha: float = 0.05, design: Design = "two-sample") -> float:
    """Power of a two-sided t-test of effect size d with `n` observations (pairs; per group for two samples)."""
    if n < 2:
        return 0.0
    freedom, scale = (2 * n - 2, math.sqrt(n / 2)) if design == "two-sample" else (n - 1, math.sqrt(n))
    return _beyond(abs(effect) * scale, freedom, alpha)


def _beyond(shift: float, freedom: float, alpha: float) -> float:
    """How often a t whose mean lies so many standard errors from 0 is significant, on either side."""
    from scipy.special import nctdtr, stdtrit

    critical = float(stdtrit(freedom, 1 - alpha / 2))
    if shift > 37:  # beyond this the noncentral t is 1 to the last digit, and scipy's series gives up
        return 1.0
    below = float(nctdtr(freedom, shift, critical))
    beyond = float(nctdtr(freedom, shift, -critical))
    return min(1.0, max(0.0, 1 - below + (0.0 if math.isnan(beyond) else beyond)))


class ReadTexts(NamedTuple):
    """The texts of a study that is to hold for other texts: how many there are, and how far they differ.

    Standard deviations are in units of that between people's outcomes, as effects are.
    """

    each: int  # that one person reads
    pool: int  # different ones that a group reads in all
    between: float = 0.0  # standard deviation of texts' true means
    answers: float | None = None  # of single answers to one text by one person; None: all but texts is chance

    def variances(self, people: int) -> tuple[float, float, float]:
        """Of a group's mean: of its people, of its texts, and of single answers, which both of them hold."""
        own = 1 - self.between**2 / self.each
        noise = own if self.answers is None else min(own, self.answers**2 / self.each)
        return own / people, self.between**2 / self.pool, noise / people


def crossed_power(effect: float, n: int, texts: ReadTexts, *, alpha: float = 0.05, groups: int = 2) -> float:
    """Power of a mixed model with people and texts crossed (Westfall, Kenny and Judd 2014), of one group or two.

    People's outcomes are means over a few texts each, of a pool that all people of a group share. A group's mean then
    varies by its people and, however many they are, by its texts. Degrees of freedom are Satterthwaite's.
    """
    if n < 2 or texts.pool < 2:
        return 0.0
    people, pool, noise = texts.variances(n)
    variance = people + pool
    # Mean squares of people and of texts both hold the single answers, which are taken off once.
    spread = people**2 / (n - 1) + (pool + noise) ** 2 / (texts.pool - 1)
    if texts.each > 1:
        spread += noise**2 / (n * (texts.each - 1))
    freedom = groups * variance**2 / spread
    return _beyond(abs(effect) / math.sqrt(groups * variance), freedom, alpha)


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
