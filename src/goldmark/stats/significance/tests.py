"""Is a difference more than chance? Tests that say what they assumed, and corrections for asking often.

Every test returns a `Outcome`; where it cannot be done, `p` is None and `reason` says why. The distributions come
from scipy.special, which loads in a fraction of the time of scipy.stats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldmark.records.figures import Interval
from goldmark.records.tidy.columns import same_length
from goldmark.stats.significance import studentized_range

Floats = NDArray[np.float64]
NORMAL_FROM = 5000
LARGEST_TERM = 0.02  # of the sum of squares: where one difference is more of it, signs are drawn


class SignificanceTest(NamedTuple):
    """A test statistic with its degrees of freedom and two-sided p-value."""

    statistic: float | None
    freedom: float | None
    p: float | None
    reason: str = ""


class Effect(NamedTuple):
    """Cohen's d with its interval."""

    d: float | None
    interval: Interval | None
    reason: str = ""


class TukeyPair(NamedTuple):
    first: int
    second: int
    difference: float
    low: float
    high: float
    p: float


def no_test(reason: str) -> SignificanceTest:
    return SignificanceTest(None, None, None, reason)


def t_p_value(t: float, freedom: float) -> float:
    """Two-sided p-value of Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(t)))


def f_p_value(f: float, between: float, within: float) -> float:
    """Upper tail of Fisher's F."""
    from scipy.special import fdtrc

    return float(fdtrc(between, within, f))


def one_sample_t(values: ArrayLike, expected: float) -> SignificanceTest:
    """Does the mean differ from a known number, such as chance?"""
    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:
        return no_test(f"{len(sample)} observations; two are needed to estimate a spread")
    spread = float(sample.std(ddof=1))
    if spread == 0:
        return no_test("all observations are equal, so their spread is 0")
    t = (float(sample.mean()) - expected) / (spread / math.sqrt(len(sample)))
    return SignificanceTest(t, len(sample) - 1.0, t_p_value(t, len(sample) - 1))


def two_sample_t(first: ArrayLike, second: ArrayLike, *, equal_variance: bool = False) -> SignificanceTest:
    """Do two independent groups differ in mean? Welch's test unless equal variances are assumed."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(a) < 2 or len(b) < 2:
        return no_test(f"groups of {len(a)} and {len(b)} observations; each needs two")
    error, freedom = error_of_difference(a, b, equal_variance)
    if error == 0:
        return no_test("both groups are constant, so their spread is 0")
    t = float(a.mean() - b.mean()) / error
    return SignificanceTest(t, freedom, t_p_value(t, freedom))


def mean_difference_interval(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Interval | None:
    """The interval of the difference of two means that belongs to Welch's test; None where there is no test."""
    from scipy.special import stdtrit

    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if two_sample_t(a, b).p is None:
        return None
    error, freedom = error_of_difference(a, b, equal_variance=False)
    gap, reach = float(a.mean() - b.mean()), float(stdtrit(freedom, (1 + level) / 2)) * error
    return Interval(gap - reach, gap + reach, level)


def error_of_difference(a: Floats, b: Floats, equal_variance: bool) -> tuple[float, float]:
    """The standard error of the difference of two means, and its degrees of freedom."""
    if equal_variance:
        freedom = float(len(a) + len(b) - 2)
        pooled = ((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / freedom
        return math.sqrt(pooled * (1 / len(a) + 1 / len(b))), freedom
    share_a, share_b = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    if share_a + share_b == 0:
        return 0.0, float(len(a) + len(b) - 2)
    # Welch and Satterthwaite's approximation.
    freedom = (share_a + share_b) ** 2 / (share_a**2 / (len(a) - 1) + share_b**2 / (len(b) - 1))
    return math.sqrt(share_a + share_b), freedom


def anova(groups: Sequence[ArrayLike]) -> tuple[SignificanceTest, float | None]:
    """One-way analysis of variance; `freedom` is that within groups. Also eta squared, the share explained."""
    samples = [np.asarray(group, dtype=np.float64) for group in groups]
    samples = [sample for sample in samples if len(sample)]
    total = sum(len(sample) for sample in samples)
    if len(samples) < 2 or total <= len(samples):
        return no_test("at least two groups and more observations than groups are needed"), None
    grand = np.concatenate(samples).mean()
    between = float(sum(len(sample) * (sample.mean() - grand) ** 2 for sample in samples))
    within = float(sum(((sample - sample.mean()) ** 2).sum() for sample in samples))
    if within == 0:
        return no_test("nothing varies within the groups"), None
    freedom = total - len(samples)
    f = (between / (len(samples) - 1)) / (within / freedom)
    return SignificanceTest(f, float(freedom), f_p_value(f, len(samples) - 1, freedom)), between / (between + within)


def tukey_hsd(groups: Sequence[ArrayLike], level: float = 0.95) -> list[TukeyPair]:
    """All pairs of group means with intervals and p-values that hold for all pairs at once (Tukey-Kramer)."""
    samples = [np.asarray(group, dtype=np.float64) for group in groups]
    count = len(samples)
    freedom = sum(len(sample) for sample in samples) - count
    if count < 2 or freedom < 1 or any(len(sample) == 0 for sample in samples):
        return []
    within = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples) / freedom
    if within == 0:
        return []
    critical = studentized_range.quantile(level, count, freedom)
    pairs = []
    for i in range(count):
        for j in range(i + 1, count):
            error = math.sqrt(within / 2 * (1 / len(samples[i]) + 1 / len(samples[j])))
            gap = float(samples[i].mean() - samples[j].mean())
            p = studentized_range.beyond(abs(gap) / error, count, freedom)
            pairs.append(TukeyPair(i, j, gap, gap - critical * error, gap + critical * error, p))
    return pairs


def cohen_d(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Effect:
    """The difference of two means in units of their pooled standard deviation.

    The interval inverts the noncentral t distribution (Steiger & Fouladi 1997): exact for normal data.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(a) < 2 or len(b) < 2:
        return Effect(None, None, f"groups of {len(a)} and {len(b)} observations; each needs two")
    freedom = len(a) + len(b) - 2
    pooled = math.sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / freedom)
    if pooled == 0:
        return Effect(None, None, "both groups are constant, so their spread is 0")
    d = float(a.mean() - b.mean()) / pooled
    return Effect(d, d_interval(d, len(a), len(b), level))


def one_sample_d(values: ArrayLike, expected: float, level: float = 0.95) -> Effect:
    """How far a mean is from a known number, in standard deviations; the interval as in `cohen_d`."""
    from scipy.special import nctdtrinc

    sample = np.asarray(values, dtype=np.float64)
    outcome = one_sample_t(sample, expected)
    if outcome.statistic is None:
        return Effect(None, None, outcome.reason)
    root, tail = math.sqrt(len(sample)), (1 - level) / 2
    bounds = [float(nctdtrinc(len(sample) - 1, p, outcome.statistic)) / root for p in (1 - tail, tail)]
    return Effect(outcome.statistic / root, Interval(min(bounds), max(bounds), level))


def mean_interval(values: ArrayLike, level: float = 0.95) -> Interval | None:
    """Student's interval of a mean; None where the spread cannot be estimated."""
    from scipy.special import stdtrit

    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:
        return None
    reach = float(stdtrit(len(sample) - 1, (1 + level) / 2)) * float(sample.std(ddof=1)) / math.sqrt(len(sample))
    return Interval(float(sample.mean()) - reach, float(sample.mean()) + reach, level)


def d_interval(d: float, first: int, second: int, level: float = 0.95) -> Interval:
    """The interval of Cohen's d of two groups of these sizes."""
    from scipy.special import nctdtrinc

    scale = math.sqrt(first * second / (first + second))
    tail = (1 - level) / 2
    # nctdtrinc finds the noncentrality under which a t as large as ours has the given probability below it.
    bounds = [float(nctdtrinc(first + second - 2, p, d * scale)) / scale for p in (1 - tail, tail)]
    return Interval(min(bounds), max(bounds), level)


def bonferroni(p_values: Sequence[float | None]) -> list[float | None]:
    """Each p-value times the number of tests that were made."""
    made = sum(p is not None for p in p_values)
    return [None if p is None else min(1.0, p * made) for p in p_values]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction: the same guarantee as Bonferroni, never less power."""
    made = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for step, (p, place) in enumerate(made):
        highest = max(highest, min(1.0, (len(made) - step) * p))
        adjusted[place] = highest
    return adjusted


def signed_rank(differences: ArrayLike) -> SignificanceTest:
    """Wilcoxon's signed-rank test of paired differences; zero differences are left out."""
    sample = np.asarray(differences, dtype=np.float64)
    sample = sample[sample != 0]
    if len(sample) < 1:
        return no_test("no pair differs")
    from scipy.stats import wilcoxon

    result = wilcoxon(sample, method="approx" if len(sample) > 50 or _has_ties(np.abs(sample)) else "exact")
    return SignificanceTest(float(result.statistic), None, float(result.pvalue))


def rank_sum(first: ArrayLike, second: ArrayLike) -> SignificanceTest:
    """Wilcoxon's rank-sum (Mann-Whitney) test of two independent groups, as WMT compares systems."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not len(a) or not len(b):
        return no_test("a group is empty")
    from scipy.stats import mannwhitneyu

    result = mannwhitneyu(a, b)
    return SignificanceTest(float(result.statistic), None, float(result.pvalue))


def _has_ties(values: Floats) -> bool:
    return len(np.unique(values)) < len(values)


def _normal_flips(differences: Floats) -> Floats:
    from scipy.special import ndtr

    spread = np.sqrt((differences**2).sum(axis=0))
    standardised = np.abs(differences.sum(axis=0)) / np.where(spread > 0, spread, 1.0)
    p_values: Floats = 2 * ndtr(-standardised)
    return p_values


def sign_flips(differences: Floats, *, flips: int, rng: np.random.Generator) -> Floats:
    """Paired permutation test of many columns of differences at once: one two-sided p-value per column.

    If two systems were alike, each difference could as well have had the other sign. The observed labelling counts
    as one permutation, so that p is never 0. A missing difference is NaN and plays no part. From 5,000 items on, the
    sum of randomly signed differences is taken from its normal limit, from which it no longer differs visibly, unless a
    few differences are so large that they decide it.
    """
    present = np.nan_to_num(differences, nan=0.0)
    items = len(present)
    if items >= NORMAL_FROM:
        squares = present**2
        total = squares.sum(axis=0)
        # What keeps the sum from its limit is its largest term (Berry 1941, Esseen 1942).
        even = squares.max(axis=0) <= LARGEST_TERM * total
        p_values = _normal_flips(present)
        if not even.all():
            p_values[~even] = _drawn_flips(present[:, ~even], flips, rng)
        return p_values
    return _drawn_flips(present, flips, rng)


def _drawn_flips(present: Floats, flips: int, rng: np.random.Generator) -> Floats:
    items, columns = present.shape
    observed = np.abs(present.sum(axis=0))
    # Sums of the same numbers in another order may differ in the last digits; that is still "as extreme".
    limit = observed - 1e-12 * np.abs(present).sum(axis=0)
    reached = np.zeros(columns)
    step = max(1, (1 << 22) // max(1, items))
    for start in range(0, flips, step):
        rows = min(step, flips - start)
        signs = rng.integers(0, 2, size=(rows, items), dtype=np.int8) * 2.0 - 1.0
        reached += (np.abs(signs @ present) >= limit).sum(axis=0)
    p_values: Floats = (reached + 1) / (flips + 1)
    return p_values


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Of what is called significant below alpha, a share of alpha is expected to be false (1995); independent tests."""
    return _step_up(p_values, lambda made: 1.0)


def benjamini_yekutieli(p_values: Sequence[float | None]) -> list[float | None]:
    """The same, however the tests depend on each other (2001): by a factor of 1 + 1/2 + ... + 1/m more careful."""
    return _step_up(p_values, lambda made: sum(1 / step for step in range(1, made + 1)))


Correction = Literal["none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"]
CORRECTIONS: Mapping[Correction, Callable[[Sequence[float | None]], list[float | None]]] = {
    "none": list,
    "bonferroni": bonferroni,
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
    "benjamini-yekutieli": benjamini_yekutieli,
}


def matching_level(correction: Correction, p_values: Sequence[float | None], alpha: float = 0.05) -> float:
    """The level at which intervals say what corrected tests say.

    With Bonferroni's and Holm's correction all intervals hold at once. With Benjamini's, of the intervals of what was
    found a share of alpha is expected to fail (Benjamini and Yekutieli 2005), and what was found is just what these
    intervals leave out.
    """
    made = sum(p is not None for p in p_values)
    if correction == "none" or not made:
        return 1 - alpha
    if correction in ("bonferroni", "holm"):
        return 1 - alpha / made
    found = sum(p is not None and p <= alpha for p in CORRECTIONS[correction](p_values))
    factor = sum(1 / step for step in range(1, made + 1)) if correction == "benjamini-yekutieli" else 1.0
    return 1 - alpha * max(1, found) / (made * factor)


def _step_up(p_values: Sequence[float | None], factor: Callable[[int], float]) -> list[float | None]:
    made = sorted(((p, place) for place, p in enumerate(p_values) if p is not None), reverse=True)
    adjusted: list[float | None] = [None] * len(p_values)
    lowest, size = 1.0, len(made)
    for step, (p, place) in enumerate(made):
        lowest = min(lowest, p * size * factor(size) / (size - step))
        adjusted[place] = lowest
    return adjusted


def mcnemar(first: ArrayLike, second: ArrayLike, *, exact: bool = False) -> SignificanceTest:
    """Were two judges, or two checkers, right equally often on the same cases (right or wrong, one entry each)?

    Only cases on which one of them was right count: under no difference each is a toss of a coin (McNemar 1947).
    Exact, the binomial test; otherwise its mid-p variant, which is not so careful as to find nothing (Fagerland,
    Lydersen and Laake 2013). The statistic is the number of cases on which only the first was right.
    """
    from scipy.special import betainc

    a, b = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    same_length(first=a, second=b)
    only, other = int((a & ~b).sum()), int((~a & b).sum())
    tosses, fewer = only + other, min(only, other)
    if not tosses:
        return no_test("both were right on the very same cases")
    # P(X <= k) of a fair coin is the incomplete beta function at 1/2.
    tail = float(betainc(tosses - fewer, fewer + 1, 0.5))
    here = math.comb(tosses, fewer) / 2**tosses
    p = min(1.0, 2 * tail) if exact else min(1.0, 2 * tail - here)
    return SignificanceTest(float(only), None, p)
