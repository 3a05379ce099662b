"""People with themselves, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from goldmark.stats.agreement_measures.consistency import RepeatedReadings, kappa, share_kept
from goldmark.stats.ranks.clustered_shares import share_of

NONE = np.zeros(0, dtype=np.int64)
FIRST = np.array([1, 1, 2, 2, 3, 3, 3, 1])
AGAIN = np.array([1, 2, 2, 2, 3, 1, 3, 1])
READINGS = RepeatedReadings(np.arange(8) % 4, np.arange(8) // 4)


def test_kappa_by_hand() -> None:
    # Six of eight equal; by chance (3 x 3 + 2 x 3 + 3 x 2) / 64.
    by_chance = 21 / 64
    found = kappa(READINGS, FIRST, AGAIN, ordered=False)
    assert found.value == pytest.approx((6 / 8 - by_chance) / (1 - by_chance))
    squared = kappa(READINGS, FIRST, AGAIN, ordered=True)
    apart = np.subtract.outer(FIRST, AGAIN) ** 2
    assert squared.value == pytest.approx(1 - np.mean((FIRST - AGAIN) ** 2) / apart.mean())
    assert "4 units" in found.reason
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high  # type: ignore[operator]


def test_what_cannot_be_told_has_a_reason() -> None:
    nothing = RepeatedReadings(NONE, NONE)
    assert kappa(nothing, NONE, NONE, ordered=False).reason == "nobody answered anything twice"
    assert share_kept(nothing, np.zeros(0), np.zeros(0)).value is None
    assert "without variation" in kappa(READINGS, np.ones(8), np.ones(8), ordered=True).reason
    one = RepeatedReadings(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    assert share_kept(one, np.ones(1), np.ones(1)).reason == "no interval: there is only one unit"
    assert share_kept(one, np.zeros(1), np.zeros(1)).value is None
    assert "no interval" in kappa(one, np.array([1.0]), np.array([2.0]), ordered=False).reason


def test_many_units_of_one_person_are_over_units() -> None:
    readings = RepeatedReadings(np.arange(40), np.zeros(40, dtype=np.int64))
    found = share_kept(readings, np.ones(40), (np.arange(40) % 4 > 0).astype(float))
    assert (found.value, found.reason) == (0.75, "")


def test_shares_are_over_items_and_people() -> None:
    hits, items = [True, False] * 20, [f"i{n // 4}" for n in range(40)]
    alone = share_of(hits, items)
    assert (alone.value, alone.reason) == (0.5, "")
    both = share_of(hits, items, [f"p{n % 4}" for n in range(40)])
    assert both.interval is not None
    assert share_of([], []).reason == "there is nothing to count"
