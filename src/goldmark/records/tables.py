"""A finished table of figures, ready to be printed, written as CSV or LaTeX, or drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Table:
    """Rows under named columns, with what a reader must know to trust them.

    A missing number is None; why it is missing stands in the column `reason` or in `notes`.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    signature: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)  # how a column is called for people
    name: str = ""  # which of several tables of one analysis it is, in a word; nothing for the first
    reference: tuple[float, str] | None = None  # what figures are compared with where nothing is the case, and its name

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {self.title!r} has {len(row)} cells for {len(self.columns)} columns")

    @classmethod
    def of(cls, title: str, rows: Sequence[Mapping[str, Cell]], **rest: object) -> Table:
        """From dictionaries that all have the same keys in the same order."""
        columns = tuple(rows[0]) if rows else ()
        return cls(title, columns, tuple(tuple(row[column] for column in columns) for row in rows), **rest)  # type: ignore[arg-type]

    def noting(self, *notes: str) -> Table:
        """The same table with more for its reader to know."""
        return replace(self, notes=(*self.notes, *notes))

    def column(self, name: str) -> tuple[Cell, ...]:
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)

    def records(self) -> list[dict[str, Cell]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]
