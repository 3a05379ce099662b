"""Each figure that relates a metric to people's scores, made from sums, from groups, and however rows are ordered."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from goldmark.stats.correlations.correlation import METHODS, Method, correlation
from goldmark.stats.correlations.correlation_levels import (
    Draws,
    Level,
    OutputSums,
    ScoredOutputs,
    Way,
    correlate,
    mean_within,
    over_outputs,
    over_systems,
    pearson_of_sums,
    relate,
    system_means,
    usual_way,
)

LEVELS: tuple[Level, ...] = ("segment", "item", "within-system", "system")
WAYS: tuple[Way, ...] = ("systems", "items", "outputs", "fisher", "none")


def draws(seed: int = 17, resamples: int = 200) -> Draws:
    return Draws(resamples, 0.95, seed)


def simulated(systems: int = 7, items: int = 20, seed: int = 1) -> ScoredOutputs:
    rng = np.random.default_rng(seed)
    system, item = np.repeat(np.arange(systems), items), np.tile(np.arange(items), systems)
    human = np.round(0.1 * system + rng.random(len(system)), 2)
    return ScoredOutputs.of(human, 30 * human + rng.normal(0, 8, len(system)), system, item)


@given(
    st.lists(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 100)), min_size=1, max_size=8), min_size=1, max_size=5)
)
def test_correlation_from_sums_is_correlation_of_all(systems: list[list[tuple[float, float]]]) -> None:
    rounded = [[(round(x, 2), round(y, 1)) for x, y in one] for one in systems]
    made = [relate(*(np.array(side) for side in zip(*one, strict=True))).sums for one in rounded]
    sums = np.array(made, dtype=float).sum(axis=0, keepdims=True)
    x, y = zip(*(pair for one in rounded for pair in one), strict=True)
    expected = correlation(x, y).value
    found = float(pearson_of_sums(sums)[0])
    assert math.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-6)


def test_sums_of_small_numbers_have_a_correlation() -> None:
    x, y = np.array([1.0, 2.0, 4.0]) * 1e-9, np.array([1.0, 3.0, 2.0])
    n = len(x)
    sums = np.array([[n, x.sum(), y.sum(), x @ x, y @ y, x @ y]])
    assert pearson_of_sums(sums)[0] == pytest.approx(stats.pearsonr(x * 1e9, y).statistic)


def test_only_outputs_with_both_scores_count() -> None:
    found = relate([1.0, np.nan, 3.0, 2.0], [2.0, 5.0, np.nan, 4.0])
    assert found.sums == OutputSums(2, 3.0, 6.0, 5.0, 20.0, 10.0)
    assert (found.spearman, found.kendall) == (1.0, 1.0)


@pytest.mark.parametrize(("level", "method", "way"), list(product(LEVELS, METHODS, WAYS)))
def test_no_digit_depends_on_the_order_of_rows(level: Level, method: Method, way: Way) -> None:
    one = simulated()
    order = np.random.default_rng(5).permutation(len(one.human))
    assert one.system is not None
    assert one.item is not None
    other = ScoredOutputs.of(one.human[order], one.metric[order], one.system[order], one.item[order])
    first, second = (correlate(some, level, method, way, draws(resamples=60)) for some in (one, other))
    assert first == second
    assert first.interval is not None or first.reason or way == "none"


@pytest.mark.parametrize("level", LEVELS)
def test_intervals_hold_the_value_and_say_what_they_draw(level: Level) -> None:
    some = simulated()
    figure = correlate(some, level, "pearson", usual_way(level, some), draws())
    assert figure.value is not None
    assert figure.interval is not None
    assert figure.interval.low < figure.value < figure.interval.high


def test_a_figure_is_the_same_whatever_was_asked_for_before() -> None:
    some, shared = simulated(), draws()
    asked = [(level, method) for level in LEVELS for method in METHODS]
    together = [correlate(some, level, method, usual_way(level, some), shared) for level, method in asked]
    alone = [correlate(some, level, method, usual_way(level, some), draws()) for level, method in reversed(asked)]
    assert together == alone[::-1]


def test_what_is_usually_drawn() -> None:
    some = simulated()
    assert [usual_way(level, some) for level in LEVELS] == ["systems", "items", "systems", "fisher"]
    nameless = some._replace(system=None)
    assert usual_way("segment", nameless) == "items"
    assert usual_way("segment", nameless._replace(item=None)) == "outputs"


def test_means_within_groups_are_those_of_scipy() -> None:
    some = simulated()
    assert some.system is not None
    within = [stats.kendalltau(some.human[some.system == s], some.metric[some.system == s]).statistic for s in range(7)]
    found = correlate(some, "within-system", "kendall", "systems", draws())
    assert found.value == pytest.approx(np.mean(within))
    assert found.used == 7


def test_systems_are_compared_by_their_means() -> None:
    some = simulated()
    human, _ = system_means(some)
    assert human == pytest.approx(some.human.reshape(7, 20).mean(axis=1))
    found = correlate(some, "system", "pearson", "fisher", draws())
    reference = stats.pearsonr(some.human.reshape(7, 20).mean(axis=1), some.metric.reshape(7, 20).mean(axis=1))
    limits = reference.confidence_interval(0.95)
    assert found.value == pytest.approx(reference.statistic)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((limits.low, limits.high))


def test_too_few_systems_have_no_interval_and_say_so() -> None:
    few = simulated(systems=4)
    for level in ("segment", "within-system", "system"):
        figure = correlate(few, level, "pearson", usual_way(level, few), draws())
        assert figure.value is not None
        assert (figure.interval, figure.reason) == (None, "4 systems; 5 are needed for an interval")
    # Whoever takes these systems as given can draw items.
    assert correlate(few, "segment", "pearson", "items", draws()).interval is not None


def test_nothing_to_relate_has_a_reason() -> None:
    assert over_outputs([], draws()).reason == "no system has both scores"
    assert over_outputs([relate([1.0], [2.0]).sums], draws()).reason == "1 pair; at least two are needed"
    assert over_outputs([relate([1.0, 1.0], [2.0, 3.0]).sums], draws()).reason == "one of the two lists does not vary"
    assert mean_within([None, None], "system", draws()).reason == "no system has two outputs whose scores differ"
    assert over_systems([1.0], [2.0], "kendall", 0.95).reason == "1 pair; at least two are needed"


def test_a_far_off_zero_does_not_drown_the_spread() -> None:
    """Sums of squares around 1e18 know nothing of differences of 1; the scores themselves do."""
    some = simulated()
    far = some._replace(metric=some.metric + 1e9)
    near, moved = (correlate(one, "segment", "pearson", "systems", draws()).value for one in (some, far))
    assert moved == pytest.approx(near, abs=1e-6)


def test_an_interval_that_a_level_cannot_have() -> None:
    some = simulated()
    within = correlate(some, "within-system", "kendall", "fisher", draws())
    assert "not for a mean of correlations" in within.reason
    assert "no items to resample" in correlate(some, "within-system", "kendall", "items", draws()).reason
