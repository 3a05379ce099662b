"""Intervals of shares: exact ones, and those of answers that hang together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from goldmark.records.figures import Interval, Undefined
from goldmark.stats.inference.proportions import (
    clustered_interval,
    exact_interval,
    few_texts,
    ratio_difference_interval,
    ratio_interval,
)
from goldmark.stats.ranks.clustered_shares import TextSums, share_of


def test_the_exact_interval_is_that_of_clopper_and_pearson() -> None:
    for successes, trials in ((0, 5), (3, 10), (10, 10)):
        known = stats.binomtest(successes, trials).proportion_ci(method="exact")
        assert exact_interval(successes, trials)[:2] == pytest.approx((known.low, known.high), abs=1e-12)


def test_independent_answers_of_very_many_people_have_wilsons_interval() -> None:
    # With p (1 - p) / n as the variance and 100,000 clusters, Student's t is the normal and n answers are worth n.
    known = stats.binomtest(300, 1000).proportion_ci(method="wilson")
    found = clustered_interval(0.3, 0.3 * 0.7 / 1000, clusters=100_000, most=1000)
    assert found[:2] == pytest.approx((known.low, known.high), abs=1e-5)


def test_answers_that_hang_together_are_worth_fewer() -> None:
    alone = clustered_interval(0.3, 0.3 * 0.7 / 1000, clusters=50, most=1000)
    together = clustered_interval(0.3, 4 * 0.3 * 0.7 / 1000, clusters=50, most=1000)
    # Four times the variance is a quarter of the answers, so about twice the width.
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(2, abs=0.02)


@pytest.mark.parametrize("clusters", [2, 3, 7, 40])
def test_a_share_of_nothing_or_all_ends_exactly_there(clusters: int) -> None:
    nothing = clustered_interval(0.0, 0.0, clusters, 68)
    everything = clustered_interval(1.0, 0.0, clusters, 68)
    assert nothing.low == 0.0 < nothing.high < 1
    assert everything.high == 1.0 > everything.low > 0
    assert nothing.high == pytest.approx(1 - everything.low)


def test_a_share_over_texts_of_one_case_each_has_wilsons_interval() -> None:
    # 200 texts with one case each, of which 60 are hits: the jackknife's variance is p (1 - p) / (n - 1).
    hits = np.repeat([1.0, 0.0], [60, 140])
    found = ratio_interval(hits, np.ones(200))
    assert isinstance(found, Interval)
    known = stats.binomtest(60, 200).proportion_ci(method="wilson")
    assert found[:2] == pytest.approx((known.low, known.high), abs=0.002)


def test_texts_without_a_case_say_nothing_of_the_share() -> None:
    hits, cases = np.array([1, 0, 2, 1]), np.array([2, 1, 2, 3])
    more = ratio_interval(np.append(hits, [0, 0]), np.append(cases, [0, 0]))
    assert more == ratio_interval(hits, cases)


@pytest.mark.parametrize(
    ("above", "below", "reason"),
    [([0, 0], [0, 0], "there is no case"), ([3, 0], [5, 0], "one text alone does not tell how texts differ")],
)
def test_a_share_of_fewer_than_two_texts_has_no_interval(above: list[int], below: list[int], reason: str) -> None:
    found = ratio_interval(np.array(above), np.array(below))
    assert found == Undefined(reason)
    whole = np.array([1, 2]), np.array([2, 4])
    assert ratio_difference_interval((np.array(above), np.array(below)), whole) == Undefined(reason)
    assert ratio_difference_interval(whole, (np.array(above), np.array(below))) == Undefined(reason)


def test_none_of_many_ends_at_nothing_and_is_not_certain() -> None:
    found = ratio_interval(np.zeros(51), np.ones(51))
    assert isinstance(found, Interval)
    assert found.low == 0.0 < found.high < 0.1


def test_cases_that_are_alike_by_luck_are_not_believed_to_be_without_variance() -> None:
    # Every text has one hit of two: the jackknife sees no variance at all, which is luck and not knowledge.
    found = ratio_interval(np.ones(10), np.full(10, 2))
    assert isinstance(found, Interval)
    assert found.high - found.low > 0.1


def test_the_difference_of_two_shares_turns_round_with_them() -> None:
    rng = np.random.default_rng(5)
    cases = rng.integers(1, 6, size=40)
    one, other = rng.binomial(cases, 0.8), rng.binomial(cases, 0.6)
    there = ratio_difference_interval((one, cases), (other, cases))
    back = ratio_difference_interval((other, cases), (one, cases))
    assert isinstance(there, Interval)
    assert isinstance(back, Interval)
    assert there[:2] == pytest.approx((-back.high, -back.low))
    assert there.low < (one.sum() - other.sum()) / cases.sum() < there.high


def test_shares_that_go_together_differ_with_more_certainty() -> None:
    rng = np.random.default_rng(6)
    cases = np.full(60, 5)
    ease = rng.random(60)
    one = rng.binomial(cases, ease)
    near = np.minimum(one + (rng.random(60) < 0.2), cases)
    together = ratio_difference_interval((near, cases), (one, cases))
    apart = ratio_difference_interval((rng.permutation(near), cases), (one, cases))
    assert isinstance(together, Interval)
    assert isinstance(apart, Interval)
    assert together.high - together.low < 0.5 * (apart.high - apart.low)


def test_the_same_share_on_every_text_tells_nothing_of_the_difference() -> None:
    pair = np.array([1, 0, 2]), np.array([2, 2, 2])
    found = ratio_difference_interval(pair, pair)
    assert isinstance(found, Undefined)
    assert "never differ" in found.reason


def test_few_texts_are_told_beside_the_share() -> None:
    assert few_texts(9).startswith("9 texts: with fewer than 10")
    assert few_texts(10) == ""


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12))
@example([(1, 2), (1, 2)])  # no variance: exactly 0 of sums, 1e-33 of single cases
def test_sums_over_texts_give_the_share_that_all_cases_give(texts: list[tuple[int, int]]) -> None:
    """For datasets too large to hold: hits and misses of each text."""
    cases = [(number, hit) for number, (hits, misses) in enumerate(texts) for hit in [1] * hits + [0] * misses]
    sizes = [(hits, hits + misses) for hits, misses in texts]
    sums = TextSums(
        hits=sum(hits for hits, _ in sizes),
        cases=len(cases),
        squares=sum(hits**2 for hits, _ in sizes),
        cross=sum(hits * size for hits, size in sizes),
        own=sum(size**2 for _, size in sizes),
    )
    one, other = sums.figure(), share_of([hit for _, hit in cases], [number for number, _ in cases])
    assert (one.value, one.used) == (other.value, other.used)
    assert (one.interval is None) == (other.interval is None)
    if one.interval is not None and other.interval is not None:
        assert one.interval[:2] == pytest.approx(other.interval[:2])
