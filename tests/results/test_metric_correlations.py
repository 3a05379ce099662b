from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.records.tidy.columns import Frame, MissingColumn
from goldmark.results.metrics.metric_correlations import NoMetric, correlate, metric_columns
from goldmark.results.metrics.metric_scores import MetricOptions
from goldmark.stats.correlations.correlation_levels import affordable
from goldmark.stats.significance.tests import CORRECTIONS

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


def test_pairwise_accuracies_stand_beside_correlations(frame: Frame, scores: dict[str, np.ndarray]) -> None:
    options = MetricOptions(levels=("item", "system"), methods=("pairwise", "soft-pairwise"), permutations=50)
    table, pairs = correlate(frame, ["good", "poor"], options)
    rows = {(row["level"], row["method"], row["metric"]): row for row in table.records()}
    good, poor = (rows["item", "pairwise", name] for name in ("good", "poor"))
    assert good["correlation"] > poor["correlation"]  # type: ignore[operator]
    assert good["correlation_low"] < good["correlation"] < good["correlation_high"]  # type: ignore[operator]
    assert isinstance(good["threshold"], float)
    assert good["n"] == 40
    # Means of six systems: every pair by hand.
    human, own = (scores[name].reshape(6, 40).mean(axis=1) for name in ("human", "poor"))
    hits = [(human[i] < human[j]) == (own[i] < own[j]) for i in range(6) for j in range(i)]
    assert rows["system", "pairwise", "poor"]["correlation"] == pytest.approx(np.mean(hits))
    assert rows["system", "soft-pairwise", "good"]["correlation"] > 0.9  # type: ignore[operator]
    assert "over systems only" in str(rows["item", "soft-pairwise", "good"]["reason"])
    tested = {(row["level"], row["method"]): row for row in pairs.records()}
    assert tested["item", "pairwise"]["significant"] is True
    assert set(tested) == {("item", "pairwise"), ("system", "pairwise"), ("system", "soft-pairwise")}


@pytest.mark.parametrize("level", ["segment", "system"])
def test_single_outputs_are_swapped_as_wmt_does(frame: Frame, level: str) -> None:
    options = MetricOptions(levels=(level,), methods=("pearson", "kendall"), test="perm-both", permutations=60)  # type: ignore[arg-type]
    table, pairs = correlate(frame, ["good", "poor"], options)
    assert "swapped:outputs" in table.signature
    assert any("perm-both" in note for note in table.notes)
    for row in pairs.records():
        assert row["difference"] > 0  # type: ignore[operator]
        assert 1 / 61 <= float(row["p"] or 0) <= 1


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"])
def test_asking_often_is_corrected_as_one_says(frame: Frame, correction: str) -> None:
    options = MetricOptions(levels=("segment",), methods=("pearson",), permutations=50, correction=correction)  # type: ignore[arg-type]
    _, pairs = correlate(frame, ["good", "poor", "item"], options)
    rows = pairs.records()
    assert len(rows) == 3
    assert all(row["p_corrected"] >= row["p"] for row in rows)  # type: ignore[operator]
    made = CORRECTIONS[correction]([row["p"] for row in rows])  # type: ignore[index,misc]
    assert [row["p_corrected"] for row in rows] == made
    assert pairs.labels["p_corrected"] == f"p ({correction})"
