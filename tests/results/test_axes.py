"""Axes with round ends and ticks, words that fit their room, numbers as they are written."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from goldmark.results.pictures.axes import SHARES, Axis, axis_for, round_axis
from goldmark.results.pictures.picture_text import cut, fit, number, percent, width_of


@pytest.mark.parametrize(
    ("values", "scale", "ends", "ticks"),
    [
        ([0.031, 0.863], None, (0, 1), 5),  # shares lie on 0 to 1, whatever their own ends
        ([0.5, 1.063], None, (0, 1.25), 6),  # never 0.031 to 1.063
        ([2.17, 11.67], None, (0, 12.5), 6),
        ([-0.278, 0.79], None, (-0.5, 1), 7),
        ([1.6, 3.4], (1.0, 4.0), (1, 4), 4),  # all of the scale, and nothing at 1.5
        ([12.0, 88.0], (0.0, 100.0), (0, 100), 6),
        ([0.2, 0.9], (0.0, 1.0), (0, 1), 5),
        ([], None, (0, 1), 5),
        ([3.0, 3.0], None, (0, 3), 4),
    ],
)
def test_an_axis_has_round_ends(
    values: list[float], scale: tuple[float, float] | None, ends: tuple[float, float], ticks: int
) -> None:
    axis = axis_for(values, scale)
    assert (axis.low, axis.high) == ends
    assert len(axis.ticks) == ticks
    assert (axis.ticks[0], axis.ticks[-1]) == ends


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_an_axis_holds_what_it_is_for(one: float, other: float) -> None:
    low, high = sorted((one, other))
    axis = round_axis(low, high)
    slack = 1e-9 * max(1.0, abs(low), abs(high))
    assert axis.low <= low + slack
    assert high - slack <= axis.high
    assert axis.low < axis.high
    assert 2 <= len(axis.ticks) <= 8
    assert all(len(axis.label(tick).strip("−").replace(",", "")) <= 12 for tick in axis.ticks)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(3, 9))
def test_its_ticks_are_round(one: float, other: float, most: int) -> None:
    """Never 0.031 to 1.063: every tick is a multiple of 1, 2, 2.5 or 5 times a power of ten, the ends too."""
    assume(abs(one - other) > 1e-3)
    axis = round_axis(min(one, other), max(one, other), most)
    step = axis.ticks[1] - axis.ticks[0]
    power = 10.0 ** math.floor(math.log10(step * (1 + 1e-9)))
    assert min(abs(step / power - known) for known in (1, 2, 2.5, 5)) < 1e-6
    assert all(abs(tick / step - round(tick / step)) < 1e-6 for tick in axis.ticks)
    assert (axis.low, axis.high) == (axis.ticks[0], axis.ticks[-1])


def test_what_was_once_drawn_from_0_031_to_1_063() -> None:
    assert axis_for([0.031, 1.063]).ticks == (0, 0.25, 0.5, 0.75, 1, 1.25)
    assert [axis_for([0.031, 1.063]).label(tick) for tick in (0, 0.25, 1.25)] == ["0", "0.25", "1.25"]


def test_a_value_lies_between_its_ticks() -> None:
    assert Axis(0, 4, (0, 2, 4)).at(1, 100, 200) == 150
    assert SHARES.label(0.25) == "0.25"
    assert Axis(-1, 1, (-1, 0, 1)).label(-1) == "−1"


def test_words_are_cut_to_their_room() -> None:
    assert cut("alder", 200) == "alder"
    long = "a-system-with-a-name-that-goes-on-v1.2"
    assert width_of(cut(long, 120)) <= 120
    assert cut(long, 120, middle=True).endswith("v1.2")  # names often differ only in the last
    assert cut(long, 1) == "…"
    assert fit(" a\n b\u202ec\x00 ") == "a b\ufffdc\ufffd"


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0"), (0.99, "0.99"), (10.889, "10.9"), (128.4, "128"), (-0.5, "−0.50"), (0.0004, "0.0004")]
)
def test_numbers_as_they_are_written(value: float, said: str) -> None:
    assert number(value) == said


def test_a_share_that_is_not_nothing_is_not_written_as_nothing() -> None:
    assert [percent(share) for share in (0, 0.001, 0.37, 1)] == ["0 %", "<1 %", "37 %", "100 %"]
