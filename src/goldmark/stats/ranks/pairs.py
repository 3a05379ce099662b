"""Every two systems compared on items: difference with its interval, p-value, and what they were compared on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError
from goldmark.records.figures import Interval
from goldmark.stats.inference.scales import clipped
from goldmark.stats.ranks import rank_sets
from goldmark.stats.ranks.evidence import ClusteredSpread, SystemEvidence
from goldmark.stats.ranks.judgements import Floats
from goldmark.stats.significance import tests

Test = Literal["permutation", "signed-rank", "rank-sum", "mcnemar"]
CELLS = 1 << 22  # items x pairs held at once, so that memory does not grow with the square of the systems
MOST_FLIPS = 50_000  # more permutations than this take longer than another test is worth
ONE_ITEM = "one item alone says nothing of others"
ONE_PERSON = "one annotator alone says nothing of how people differ"
FEW_PEOPLE = "so few annotators say little of how people differ; do not rely on it alone"
FEW = 3.5  # items or people, in effect, that a figure may rest on without a warning
NEVER_VARIES = "the difference never varies, so nothing tells how far it would move; p is that of a sign test"
AS_THEY_ARE = "takes the annotators as they are"  # what a test that is named does, unlike differences and intervals
OWN_ITEMS = "they share fewer than two items, so each is taken on its own"


class NotYesOrNo(GoldmarkError):
    code = "RANK-03"
    message = (
        "mcnemar compares yes with no: every system needs one answer of 0 or 1 to an item, but there is {found:g}; "
        "use --test permutation"
    )


class Compared(NamedTuple):
    """System `first` minus system `second`."""

    first: int
    second: int
    difference: float | None
    interval: Interval | None
    shared: int  # items that both have
    p: float | None
    reason: str = ""
    adjusted: float | None = None  # p corrected for all pairs

    def turned(self) -> Compared:
        """The same pair from the other side."""
        interval = self.interval and Interval(-self.interval.high, -self.interval.low, self.interval.level)
        gap = None if self.difference is None else -self.difference
        return self._replace(first=self.second, second=self.first, difference=gap, interval=interval)


@dataclass(frozen=True, eq=False)
class Differences:
    """Tables systems x systems: row minus column."""

    gap: Floats
    shared: Floats
    spread: ClusteredSpread
    p: Floats  # two-sided, of one pair alone; NaN where nothing can be said
    z: Floats  # how many standard errors of a normal the p-value is worth, with its sign; 0 where it is not known
    adjusted: Floats  # corrected for all pairs
    alone: Floats  # row by row corrected for the pairs of one system
    draws: int
    crossed: bool  # people are drawn by chance as well as items

    def better(self, alpha: float) -> NDArray[np.bool_]:
        """Which systems are surely better than which."""
        found: NDArray[np.bool_] = (self.adjusted <= alpha) & (self.z > 0)
        return found

    def compared(self, first: int, second: int, level: float, width: float = math.inf) -> Compared:
        """One pair; on a scale of a certain width no difference is larger."""
        gap, shared = float(self.gap[first, second]), int(self.shared[first, second])
        if math.isnan(gap):
            return Compared(first, second, None, None, shared, None, "nobody has judged one of them")
        variance, freedom = (float(one[first, second]) for one in self.spread[:2])
        if math.isnan(variance):
            few = ONE_ITEM if self.spread.few_items[first, second] else ONE_PERSON
            return Compared(first, second, gap, None, shared, None, few)
        p = float(self.p[first, second])
        if math.isnan(p):
            return Compared(first, second, gap, None, shared, None, "no shared item differs")
        reason = "" if shared >= 2 else OWN_ITEMS
        interval = None
        if variance > 0:
            half = t_quantile(freedom, level) * math.sqrt(variance)
            interval = clipped(Interval(gap - half, gap + half, level), -width, width)
        else:
            reason = NEVER_VARIES
        if not reason and self.crossed and self.spread.clusters[first, second] < FEW:
            reason = FEW_PEOPLE
        return Compared(first, second, gap, interval, shared, p, reason, float(self.adjusted[first, second]))


def t_quantile(freedom: float, level: float) -> float:
    """How many standard errors an interval reaches on either side (Student's t)."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def differences(evidence: SystemEvidence, *, draws: int, rng: np.random.Generator) -> Differences:
    """Every two systems compared by Student's t with the variance of crossed clusters, and corrected by step-down."""
    from scipy.special import ndtri, stdtr

    gap, shared, spread = evidence.differences()
    least = rounding(evidence)
    variance = np.where(spread.variance <= least, 0.0, spread.variance)
    np.fill_diagonal(variance, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(gap) / np.sqrt(variance)
        tail = np.where(variance > 0, stdtr(spread.freedom, -t), np.nan)
        # A difference that is the same on every item and for everyone: as surprising as so many equal throws of a coin.
        tail = np.where((variance == 0) & (np.abs(gap) > math.sqrt(least)), 0.5**spread.clusters, tail)
        far = np.where(variance > 0, stdtr(spread.in_the_tails(), -t), tail)
    p = np.minimum(1.0, 2 * tail)
    z = np.where(np.isnan(p), 0.0, np.sign(gap) * -ndtri(np.clip(far, 1e-300, 0.5)))
    made = rank_sets.affordable_draws(len(gap), draws)
    drawn = rank_sets.draw(_known(evidence.covariance()), made, rng)
    return Differences(
        gap,
        shared,
        spread._replace(variance=variance),
        p,
        z,
        np.maximum(rank_sets.simultaneous(z, drawn), np.nan_to_num(p)),
        np.maximum(rank_sets.marginal(z, drawn), np.nan_to_num(p)),
        made,
        evidence.people is not None,
    )


def rounding(evidence: SystemEvidence) -> float:
    """A variance that is nothing but rounding errors."""
    largest = float(np.nanmax(np.abs(evidence.means), initial=0.0))
    return (1e-12 * max(1.0, largest)) ** 2


def _known(covariance: Floats) -> Floats:
    """Systems of which nothing is known take no part; with a variance of 1 they disturb nobody."""
    known = ~np.isnan(np.diag(covariance))
    found: Floats = np.where(known[:, None] & known[None, :], np.nan_to_num(covariance), 0.0)
    found[~known, ~known] = 1.0
    return found


def compare_by_test(
    cells: Floats, test: Test, *, permutations: int, rng: np.random.Generator
) -> tuple[list[float | None], list[float | None]]:
    """p-values of every two rows of a table systems x items (NaN where a system lacks an item), and after Holm.

    `permutation`, `signed-rank` and `mcnemar` are paired: they use the items that both systems have, of which two are
    needed. `rank-sum` uses all items of each.
    """
    if test == "mcnemar" and (other := _present(cells)[~np.isin(_present(cells), (0, 1))]).size:
        raise NotYesOrNo(found=float(other[0]))
    if test != "permutation":
        cells = np.round(cells, 10)  # means that differ by rounding errors only are ties, not an order
    found: list[float | None] = []
    for pairs in _batches(len(cells), max(1, CELLS // max(1, cells.shape[1]))):
        if test == "rank-sum":
            found += [tests.rank_sum(_present(cells[i]), _present(cells[j])).p for i, j in pairs]
            continue
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        difference = (cells[first] - cells[second]).T
        shared = (~np.isnan(difference)).sum(axis=0)
        if test == "permutation":
            p_values: list[float | None] = [float(p) for p in tests.sign_flips(difference, flips=permutations, rng=rng)]
        elif test == "mcnemar":
            p_values = [tests.mcnemar(column[column != 0] > 0, column[column != 0] < 0).p for column in difference.T]
        else:
            p_values = [tests.signed_rank(_present(column)).p for column in difference.T]
        found += [p if n >= 2 else None for p, n in zip(p_values, shared, strict=True)]
    return found, list(tests.holm(found))


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


def _present(values: Floats) -> Floats:
    return values[~np.isnan(values)]
