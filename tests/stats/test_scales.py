"""Intervals of means of numbers that have ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.records.figures import Interval
from goldmark.stats.inference.jackknife import Spread, student_interval
from goldmark.stats.inference.proportions import wilson_interval
from goldmark.stats.inference.scales import (
    COUNT,
    OPEN,
    SHARE,
    clipped,
    ends_of,
    few_apart,
    mean_on_scale,
    scale_interval,
    told_ends,
)


def test_a_share_has_wilsons_interval() -> None:
    # 8 of 10: V = .8 * .2 / 10, so the mean is worth ten answers.
    found = scale_interval(0.8, Spread(0.016, 9), SHARE, clusters=10)
    assert found == pytest.approx(wilson_interval(0.8, 10, 9))


def test_another_scale_has_the_same_interval_on_its_own_numbers() -> None:
    found = scale_interval(1 + 4 * 0.8, Spread(16 * 0.016, 9), (1.0, 5.0), clusters=10)
    low, high, _ = wilson_interval(0.8, 10, 9)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((1 + 4 * low, 1 + 4 * high))


def test_counts_have_the_score_interval_of_a_poisson_mean() -> None:
    # 12 events in 10 texts, Poisson: V = 1.2 / 10. Rao's interval is x + z^2/2n -+ z sqrt(x/n + z^2/4n^2).
    found = scale_interval(1.2, Spread(0.12, 1e9), COUNT, clusters=10)
    z = 1.959963985
    half = z * math.sqrt(0.12 + z * z / 400)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((1.2 + z * z / 20 - half, 1.2 + z * z / 20 + half))


def test_a_scale_whose_ends_are_far_away_has_students_interval() -> None:
    own = student_interval(3.0, Spread(0.04, 20))
    for ends in ((-1e7, 1e7), OPEN):
        assert scale_interval(3.0, Spread(0.04, 20), ends, clusters=20) == pytest.approx(own, rel=1e-4)


def test_counts_are_a_scale_whose_other_end_is_far_away() -> None:
    near, far = (scale_interval(1.2, Spread(0.12, 9), ends, clusters=10) for ends in (COUNT, (0.0, 1e9)))
    assert near == pytest.approx(far, rel=1e-6)
    below = scale_interval(-1.2, Spread(0.12, 9), (-math.inf, 0.0), clusters=10)
    assert near is not None
    assert below == pytest.approx((-near.high, -near.low, 0.95))


@given(
    values=st.lists(st.integers(1, 5), min_size=2, max_size=30),
    ends=st.sampled_from([(1.0, 5.0), (0.0, 100.0), (0.0, math.inf), (-math.inf, 5.0)]),
)
def test_no_end_of_an_interval_is_impossible(values: list[int], ends: tuple[float, float]) -> None:
    found = mean_on_scale(values, ends)
    if found is not None:
        assert ends[0] <= found.low <= np.mean(values) + 1e-9
        assert np.mean(values) - 1e-9 <= found.high <= ends[1]


def test_where_nothing_varies_there_is_an_interval_only_at_the_end() -> None:
    assert mean_on_scale([3, 3, 3], (1.0, 5.0)) is None
    assert mean_on_scale([0, 0, 0], COUNT) is None
    found = mean_on_scale([5] * 20, (1.0, 5.0))
    assert found is not None
    assert found.high == 5.0
    assert 4 < found.low < 5
    assert mean_on_scale([5], (1.0, 5.0)) is None


def test_ends_are_told_or_seen() -> None:
    assert told_ends(None, None) is None
    assert told_ends(0, None) == COUNT
    assert ends_of([0.2, 0.9], None) == SHARE
    assert ends_of([0.2, 1.9], None) == OPEN
    assert ends_of([0.2, 1.9], (0.0, 5.0)) == (0.0, 5.0)
    assert ends_of([0.2, 6.0], (0.0, 5.0)) == COUNT  # an answer beyond an end shows that it is none
    assert ends_of([], (0.0, 5.0)) == (0.0, 5.0)


def test_few_answers_apart_from_the_end_are_told() -> None:
    assert few_apart([5] * 90 + [4] * 10, (1.0, 5.0)).startswith("10 of 100 answers are not at the end")
    assert few_apart([5] * 100, (1.0, 5.0)) == ""  # Wilson's interval is wide enough there
    assert few_apart([5] * 50 + [4] * 50, (1.0, 5.0)) == ""
    assert few_apart([5] * 400 + [4] * 40, (1.0, 5.0)) == ""


def test_what_is_impossible_is_cut_off() -> None:
    assert clipped(Interval(-0.2, 1.3), 0.0, 1.0) == Interval(0.0, 1.0)
    assert clipped(Interval(0.2, 0.3), 0.0, 1.0) == Interval(0.2, 0.3)
