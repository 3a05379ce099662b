"""The interval of a share: so many of so many."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Interval, Undefined
from goldmark.stats.inference.jackknife import Spread, jackknife
from goldmark.stats.inference.student import student_quantile

ENOUGH_TEXTS = 10
FAR_MORE = 4  # a share counts for at most so many times its answers, however alike the clusters happen to be


def exact_interval(successes: float, trials: float, level: float = 0.95) -> Interval:
    """The interval of Clopper and Pearson (1934): never too narrow, and honest at 0 and 1. Needs at least one trial."""
    from scipy import special

    tail = (1 - level) / 2
    low = 0.0 if successes <= 0 else float(special.betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes >= trials else float(special.betaincinv(successes + 1, trials - successes, 1 - tail))
    return Interval(low, high, level)


def clustered_interval(
    share: float, variance: float, clusters: float, most: int, level: float = 0.95, freedom: float | None = None
) -> Interval:
    """Wilson's interval on as many independent answers as the variance is worth (Korn and Graubard 1998).

    Answers of one person, and answers about one item, hang together: `variance` is that of the share with these
    clusters. So many independent answers would have the same variance; where the share is 0 or 1 there is no variance
    to see, and every cluster counts as one answer. `most` answers were given; `clusters` is the smaller number of
    clusters, for Student's t in place of the normal, unless its degrees of freedom are given.
    """
    spread = share * (1 - share)
    if spread > 0:  # a variance of exactly 0 is no other than one of its rounding: all clusters have the same share
        worth = min(float(most), spread / variance) if variance > 0 else float(most)
    else:
        worth = min(float(clusters), float(most))
    if freedom is None or not freedom > 0:
        freedom = clusters - 1
    return wilson_interval(share, worth, freedom, level)


def spread_interval(share: float, spread: Spread, clusters: int, most: float, level: float = 0.95) -> Interval:
    """The same for a share whose variance is known from clusters that were drawn: texts, or units.

    Nothing says that their answers hang together; they may as well repel each other. So the variance is taken as it
    is, and only one that is next to nothing by luck is not believed.
    """
    chance = share * (1 - share)
    if chance <= 0:
        return wilson_interval(share, float(clusters), spread.freedom, level)
    variance = max(spread.variance, chance / (FAR_MORE * most))
    return wilson_interval(share, chance / variance, spread.freedom, level)


def wilson_interval(share: float, worth: float, freedom: float, level: float = 0.95) -> Interval:
    """Wilson's (1927) interval of a share of `worth` independent answers, with Student's t for the normal."""
    z = student_quantile((1 + level) / 2, max(1.0, freedom))
    # With one or two clusters Student's t is wider than any share: the interval is then all of it, which is true.
    middle = (share + z * z / (2 * worth)) / (1 + z * z / worth)
    half = z / (1 + z * z / worth) * (share * (1 - share) / worth + z * z / (4 * worth * worth)) ** 0.5
    low = 0.0 if share <= 0 else max(0.0, middle - half)  # exactly, not to the last rounding
    return Interval(low, 1.0 if share >= 1 else min(1.0, middle + half), level)


def few_texts(texts: int, what: str = "text") -> str:
    """What stands beside such a share of few texts; nothing if they are enough."""
    if texts >= ENOUGH_TEXTS:
        return ""
    many = "people" if what == "person" else f"{what}s"
    return f"{texts} {many}: with fewer than {ENOUGH_TEXTS} the interval is only roughly one of 95 %"


def ratio_interval(above: NDArray[np.generic], below: NDArray[np.generic], level: float = 0.95) -> Interval | Undefined:
    """The interval of a share that is a ratio of sums over texts: of `below` cases so many `above`, text by text.

    The texts are what was drawn: their share is jackknifed over the texts that have a case at all, and the variance
    made into the number of independent cases that would have it (`spread_interval`).
    """
    cases = np.asarray(below, dtype=np.float64)
    hits, cases = np.asarray(above, dtype=np.float64)[cases > 0], cases[cases > 0]
    total = float(cases.sum())
    if len(cases) < 2:
        return Undefined("one text alone does not tell how texts differ" if len(cases) else "there is no case")
    spread = jackknife((hits.sum() - hits) / (total - cases), "text")
    if isinstance(spread, Undefined):
        return spread
    return spread_interval(float(hits.sum()) / total, spread, len(cases), total, level)


def ratio_difference_interval(
    first: tuple[NDArray[np.generic], NDArray[np.generic]],
    second: tuple[NDArray[np.generic], NDArray[np.generic]],
    level: float = 0.95,
) -> Interval | Undefined:
    """The interval of the difference of two such shares on the same texts, each given as (above, below).

    It is put together from the two shares' own intervals and their correlation over texts (Newcombe 1998; Zou and
    Donner 2008), so that it is as lopsided near 0 and 1 as they are.
    """
    own = [ratio_interval(*pair, level) for pair in (first, second)]
    one, other = own
    if isinstance(one, Undefined) or isinstance(other, Undefined):
        return one if isinstance(one, Undefined) else other
    (share, away), (other_share, other_away) = (_away(*pair) for pair in (first, second))
    if np.array_equal(away, other_away) and share == other_share:
        return Undefined("the two never differ on any text, so nothing tells how far they might")
    sizes = float(np.sqrt((away @ away) * (other_away @ other_away)))
    related = float(away @ other_away) / sizes if sizes > 0 else 0.0
    return difference_of_intervals((share, one), (other_share, other), related, (-1.0, 1.0))


def mean_of_intervals(parts: Sequence[tuple[float, Interval]]) -> Interval:
    """The interval of the mean of independent figures from their own intervals, by the same method."""
    value = sum(share for share, _ in parts) / len(parts)
    down = math.sqrt(sum((share - one.low) ** 2 for share, one in parts)) / len(parts)
    up = math.sqrt(sum((one.high - share) ** 2 for share, one in parts)) / len(parts)
    return Interval(value - down, value + up, parts[0][1].level)


def difference_of_intervals(
    first: tuple[float, Interval],
    second: tuple[float, Interval],
    related: float = 0.0,
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """The interval of a difference from the two figures' own intervals and how they are correlated.

    The method of variance estimates recovery (Zou and Donner 2008): lopsided where they are.
    """
    (share, one), (other_share, other) = first, second
    gap = share - other_share

    def reach(mine: float, its: float) -> float:
        return math.sqrt(max(0.0, mine * mine - 2 * related * mine * its + its * its))

    low = gap - reach(share - one.low, other.high - other_share)
    high = gap + reach(one.high - share, other_share - other.low)
    return Interval(max(ends[0], low), min(ends[1], high), one.level)


def _away(above: NDArray[np.generic], below: NDArray[np.generic]) -> tuple[float, NDArray[np.float64]]:
    """A share, and how much each text pulls at it."""
    hits, cases = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    share = float(hits.sum() / cases.sum())
    return share, hits - share * cases
