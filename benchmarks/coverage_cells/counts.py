"""What was counted so far, kept beside the cells: the page of the documentation is made of nothing else.

Beside the counts of a simulation stand the numbers that its first data sets gave. Code that gives other numbers has not
been counted; so counts that are stale are known by what the code does, and a change of names makes none stale.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.coverage_cells.cell import Outcome, Simulation

KEPT = Path(__file__).with_name("counts.json")
SEEN = 2  # data sets whose numbers are kept
CLOSE = 1e-3  # relative; a search for a likeliest value ends elsewhere on another machine, by far less


class Count(NamedTuple):
    """What was seen of a cell so far."""

    made: int = 0  # data sets
    refused: int = 0
    hits: int = 0
    warned: int = 0
    reason: str = ""  # the last that was given

    def with_(self, outcome: Outcome) -> Count:
        return Count(
            self.made + 1,
            self.refused + (outcome.hit is None),
            self.hits + (outcome.hit is True),
            self.warned + (outcome.hit is not None and outcome.reason != ""),
            outcome.reason or self.reason,
        )


class Counted(NamedTuple):
    """Of one simulation: the counts of its cells, by name, and the numbers of its first data sets."""

    cells: dict[str, Count]
    seen: list[list[float]]

    @property
    def made(self) -> int:
        return min((one.made for one in self.cells.values()), default=0)


Counts = dict[str, Counted]  # by simulation


def numbers(outcomes: Sequence[Outcome]) -> list[float]:
    return [float(f"{number:.6g}") for one in outcomes for number in one.numbers]


def is_stale(simulation: Simulation, counted: Counted, data_sets: int = SEEN) -> bool:
    """Whether the code gives other numbers than those that were counted, or other cells."""
    if list(counted.cells) != [cell.name for cell in simulation.cells]:
        return True
    for place, before in enumerate(counted.seen[:data_sets]):
        now = numbers(simulation.replicate(place))
        if len(now) != len(before) or not np.allclose(now, before, rtol=CLOSE, atol=1e-6):
            return True
    return False


def replicate(simulation: Simulation, counted: Counted | None, number: int) -> Counted:
    """So many data sets more."""
    known = counted or Counted({cell.name: Count() for cell in simulation.cells}, [])
    cells, seen = dict(known.cells), list(known.seen)
    for place in range(known.made, known.made + number):
        outcomes = simulation.replicate(place)
        for cell, outcome in zip(simulation.cells, outcomes, strict=True):
            cells[cell.name] = cells[cell.name].with_(outcome)
        if place < SEEN:
            seen.append(numbers(outcomes))
    return Counted(cells, seen)


def load() -> Counts:
    if not KEPT.exists():
        return {}
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    return {
        name: Counted({cell: Count(*count) for cell, count in one["cells"].items()}, one["seen"])
        for name, one in kept.items()
    }


def save(counts: Mapping[str, Counted]) -> None:
    """A line for every simulation, so that a difference shows what was counted."""
    lines = [
        f"{json.dumps(name)}: {json.dumps({'seen': one.seen, 'cells': one.cells})}"
        for name, one in sorted(counts.items())
    ]
    partial = KEPT.with_suffix(".part")
    partial.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    partial.replace(KEPT)  # a run that is killed leaves the last whole file
