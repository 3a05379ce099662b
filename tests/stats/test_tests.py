from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from goldmark.stats.significance import studentized_range, tests

RNG = np.random.default_rng(5)
A, B, C = RNG.normal(size=30), RNG.normal(0.5, 2, size=40), RNG.normal(size=20)
p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_p_values_of_the_humanlike_paper() -> None:
    # HUMANLIKE footnotes 8 and 9: t(388) = -0.09, p = 0.93; F(2, 390) = 0.78, p = 0.46.
    assert tests.t_p_value(-0.09, 388) == pytest.approx(0.93, abs=0.005)
    assert tests.f_p_value(0.78, 2, 390) == pytest.approx(0.46, abs=0.005)
    # Footnote 7: t(388) = 6.58, p < 0.0001.
    assert tests.t_p_value(6.58, 388) < 0.0001


def test_the_bonferroni_level_of_the_humanlike_paper() -> None:
    # Tables 1 and 2 call p < 0.00333 significant: fifteen comparisons at 0.05.
    just_below, just_above = [0.00333] + [0.5] * 14, [0.00334] + [0.5] * 14
    assert (tests.bonferroni(just_below)[0] or 0) < 0.05 < (tests.bonferroni(just_above)[0] or 0)


def test_t_tests_agree_with_scipy() -> None:
    for ours, theirs in [
        (tests.one_sample_t(A, 0.3), stats.ttest_1samp(A, 0.3)),
        (tests.two_sample_t(A, B), stats.ttest_ind(A, B, equal_var=False)),
        (tests.two_sample_t(A, B, equal_variance=True), stats.ttest_ind(A, B)),
    ]:
        assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_interval_of_a_difference_agrees_with_scipy() -> None:
    limits = stats.ttest_ind(A, B, equal_var=False).confidence_interval(0.95)
    interval = tests.mean_difference_interval(A, B)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((limits.low, limits.high))
    assert tests.mean_difference_interval([1, 2, 3], [3, 2, 1]) is not None  # a difference of exactly 0 has one too
    assert tests.mean_difference_interval([1, 1], [2, 2]) is None


def test_anova_and_tukey_agree_with_scipy() -> None:
    outcome, explained = tests.anova([A, B, C])
    theirs = stats.f_oneway(A, B, C)
    assert (outcome.statistic, outcome.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert explained is not None
    assert 0 < explained < 1
    reference = stats.tukey_hsd(A, B, C)
    limits = reference.confidence_interval()
    for pair in tests.tukey_hsd([A, B, C]):
        place = (pair.first, pair.second)
        assert pair.p == pytest.approx(reference.pvalue[place])
        assert (pair.low, pair.high) == pytest.approx((limits.low[place], limits.high[place]))


def test_cohen_d() -> None:
    # Means 2 and 4, both of variance 1: d = -2.
    effect = tests.cohen_d([1, 2, 3], [3, 4, 5])
    assert effect.d == pytest.approx(-2)
    assert effect.interval is not None
    assert effect.interval.low < -2 < effect.interval.high


def test_interval_of_d_has_a_published_value() -> None:
    # Where d sits exactly at the limit, the observed t has probability .975: the definition, checked by scipy's nct.
    interval = tests.d_interval(0.57, 130, 130)
    scale = np.sqrt(65)
    assert stats.nct.cdf(0.57 * scale, 258, interval.low * scale) == pytest.approx(0.975, abs=1e-6)
    assert stats.nct.cdf(0.57 * scale, 258, interval.high * scale) == pytest.approx(0.025, abs=1e-6)


def test_interval_of_d_covers() -> None:
    # Simulate and recover: 95 % of the intervals should hold the true effect; 400 trials: standard error 1.1 %.
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(400):
        interval = tests.cohen_d(rng.normal(0.5, 1, 40), rng.normal(0, 1, 30)).interval
        assert interval is not None
        held += interval.low <= 0.5 <= interval.high
    assert 0.92 < held / 400 < 0.98


@given(p_lists)
def test_corrections_agree_with_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    with patch("gc.collect"):  # which it calls each time, for a fifth of a second
        holm, bonferroni = (multipletests(p_values, method=name)[1] for name in ("holm", "bonferroni"))
    assert tests.holm(p_values) == pytest.approx(list(holm))
    assert tests.bonferroni(p_values) == pytest.approx(list(bonferroni))


@given(p_lists)
def test_holm_never_asks_more_than_bonferroni(p_values: list[float]) -> None:
    for weak, strong in zip(tests.holm(p_values), tests.bonferroni(p_values), strict=True):
        assert weak is not None
        assert strong is not None
        assert weak <= strong + 1e-12


def test_tests_that_were_not_made_do_not_count() -> None:
    assert tests.bonferroni([0.01, None, 0.02]) == [0.02, None, 0.04]
    assert tests.holm([0.01, None, 0.02]) == [0.02, None, 0.02]


@pytest.mark.parametrize(
    "outcome",
    [
        tests.one_sample_t([1.0], 0),
        tests.one_sample_t([1.0, 1.0], 0),
        tests.two_sample_t([1.0, 1.0], [2.0, 2.0]),
        tests.two_sample_t([1.0], [2.0, 3.0]),
        tests.anova([[1.0, 1.0], [2.0, 2.0]])[0],
        tests.anova([[1.0, 2.0]])[0],
        tests.signed_rank([0.0, 0.0]),
        tests.rank_sum([], [1.0]),
    ],
)
def test_what_cannot_be_tested_is_explained(outcome: tests.SignificanceTest) -> None:
    assert outcome.p is None
    assert outcome.reason


def test_sign_flips_by_hand() -> None:
    # Differences 1, 1, 1: of the 8 sign patterns, 2 reach |sum| = 3, so p = 1/4.
    p = tests.sign_flips(np.ones((3, 1)), flips=20_000, rng=np.random.default_rng(1))
    assert p[0] == pytest.approx(0.25, abs=0.01)


def test_sign_flips_agree_with_scipy() -> None:
    differences = RNG.normal(0.3, 1, size=(40, 2))
    differences[3, 0] = np.nan
    p = tests.sign_flips(differences, flips=20_000, rng=np.random.default_rng(2))
    for column in range(2):
        present = differences[~np.isnan(differences[:, column]), column]
        reference = stats.permutation_test(
            (present,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(3)
        )
        assert p[column] == pytest.approx(reference.pvalue, abs=0.012)


def test_many_items_use_the_normal_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.round(np.random.default_rng(4).normal(0.02, 1, size=(6000, 3)), 1)
    limit = tests.sign_flips(differences, flips=1, rng=np.random.default_rng(1))
    monkeypatch.setattr(tests, "NORMAL_FROM", 10_000)
    drawn = tests.sign_flips(differences, flips=4000, rng=np.random.default_rng(1))
    # 4,000 flips leave a standard error of 0.008 at p = 0.5.
    assert limit == pytest.approx(drawn, abs=0.03)


def test_one_mean_and_its_distance_from_a_number() -> None:
    sample = np.asarray([0.4, 0.6, 0.6, 0.8, 0.2, 1.0, 0.6])
    expected = stats.ttest_1samp(sample, 0.5)
    interval = tests.mean_interval(sample)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx(tuple(expected.confidence_interval()), abs=1e-12)
    effect = tests.one_sample_d(sample, 0.5)
    # d = t / sqrt(n); at its ends, a t as large as ours has 2.5 % beyond it.
    assert effect.d == pytest.approx(expected.statistic / np.sqrt(7))
    assert effect.interval is not None
    for end, below in ((effect.interval.low, 0.975), (effect.interval.high, 0.025)):
        assert stats.nct.cdf(expected.statistic, 6, end * np.sqrt(7)) == pytest.approx(below, abs=1e-6)
    assert tests.mean_interval([1.0]) is None
    assert tests.one_sample_d([1.0, 1.0], 0.5).reason


def test_flipped_signs_do_not_take_the_normal_limit_where_one_difference_decides() -> None:
    # One difference of 1,000 among 5,999 of nothing: every sign gives as large a sum: p = 1.
    heavy = np.zeros((6000, 2))
    heavy[0, 0] = 1000.0
    heavy[:, 1] = np.random.default_rng(1).normal(size=6000)
    p = tests.sign_flips(heavy, flips=200, rng=np.random.default_rng(2))
    assert p[0] == 1
    assert 0 < p[1] < 1


def test_false_discovery_rates_equal_scipys() -> None:
    p = [0.01, 0.04, 0.03, 0.005, 0.5, 0.2]
    for ours, method in ((tests.benjamini_hochberg, "bh"), (tests.benjamini_yekutieli, "by")):
        assert ours([*p, None])[:-1] == pytest.approx(stats.false_discovery_control(p, method=method))
        assert ours([None]) == [None]


def test_mcnemar_by_hand_and_as_a_binomial_test() -> None:
    # Only the first right on 8 cases, only the second on 2: exact 2 P(X <= 2 of 10) = 112/1024, mid-p less P(X = 2).
    first = np.array([1] * 8 + [0] * 2 + [1] * 30, dtype=bool)
    second = np.array([0] * 8 + [1] * 2 + [1] * 30, dtype=bool)
    assert tests.mcnemar(first, second, exact=True).p == pytest.approx(stats.binomtest(8, 10).pvalue)
    assert tests.mcnemar(first, second).p == pytest.approx((112 - 45) / 1024)
    assert tests.mcnemar(first, first).p is None


def test_intervals_that_match_a_correction_leave_out_just_what_was_found() -> None:
    """p-values of z-tests: an interval of level L leaves out 0 just where p < 1 - L."""
    p_values = [0.001, 0.008, 0.012, 0.03, 0.04, 0.2, None]
    for correction, corrected in tests.CORRECTIONS.items():
        level = tests.matching_level(correction, p_values)
        found = [p is not None and p < 0.05 for p in corrected(p_values)]
        left_out = [p is not None and p <= 1 - level + 1e-12 for p in p_values]
        if correction == "holm":  # its intervals are Bonferroni's, which hold for all at once
            assert all(one or not other for one, other in zip(found, left_out, strict=True))
        else:
            assert found == left_out, correction
    assert tests.matching_level("bonferroni", p_values) == pytest.approx(1 - 0.05 / 6)
    # Benjamini-Hochberg finds five of six: 5/6 of alpha is left for each interval.
    assert tests.matching_level("benjamini-hochberg", p_values) == pytest.approx(1 - 0.05 * 5 / 6)
    assert tests.matching_level("none", []) == 0.95


@pytest.mark.parametrize(("means", "freedom"), [(2, 1), (3, 5), (4, 156), (10, 20), (20, 1000), (3, 3e6)])
def test_the_studentised_range_is_scipys(means: int, freedom: float) -> None:
    from scipy.stats import studentized_range as theirs

    assert studentized_range.quantile(0.95, means, freedom) == pytest.approx(theirs.ppf(0.95, means, freedom), rel=1e-8)
    for q in (0.5, 3.5, 7.0):
        assert studentized_range.beyond(q, means, freedom) == pytest.approx(theirs.sf(q, means, freedom), abs=1e-10)
    assert studentized_range.beyond(0.0, means, freedom) == 1.0
