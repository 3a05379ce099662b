"""Observations in memory: every table a frame of the same cells that a file would hold.

Because a frame from the database and one from an exported file have the same cells, whatever is computed from them is
the same to the last digit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from goldmark.observations.filter import COUNTING, Filter
from goldmark.observations.rows import Block, OmittedCounts, Row, TableColumns, blocks, columns_of
from goldmark.observations.schema import TABLES
from goldmark.observations.source import ObservationSource
from goldmark.protocols import Protocol
from goldmark.records.tables import Cell
from goldmark.records.tidy.coded import Coded, narrowest
from goldmark.records.tidy.columns import Frame, written
from goldmark.records.tidy.packed import PackedTexts

ROWS_AT_ONCE = 500  # that become columns together
MANY, OFTEN = 10_000, 4  # with more different cells, each of which comes less often than that, a column is packed
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
    made = {table: _Columns(table, columns, without) for table in TABLES}
    for block in blocks(source, wanted, left, columns):
        made[block.table].add(block)
    frames = {table: Frame(f"{source.campaign}: {table}", own.cells()) for table, own in made.items()}
    return Observations(source.campaign, source.protocol, frames, wanted, left)


class _Columns:
    """The columns of one table while its rows come in."""

    def __init__(self, table: str, columns: TableColumns, without: Container[str]) -> None:
        names = columns.of(table)
        self._columns = {name: _Column(table, name) for name in names if name not in without}
        self._shared, self._own = ([self._columns.get(name) for name in some] for some in columns.parted(table))
        self._heads: list[Row] = []
        self._rows: list[Row] = []
        self._counts: list[int] = []

    def add(self, block: Block) -> None:
        self._heads.append(block.shared)
        self._rows.extend(block.own)
        self._counts.append(len(block.own))
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        """Rows to columns, many at once: cell by cell would take much longer."""
        for column, values in zip(self._shared, zip(*self._heads, strict=True), strict=False):
            if column is not None:
                column.extend(values, self._counts)
        for column, values in zip(self._own, zip(*self._rows, strict=True), strict=False):
            if column is not None:
                column.extend(values)
        self._heads.clear()
        self._rows.clear()
        self._counts.clear()

    def cells(self) -> dict[str, Sequence[str]]:
        self._flush()
        return {name: own.coded() for name, own in self._columns.items()}


class _Column:
    """One column: the values that came so far, and of each row which of them it has."""

    def __init__(self, table: str, name: str) -> None:
        self._codes = _Codes()
        self._values: defaultdict[Cell, int] = defaultdict(count().__next__)
        self._packed: PackedTexts | None = None  # what `_values` became
        self._cells = 0
        # Our own columns hold one type each. A hidden fact may be 1 in one unit and true in another, which are equal.
        self._one_type = name in TABLES[table].all_columns

    def extend(self, values: Sequence[Cell], times: Sequence[int] | None = None) -> None:
        """More cells, each for one row or for so many."""
        if self._packed is None:
            cells = values if self._one_type else map(written, values)
            codes = np.fromiter(map(self._values.__getitem__, cells), dtype=np.int32, count=len(values))
            known = len(self._values)
        else:
            codes = np.fromiter(map(self._packed.add, map(written, values)), dtype=np.int32, count=len(values))
            known = len(self._packed)
        self._codes.extend(codes if times is None else np.repeat(codes, times), known)
        self._cells += len(values)
        if self._packed is None and known > MANY and known * OFTEN > self._cells:
            self._packed = PackedTexts(map(written, self._values))
            self._values.clear()

    def coded(self) -> Coded:
        if self._packed is not None:
            return self._packed.coded(self._codes.whole())
        found = Coded.merged(self._codes.whole(), list(map(written, self._values)))
        self._values.clear()
        return found


class _Codes:
    """Numbers that came so far, in as few bytes as the largest of them needs."""

    def __init__(self) -> None:
        self._rows = 0
        self._held = bytearray()
        self._type: type[np.signedinteger] | None = None  # none: all are 0, as in a third of all columns

    def extend(self, codes: NDArray[np.int32], different: int) -> None:
        """More of them, of which so many are different by now."""
        if different > 1:
            wanted = narrowest(different)
            if wanted is not self._type:
                self._held = bytearray(self.whole().astype(wanted).data)
                self._type = wanted
            self._held += codes.astype(wanted).data
        self._rows += len(codes)

    def whole(self) -> NDArray[np.signedinteger]:
        if self._type is None:
            return np.broadcast_to(np.int8(0), self._rows)
        return np.frombuffer(self._held, dtype=self._type)
