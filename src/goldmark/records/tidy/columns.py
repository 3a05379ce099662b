"""One column vocabulary for every statistic: what a tidy table must hold, checked in one place.

A `Frame` is a table as it was read: cells are text, each row remembers its line. `Columns` says which columns a
statistic needs and what may stand in them; `check` returns typed lists, or every problem at once with file and line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.records.tidy.coded import Coded

Kind = Literal["text", "number", "whole", "yes"]
YES = frozenset({"yes", "y", "true", "t", "1"})
NO = frozenset({"no", "n", "false", "f", "0"})
EMPTY = frozenset({"", "na", "nan", "null", "none"})  # how R, pandas and JSON write a cell without a value
NOT_GIVEN = frozenset({"", "na", "nan", "<na>", "null"})  # those of them that are no answer; "none" may well be one
# How values that are no text are written: None, NaN and the missing values of pandas as nothing, also those of numpy.
SPOKEN = {**dict.fromkeys(("None", "nan", "NaN", "<NA>", "NaT"), ""), "True": "true", "False": "false"}


EXPORTED = ("unit", "annotator", "question")  # every table of an exported campaign has these
# What such tables call what statistics ask for.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "answer": ("label", "value"),
    "category": ("label",),
    "comment": ("unit",),
    "evaluator": ("annotator",),
    "group": ("label",),
    "label": ("value",),
    "score": ("value",),
    "task": ("question",),
    "text": ("unit",),
    "value": ("label",),
}
IDS = ("comment", "text")  # what statistics call so is an id; in an exported table it would be somebody's words


class MissingColumn(GoldmarkError):
    code = "COLUMN-01"
    message = "needs {needed}; {source} has {present}{remedy}"


class JsonInCells(GoldmarkError):
    """A cell with a list or an object is several values; compared as a string it would be none of them."""

    code = "COLUMN-02"
    message = (
        "{where}  column {column!r} holds JSON ({cell}), where one value is needed; export the campaign with "
        "--format tidy and use its ratings.csv, choices.csv or spans.csv, with --keep question=NAME if it has several"
    )


class UnequalLengths(GoldmarkError):
    code = "COLUMN-03"
    message = "{lengths}: there must be as many of each, one for every row"


def same_length(**columns: Sized) -> None:
    """Raise unless all columns have as many entries."""
    if len({len(column) for column in columns.values()}) > 1:
        told = ", ".join(f"{name} has {len(column):,}" for name, column in columns.items())
        raise UnequalLengths(lengths=told)


@dataclass(frozen=True)
class Frame:
    """A tidy table as it was read. Every column has one cell per row; an empty cell is the empty string."""

    source: str
    cells: Mapping[str, Sequence[str]]
    lines: Sequence[int] = field(default=())  # the line each row stands on, where it came from a file

    def __len__(self) -> int:
        return len(next(iter(self.cells.values()), ()))

    @classmethod
    def of(cls, records: Iterable[Mapping[str, object]], source: str = "table") -> Frame:
        """From dictionaries; a key that a record does not have is an empty cell."""
        rows = list(records)
        names = list(dict.fromkeys(name for row in rows for name in row))
        return cls(source, {name: [written(row.get(name)) for row in rows] for name in names})

    @classmethod
    def of_columns(cls, columns: Mapping[str, Iterable[object]], source: str = "table") -> Frame:
        """From columns of equal length: plain lists, arrays, or a data frame's series."""
        cells = {name: [written(value) for value in values] for name, values in columns.items()}
        same_length(**{f"column {name!r} of {source}": values for name, values in cells.items()})
        return cls(source, cells)

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> Frame:
        """Only these rows, which keep their lines."""
        places = np.asarray(rows, dtype=np.int64)
        lines = [self.lines[row] for row in places.tolist()] if len(self.lines) else ()
        return Frame(self.source, PickedCells(self.cells, places), lines)

    def coded(self, name: str) -> Coded:
        """A column as numbers, to be counted and compared quickly."""
        return Coded.of(self.cells[name])

    @property
    def is_export(self) -> bool:
        """Whether this looks like a table of an exported campaign, whose columns have our names."""
        return all(name in self.cells for name in EXPORTED)

    def where(self, row: int) -> str:
        """How to find a row again: `ratings.csv:17`, or its number where there is no file."""
        return f"{self.source}:{self.lines[row]}" if len(self.lines) else f"{self.source}, row {row + 1}"


class PickedCells(Mapping[str, Sequence[str]]):
    """Some rows of columns. A column is picked when it is first asked for: most figures need a few of thirty."""

    def __init__(self, cells: Mapping[str, Sequence[str]], places: NDArray[np.int64]) -> None:
        self._cells, self._places = cells, places
        self._picked: dict[str, Sequence[str]] = {}

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self._picked:
            column = self._cells[name]
            self._picked[name] = (
                column.take(self._places)
                if isinstance(column, Coded)
                else [column[row] for row in self._places.tolist()]
            )
        return self._picked[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)


def written(value: object) -> str:
    """A value as it would stand in a file; what is missing in a data frame is an empty cell."""
    if isinstance(value, str):
        return value
    if not isinstance(value, int | float | bytes) and isinstance(value, Iterable):
        return json.dumps(value if isinstance(value, dict) else list(value), ensure_ascii=False, default=str)
    text = str(value)
    return SPOKEN.get(text, text)


@dataclass(frozen=True)
class Column:
    """What one column means and what may stand in it."""

    name: str
    kind: Kind = "text"
    about: str = ""
    optional: bool = False  # the table may lack this column
    empty: bool = False  # a cell may be empty; it is then None
    low: float | None = None
    high: float | None = None
    among: tuple[str, ...] = ()  # the only values allowed, if any are named
    free: bool = False  # words of any kind, which may look like JSON
    label: bool = False  # an answer: NA and NaN are none, whether the column holds words or numbers; "none" is a word


@dataclass(frozen=True)
class CheckedColumns:
    """The columns a statistic asked for, typed; None where an allowed cell is empty."""

    frame: Frame
    values: Mapping[str, Sequence[object]]
    names: Mapping[str, str]  # how the file calls each column

    def __len__(self) -> int:
        return len(self.frame)

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def texts(self, name: str) -> list[str]:
        """Text cells; an allowed empty cell is the empty string."""
        return ["" if value is None else str(value) for value in self.values[name]]

    def numbers(self, name: str) -> list[float | None]:
        return [None if value is None else float(value) for value in self.values[name]]  # type: ignore[arg-type]

    def filled(self, name: str) -> list[float]:
        """Numbers of a column that allows no empty cell."""
        return [float(value) for value in self.values[name]]  # type: ignore[arg-type]

    def yes(self, name: str) -> list[bool | None]:
        return [None if value is None else bool(value) for value in self.values[name]]


class Columns:
    """The columns a statistic needs: `Columns("text", "annotator", Column("score", "number"))`."""

    def __init__(self, *columns: str | Column) -> None:
        self.columns = tuple(Column(column) if isinstance(column, str) else column for column in columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def called(self, frame: Frame, names: Mapping[str, str] | None = None, *, exported: bool = False) -> dict[str, str]:
        """How a table calls each column, or would have to; see `check`."""
        own = {column.name: (names or {}).get(column.name) or column.name for column in self.columns}
        return {name: _found(frame, name) if exported and name == said else said for name, said in own.items()}

    def check(
        self, frame: Frame, names: Mapping[str, str] | None = None, *, options: bool = False, exported: bool = False
    ) -> CheckedColumns:
        """Typed columns, or every problem at once.

        `names` maps our word to the file's own; `options` says that the command has an option per column, so that
        the remedy can name it. `exported` says that tables of exported campaigns are understood too: their columns are
        found by `ALIASES`.
        """
        called = self.called(frame, names, exported=exported)
        missing = [
            column
            for column in self.columns
            if called[column.name] not in frame.cells and not (column.optional and called[column.name] == column.name)
        ]
        if missing:
            name = missing[0].name
            remedy = f"; name yours with --{name} COLUMN, in Python with {name}=COLUMN" if options else ""
            raise MissingColumn(
                needed=", ".join(repr(called[column.name]) for column in missing),
                source=frame.source,
                present=", ".join(frame.cells) or "no columns",
                remedy=remedy,
            )
        problems: list[Problem] = []
        values: dict[str, Sequence[object]] = {}
        for column in self.columns:
            if called[column.name] in frame.cells:
                values[column.name] = _typed(frame, column, called[column.name], problems)
        if problems:
            # People mend a file from top to bottom, so problems come in the file's order, not the columns'.
            raise ProblemsFound(sorted(problems, key=line_of), consequence="nothing was computed")
        return CheckedColumns(frame, values, called)


def _found(frame: Frame, name: str) -> str:
    """What a table calls a column that nobody has named."""
    names = (name, *ALIASES.get(name, ()))
    if name in IDS and frame.is_export:
        names = names[::-1]
    return next((one for one in names if one in frame.cells), name)


def refuse_json(frame: Frame, column: str) -> None:
    """Raise if a cell of the column holds a list or an object of JSON."""
    cells = frame.cells.get(column, ())
    for cell in dict.fromkeys(cells):  # names and labels come again and again
        text = cell.strip()
        if text[:1] in ("[", "{") and _is_json(text):
            short = text if len(text) <= 40 else f"{text[:39]}…"
            raise JsonInCells(where=frame.where(cells.index(cell)), column=column, cell=short)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False


def line_of(problem: Problem) -> int:
    """The line or row that a problem is on, to put problems in the order of their file."""
    digits = problem.where.rpartition(":")[2].rpartition(" ")[2]
    return int(digits) if digits.isdigit() else 0


def _typed(frame: Frame, column: Column, called: str, problems: list[Problem]) -> list[object]:
    if not column.free:
        refuse_json(frame, called)
    read = READERS[column.kind]
    empty = NOT_GIVEN if column.label else frozenset({""}) if column.kind == "text" else EMPTY
    typed: list[object] = []
    known: dict[str, object] = {}  # names and labels come again and again
    for row, cell in enumerate(frame.cells[called]):
        if cell in known:
            typed.append(known[cell])
            continue
        text = cell.strip()
        # A text column may well hold the word "none"; only other kinds read such words as "no value".
        if text == "" or (text not in column.among and text.lower() in empty):
            typed.append(None)
            if not column.empty:
                problems.append(
                    Problem(frame.where(row), f"column {called!r} is empty", "fill it or leave out the row", called)
                )
            continue
        value = read(text)
        wrong = _wrong(value, text, column)
        if wrong:
            problems.append(Problem(frame.where(row), f"column {called!r} holds {cell!r}", wrong, called))
        else:
            known[cell] = value
        typed.append(value)
    return typed


def _wrong(value: object, text: str, column: Column) -> str:
    """What should have stood there, or nothing if all is well."""
    if value is None:
        return {"number": "a number is needed", "whole": "a whole number is needed", "yes": "yes or no is needed"}[
            column.kind
        ]
    if column.among and text not in column.among:
        return f"one of {', '.join(column.among)} is needed"
    if isinstance(value, float | int) and not isinstance(value, bool):
        if column.low is not None and value < column.low:
            return f"at least {column.low:g} is needed"
        if column.high is not None and value > column.high:
            return f"at most {column.high:.15g} is needed"
    return ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _whole(text: str) -> int | None:
    value = _number(text)
    return int(value) if value is not None and value == int(value) else None


def _yes(text: str) -> bool | None:
    word = text.lower()
    return True if word in YES else False if word in NO else None


READERS: Mapping[Kind, Callable[[str], object]] = {"text": str, "number": _number, "whole": _whole, "yes": _yes}
