"""What every function of the notebook gives: a table of figures, and those that belong to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from goldmark.errors import Failed, GoldmarkError, Missing
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.output import tables as written
from goldmark.results.pictures.files.forms import PictureForm, form_of

if TYPE_CHECKING:
    import pandas
    import polars

SHOWN = 50  # rows that are printed; a table may have many thousands
Draw = Callable[[str, PictureForm], bytes | None]  # the picture of a table; None where it is read, not looked at


class NoSuchTable(Missing, KeyError):
    code = "NOTEBOOK-01"
    message = "there is no table {name!r}{why}; there are {known}"
    __str__ = Exception.__str__  # a KeyError would show its message in quotes


class SeveralTables(GoldmarkError):
    code = "NOTEBOOK-02"
    message = "these are {count} tables; choose one of them, such as results[{first!r}]; there are {known}"


class NoFigures(Missing):
    code = "NOTEBOOK-10"
    message = "there is no table: no answer counts yet"


class NotOneRow(GoldmarkError):
    code = "NOTEBOOK-03"
    message = "{count} rows have {wanted}; name columns and values that one row has: {columns}"


class NoPicture(Missing):
    code = "NOTEBOOK-04"
    message = "the table {table!r} is read, not drawn"


class PandasMissing(Failed):
    code = "NOTEBOOK-05"
    message = "pandas is not installed; install it with: pip install pandas, or use to_polars()"


@dataclass(frozen=True, repr=False)
class Result:
    """A table of figures that prints well and turns into frames; `result["pairs"]` is another that belongs to it.

    Everything but printing is about the first table. Results of a campaign are several: choose one.
    """

    tables: Mapping[str, Table]
    notes: tuple[str, ...] = ()
    several: bool = False  # none of the tables is the one that is meant
    reasons: Mapping[str, str] = field(default_factory=dict)  # by name, why there is no such table
    draw: Draw | None = field(default=None, compare=False)
    frame: Frame | None = field(default=None, compare=False)  # what the table shows, cell by cell as in a file

    @classmethod
    def of(cls, tables: Sequence[Table], name: str) -> Result:
        """Tables of one analysis: the first gets this name, the others have theirs."""
        return cls({table.name or name: table for table in tables})

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def __getitem__(self, name: str) -> Result:
        """One table by its name."""
        if name not in self.tables:
            why = f" ({self.reasons[name]})" if self.reasons.get(name) else ""
            raise NoSuchTable(name=name, why=why, known=self._known())
        return replace(self, tables={name: self.tables[name]}, notes=(), several=False)

    def _known(self) -> str:
        return ", ".join(self.tables) or "none"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tables)

    @property
    def table(self) -> Table:
        """The table that is meant: title, columns, rows, notes, signature."""
        first = next(iter(self.tables), None)
        if first is None:
            raise NoFigures
        if self.several and len(self.tables) > 1:
            raise SeveralTables(count=len(self.tables), first=first, known=self._known())
        return self.tables[first]

    @property
    def signature(self) -> str:
        """How the figures were made."""
        return self.table.signature

    @property
    def columns(self) -> tuple[str, ...]:
        return self.table.columns

    def row(self, **wanted: Cell) -> dict[str, Cell]:
        """The one row that has these values, with its signature: `row(measure="alpha")["value"]`."""
        found = [row for row in self.to_dicts() if all(row.get(name, ...) == cell for name, cell in wanted.items())]
        if len(found) != 1:
            told = ", ".join(f"{name}={cell!r}" for name, cell in wanted.items()) or "no condition"
            raise NotOneRow(count=len(found), wanted=told, columns=", ".join(self.columns))
        return found[0]

    def to_dicts(self) -> list[dict[str, Cell]]:
        """Rows with full precision; every row says how it was made. What is not known is None."""
        signed: dict[str, Cell] = {"signature": self.signature} if self.signature else {}
        return [{**row, **signed} for row in self.table.records()]

    def to_polars(self) -> polars.DataFrame:
        """As a polars data frame."""
        return written.to_frame(self.table)

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas data frame; `attrs` has its title, notes and signature."""
        try:
            import pandas
        except ImportError:
            raise PandasMissing from None
        table = self.table
        frame = pandas.DataFrame({name: list(table.column(name)) for name in table.columns}, columns=table.columns)
        frame.attrs = {"title": table.title, "notes": list(table.notes), "signature": table.signature}
        return frame

    def to_csv(self, path: str | Path | None = None) -> str:
        """As CSV at full precision, also into a file if one is named."""
        return _kept(written.to_csv(self.table), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """As a LaTeX table (booktabs), also into a file if one is named."""
        return _kept(written.to_latex(self.table), path)

    def plot(self, path: str | Path | None = None) -> Plot:
        """The picture of a table of results, also into a file if one is named: SVG, or PNG and PDF with matplotlib."""
        form = form_of(Path(path)) if path else "svg"
        title, name = self.table.title, next(iter(self.tables))
        content = self.draw(name, form) if self.draw else None
        if content is None:
            raise NoPicture(table=title)
        if path is not None:
            Path(path).write_bytes(content)
        return Plot(content, form)

    def __str__(self) -> str:
        width = None
        if sys.stdout.isatty():
            import shutil

            width = shutil.get_terminal_size().columns
        told = [written.to_text(shortened(table), width) for table in self.tables.values()]
        return "\n".join([*told, *self.notes]) or "no tables"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        notes = "".join(f"<div>{escape(note)}</div>" for note in self.notes)
        return "".join(written.to_html(shortened(table)) for table in self.tables.values()) + notes


@dataclass(frozen=True)
class Plot:
    """A picture, which a notebook shows."""

    content: bytes = field(repr=False)
    form: str = "svg"

    def _repr_svg_(self) -> str | None:
        return self.content.decode() if self.form == "svg" else None

    def _repr_png_(self) -> bytes | None:
        return self.content if self.form == "png" else None


def shortened(table: Table, most: int = SHOWN) -> Table:
    """The same table with no more rows than people read."""
    more = len(table.rows) - most
    if more <= 0:
        return table
    return replace(table, rows=table.rows[:most]).noting(f"… and {more:,} more rows")


def _kept(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
