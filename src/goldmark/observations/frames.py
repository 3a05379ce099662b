"""Observations in memory: every table a frame of the same cells that a file would hold.

Because a frame from the database and one from an exported file have the same cells, whatever is computed from them is
the same to the last digit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from goldmark.observations.rows import COUNTING, Filter, OmittedCounts, Row, TableColumns, columns_of, rows
from goldmark.observations.schema import TABLES
from goldmark.observations.source import ObservationSource
from goldmark.protocols import Protocol
from goldmark.records.coded import Coded
from goldmark.records.columns import Frame, written
from goldmark.records.tables import Cell

ROWS_AT_ONCE = 2_000  # that become columns together
NOT_KEPT = frozenset({"text", "marked", "explanation"})  # long, different in every row, and part of no figure


@dataclass(frozen=True)
class Observations:
    """A campaign's tables, what they were made from and what was left out of them."""

    campaign: str
    protocol: Protocol
    frames: Mapping[str, Frame]
    wanted: Filter = COUNTING
    left: OmittedCounts = field(default_factory=OmittedCounts)
    gold: Frame | None = None  # curated errors in the columns of `spans`, where they are to be counted

    def __getitem__(self, table: str) -> Frame:
        return self.frames[table]

    def systems(self) -> list[str]:
        """The systems in the order of their names; empty where nobody said whose outputs these are."""
        names = {*self.frames["texts"].cells["system"]} | {
            cell for side in "ab" for cell in self.frames["comparisons"].cells.get(side, ())
        }
        return sorted(names - {""})


def collect(source: ObservationSource, wanted: Filter = COUNTING, without: Container[str] = NOT_KEPT) -> Observations:
    """All tables in memory, `without` the texts themselves. Equal cells are stored once."""
    columns, left = columns_of(source), OmittedCounts()
    made = {table: _Columns(table, columns.of(table), without) for table in TABLES}
    for table, row in rows(source, wanted, left, columns):
        made[table].add(row)
    frames = {table: Frame(f"{source.campaign}: {table}", own.cells()) for table, own in made.items()}
    return Observations(source.campaign, source.protocol, frames, wanted, left)


class _Columns:
    """The columns of one table while its rows come in."""

    def __init__(self, table: str, names: Sequence[str], without: Container[str]) -> None:
        self._columns = [None if name in without else _Column(table, name) for name in names]
        self._names = names
        self._held: list[Row] = []

    def add(self, row: Row) -> None:
        self._held.append(row)
        if len(self._held) >= ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        """Rows to columns, many at once: cell by cell would take much longer."""
        for column, values in zip(self._columns, zip(*self._held, strict=True), strict=False):
            if column is not None:
                column.extend(values)
        self._held.clear()

    def cells(self) -> dict[str, Sequence[str]]:
        self._flush()
        return {name: own.coded() for name, own in zip(self._names, self._columns, strict=True) if own is not None}


class _Column:
    """One column: the values that came so far, and of each row which of them it has."""

    def __init__(self, table: str, name: str) -> None:
        self._codes: list[NDArray[np.int32]] = []
        self._values: defaultdict[Cell, int] = defaultdict(count().__next__)
        # Our own columns hold one type each. A hidden fact may be 1 in one unit and true in another, which are equal.
        self._one_type = name in TABLES[table].all_columns

    def extend(self, values: Sequence[Cell]) -> None:
        cells = values if self._one_type else map(written, values)
        self._codes.append(np.fromiter(map(self._values.__getitem__, cells), dtype=np.int32, count=len(values)))

    def coded(self) -> Coded:
        codes = np.concatenate(self._codes) if self._codes else np.zeros(0, dtype=np.int32)
        return Coded.merged(codes, list(map(written, self._values)))


def stream(
    source: ObservationSource, wanted: Filter, left: OmittedCounts
) -> tuple[TableColumns, Iterator[tuple[str, Row]]]:
    """The columns and then the rows, of which only one is in memory at a time."""
    columns = columns_of(source)
    return columns, rows(source, wanted, left, columns)
