"""Intervals of shares: exact ones, and those of answers that hang together."""

from __future__ import annotations

import pytest
from scipy import stats

from goldmark.stats.inference.proportions import clustered_interval, exact_interval


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
