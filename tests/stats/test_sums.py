"""Figures made of sums: against Student's interval, against Wilson's, and where there can be none."""

from __future__ import annotations

import numpy as np
import pytest

from goldmark.records.figures import Interval
from goldmark.stats.inference.bootstrap import Floats, ratio
from goldmark.stats.inference.proportions import difference_of_intervals, ratio_interval
from goldmark.stats.inference.sums import left_out, sums_figure
from goldmark.stats.significance.tests import mean_interval


def share(sums: Floats) -> Floats:
    return ratio(sums[:, 0], sums[:, 1])


def test_the_mean_of_people_has_students_interval() -> None:
    # Everybody gave five answers, so leaving people out in turn is the variance of a mean, to the last digit.
    right = np.random.default_rng(1).binomial(5, 0.6, size=30)
    found = sums_figure(np.column_stack([right, np.full(30, 5)]), share, top=None, what="person")
    expected = mean_interval(right / 5)
    assert found.value == pytest.approx(right.mean() / 5)
    assert found.interval == pytest.approx(expected)


def test_a_share_is_that_of_recall_and_precision() -> None:
    rng = np.random.default_rng(2)
    gold = 1 + rng.poisson(4, size=25)
    hits = rng.binomial(gold, 0.7)
    found = sums_figure(np.column_stack([hits, gold]), share, most=float(gold.sum()))
    assert found.interval == pytest.approx(ratio_interval(hits, gold))


def test_what_says_nothing_does_not_count_as_evidence() -> None:
    # Three texts of ten have a case at all, all found: no surer than three texts are.
    counts = np.zeros((10, 2))
    counts[:3] = 2
    found = sums_figure(counts, share, most=6)
    assert found.interval == pytest.approx(sums_figure(counts[:3], share, most=6).interval)
    assert found.reason.startswith("3 texts")
    assert found.interval is not None
    assert found.interval.low < 0.5
    assert found.interval.high == 1.0


def test_what_never_moves_has_no_interval_of_no_width() -> None:
    counts = np.tile([1.0, 2.0], (20, 1))
    assert sums_figure(counts, share, top=None).interval is None
    assert "nothing tells how far" in sums_figure(counts, share, top=None).reason
    assert "nothing tells how far" in sums_figure(counts, share).reason
    # Where it is known how many cases there are, luck is not taken for certainty.
    known = sums_figure(counts, share, most=40).interval
    assert known is not None
    assert known.low < 0.5 < known.high


@pytest.mark.parametrize("rows", [0, 1])
def test_nothing_or_one_text_gives_a_reason(rows: int) -> None:
    found = sums_figure(np.ones((rows, 2)), share)
    assert found.interval is None
    assert found.reason == ("no interval: there is only one text" if rows else "there is nothing to count")


def test_leaving_out_is_subtracting(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.random.default_rng(3).integers(0, 9, size=(50, 2)).astype(float)
    by_hand = [np.delete(counts, row, axis=0).sum(axis=0) for row in range(50)]
    assert left_out(counts, share) == pytest.approx(share(np.array(by_hand)))
    monkeypatch.setattr("goldmark.stats.inference.sums.CELLS", 8)  # piece by piece
    assert left_out(counts, share) == pytest.approx(share(np.array(by_hand)))


def test_a_difference_of_two_symmetric_intervals_is_the_usual_one() -> None:
    # 3 ± 1 minus 1 ± 2: the half widths add up as squares, to the root of 5.
    found = difference_of_intervals((3.0, Interval(2, 4)), (1.0, Interval(-1, 3)))
    assert found == pytest.approx((2 - 5**0.5, 2 + 5**0.5, 0.95))
