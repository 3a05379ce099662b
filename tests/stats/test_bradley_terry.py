from __future__ import annotations

import numpy as np
import pytest

from goldmark.stats.mixed_models.linear_mixed import NothingToFit
from goldmark.stats.models.bradley_terry import FIRST, SECOND, TIE, bradley_terry


def counted(*cells: tuple[int, int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First, second and outcome of every comparison, from (first, second, outcome, how often)."""
    first, second, outcome, times = (np.array(column) for column in zip(*cells, strict=True))
    return np.repeat(first, times), np.repeat(second, times), np.repeat(outcome, times)


def test_two_systems_in_both_orders() -> None:
    # log(30/10) = d + o where A is shown first, log(18/12) = -d + o where B is: d and o by hand.
    data = counted((0, 1, FIRST, 30), (0, 1, SECOND, 10), (1, 0, FIRST, 18), (1, 0, SECOND, 12))
    found = bradley_terry(*data)
    assert found.strengths[0] - found.strengths[1] == pytest.approx((np.log(3) - np.log(1.5)) / 2)
    assert found.order == pytest.approx((np.log(3) + np.log(1.5)) / 2)
    assert found.tie is None
    # A saturated model fits: nothing is left to check. The variance of a log odds is 1/a + 1/b, of half the difference
    # of two a quarter of their sum.
    assert found.misfit == pytest.approx(0, abs=1e-9)
    assert found.misfit_p is None
    error = np.sqrt((1 / 30 + 1 / 10 + 1 / 18 + 1 / 12) / 4)
    figure = found.figure([1, -1, 0])
    assert figure.interval is not None
    assert figure.interval.high - figure.interval.low == pytest.approx(2 * 1.959964 * error, rel=1e-5)


def test_ties_of_two_systems() -> None:
    # Davidson: wins 20 and 5, ties 10: e^tie = 10 / sqrt(20 * 5) = 1, and the strengths differ by log(20 / 5).
    found = bradley_terry(*counted((0, 1, FIRST, 20), (0, 1, SECOND, 5), (0, 1, TIE, 10)))
    assert found.order is None  # always shown in the same order
    assert found.tie == pytest.approx(0, abs=1e-8)
    assert found.strengths[0] - found.strengths[1] == pytest.approx(np.log(4))


def test_an_effect_of_order_without_end_is_left_out() -> None:
    # B is preferred only when it is shown first, and then always: the larger the effect of order, the better it fits.
    found = bradley_terry(*counted((0, 1, FIRST, 7), (1, 0, FIRST, 4), (1, 0, TIE, 2)))
    assert found.order is None
    assert found.order_endless
    # Davidson without order: the strengths differ by the log of wins to wins, 7 to 4.
    assert found.strengths[0] - found.strengths[1] == pytest.approx(np.log(7 / 4), abs=1e-6)


def test_what_was_simulated_is_recovered_and_people_widen_the_intervals() -> None:
    rng = np.random.default_rng(3)
    truth, order, tie = np.array([0.6, 0.1, -0.7]), 0.3, -0.5
    first, second, person = rng.integers(0, 3, 3000), rng.integers(0, 3, 3000), rng.integers(0, 12, 3000)
    kept = first != second
    first, second, person = first[kept], second[kept], person[kept]
    odds = np.exp(np.column_stack([truth[first] + order, truth[second], tie + (truth[first] + truth[second]) / 2]))
    share = (odds / odds.sum(axis=1, keepdims=True)).cumsum(axis=1)
    outcome = (rng.random((len(first), 1)) > share).sum(axis=1)
    found = bradley_terry(first, second, outcome, person)
    assert found.strengths == pytest.approx(truth, abs=0.15)
    assert found.order == pytest.approx(order, abs=0.15)
    assert found.tie == pytest.approx(tie, abs=0.15)
    assert found.clusters.people is not None
    assert found.people == 12
    assert found.misfit_p is not None
    assert found.misfit_p > 0.01
    assert (found.cycles, found.triples) == (0, 1)


def test_rock_paper_scissors_is_a_cycle_that_does_not_fit() -> None:
    wins = [(a, b, FIRST, 18) for a, b in ((0, 1), (1, 2), (2, 0))] + [
        (a, b, SECOND, 2) for a, b in ((0, 1), (1, 2), (2, 0))
    ]
    found = bradley_terry(*counted(*wins), order=False)
    assert found.cycles == 1
    assert found.strengths == pytest.approx([0, 0, 0], abs=1e-8)
    assert found.misfit_p is not None
    assert found.misfit_p < 0.001


def test_a_system_that_always_wins_has_no_strength() -> None:
    with pytest.raises(NothingToFit, match="has no limit"):
        bradley_terry(*counted((0, 1, FIRST, 9), (1, 2, FIRST, 5), (1, 2, SECOND, 5)))
