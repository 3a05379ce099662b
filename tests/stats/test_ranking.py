from __future__ import annotations

import numpy as np
import pytest

from goldmark.stats import ranking


def test_bhatia_davis_bound_of_the_genie_paper() -> None:
    # GENIE appendix C: at a mean of 0.8 a score's standard deviation is at most 0.4.
    assert ranking.bhatia_davis(0.8, 1) == pytest.approx(0.4)
    # Section 6: 800 instances give at most 1.77 %, 300 at most 2.89 % (worst case, mean 0.5).
    assert ranking.bhatia_davis(0.5, 800) == pytest.approx(0.0177, abs=0.0001)
    assert ranking.bhatia_davis(0.5, 300) == pytest.approx(0.0289, abs=0.0001)
    # On another scale it stretches with it.
    assert ranking.bhatia_davis(80, 1, 0, 100) == pytest.approx(40)


def test_standardised_scores_have_mean_0_and_sample_variance_1() -> None:
    annotator = np.array([0, 0, 0, 1, 1, 2])
    z = ranking.standardise(annotator, np.array([1.0, 2.0, 3.0, 5.0, 5.0, 4.0]))
    assert z[:3] == pytest.approx([-1, 0, 1])
    assert np.isnan(z[3:]).all()  # annotator 1 never varies, annotator 2 judged once


def test_item_means() -> None:
    means = ranking.item_means(np.array([0, 0, 1]), np.array([0, 0, 1]), np.array([1.0, 3.0, 5.0]), 2, 2)
    assert means[0, 0] == 2
    assert means[1, 1] == 5
    assert np.isnan(means[0, 1])


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
        means = ranking.pigeonhole(system, items, people, score, weight, resamples=200, rng=rng)[:, 0]
        low, high = np.quantile(means, [0.05, 0.95])
        both += low <= 0 <= high
        alone = ranking.pigeonhole(system, items, np.zeros(600, dtype=np.int64), score, weight, resamples=200, rng=rng)
        low, high = np.quantile(alone[:, 0], [0.05, 0.95])
        only_items += low <= 0 <= high
    assert both / 150 > 0.84
    assert only_items < both - 20


def test_pigeonhole_keeps_the_mean_of_constant_scores() -> None:
    rng = np.random.default_rng(1)
    codes = np.arange(20)
    means = ranking.pigeonhole(codes % 2, codes, codes % 5, np.full(20, 0.5), np.ones(20), resamples=50, rng=rng)
    assert np.nanmax(np.abs(means - 0.5)) < 1e-12


def test_rank_ranges_and_clusters() -> None:
    # A beats C and D, B beats D; nothing else is certain.
    mean = [4.0, 3.0, 2.0, 1.0]
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert ranking.rank_ranges(mean, better) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    assert ranking.clusters(mean, better) == [1, 1, 1, 1]
    better[1, 2] = True  # now A and B both beat C and D: a line can be drawn
    assert ranking.clusters(mean, better) == [1, 1, 2, 2]
