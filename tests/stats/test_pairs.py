from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.stats.ranks import pairs
from goldmark.stats.ranks.evidence import evidence
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.pairs import NEVER_VARIES, OWN_ITEMS, NotYesOrNo, Test, compare_by_test, differences

RNG = np.random.default_rng(8)
CELLS = RNG.normal([[0.0], [0.1], [1.0]], 1, size=(3, 60))


def p_values(cells: np.ndarray, kind: Test = "permutation") -> list[float | None]:
    return compare_by_test(cells, kind, permutations=2000, rng=np.random.default_rng(1))[0]


def compared(cells: np.ndarray) -> list[pairs.Compared]:
    system, item = np.indices(cells.shape).reshape(2, -1)
    judged = Judgements.of([f"s{one}" for one in system], [f"i{one:03}" for one in item], None, cells.ravel())
    found = differences(evidence(judged), draws=400, rng=np.random.default_rng(1))
    return [found.compared(i, j, 0.95) for i in range(len(cells)) for j in range(i + 1, len(cells))]


@pytest.mark.parametrize("test", ["permutation", "signed-rank", "rank-sum"])
def test_every_pair_once_with_a_p_value(test: Test) -> None:
    first, second, third = p_values(CELLS, test)
    assert first is not None
    assert second is not None
    assert third is not None
    assert first > 0.05
    assert max(second, third) < 0.01


def test_a_difference_has_the_interval_and_p_value_of_a_paired_t_test() -> None:
    for pair, (i, j) in zip(compared(CELLS), ((0, 1), (0, 2), (1, 2)), strict=True):
        expected = stats.ttest_rel(CELLS[i], CELLS[j])
        assert pair.p == pytest.approx(expected.pvalue)
        assert pair.interval is not None
        assert pair.interval[:2] == pytest.approx(tuple(expected.confidence_interval()))
        assert pair.adjusted is not None
        assert pair.adjusted >= expected.pvalue


def test_p_values_agree_with_scipy() -> None:
    signed = stats.wilcoxon(CELLS[0] - CELLS[2], method="approx").pvalue
    assert p_values(CELLS, "signed-rank")[1] == pytest.approx(signed, rel=1e-6)
    ranked = stats.mannwhitneyu(CELLS[0], CELLS[2]).pvalue
    assert p_values(CELLS, "rank-sum")[1] == pytest.approx(ranked)


def test_mcnemar_takes_one_yes_or_no_an_item() -> None:
    cells = np.array([[1, 1, 1, 1, 1, 0, np.nan], [0, 0, 0, 0, 1, 1, 1]])
    # By hand: of the shared items four favour the first and one the second, mid-p 2 x 6/32 - 5/32.
    assert p_values(cells, "mcnemar") == pytest.approx([7 / 32])
    with pytest.raises(NotYesOrNo, match=r"there is 0\.5"):
        p_values(np.array([[1, 0.5], [0, 1]]), "mcnemar")


def test_only_shared_items_are_compared() -> None:
    cells = CELLS[:2].copy()
    cells[0, :30] = np.nan
    (pair,) = compared(cells)
    assert pair.shared == 30
    assert pair.difference == pytest.approx((cells[0, 30:] - cells[1, 30:]).mean())


def test_without_shared_items_each_is_taken_on_its_own_and_it_is_said() -> None:
    cells = np.full((2, 40), np.nan)
    cells[0, :20], cells[1, 20:] = CELLS[0, :20], CELLS[2, :20]
    (pair,) = compared(cells)
    assert pair.difference == pytest.approx(CELLS[0, :20].mean() - CELLS[2, :20].mean())
    # Welch's test.
    assert pair.p == pytest.approx(stats.ttest_ind(CELLS[0, :20], CELLS[2, :20], equal_var=False).pvalue)
    assert (pair.shared, pair.reason) == (0, OWN_ITEMS)
    assert p_values(cells) == [None]


def test_a_difference_that_never_varies_has_no_interval_and_a_sign_test() -> None:
    (pair,) = compared(np.stack([CELLS[0, :8], CELLS[0, :8] + 0.25]))
    assert pair.interval is None
    assert pair.reason == NEVER_VARIES
    assert pair.p == pytest.approx(2 / 2**8)
    (same,) = compared(np.stack([CELLS[0], CELLS[0]]))
    assert (same.p, same.reason) == (None, "no shared item differs")


def test_batches_change_nothing_but_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    together = p_values(CELLS, "signed-rank")
    monkeypatch.setattr(pairs, "CELLS", 1)
    assert p_values(CELLS, "signed-rank") == together
