"""One cell of the coverage benchmark: a figure, a design, and a function that says whether the figure held once."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

Kind = Literal["coverage", "false positives"]


class Outcome(NamedTuple):
    """What came of one simulated data set."""

    # Of an interval: it held the truth. Of a test: it found a difference where there is none. None: figure refused.
    hit: bool | None
    reason: str = ""  # what the figure says of itself: why it was refused, or a warning beside its value


@dataclass(frozen=True)
class Cell:
    """A figure under a design. `simulate` draws a data set, makes the figure by the code that users run, and judges it.

    `at_least` is for guarantees that go one way only, such as sets that hold for all systems at once: they may hold
    more often than they say, a test may err less often.
    """

    figure: str  # as the pages call it
    design: str  # what was simulated, in a few words
    kind: Kind
    simulate: Callable[[np.random.Generator], Outcome]
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

    def rng(self, replication: int) -> np.random.Generator:
        """A generator of its own for every replication, so that a run can stop and go on anywhere."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), replication])
