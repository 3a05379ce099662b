from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.records.columns import Frame, MissingColumn
from goldmark.results.metric_correlations import MetricOptions, NoMetric, correlate, metric_columns
from goldmark.stats.inference.correlation_levels import affordable

FAST = MetricOptions(resamples=100, permutations=200)


@pytest.fixture(scope="module")
def scores() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    quality = np.repeat(np.linspace(0, 1, 6), 40)
    human = np.round(quality + rng.normal(0, 0.5, 240), 1)
    return {
        "system": np.repeat(np.arange(6), 40),
        "item": np.tile(np.arange(40), 6),
        "human": human,
        "good": human + rng.normal(0, 0.2, 240),
        "poor": human + rng.normal(0, 3, 240),
    }


@pytest.fixture(scope="module")
def frame(scores: dict[str, np.ndarray]) -> Frame:
    return Frame.of_columns({name: column.tolist() for name, column in scores.items()}, "scores.csv")


def test_values_agree_with_scipy(frame: Frame, scores: dict[str, np.ndarray]) -> None:
    table = correlate(frame, ["good", "poor"], FAST)[0]
    rows = {(row["level"], row["method"], row["metric"]): row for row in table.records()}
    human, good = scores["human"], scores["good"]
    means = [values.reshape(6, 40).mean(axis=1) for values in (human, good)]
    for method, function in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        assert rows["segment", method, "good"]["correlation"] == pytest.approx(function(human, good).statistic)
        assert rows["system", method, "good"]["correlation"] == pytest.approx(function(*means).statistic)
    assert rows["segment", "pearson", "good"]["n"] == 240
    assert rows["system", "pearson", "good"]["n"] == 6
    for row in rows.values():
        if row["correlation_low"] is None:  # six systems whose means are in the very same order
            assert "straight line" in str(row["reason"])
            continue
        assert row["correlation_low"] <= row["correlation"] + 0.05  # type: ignore[operator]
        assert row["correlation_high"] >= row["correlation"] - 0.05  # type: ignore[operator]


def test_within_items(frame: Frame, scores: dict[str, np.ndarray]) -> None:
    options = MetricOptions(levels=("item",), methods=("pearson",), resamples=50)
    row = correlate(frame, ["good"], options)[0].records()[0]
    by_item = [stats.pearsonr(scores["human"][i::40], scores["good"][i::40]).statistic for i in range(40)]
    assert row["correlation"] == pytest.approx(np.mean(by_item))
    assert row["n"] == 40


@pytest.mark.parametrize("test", ["permutation", "williams"])
def test_the_better_metric_is_found(frame: Frame, test: str) -> None:
    options = MetricOptions(levels=("segment",), methods=("pearson",), test=test, interval="fisher", permutations=200)  # type: ignore[arg-type]
    table, pairs = correlate(frame, ["good", "poor"], options)
    row = pairs.records()[0]
    assert row["difference"] > 0  # type: ignore[operator]
    assert row["significant"] is True
    assert all(entry["correlation_low"] is not None for entry in table.records())


def test_williams_is_for_pearson_only(frame: Frame) -> None:
    options = MetricOptions(levels=("segment",), methods=("kendall",), test="williams", interval="none")
    row = correlate(frame, ["good", "poor"], options)[1].records()[0]
    assert row["p"] is None
    assert "--test permutation" in str(row["reason"])


def test_missing_scores_are_left_out_and_told() -> None:
    frame = Frame.of_columns({"human": [1, 2, 3, None, 5], "m": [1, 2, None, 4, 6], "k": [7] * 5})
    table = correlate(frame, ["m", "k"], MetricOptions(levels=("segment",), resamples=50))[0]
    rows = table.records()
    assert rows[0]["n"] == 3
    assert rows[1]["correlation"] is None
    assert "does not vary" in str(rows[1]["reason"])
    assert table.notes == (
        "left out: 1 output of 5 without a human score",
        "left out for m: 1 output without its score",
    )


def test_many_outputs_are_resampled_less_often() -> None:
    assert affordable(1000, 500, "kendall") == 1000
    assert affordable(1000, 10_000, "kendall") == 500
    assert affordable(1000, 10_000_000, "spearman") == 200
    assert affordable(1000, 10_000_000, "pearson") == 1000


def test_columns_of_numbers_are_metrics(frame: Frame) -> None:
    assert metric_columns(frame, "human", ("item", "system")) == ["good", "poor"]
    with pytest.raises(NoMetric):
        metric_columns(Frame.of([{"human": 1, "name": "x"}]), "human", ())


def test_system_level_needs_systems(frame: Frame) -> None:
    with pytest.raises(MissingColumn, match="'system'"):
        correlate(Frame.of([{"human": 1, "m": 2}]), ["m"], FAST)
