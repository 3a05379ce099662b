"""Bootstrap intervals: against their theory, against each other, and where there can be none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.records.figures import Interval, Undefined
from goldmark.stats.inference import bootstrap
from goldmark.stats.inference.bootstrap import (
    bootstrap_mean,
    bootstrap_sums,
    percentile_interval,
    ratio,
    resampled_means,
    resampled_sums,
    resampled_weights,
)


def generator(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_mean_of_normal_scores_has_the_normal_interval() -> None:
    # For n scores with standard deviation s the bootstrap mean is close to Normal(mean, s / sqrt(n)).
    scores = generator().normal(3, 2, size=4000)
    interval = bootstrap_mean(scores, rng=generator(6), resamples=4000)
    assert isinstance(interval, Interval)
    error = 1.96 * scores.std() / np.sqrt(4000)
    assert interval.low == pytest.approx(scores.mean() - error, abs=error / 10)
    assert interval.high == pytest.approx(scores.mean() + error, abs=error / 10)


@pytest.mark.parametrize("kind", ["few values", "many values", "outlier"])
def test_all_three_ways_of_resampling_a_mean_agree(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = generator(1)
    scores = {
        "few values": rng.integers(1, 6, size=3000).astype(float),
        "many values": rng.gamma(0.5, 2.0, size=3000),
        "outlier": np.append(rng.normal(size=2999), 5000.0),
    }[kind]
    usual = resampled_means(scores, resamples=4000, rng=generator(2))
    monkeypatch.setattr(bootstrap, "EXACT_DRAWS", 0)
    binned = resampled_means(scores, resamples=4000, rng=generator(3))
    naive = np.array([scores[generator(9 + i).integers(0, 3000, 3000)].mean() for i in range(4000)])
    # A quantile's Monte-Carlo error at 2.5 % with 4,000 draws is about 0.04 standard deviations for a smooth density.
    spread = naive.std()
    for quantile in (0.025, 0.5, 0.975):
        expected = np.quantile(naive, quantile)
        assert np.quantile(usual, quantile) == pytest.approx(expected, abs=0.15 * spread)
        assert np.quantile(binned, quantile) == pytest.approx(expected, abs=0.15 * spread)


def test_sums_of_counts_keep_units_together() -> None:
    # Column 1 is always twice column 0, so every resample's ratio is exactly 1/2.
    found = generator().integers(0, 9, size=50)
    counts = np.stack([found, 2 * found], axis=1)
    interval = bootstrap_sums(counts, lambda sums: ratio(sums[:, 0], sums[:, 1]), rng=generator(), resamples=500)
    assert interval == Interval(0.5, 0.5, 0.95)


def test_weights_draw_as_many_units_as_there_are() -> None:
    chunks = list(resampled_weights(7, resamples=1000, rng=generator()))
    weights = np.concatenate(chunks)
    assert weights.shape == (1000, 7)
    assert (weights.sum(axis=1) == 7).all()
    # A unit's weight is Binomial(7, 1/7): variance 6/7.
    assert weights.var(axis=0).mean() == pytest.approx(6 / 7, abs=0.05)


def test_memory_stays_bounded_however_many_resamples() -> None:
    sizes = [chunk.size for chunk in resampled_weights(3000, resamples=1200, rng=generator())]
    assert max(sizes) <= bootstrap.CELLS
    assert sum(sizes) == 3000 * 1200


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_or_one_unit_gives_a_reason(size: int) -> None:
    scores = np.ones(size)
    for answer in (
        bootstrap_mean(scores, rng=generator()),
        bootstrap_sums(scores[:, None], lambda sums: sums[:, 0], rng=generator()),
    ):
        assert isinstance(answer, Undefined)
        assert answer.reason


def test_interval_is_refused_when_the_figure_is_often_undefined() -> None:
    # One unit of ten has mistakes: it is missing in (9/10)^10 = 35 % of resamples.
    counts = np.zeros((10, 2))
    counts[0] = (1, 2)
    answer = bootstrap_sums(counts, lambda sums: ratio(sums[:, 0], sums[:, 1]), rng=generator())
    assert isinstance(answer, Undefined)
    assert "resamples" in answer.reason


def test_rarely_undefined_resamples_are_left_out() -> None:
    replicates = np.append(np.arange(99.0), np.nan)
    interval = percentile_interval(replicates, level=0.5)
    # Quartiles of 0..98 are 24.5 and 73.5.
    assert interval == Interval(24.5, 73.5, 0.5)


@given(st.lists(st.integers(0, 100), min_size=2, max_size=40), st.integers(0, 1000))
def test_interval_lies_within_the_scores_and_is_repeatable(scores: list[int], seed: int) -> None:
    interval = bootstrap_mean(scores, rng=generator(seed), resamples=200)
    assert isinstance(interval, Interval)
    assert min(scores) - 1e-9 <= interval.low <= interval.high <= max(scores) + 1e-9
    assert interval == bootstrap_mean(scores, rng=generator(seed), resamples=200)


def test_rows_that_repeat_are_drawn_by_how_often_they_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    # 3,000 units of three kinds: sums of a resample have the mean and the variance of 3,000 independent draws.
    kinds = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 3.0]])
    counts = np.repeat(kinds, [1500, 1000, 500], axis=0)
    monkeypatch.setattr("goldmark.stats.inference.bootstrap.EXACT_DRAWS", 0)
    sums = resampled_sums(counts, resamples=4000, rng=np.random.default_rng(1))
    assert (sums[:, 0] == 3000).all()
    # Mean 2500; one draw has mean 5/6 and variance 1000/3000 + 9 * 500/3000 - (5/6)^2 = 41/36.
    assert sums[:, 1].mean() == pytest.approx(2500, abs=4 * (3000 * 41 / 36 / 4000) ** 0.5)
    assert sums[:, 1].var() == pytest.approx(3000 * 41 / 36, rel=0.08)


def test_one_column_of_counts_is_summed_too() -> None:
    sums = resampled_sums(np.array([1, 2, 3, 4]), resamples=2000, rng=generator())
    assert sums.shape == (2000, 1)
    assert sums.mean() == pytest.approx(10, abs=0.2)
