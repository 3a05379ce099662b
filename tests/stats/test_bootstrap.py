"""Bootstrap intervals: against their theory, and where there can be none."""

from __future__ import annotations

import numpy as np
import pytest

from goldmark.records.figures import Interval, Undefined
from goldmark.stats.inference import bootstrap
from goldmark.stats.inference.bootstrap import bca_interval, percentile_interval, ratio, resampled_weights


def generator(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


def replicates(scores: np.ndarray, resamples: int = 4000) -> np.ndarray:
    chunks = resampled_weights(len(scores), resamples=resamples, rng=generator(6))
    return np.concatenate([weights @ scores / len(scores) for weights in chunks])


def test_mean_of_normal_scores_has_the_normal_interval() -> None:
    # For n scores with standard deviation s the bootstrap mean is close to Normal(mean, s / sqrt(n)).
    scores = generator().normal(3, 2, size=1000)
    error = 1.96 * scores.std() / np.sqrt(1000)
    without = (scores.sum() - scores) / 999
    for interval in (
        percentile_interval(replicates(scores)),
        bca_interval(replicates(scores), float(scores.mean()), without),
    ):
        assert isinstance(interval, Interval)
        assert interval.low == pytest.approx(scores.mean() - error, abs=error / 8)
        assert interval.high == pytest.approx(scores.mean() + error, abs=error / 8)


def test_bca_leans_where_the_scores_do() -> None:
    # Of 20 exponential scores the interval that covers reaches further up than the percentiles do.
    scores = generator(3).exponential(size=20)
    without = (scores.sum() - scores) / 19
    plain = percentile_interval(replicates(scores))
    leaning = bca_interval(replicates(scores), float(scores.mean()), without)
    assert isinstance(plain, Interval)
    assert isinstance(leaning, Interval)
    assert leaning.high > plain.high
    assert leaning.low > plain.low


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


def test_interval_is_refused_when_the_figure_is_often_undefined() -> None:
    # One unit of ten has mistakes: it is missing in (9/10)^10 = 35 % of resamples.
    counts = np.zeros((10, 2))
    counts[0] = (1, 2)
    sums = np.concatenate([weights @ counts for weights in resampled_weights(10, resamples=1000, rng=generator())])
    answer = percentile_interval(ratio(sums[:, 0], sums[:, 1]))
    assert isinstance(answer, Undefined)
    assert "resamples" in answer.reason


def test_rarely_undefined_resamples_are_left_out() -> None:
    replicates = np.append(np.arange(99.0), np.nan)
    interval = percentile_interval(replicates, level=0.5)
    # Quartiles of 0..98 are 24.5 and 73.5.
    assert interval == Interval(24.5, 73.5, 0.5)
