"""The ranks that uncertain scores leave possible: from intervals that do not meet, or from tests between systems."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the standings of a board need no numpy, and a server that starts should not wait for it
    import numpy as np
    from numpy.typing import NDArray


class RankRange(NamedTuple):
    """From one above the systems that are surely better, to all systems but those that are surely worse."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


class Range(NamedTuple):
    """Where a system's true score may lie."""

    low: float
    high: float

    @classmethod
    def of(cls, low: float | None, high: float | None) -> Range:
        """Without an interval it may lie anywhere, and then nothing can be said about the order."""
        return cls(float("-inf"), float("inf")) if low is None or high is None else cls(low, high)


def by_intervals(ranges: Sequence[Range]) -> list[RankRange]:
    """A system is surely better than another if its interval lies wholly above; in the time it takes to sort them."""
    lows, highs = sorted(one.low for one in ranges), sorted(one.high for one in ranges)
    return [
        RankRange(1 + len(ranges) - bisect_right(lows, one.high), len(ranges) - bisect_left(highs, one.low))
        for one in ranges
    ]


def among(one: Range, others: Sequence[Range]) -> RankRange:
    """The rank that a further system would have among others, by the same rule."""
    above = sum(other.low > one.high for other in others)
    below = sum(other.high < one.low for other in others)
    return RankRange(1 + above, 1 + len(others) - below)


def by_tests(better: NDArray[np.bool_]) -> list[RankRange]:
    """`better[i, j]` says that system i is significantly better than j."""
    systems = len(better)
    return [RankRange(1 + int(better[:, i].sum()), systems - int(better[i].sum())) for i in range(systems)]


def clusters(order: Sequence[int], better: NDArray[np.bool_]) -> list[int]:
    """Groups in the manner of WMT: a line is drawn where everyone above is surely better than everyone below.

    `order` holds the systems, the best first.
    """
    group = [0] * len(order)
    current = 1
    for place, system in enumerate(order):
        if place and better[list(order[:place])][:, list(order[place:])].all():
            current += 1
        group[system] = current
    return group
