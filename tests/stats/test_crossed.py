from __future__ import annotations

import numpy as np
import pytest

from goldmark.stats.ranks.crossed import crossed_variance, pigeonhole


def test_pigeonhole_interval_covers_when_items_and_annotators_vary() -> None:
    # Score = item effect + annotator effect + noise. Over 150 simulated studies the 90 % interval should hold the true
    # mean 0 in at least 85 % (Owen: it is conservative); resampling items alone would hold it far less often.
    rng = np.random.default_rng(12)
    items, people = np.repeat(np.arange(40), 15), np.tile(np.arange(15), 40)
    system = np.zeros(600, dtype=np.int64)
    both = only_items = 0
    for _ in range(150):
        score = rng.normal(size=40)[items] + rng.normal(size=15)[people] + rng.normal(size=600)
        weight = np.ones(600)
        means = pigeonhole(system, items, people, score, weight, resamples=200, rng=rng)[:, 0]
        low, high = np.quantile(means, [0.05, 0.95])
        both += low <= 0 <= high
        alone = pigeonhole(system, items, np.zeros(600, dtype=np.int64), score, weight, resamples=200, rng=rng)
        low, high = np.quantile(alone[:, 0], [0.05, 0.95])
        only_items += low <= 0 <= high
    assert both / 150 > 0.84
    assert only_items < both - 20


def test_pigeonhole_keeps_the_mean_of_constant_scores() -> None:
    rng = np.random.default_rng(1)
    codes = np.arange(20)
    means = pigeonhole(codes % 2, codes, codes % 5, np.full(20, 0.5), np.ones(20), resamples=50, rng=rng)
    assert np.nanmax(np.abs(means - 0.5)) < 1e-12


def test_the_variance_of_crossed_clusters() -> None:
    # Two items by two people, parts 1 2 / 3 4: items give 3^2 + 7^2 = 58, people 4^2 + 6^2 = 52, labels 30. Each is
    # multiplied by n / (n - 1): 116 + 104 - 40.
    item, person = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert crossed_variance(item, person, np.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx(180.0)
