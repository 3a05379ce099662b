"""The ranks that remain possible when it is known which systems are surely better than which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # a server that starts should not wait for numpy
    import numpy as np
    from numpy.typing import NDArray


class RankRange(NamedTuple):
    """From one above the systems that are surely better, to all systems but those that are surely worse."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


def rank_ranges(better: NDArray[np.bool_]) -> list[RankRange]:
    """`better[i, j]` says that system i is surely better than j."""
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
