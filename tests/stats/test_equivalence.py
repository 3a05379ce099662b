"""Equal up to a margin: against scipy's one-sided tests, known sample sizes, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.stats.significance.equivalence import equivalence, equivalence_power, equivalence_to, within
from goldmark.stats.significance.power import smallest_n
from goldmark.stats.significance.tests import mean_difference_interval, mean_interval


def test_it_is_two_one_sided_tests() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(0, 1, 40), rng.normal(0.1, 2, 50)
    sides = (
        stats.ttest_ind(a + 0.8, b, equal_var=False, alternative="greater").pvalue,
        stats.ttest_ind(a - 0.8, b, equal_var=False, alternative="less").pvalue,
    )
    assert equivalence(a, b, 0.8).p == pytest.approx(max(sides))
    alone = (
        stats.ttest_1samp(a, 0.2 - 0.5, alternative="greater").pvalue,
        stats.ttest_1samp(a, 0.2 + 0.5, alternative="less").pvalue,
    )
    assert equivalence_to(a, 0.2, 0.5).p == pytest.approx(max(alone))


@pytest.mark.parametrize("seed", range(20))
def test_it_is_shown_just_where_the_interval_lies_within_the_margin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0, 1, 30), rng.normal(0.1, 1.5, 25)
    two, one = mean_difference_interval(a, b, 0.9), mean_interval(a, 0.9)
    assert two is not None
    assert one is not None
    assert (equivalence(a, b, 0.6).p < 0.05) == within(two, 0.6)  # type: ignore[operator]
    assert (equivalence_to(a, 0.0, 0.3).p < 0.05) == within(one, 0.3)  # type: ignore[operator]


def test_what_cannot_be_shown_says_why() -> None:
    assert "margin" in equivalence([1, 2], [1, 2], 0.0).reason
    assert "each needs two" in equivalence([1], [1, 2], 1.0).reason
    assert "constant" in equivalence([1, 1], [2, 2], 1.0).reason
    assert "two are needed" in equivalence_to([1], 0, 1.0).reason
    assert "equal" in equivalence_to([1, 1], 0, 1.0).reason


def test_power_against_the_formula_of_large_samples() -> None:
    # Chow, Shao and Wang: n = 2 (z_.95 + z_.95)^2 / .3^2 = 240.5 a group for a power of .9, if there is no difference.
    n = smallest_n(lambda people: equivalence_power(0.3, people), 0.9)
    assert n == pytest.approx(2 * (2 * stats.norm.ppf(0.95)) ** 2 / 0.3**2, abs=2)


@pytest.mark.parametrize(("margin", "n", "difference"), [(0.8, 20, 0.0), (0.8, 30, 0.3), (0.5, 12, 0.0)])
def test_power_against_simulation(margin: float, n: int, difference: float) -> None:
    rng = np.random.default_rng(7)
    # Studies of normal people, all at once: with equal groups and equal spreads Welch's test is nearly Student's.
    a, b = rng.normal(difference, 1, (20_000, n)), rng.normal(0, 1, (20_000, n))
    error = np.sqrt((a.var(axis=1, ddof=1) + b.var(axis=1, ddof=1)) / n)
    shown = np.abs(a.mean(axis=1) - b.mean(axis=1)) + stats.t.ppf(0.95, 2 * n - 2) * error < margin
    expected = equivalence_power(margin, n, difference=difference)
    assert shown.mean() == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 20_000))
    one = rng.normal(difference, 1, (20_000, n))
    alone = np.abs(one.mean(axis=1)) + stats.t.ppf(0.95, n - 1) * one.std(axis=1, ddof=1) / np.sqrt(n) < margin
    power = equivalence_power(margin, n, difference=difference, design="one-sample")
    assert alone.mean() == pytest.approx(power, abs=4 * np.sqrt(0.25 / 20_000))


def test_nobody_can_show_anything_alone() -> None:
    assert equivalence_power(1.0, 1) == 0.0
