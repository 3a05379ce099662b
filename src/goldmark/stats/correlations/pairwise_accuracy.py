"""How often a metric orders two outputs, or two systems, as people do.

- **within items** (`acc*eq`; Deutsch, Foster and Freitag 2023): of every two outputs for one item, the share that the
  metric orders as people do, where people's ties count: two outputs that people find equal should be equal to the
  metric too. Scores of a metric are hardly ever equal, so those that differ by no more than a threshold count as a tie;
  the threshold is the one with which the metric does best (tie calibration). The mean over items.
- **over systems** (Kocmi et al. 2021): of every two systems, the share whose means the metric orders as people's means.
- **softly over systems** (Thompson, Mathur, Deutsch and Khayrallah 2024): how far the metric is as sure as people are
  which of two systems is better, 1 - |p of people - p of the metric|, p one-sided from flipped signs over items.

WMT's metrics task ranks metrics by the first and the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Undefined, counted
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.jackknife import jackknife
from goldmark.stats.inference.proportions import few_texts, spread_interval
from goldmark.stats.inference.sums import sums_figure

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
AS_GOOD = 1e-12  # a threshold that does better by less does no better
ENOUGH_SYSTEMS = 5
FLIPS = 1000
AT_ONCE = 4096  # pairs of systems whose flips are held at once


class CalibratedAccuracy(NamedTuple):
    """Of a metric: the share of pairs ordered as people do, and the difference of scores up to which it has a tie."""

    accuracy: Figure
    threshold: float | None


@dataclass(frozen=True, eq=False)
class ItemPairs:
    """Every two outputs for one item, with what people say of them: 1 the first is better, -1 the second, 0 equal."""

    first: Codes
    second: Codes
    item: Codes  # of each pair, counted from 0
    said: NDArray[np.int8]
    items: int

    @classmethod
    def of(cls, human: Floats, item: Codes) -> ItemPairs:
        order = np.argsort(item, kind="stable")
        sizes = np.unique(item, return_counts=True)[1]
        begins = np.cumsum(sizes) - sizes
        kept = sizes > 1
        pairs = [_pairs(int(size)) + begin for size, begin in zip(sizes[kept], begins[kept], strict=True)]
        both = order[np.concatenate(pairs, axis=1)] if pairs else np.empty((2, 0), dtype=np.int64)
        number = np.repeat(np.arange(len(pairs)), [one.shape[1] for one in pairs])
        said = np.sign(human[both[0]] - human[both[1]]).astype(np.int8)
        return cls(both[0], both[1], number, said, len(pairs))

    @cached_property
    def weight(self) -> Floats:
        """Items count alike, and the pairs of an item."""
        each = np.bincount(self.item, minlength=self.items)
        return 1.0 / (each[self.item] * self.items)

    def calibrated(self, metric: Floats) -> tuple[float, float]:
        """The best accuracy and its threshold, the smallest of several that do as well."""
        gap = metric[self.first] - metric[self.second]
        size = np.abs(gap)
        right = (np.sign(gap) == self.said) & (self.said != 0)
        order = np.argsort(size, kind="stable")
        # From a threshold of nothing upwards, each pair in turn becomes a tie: right where people have one.
        gains = (self.weight * ((self.said == 0) - right.astype(np.float64)))[order]
        reached = float(self.weight[right].sum()) + np.cumsum(gains)
        size = size[order]
        ends = np.append(size[1:] != size[:-1], True)
        found, thresholds = reached[ends], size[ends]
        if not len(thresholds) or thresholds[0] > 0:  # no two scores are equal: a threshold of 0 ties nothing
            found, thresholds = np.append(self.weight[right].sum(), found), np.append(0.0, thresholds)
        best = int(np.argmax(found >= found.max() - AS_GOOD))
        return float(found[best]), float(thresholds[best])

    def hits(self, metric: Floats, threshold: float) -> NDArray[np.bool_]:
        """Which pairs the metric orders, or ties, as people do."""
        gap = metric[self.first] - metric[self.second]
        said = np.where(np.abs(gap) <= threshold, 0, np.sign(gap))
        found: NDArray[np.bool_] = said == self.said
        return found


@lru_cache(maxsize=64)
def _pairs(size: int) -> Codes:
    return np.array(np.triu_indices(size, 1), dtype=np.int64)


def within_items(human: Floats, metric: Floats, item: Codes, level: float = 0.95) -> CalibratedAccuracy:
    """The tie-calibrated pairwise accuracy, with its interval over items."""
    pairs = ItemPairs.of(human, item)
    if not pairs.items:
        return CalibratedAccuracy(Figure(None, reason="no item has two outputs with both scores", used=0), None)
    value, threshold = pairs.calibrated(metric)
    hits = np.bincount(pairs.item, weights=pairs.hits(metric, threshold), minlength=pairs.items)
    each = hits / np.bincount(pairs.item, minlength=pairs.items)
    counts = np.column_stack([each, np.ones(pairs.items)])
    found = sums_figure(
        counts, lambda sums: ratio(sums[:, 0], sums[:, 1]), most=len(pairs.item), level=level, what="item"
    )
    return CalibratedAccuracy(Figure(value, found.interval, found.reason, used=pairs.items), threshold)


def over_systems(human: Floats, metric: Floats, level: float = 0.95) -> Figure:
    """The share of pairs of systems whose means (one for each system) are in the same order; over other systems."""
    first, second = _pairs(len(human))
    hits = np.sign(human[first] - human[second]) == np.sign(metric[first] - metric[second])
    return _of_pairs(hits.astype(np.float64), len(human), level)


def softly_over_systems(human: Floats, metric: Floats, *, seed: int, flips: int = FLIPS, level: float = 0.95) -> Figure:
    """The mean of 1 - |p of people - p of the metric| over pairs of systems; tables systems x items, NaN: no score."""
    if len(human) < 2:
        return Figure(None, reason=f"{counted(len(human), 'system')}; two are needed to compare", used=0)
    lacking = np.isnan(human) | np.isnan(metric)
    p = [better_by_chance(np.where(lacking, np.nan, one), seed=seed, flips=flips) for one in (human, metric)]
    return _of_pairs(1 - np.abs(p[0] - p[1]), len(human), level)


def better_by_chance(scores: Floats, *, seed: int, flips: int = FLIPS) -> Floats:
    """Of every two systems, how likely the first would be ahead by so much if they were alike: one-sided p.

    Signs of differences on single items are flipped, the same for all pairs, so that one product does for all; items
    that a pair does not share take no part. The signs that were seen count as one flip.
    """
    first, second = _pairs(len(scores))
    rng = np.random.default_rng(seed)
    signs = (rng.integers(0, 2, size=(flips, scores.shape[1]), dtype=np.int8) * 2 - 1).astype(np.float64)
    missing = np.isnan(scores)
    whole = not missing.any()
    drawn = signs @ scores.T if whole else None
    p = np.empty(len(first))
    for start in range(0, len(first), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        gap = np.nan_to_num(scores[first[some]] - scores[second[some]])
        seen = gap.sum(axis=1) - 1e-12 * np.abs(gap).sum(axis=1)
        sums = signs @ gap.T if drawn is None else drawn[:, first[some]] - drawn[:, second[some]]
        p[some] = ((sums >= seen).sum(axis=0) + 1) / (flips + 1)
    return p


def _of_pairs(values: Floats, systems: int, level: float) -> Figure:
    """The mean over pairs of systems, which are left out in turn with all their pairs."""
    if systems < 2:
        return Figure(None, reason=f"{counted(systems, 'system')}; two are needed to compare", used=0)
    value = float(values.mean())
    if systems < ENOUGH_SYSTEMS:
        return Figure(value, reason=f"{systems} systems; {ENOUGH_SYSTEMS} are needed for an interval", used=len(values))
    own = sum(np.bincount(side, weights=values, minlength=systems) for side in _pairs(systems))
    without = (values.sum() - own) / (len(values) - systems + 1)
    spread = jackknife(without, "system")
    if isinstance(spread, Undefined):
        return Figure(value, reason=f"no interval: {spread.reason}", used=len(values))
    interval = spread_interval(value, spread, systems, len(values), level)
    return Figure(value, interval, few_texts(systems, "system"), used=len(values))
