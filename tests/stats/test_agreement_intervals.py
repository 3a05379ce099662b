"""Intervals of agreement: what irrCAC and scikit-learn give, and no figure that claims to be certain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from goldmark.records.tidy.columns import UnequalLengths
from goldmark.stats.agreement_measures.alpha import NotNumbers, UnknownLevel, krippendorff, percent_agreement
from goldmark.stats.agreement_measures.gwet import gwet
from goldmark.stats.agreement_measures.kappa import Weights, apart, cohen_pairs, fleiss
from goldmark.stats.agreement_measures.unit_labels import UnitLabels
from goldmark.stats.inference.jackknife import jackknife
from tests.stats.test_alpha import example

RNG = np.random.default_rng


def crowd(units: int, people: int, accuracy: float, *, seed: int = 0, values: int = 3) -> UnitLabels:
    rng = RNG(seed)
    truth = rng.integers(values, size=(units, 1))
    said = np.where(rng.random((units, people)) < accuracy, truth, rng.integers(values, size=(units, people)))
    unit, who = np.indices(said.shape)
    return UnitLabels.of(unit.ravel(), who.ravel(), said.ravel())


def everybody_agrees(units: int) -> UnitLabels:
    return UnitLabels.of(
        [u for u in range(units) for _ in "ab"], list("ab") * units, [u % 2 for u in range(units) for _ in "ab"]
    )


# irrCAC 0.4 (Gwet's own formulas) on Krippendorff's example: CAC(data, weights).gwet()["est"]["coefficient_value"].
@pytest.mark.parametrize(("weights", "published"), [("none", 0.77544), ("linear", 0.85874), ("quadratic", 0.91400)])
def test_gwets_ac_equals_irrcac(weights: Weights, published: float) -> None:
    figure = gwet(example(), weights, rng=RNG(0))
    assert figure.value == pytest.approx(published, abs=5e-6)
    assert (figure.used, figure.skipped) == (11, 1)
    assert figure.interval is not None
    assert figure.interval.low < published < figure.interval.high < 1


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_weighted_kappa_equals_scikit_learn(weights: Weights) -> None:
    rng = RNG(5)
    one = rng.integers(4, size=60)
    other = np.where(rng.random(60) < 0.6, one, rng.integers(4, size=60))
    expected = cohen_kappa_score(one, other, weights=None if weights == "none" else weights)
    labels = UnitLabels.of([*range(60), *range(60)], [0] * 60 + [1] * 60, np.concatenate([one, other]))
    assert cohen_pairs(labels, weights).mean.value == pytest.approx(expected)


def test_weights_follow_numbers_where_they_are_more_than_ranks() -> None:
    assert apart([1, 2, 10], "linear", ranked=False) == pytest.approx(np.array([[0, 1, 9], [1, 0, 8], [9, 8, 0]]) / 9)
    assert apart([1, 2, 10], "quadratic") == pytest.approx(np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0]]) / 4)


@pytest.mark.parametrize("measure", ["alpha", "fleiss", "cohen", "ac"])
def test_leaving_a_unit_out_in_closed_form_is_leaving_it_out(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = crowd(12, 2 if measure == "cohen" else 3, 0.7, seed=3)
    value: Any = {
        "alpha": lambda some: krippendorff(some).value,
        "fleiss": lambda some: fleiss(some).value,
        "cohen": lambda some: cohen_pairs(some).mean.value,
        "ac": lambda some: gwet(some).value,
    }[measure]
    seen: list[np.ndarray] = []

    def watched(without: np.ndarray, what: str = "unit") -> object:
        seen.append(without)
        return jackknife(without, what)

    for room in ("coefficients", "alpha", "kappa"):
        monkeypatch.setattr(f"goldmark.stats.agreement_measures.{room}.jackknife", watched)
    made: Any = {
        "alpha": lambda: krippendorff(labels, rng=RNG(0)),
        "fleiss": lambda: fleiss(labels, rng=RNG(0)),
        "cohen": lambda: cohen_pairs(labels),
        "ac": lambda: gwet(labels, rng=RNG(0)),
    }[measure]
    made()
    without = seen[-1]
    names = np.array(labels.unit_names)[labels.units]
    for unit in range(12):
        kept = names != unit
        own = UnitLabels.of(names[kept], labels.annotators[kept], labels.values[kept])
        assert 1 - without[unit] == pytest.approx(value(own)), unit


@pytest.mark.parametrize("units", [5, 30, 100])
def test_full_agreement_is_not_certain(units: int) -> None:
    # Wilson: of n units in which nobody differed, up to t^2 / (n + t^2) may differ in truth.
    labels = everybody_agrees(units)
    for figure in (
        percent_agreement(labels, rng=RNG(0)),
        krippendorff(labels, rng=RNG(0)),
        krippendorff(labels, "ordinal", rng=RNG(0)),
        fleiss(labels, rng=RNG(0)),
        cohen_pairs(labels).mean,
        gwet(labels, rng=RNG(0)),
    ):
        assert figure.value == pytest.approx(1)
        assert figure.interval is not None
        assert figure.interval.high == pytest.approx(1)
        assert figure.interval.low < 1 - 2 / units


def test_few_units_and_a_rare_label_are_told() -> None:
    assert "10 units" in krippendorff(crowd(10, 3, 0.8), rng=RNG(0)).reason
    assert krippendorff(crowd(60, 3, 0.8), rng=RNG(0)).reason == ""
    rare = UnitLabels.of(
        [u for u in range(100) for _ in "ab"], list("ab") * 100, [int(u < 7) for u in range(100) for _ in "ab"]
    )
    assert "7 units that have another label" in krippendorff(rare, rng=RNG(0)).reason


def test_annotators_who_were_drawn_widen_the_interval() -> None:
    rng = RNG(1)
    truth = rng.integers(3, size=(200, 1))
    accuracy = np.array([0.5, 0.6, 0.8, 0.9, 0.95, 0.99])
    said = np.where(rng.random((200, 6)) < accuracy, truth, rng.integers(3, size=(200, 6)))
    unit, who = np.indices(said.shape)
    labels = UnitLabels.of(unit.ravel(), who.ravel(), said.ravel())
    for measure in (krippendorff, percent_agreement, fleiss, gwet):
        these = measure(labels, rng=RNG(0)).interval
        others = measure(labels, rng=RNG(0), draw="units-and-annotators").interval
        assert others is not None
        assert these is not None
        assert others.high - others.low > 2 * (these.high - these.low)
    two = krippendorff(crowd(50, 2, 0.8), rng=RNG(0), draw="units-and-annotators")
    assert two.interval is None
    assert "2 annotators cannot stand for others" in two.reason
    assert "4 annotators tell little" in krippendorff(crowd(50, 4, 0.8), rng=RNG(0), draw="units-and-annotators").reason


def test_bootstraps_are_there_for_who_wants_them() -> None:
    labels = crowd(80, 3, 0.7)
    made = {how: krippendorff(labels, rng=RNG(2), method=how).interval for how in ("jackknife", "bca", "percentile")}
    for interval in made.values():
        assert interval is not None
        assert interval.low == pytest.approx(made["jackknife"].low, abs=0.03)  # type: ignore[union-attr]


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan")])
def test_what_is_missing_is_no_label(missing: object) -> None:
    labels = UnitLabels.of(["a", "a", "b", "b", "b"], [0, 1, 0, 1, 2], ["x", "x", "x", "y", missing])
    assert (len(labels), labels.scale) == (4, ["x", "y"])
    numbers = UnitLabels.of([0, 0, 1, 1], [0, 1, 0, 1], np.array([1.0, 2.0, 1.0, np.nan]))
    assert len(numbers) == 3


def test_missing_values_of_pandas_are_no_label() -> None:
    pandas = pytest.importorskip("pandas")
    for missing in (pandas.NA, pandas.NaT):
        assert len(UnitLabels.of(["a", "a"], [0, 1], ["x", missing])) == 1


def test_nonsense_is_refused() -> None:
    with pytest.raises(UnknownLevel, match="'intervall'; the levels are nominal, ordinal, interval, ratio"):
        krippendorff(example(), "intervall")  # type: ignore[arg-type]
    words = UnitLabels.of([0, 0, 1, 1], [0, 1, 0, 1], ["poor", "good", "fair", "good"])
    with pytest.raises(NotNumbers, match="'poor' is among the labels"):
        krippendorff(words, "ordinal")
    with pytest.raises(UnequalLengths, match="units has 2, annotators has 1, values has 2"):
        UnitLabels.of([0, 0], [0], [1, 1])


def test_what_no_unit_can_move_has_no_interval() -> None:
    labels = UnitLabels.of([0, 0, 1, 1, 2, 2], ["a", "b"] * 3, [1, 2, 3, 4, 5, 6])  # nobody says what another says
    [pair] = cohen_pairs(labels).pairs
    assert pair.kappa.value == pytest.approx(0)
    assert pair.kappa.interval is None
    assert "the same without any one" in pair.kappa.reason
