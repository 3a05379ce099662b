"""Observations in memory: every table a frame of the same cells that a file would hold.

Because a frame from the database and one from an exported file have the same cells, whatever is computed from them is
the same to the last digit.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from goldmark.observations.rows import COUNTING, Filter, OmittedCounts, Row, TableColumns, columns_of, rows
from goldmark.observations.schema import TABLES
from goldmark.observations.source import ObservationSource
from goldmark.protocols import Protocol
from goldmark.records.columns import Frame, written

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

    def of_question(self, table: str, question: str) -> Frame:
        """The rows of one question."""
        return kept(self.frames[table], "question", question)

    def systems(self) -> list[str]:
        """The systems in the order of their names; empty where nobody said whose outputs these are."""
        names = {*self.frames["texts"].cells["system"]} | {
            cell for side in "ab" for cell in self.frames["comparisons"].cells.get(side, ())
        }
        return sorted(names - {""})


def kept(frame: Frame, column: str, value: str) -> Frame:
    """The rows of a frame that have this value in a column."""
    return chosen(frame, [place for place, cell in enumerate(frame.cells[column]) if cell == value])


def chosen(frame: Frame, places: Iterable[int]) -> Frame:
    """Some rows of a frame."""
    places = list(places)
    cells = {name: [column[place] for place in places] for name, column in frame.cells.items()}
    return Frame(frame.source, cells, [frame.lines[place] for place in places] if frame.lines else ())


def collect(source: ObservationSource, wanted: Filter = COUNTING, without: Container[str] = NOT_KEPT) -> Observations:
    """All tables in memory, `without` the texts themselves. Equal cells are stored once."""
    columns, left = columns_of(source), OmittedCounts()
    names = {table: [name for name in columns.of(table) if name not in without] for table in TABLES}
    cells: dict[str, dict[str, list[str]]] = {table: {name: [] for name in names[table]} for table in TABLES}
    seen: dict[str, str] = {}
    held: dict[str, list[Row]] = {table: [] for table in TABLES}
    for table, row in rows(source, wanted, left, columns):
        held[table].append(row)
        if len(held[table]) >= ROWS_AT_ONCE:
            _add(held[table], cells[table], seen)
    for table, last in held.items():
        _add(last, cells[table], seen)
    frames = {table: Frame(f"{source.campaign}: {table}", own) for table, own in cells.items()}
    return Observations(source.campaign, source.protocol, frames, wanted, left)


def _add(some: list[Row], cells: Mapping[str, list[str]], seen: dict[str, str]) -> None:
    """Rows to columns, many at once: cell by cell would take twice as long."""
    for name, column in cells.items():
        values = [row.get(name) for row in some]
        texts = [value if isinstance(value, str) else "" if value is None else written(value) for value in values]
        column += map(seen.setdefault, texts, texts)
    some.clear()


def stream(
    source: ObservationSource, wanted: Filter, left: OmittedCounts
) -> tuple[TableColumns, Iterator[tuple[str, Row]]]:
    """The columns and then the rows, of which only one is in memory at a time."""
    columns = columns_of(source)
    return columns, rows(source, wanted, left, columns)
