"""Designs of human evaluation, simulated: who judges which system's output on which item, and what is true.

A score is a sum of normal effects: of its system (fixed: the truth), its item, its annotator, the item under this
system, the annotator under this system, and of nothing but chance. All but the system are drawn anew for every data
set, as other items and other people would be. A scale of few steps cuts the sum at thresholds; the truth is then known
as well, because the sum is normal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Layout = Literal["crossed", "spread", "nested"]


class Simulated(NamedTuple):
    """Judgements as codes, one row a label, and the true mean of every system."""

    system: Codes
    item: Codes
    annotator: Codes
    score: Floats
    truth: tuple[float, ...]

    def names(self) -> tuple[list[str], list[str], list[str]]:
        """System, item and annotator of every row, by name."""
        return (
            [f"S{code}" for code in self.system.tolist()],
            [f"i{code:04}" for code in self.item.tolist()],
            [f"a{code:04}" for code in self.annotator.tolist()],
        )


@dataclass(frozen=True)
class Design:
    """How many of everything, who judges what, and how far effects spread (standard deviations).

    `crossed`: every annotator judges every output. `spread`: each item has `labels` annotators drawn from all, who
    judge every system on it. `nested`: every system has `annotators` of its own, of whom each item gets `labels`.
    """

    layout: Layout = "spread"
    means: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    items: int = 60
    annotators: int = 12
    labels: int = 3
    item: float = 0.5
    annotator: float = 0.4
    item_system: float = 0.3
    annotator_system: float = 0.2
    noise: float = 0.6
    cuts: tuple[float, ...] = ()  # thresholds of a scale of len(cuts) + 1 steps, valued 0 to 1; empty: as it is

    def draw(self, rng: np.random.Generator) -> Simulated:
        system, item, annotator = self._who(rng)
        systems, people = len(self.means), int(annotator.max()) + 1
        score = (
            np.asarray(self.means)[system]
            + self.item * rng.standard_normal(self.items)[item]
            + self.annotator * rng.standard_normal(people)[annotator]
            + self.item_system * rng.standard_normal((systems, self.items))[system, item]
            + self.annotator_system * rng.standard_normal((systems, people))[system, annotator]
            + self.noise * rng.standard_normal(len(system))
        )
        if self.cuts:
            score = np.searchsorted(np.asarray(self.cuts), score) / len(self.cuts)
        return Simulated(system, item, annotator, score, self.truth)

    def people(self) -> dict[str, Any]:
        """Who judges what and how people differ, for another design to take over."""
        return {one: getattr(self, one) for one in ("layout", "annotators", "labels", "annotator", "annotator_system")}

    def _who(self, rng: np.random.Generator) -> tuple[Codes, Codes, Codes]:
        systems = len(self.means)
        if self.layout == "crossed":
            grid = np.indices((systems, self.items, self.annotators)).reshape(3, -1)
            return grid[0], grid[1], grid[2]
        if self.layout == "spread":
            chosen = _some(rng, self.items, self.annotators, self.labels)
            whom = np.broadcast_to(chosen, (systems, *chosen.shape))
        else:
            whom = np.stack(
                [s * self.annotators + _some(rng, self.items, self.annotators, self.labels) for s in range(systems)]
            )
        system, item, _ = np.indices(whom.shape).reshape(3, -1)
        return system, item, np.ascontiguousarray(whom.ravel())

    @property
    def truth(self) -> tuple[float, ...]:
        """What each system would get on average of all items and all people."""
        if not self.cuts:
            return self.means
        parts = (self.item, self.annotator, self.item_system, self.annotator_system, self.noise)
        spread = math.sqrt(sum(one * one for one in parts))
        return tuple(
            float(np.mean([ndtr((mean - cut) / spread) for cut in self.cuts])) if spread else float("nan")
            for mean in self.means
        )


def _some(rng: np.random.Generator, rows: int, people: int, labels: int) -> Codes:
    """`labels` different people for every row."""
    return np.argsort(rng.random((rows, people)), axis=1)[:, :labels].astype(np.int64)


def cuts_for(shares: Sequence[float], design: Design) -> tuple[float, ...]:
    """The thresholds at which a score of mean 0 exceeds each with the given probability, the highest first."""
    from scipy.special import ndtri

    parts = (design.item, design.annotator, design.item_system, design.annotator_system, design.noise)
    spread = math.sqrt(sum(one * one for one in parts))
    return tuple(float(-ndtri(share) * spread) for share in shares)
