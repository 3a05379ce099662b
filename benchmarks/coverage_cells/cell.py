"""A cell of the coverage benchmark: a figure under a design; and the simulation that tells whether it held once."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from goldmark.records.figures import Figure, Interval, Undefined

Kind = Literal["coverage", "false positives"]
SLACK = 1e-12  # an interval that ends at the truth holds it, whatever the last digit says


class Outcome(NamedTuple):
    """What came of one simulated data set."""

    # Of an interval: it held the truth. Of a test: it found a difference where there is none. None: figure refused.
    hit: bool | None
    reason: str = ""  # what the figure says of itself: why it was refused, or a warning beside its value
    numbers: tuple[float, ...] = ()  # what was printed, by which stale counts are known


def held(interval: Interval | Undefined | None, truth: float, reason: str = "") -> Outcome:
    """Of an interval, and what is said beside it."""
    if interval is None or isinstance(interval, Undefined):
        return Outcome(None, interval.reason if isinstance(interval, Undefined) else reason)
    low, high, _ = interval
    return Outcome(bool(low - SLACK <= truth <= high + SLACK), reason, (low, high))


def held_figure(figure: Figure, truth: float) -> Outcome:
    return held(None if figure.value is None else figure.interval, truth, figure.reason)


def found(p: float | None, reason: str = "", alpha: float = 0.05) -> Outcome:
    """Of a test where there is nothing to find."""
    if p is None or math.isnan(p):
        return Outcome(None, reason)
    return Outcome(bool(p <= alpha), reason, (p,))


@dataclass(frozen=True)
class Cell:
    """A figure under a design.

    `at_least` is for guarantees that go one way only, such as sets that hold for all systems at once: they may hold
    more often than they say, a test may err less often.
    """

    figure: str  # as the pages call it
    design: str  # what was simulated, in a few words
    kind: Kind
    page: str  # the page under docs/statistics that describes the figure, without .md
    level: float = 0.95  # of an interval; of a test 1 - alpha
    at_least: bool = False

    def __post_init__(self) -> None:
        if "|" in self.figure + self.design:
            raise ValueError(f"{self.name!r}: a vertical bar would break the table of the page")

    @property
    def name(self) -> str:
        return f"{self.figure}; {self.design}; {self.kind}; {self.nominal:g}"

    @property
    def nominal(self) -> float:
        """How often a hit is promised."""
        return self.level if self.kind == "coverage" else round(1 - self.level, 10)

    @property
    def band(self) -> tuple[float, float]:
        """The shares of hits that count as kept: .93 to .97 at a level of .95, and .03 to .06 of a test at .05."""
        if self.kind == "coverage":
            rest = 1 - self.level
            return self.level - 0.4 * rest, 1.0 if self.at_least else self.level + 0.4 * rest
        return 0.0 if self.at_least else 0.6 * self.nominal, 1.2 * self.nominal


@dataclass(frozen=True)
class Simulation:
    """Data sets of one design, and the cells that are judged by each of them.

    `simulate` draws a data set, makes the figures by the code that users run, and judges them: one outcome a cell.
    """

    cells: tuple[Cell, ...]
    simulate: Callable[[np.random.Generator], Sequence[Outcome]]

    @property
    def name(self) -> str:
        return self.cells[0].name

    def rng(self, replication: int) -> np.random.Generator:
        """A generator of its own for every data set, so that a run can stop and go on anywhere."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), replication])

    def replicate(self, replication: int) -> Sequence[Outcome]:
        outcomes = self.simulate(self.rng(replication))
        if len(outcomes) != len(self.cells):
            raise ValueError(f"{self.name}: {len(outcomes)} outcomes of {len(self.cells)} cells")
        return outcomes


def of_one(cell: Cell, simulate: Callable[[np.random.Generator], Outcome]) -> Simulation:
    """A simulation for one cell alone."""
    return Simulation((cell,), lambda rng: (simulate(rng),))
