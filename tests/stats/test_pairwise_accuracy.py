"""Pairwise accuracy against the examples of WMT's own tool, and against what can be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from goldmark.stats.correlations import pairwise_accuracy as pairwise
from goldmark.stats.correlations.correlation import swap_test
from goldmark.stats.correlations.pairwise_accuracy import ItemPairs

Scores = list[list[float | None]]


def one_item(human: list[float], metric: list[float]) -> tuple[float, float]:
    pairs = ItemPairs.of(np.array(human, dtype=float), np.zeros(len(human), dtype=np.int64))
    return pairs.calibrated(np.array(metric, dtype=float))


@pytest.mark.parametrize(
    ("human", "metric", "accuracy", "threshold"),
    [
        # The examples of google-research/mt-metrics-eval (tau_optimization_test.py, stats_test.py), Apache-2.0.
        ([1, 2, 3, 4], [0, 2, 6, 8], 1.0, 0.0),
        ([1, 1, 1, 4], [0, 2, 6, 8], 4 / 6, 4.0),
        ([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], 0.7, 0.5),
        # By hand: the metric ties nothing and is wrong on the one pair.
        ([1, 2], [5, 3], 0.0, 0.0),
        ([1, 1], [5, 3], 1.0, 2.0),
    ],
)
def test_ties_are_calibrated_as_wmt_does(
    human: list[float], metric: list[float], accuracy: float, threshold: float
) -> None:
    assert one_item(human, metric) == pytest.approx((accuracy, threshold))


def test_several_items_with_missing_scores_share_one_threshold() -> None:
    # mt-metrics-eval's regression example: five rows of which one is empty; best 0.49166... at a threshold of 1.
    metric: Scores = [
        [0, 5, 2, 3, 2],
        [None, 2, 1, 5, 3],
        [9, 1, 5, 3, 8],
        [9, 3, 4, 4, 1],
        [None] * 5,
    ]
    human: Scores = [
        [1, 5, 2, 1, 1],
        [4, 2, 2, 1, 4],
        [5, 9, 2, 8, 7],
        [7, 6, None, 3, 2],
        [None] * 5,
    ]
    known = [
        (h, m, row)
        for row, (ours, theirs) in enumerate(zip(human, metric, strict=True))
        for h, m in zip(ours, theirs, strict=True)
        if h is not None and m is not None
    ]
    h, m, item = (np.array(column) for column in zip(*known, strict=True))
    found = pairwise.within_items(h.astype(float), m.astype(float), item)
    assert found.threshold == 1
    assert found.accuracy.value == pytest.approx(0.4916666666666668)
    assert found.accuracy.used == 4
    assert found.accuracy.reason.startswith("4 items")


def test_the_threshold_never_does_worse_than_none() -> None:
    rng = np.random.default_rng(4)
    item = np.repeat(np.arange(30), 6)
    human = rng.integers(0, 4, size=180).astype(float)
    metric = human + rng.normal(size=180)
    pairs = ItemPairs.of(human, item)
    best, threshold = pairs.calibrated(metric)
    # Every threshold tried one after the other, as slowly as can be.
    each = {
        size: float((pairs.weight * pairs.hits(metric, size)).sum())
        for size in (0.0, *np.abs(metric[pairs.first] - metric[pairs.second]))
    }
    assert best == pytest.approx(max(each.values()))
    assert each[threshold] == pytest.approx(best)


def test_systems_in_order_and_as_sure_as_people() -> None:
    human, metric = np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 3, 2, 4, 5])
    found = pairwise.over_systems(human, metric)
    assert found.value == pytest.approx(0.9)  # of ten pairs one is the other way round
    assert found.interval is not None
    assert found.interval.low < 0.9 < found.interval.high
    scores = np.random.default_rng(1).normal(size=(5, 40))
    assert pairwise.softly_over_systems(scores, scores, seed=1).value == 1.0
    # A metric that turns everything round is as sure of the opposite: 1 - |p - (1 - p)|, far below one half.
    turned = pairwise.softly_over_systems(scores + 2 * human[:, None], -scores - 2 * human[:, None], seed=1).value
    assert turned is not None
    assert turned < 0.01
    assert pairwise.over_systems(human[:1], metric[:1]).value is None
    assert "5 are needed" in pairwise.over_systems(human[:3], metric[:3]).reason


def test_how_sure_one_is_of_an_order() -> None:
    # The example in WMT's tool: five items, a difference of .6 on each. Only the flip that changes nothing reaches it:
    # one in 32.
    scores = np.array([[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]])
    assert pairwise.better_by_chance(scores, seed=2, flips=20_000)[0] == pytest.approx(1 / 32, abs=0.005)
    # Items that one of them lacks take no part; the others decide alike.
    gap = np.column_stack([scores, [[np.nan], [5.0]]])
    assert pairwise.better_by_chance(gap, seed=2, flips=20_000)[0] == pytest.approx(1 / 32, abs=0.005)


def test_a_swap_of_single_outputs_is_an_exact_test_of_few() -> None:
    # Two outputs: swapping neither or both gives the difference that was seen (up to its sign), swapping one none.
    human = np.array([0.0, 1.0])
    found = swap_test(
        [0.0, 1.0],
        [1.0, 0.0],
        lambda metric: float(np.sign(metric[1] - metric[0]) == np.sign(human[1] - human[0])),
        block=np.arange(2),
        permutations=4000,
        rng=np.random.default_rng(3),
    )
    assert found.statistic == 1.0
    assert found.p == pytest.approx(0.5, abs=0.03)
