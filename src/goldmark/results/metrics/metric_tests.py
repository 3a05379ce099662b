"""Whether one metric follows people more closely than another: every two metrics, tested and corrected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import cast

import numpy as np
from numpy.typing import NDArray

from goldmark.records.tables import Cell
from goldmark.results.metrics.metric_scores import (
    Codes,
    Floats,
    Measure,
    MetricOptions,
    MetricTable,
    is_accuracy,
    system_tables,
)
from goldmark.stats.correlations import correlation as c
from goldmark.stats.correlations import correlation_levels as levels
from goldmark.stats.correlations import pairwise_accuracy as pairwise
from goldmark.stats.correlations.correlation_levels import Level, ScoredOutputs
from goldmark.stats.significance.tests import CORRECTIONS, SignificanceTest, no_test

SOFT = 2e10  # steps that the flips of all permutations of a soft accuracy may take before fewer are made


def metric_pairs(
    table: MetricTable, metrics: Sequence[str], level: Level, method: Measure, options: MetricOptions
) -> list[dict[str, Cell]]:
    compared = [
        (first, second, *_test(table, first, second, level, method, options))
        for first, second in combinations(range(len(metrics)), 2)
    ]
    adjusted = CORRECTIONS[options.correction]([outcome.p for *_, outcome in compared])
    return [
        {
            "level": level,
            "method": method,
            "first": metrics[first],
            "second": metrics[second],
            "difference": gap,
            "p": outcome.p,
            "p_corrected": p,
            "significant": None if p is None else p < options.alpha,
            "reason": outcome.reason,
        }
        for (first, second, gap, outcome), p in zip(compared, adjusted, strict=True)
    ]


def _test(
    table: MetricTable, first: int, second: int, level: Level, method: Measure, options: MetricOptions
) -> tuple[float | None, SignificanceTest]:
    """The difference of two metrics on the outputs that have both, and whether it is more than chance."""
    known = table.known(first, second)
    if is_accuracy(method) or options.test == "perm-both":
        return _swapped(table, first, second, known, level, method, options)
    coefficient = cast("c.Method", method)
    human, a, b = table.human[known], table.metrics[known, first], table.metrics[known, second]
    items = table.item[known] if table.item is not None and level == "segment" else None
    if level == "system":
        (human, a), (_, b) = (levels.system_means(table.outputs(place, known)) for place in (first, second))
    # What is swapped depends on items and scores, not on the order of rows.
    order = np.lexsort((b, a, human) if items is None else (b, a, human, items))
    human, a, b = human[order], a[order], b[order]
    r_first, r_second = (c.correlation(human, column, coefficient) for column in (a, b))
    if r_first.value is None or r_second.value is None:
        return None, no_test(r_first.reason or r_second.reason)
    gap = r_first.value - r_second.value
    if options.test == "williams":
        if coefficient != "pearson":
            return gap, no_test("Williams' test is for Pearson's correlation; use --test permutation")
        between = c.correlation(a, b, coefficient).value or 0.0
        return gap, c.williams(r_first.value, r_second.value, between, len(human))
    permutations = levels.affordable(options.permutations, len(human), coefficient)
    rng = np.random.default_rng(options.seed)
    whole = None if items is None else items[order]
    return gap, c.permutation(human, a, b, method=coefficient, permutations=permutations, rng=rng, items=whole)


def _swapped(
    table: MetricTable,
    first: int,
    second: int,
    known: NDArray[np.bool_],
    level: Level,
    method: Measure,
    options: MetricOptions,
) -> tuple[float | None, SignificanceTest]:
    """By swapping scores of outputs: single ones (PERM-BOTH), or all of an item or of a system."""
    if options.test == "williams":
        return None, no_test("Williams' test is for Pearson's correlation; use --test permutation")
    human = table.human[known]
    one, other = (table.metrics[known, place] for place in (first, second))
    system, item = (None if codes is None else codes[known] for codes in (table.system, table.item))
    order = np.lexsort([other, one, human, *(codes for codes in (item, system) if codes is not None)])
    human, one, other = human[order], one[order], other[order]
    system, item = (
        None if codes is None else np.unique(codes[order], return_inverse=True)[1] for codes in (system, item)
    )
    made = _statistic(human, system, item, level, method, options)
    if isinstance(made, str):
        return None, no_test(made)
    statistic, steps = made
    block = np.arange(len(human))
    whole = system if level == "system" else item
    if options.test != "perm-both" and whole is not None:
        block = whole
    permutations = min(options.permutations, max(levels.FEWEST // 2, int(SOFT / max(1, steps))))
    rng = np.random.default_rng(options.seed)
    found = c.swap_test(one, other, statistic, block=block, permutations=permutations, rng=rng)
    return found.statistic, found


def _statistic(
    human: Floats, system: Codes | None, item: Codes | None, level: Level, method: Measure, options: MetricOptions
) -> tuple[Callable[[Floats], float | None], float] | str:
    """A figure of a metric's scores, and about how many steps it takes; or why there is none."""
    if method == "pairwise" and level == "item":
        pairs = pairwise.ItemPairs.of(human, item if item is not None else np.arange(len(human)))
        if not pairs.items:
            return "no item has two outputs with both scores"
        return lambda metric: pairs.calibrated(metric)[0], 4000.0 * len(pairs.item)
    if level == "system" and system is None:
        return "there are no systems"
    if method == "soft-pairwise" and system is not None:
        people, _ = system_tables(ScoredOutputs(human, human, system, item))
        sure = pairwise.better_by_chance(people, seed=options.seed)

        def softly(metric: Floats) -> float:
            scores, _ = system_tables(ScoredOutputs(metric, metric, system, item))
            return float((1 - np.abs(sure - pairwise.better_by_chance(scores, seed=options.seed))).mean())

        return softly, float(pairwise.FLIPS * (people.size + people.shape[0] ** 2))
    if level == "system" and system is not None:
        count = np.bincount(system)
        means = np.bincount(system, weights=human) / count

        def of_means(metric: Floats) -> float | None:
            own = np.bincount(system, weights=metric) / count
            if method == "pairwise":
                return pairwise.over_systems(means, own).value
            return c.correlation(means, own, cast("c.Method", method)).value

        return of_means, 2000.0 * len(human)
    codes = c.dense(human)
    if method == "pearson":
        return lambda metric: c.correlation(human, metric).value, 2000.0 * len(human)
    return lambda metric: c.of_codes(codes, c.dense(metric), cast("c.Method", method)), 10_000.0 * len(human)
