from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from goldmark.records.figures import Undefined
from goldmark.records.tidy.columns import UnequalLengths
from goldmark.stats.correlations import correlation as c

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=90).filter(
    lambda rows: len({row[0] for row in rows}) > 1 and len({row[1] for row in rows}) > 1
)


@given(pairs)
def test_with_many_ties_all_agree_with_scipy(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    assert c.correlation(x, y, "pearson").value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert c.correlation(x, y, "spearman").value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assert c.correlation(x, y, "kendall").value == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)
    assert c.correlation(x, y, "kendall-c").value == pytest.approx(
        stats.kendalltau(x, y, variant="c").statistic, abs=1e-9
    )


def test_kendall_on_a_longer_list() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=5000)
    y = x + rng.normal(size=5000)
    assert c.kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@given(st.lists(st.integers(0, 50), max_size=200))
def test_inversions_by_counting(values: list[int]) -> None:
    expected = sum(values[i] > values[j] for i in range(len(values)) for j in range(i + 1, len(values)))
    assert c.inversions(np.array(values, dtype=np.int64)) == expected


@given(pairs, st.floats(0.1, 100), st.floats(-100, 100))
def test_pearson_ignores_a_change_of_scale(rows: list[tuple[int, int]], scale: float, shift: float) -> None:
    x, y = np.array(rows, dtype=float).T
    assert c.correlation(x * scale + shift, y).value == pytest.approx(c.correlation(x, y).value, abs=1e-6)


@pytest.mark.parametrize("method", c.METHODS)
def test_no_correlation_is_explained(method: c.Method) -> None:
    assert c.correlation([1.0], [2.0], method).reason
    constant = c.correlation([1, 1, 1], [1, 2, 3], method)
    assert constant.value is None
    assert "does not vary" in constant.reason


def test_fisher_interval_agrees_with_scipy() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=30)
    y = x + rng.normal(size=30)
    reference = stats.pearsonr(x, y)
    interval = c.fisher_interval(float(reference.statistic), 30)
    assert interval is not None
    limits = reference.confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((limits.low, limits.high))
    assert c.fisher_interval(0.5, 4) is None


def test_williams_has_its_documented_value() -> None:
    # Steiger (1980) lists the formula; worked here for r1 = .6, r2 = .4, r12 = .5, n = 23:
    # |R| = 1 - .36 - .16 - .25 + .24 = .47; t = .2 * sqrt(22 * 1.5 / (2 * 22/20 * .47 + .25 * .125)) = 1.1237.
    outcome = c.williams(0.6, 0.4, 0.5, 23)
    assert outcome.statistic == pytest.approx(0.2 * np.sqrt(33 / (2.2 * 0.47 + 0.25 * 0.125)))
    assert outcome.freedom == 20


def test_williams_holds_its_level() -> None:
    # Two metrics of equal quality: 5 % of 1,000 tests should reject, with a standard error of 0.7 %.
    rng = np.random.default_rng(8)
    rejected = 0
    for _ in range(1000):
        human = rng.normal(size=40)
        a, b = human + rng.normal(size=40), human + rng.normal(size=40)
        r = np.corrcoef([human, a, b])
        p = c.williams(r[0, 1], r[0, 2], r[1, 2], 40).p
        rejected += p is not None and p < 0.05
    assert 0.03 < rejected / 1000 < 0.075


def test_williams_refuses_twins() -> None:
    assert c.williams(0.5, 0.5, 1.0, 30).p is None
    assert c.williams(0.5, 0.4, 0.3, 3).p is None


@pytest.mark.parametrize("method", ["pearson", "kendall"])
def test_permutation_tells_a_good_metric_from_a_bad_one(method: c.Method) -> None:
    rng = np.random.default_rng(4)
    human = rng.normal(size=80)
    good, bad = human + rng.normal(size=80) * 0.3, human + rng.normal(size=80) * 3
    p = c.permutation(human, good, bad, method=method, permutations=300, rng=rng).p
    assert p is not None
    assert p < 0.02
    twin = c.permutation(human, good, good * 2 + 1, method=method, permutations=100, rng=rng).p
    assert twin == pytest.approx(1.0)


@pytest.mark.parametrize("method", c.METHODS)
def test_a_missing_number_is_no_perfect_correlation(method: c.Method) -> None:
    for odd in (np.nan, np.inf):
        found = c.correlation([1.0, 2.0, odd, 4.0], [1.0, 3.0, 2.0, 5.0], method)
        assert found.value is None
        assert "1 of 4 pairs lack a number" in found.reason


def test_lists_of_unequal_length_are_refused() -> None:
    with pytest.raises(UnequalLengths, match="x has 3, y has 2"):
        c.correlation([1, 2, 3], [1, 2])


def test_a_straight_line_has_no_interval() -> None:
    assert c.fisher_interval(1.0, 20) is None
    assert isinstance(c.jackknife_interval(1.0, [1.0] * 5), Undefined)


def test_whole_items_are_swapped_where_outputs_of_an_item_hang_together() -> None:
    # Two metrics that follow people equally well, with effects of items of their own: swapping single outputs takes the
    # luck of 20 items for that of 200 outputs.
    rng = np.random.default_rng(4)
    wrong = {"outputs": 0, "items": 0}
    item = np.repeat(np.arange(20), 10)
    for _ in range(60):
        human, first, second = (rng.normal(size=20)[item] * 2 + rng.normal(size=200) for _ in range(3))
        for how, items in (("outputs", None), ("items", item)):
            p = c.permutation(human, first, second, permutations=100, rng=rng, items=items).p
            wrong[how] += p is not None and p < 0.05
    assert wrong["items"] <= 10
    assert wrong["outputs"] > 15
