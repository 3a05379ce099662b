from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.stats.ranks import pairs
from goldmark.stats.ranks.pairs import Test, compare_all

RNG = np.random.default_rng(8)
CELLS = RNG.normal([[0.0], [0.1], [1.0]], 1, size=(3, 60))


def compared(cells: np.ndarray, test: Test = "permutation") -> list[pairs.Compared]:
    return compare_all(cells, test, resamples=400, permutations=2000, level=0.95, rng=np.random.default_rng(1))


@pytest.mark.parametrize("test", ["permutation", "signed-rank", "rank-sum"])
def test_every_pair_once_with_interval_and_p(test: Test) -> None:
    found = compared(CELLS, test)
    assert [(pair.first, pair.second) for pair in found] == [(0, 1), (0, 2), (1, 2)]
    for pair in found:
        expected = CELLS[pair.first].mean() - CELLS[pair.second].mean()
        assert pair.difference == pytest.approx(expected)
        assert pair.interval is not None
        assert pair.interval.low < expected < pair.interval.high
    assert found[1].p is not None
    assert found[1].p < 0.01
    assert found[0].p is not None
    assert found[0].p > 0.05


def test_p_values_agree_with_scipy() -> None:
    signed = stats.wilcoxon(CELLS[0] - CELLS[2], method="approx").pvalue
    assert compared(CELLS, "signed-rank")[1].p == pytest.approx(signed, rel=1e-6)
    ranked = stats.mannwhitneyu(CELLS[0], CELLS[2]).pvalue
    assert compared(CELLS, "rank-sum")[1].p == pytest.approx(ranked)


def test_only_shared_items_are_compared() -> None:
    cells = CELLS[:2].copy()
    cells[0, :30] = np.nan
    (pair,) = compared(cells)
    assert pair.shared == 30
    assert pair.difference == pytest.approx((cells[0, 30:] - cells[1, 30:]).mean())


def test_without_shared_items_there_is_a_reason() -> None:
    cells = np.array([[1.0, 2.0, np.nan, np.nan], [np.nan, np.nan, 3.0, 4.0]])
    (pair,) = compared(cells)
    assert pair.p is None
    assert pair.difference is None
    assert "0 shared items" in pair.reason


def test_batches_change_nothing_but_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    together = compared(CELLS, "signed-rank")
    monkeypatch.setattr(pairs, "CELLS", 1)
    apart = compared(CELLS, "signed-rank")
    assert [(pair.difference, pair.p) for pair in apart] == [(pair.difference, pair.p) for pair in together]
