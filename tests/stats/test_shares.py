"""The interval of a share."""

from __future__ import annotations

import pytest
from scipy import special

from goldmark.stats.shares import clustered_interval


@pytest.mark.parametrize("clusters", [2, 3, 10])
def test_nothing_and_everything_end_exactly_where_shares_end(clusters: int) -> None:
    # 0 of 27: the lower end of Wilson's interval is 0 by algebra; rounding made 5.6e-17 of it.
    assert clustered_interval(0.0, 0.0, clusters, 27).low == 0.0
    assert clustered_interval(1.0, 0.0, clusters, 27).high == 1.0


def test_independent_answers_have_wilsons_interval() -> None:
    # 4 of 10, each a cluster: worth 10 answers; Wilson (1927) with t of 9 degrees of freedom in place of z.
    t = float(special.stdtrit(9, 0.975))
    middle = (0.4 + t * t / 20) / (1 + t * t / 10)
    half = t / (1 + t * t / 10) * (0.24 / 10 + t * t / 400) ** 0.5
    found = clustered_interval(0.4, 0.024, 10, 10)
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half))
