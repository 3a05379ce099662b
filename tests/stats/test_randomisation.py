"""The paired randomisation test against all swappings there are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.stats.inference.bootstrap import Floats, ratio
from goldmark.stats.significance.randomisation import paired_randomisation

Counts = list[tuple[int, int]]


def share(sums: Floats) -> Floats:
    return ratio(sums[:, :1], sums[:, 1:])


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=6
    )
)
def test_p_is_the_share_of_swappings_that_differ_as_much(rows: list[tuple[int, int, int, int]]) -> None:
    a, b = np.array([row[:2] for row in rows]), np.array([row[2:] for row in rows])
    seen = abs(a[:, 0].sum() / a[:, 1].sum() - b[:, 0].sum() / b[:, 1].sum())
    reached = 0
    for swaps in product([False, True], repeat=len(rows)):
        chosen = np.array(swaps)[:, None]
        one, two = np.where(chosen, b, a).sum(axis=0), np.where(chosen, a, b).sum(axis=0)
        reached += abs(one[0] / one[1] - two[0] / two[1]) >= seen - 1e-12
    p = paired_randomisation(a, b, share, rng=np.random.default_rng(1), resamples=5000)
    assert p[0] == pytest.approx(reached / 2 ** len(rows), abs=0.035)


def test_undefined_figures_have_no_p() -> None:
    nothing = np.zeros((3, 2))
    assert np.isnan(paired_randomisation(nothing, nothing, share, rng=np.random.default_rng(1), resamples=100)[0])
