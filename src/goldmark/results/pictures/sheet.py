"""What all kinds of pictures share: the rows of a table to draw, for whom they are laid out, and a sheet to draw on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from goldmark.records.tables import Cell, Table
from goldmark.results.inputs.questions import AskedQuestion
from goldmark.results.output.tables import bounds_of
from goldmark.results.pictures.axes import Axis
from goldmark.results.pictures.picture_text import fit, spoken, width_of, written
from goldmark.results.pictures.shapes import Mark, Picture, TextMark, line

WIDE, NARROW = 760.0, 320.0  # a large screen and a telephone
SMALL = 12.0  # the size of words that explain
MOST_ROWS = 240  # a picture of more is no longer looked at
MOST_SAID = 12  # figures that the words for those who cannot see it name


@dataclass(frozen=True)
class Layout:
    """For whom a picture is laid out."""

    width: float = WIDE
    titled: bool = False  # in a file of its own, a picture says what it shows
    questions: Mapping[str, AskedQuestion] = field(default_factory=dict)

    @property
    def narrow(self) -> bool:
        return self.width < 500

    def asked(self, question: str) -> AskedQuestion:
        return self.questions.get(question) or AskedQuestion(question)


@dataclass(frozen=True)
class PictureRow:
    """A row of a table: a figure and what it is a figure of."""

    question: str
    names: tuple[str, ...]
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    reason: str

    @property
    def name(self) -> str:
        return " · ".join(name for name in self.names if name) or "–" * bool(self.names)

    @property
    def ends(self) -> tuple[float, ...]:
        return tuple(end for end in (self.value, self.low, self.high) if end is not None)

    @property
    def said(self) -> str:
        """The figure in words; where there is none, why."""
        figure = (
            f"not known{f' ({self.reason})' if self.reason else ''}"
            if self.value is None
            else spoken(self.value, self.low, self.high)
        )
        return fit(f"{self.name or self.question}: {figure}")


def rows_of(table: Table) -> list[PictureRow]:
    """The rows to draw: the first column of figures, named by the columns of text before it."""
    column = figure_of(table)
    if column is None:
        return []
    before = [name for name in table.columns[: table.columns.index(column)] if name != "question"]
    told = [name for name in before if any(cell not in (None, "") for cell in table.column(name))]
    low, high = bounds_of(table, column) or ("", "")
    return [
        PictureRow(
            str(row.get("question") or ""),
            _names(row, told),
            number_of(row[column]),
            number_of(row.get(low)),
            number_of(row.get(high)),
            int(number) if (number := number_of(row.get("n"))) is not None else None,
            str(row.get("reason") or ""),
        )
        for row in table.records()
    ]


def figure_of(table: Table) -> str | None:
    """The column that is drawn: `value`, or the first that has an interval."""
    if "value" in table.columns:
        return "value"
    return next((name for name in table.columns if bounds_of(table, name)), None)


def _names(row: Mapping[str, Cell], told: Sequence[str]) -> tuple[str, ...]:
    if {"first", "second"} <= set(told):  # a difference is of the first from the second
        rest = tuple(str(row[name] or "") for name in told if name not in ("first", "second"))
        return (*rest, f"{row['first']} − {row['second']}")
    return tuple(_words(name, row[name]) for name in told)


def _words(column: str, cell: Cell) -> str:
    words = "" if cell is None else str(cell)
    return words.replace("_", " ") if column == "measure" else words  # our own word; others' names stay as they are


def number_of(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else None


def by_question(rows: Iterable[PictureRow]) -> dict[str, list[PictureRow]]:
    found: dict[str, list[PictureRow]] = {}
    for row in rows:
        found.setdefault(row.question, []).append(row)
    return found


def figure_name(table: Table) -> str:
    """What is drawn, in words."""
    column = figure_of(table) or ""
    return table.labels.get(column, table.title.lower() if column == "value" else column.replace("_", " "))


def figure_words(table: Table) -> str:
    """What is on the axis: `mean, with its 95 % interval`."""
    column, name = figure_of(table) or "", figure_name(table)
    level = re.search(r"\blevel:([0-9.]+)", table.signature)
    if bounds_of(table, column) is None:
        return name
    return f"{name}, with its {float(level.group(1)) * 100:g} % interval" if level else f"{name}, with its interval"


class Sheet:
    """A sheet that is filled from top to bottom."""

    def __init__(self, table: Table, view: Layout) -> None:
        self.table = table
        self.view = view
        self.width = view.width
        self.y = 0.0  # how far down it is filled
        self.marks: list[Mark] = []
        if view.titled:
            self.marks.append(written(0, 17, table.title, room=view.width, size=16, bold=True))
            self.y = 34.0

    def add(self, *marks: Mark) -> None:
        self.marks += marks

    def heading(self, question: str) -> None:
        """A question, in short and as it was asked."""
        if not question:
            return
        if self.marks and self.y > 34:
            self.y += 12
        name = written(0, self.y + 14, question, room=self.width, bold=True)
        self.add(name)
        asked = self.view.asked(question).ask
        start = width_of(name.text, bold=True) + 10
        if asked and fit(asked).casefold() != question.replace("_", " ").casefold() and self.width - start > 80:
            self.add(
                written(start, self.y + 14, asked, room=self.width - start, ink="ink-soft", size=SMALL),
            )
        self.y += 24

    def ticks(self, axis: Axis, left: float, length: float, y: float) -> None:
        """The numbers along an axis."""
        for tick in axis.ticks:
            self.add(TextMark(axis.at(tick, left, length), y, axis.label(tick), "ink-soft", SMALL, "middle"))

    def grid(self, axis: Axis, left: float, length: float, top: float, bottom: float) -> None:
        for tick in axis.ticks:
            x = axis.at(tick, left, length)
            self.add(line(x, top, x, bottom))

    def note(self, words: str) -> None:
        """A line of explanation below what was drawn."""
        room, rest = self.width, fit(words).split(" ")
        while rest:
            shown = [rest.pop(0)]
            while rest and width_of(" ".join([*shown, rest[0]]), SMALL) <= room:
                shown.append(rest.pop(0))
            self.add(written(0, self.y + 14, " ".join(shown), room=room, ink="ink-soft", size=SMALL))
            self.y += 17

    def done(self, said: Sequence[str], many: int | None = None) -> Picture:
        """The picture, with its figures in words: the first of so many."""
        more = (len(said) if many is None else many) - MOST_SAID
        gist = "; ".join(said[:MOST_SAID]) + (f"; and {more:,} more" if more > 0 else "")
        return Picture(
            fit(self.table.title),
            gist,
            self.width,
            round(self.y + 6),
            tuple(self.marks),
            self.table.signature,
            broad=self.width > self.view.width,
        )
