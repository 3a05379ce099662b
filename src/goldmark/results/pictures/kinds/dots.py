"""A dot for each figure and a whisker for its interval, by question; what is not known is said in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from goldmark.records.tables import Table
from goldmark.results.pictures.axes import Axis, axis_for
from goldmark.results.pictures.picture_text import number, width_of, written
from goldmark.results.pictures.shapes import Dot, Picture, TextMark, line
from goldmark.results.pictures.sheet import (
    MOST_ROWS,
    SMALL,
    Layout,
    PictureRow,
    Sheet,
    by_question,
    figure_words,
    rows_of,
)

MOST_PAIRS = 60  # differences that are drawn; those of the best system come first
LABELLED_ABOVE_TOO = 16  # rows from which one would have to scroll down for the numbers of the axis
SCALED = frozenset({"ratings"})  # figures that lie on the scale that people answered on


def dots(name: str, table: Table, view: Layout) -> Picture | None:
    """The figures of a table; None where it has none."""
    every = rows_of(table)
    if all(row.value is None for row in every):
        return None
    if len({row.question for row in every}) == len(every) and not any(row.name for row in every):
        every = [replace(row, question="", names=(row.question,)) for row in every]
    every = _told_apart(every)
    shown = every[: MOST_PAIRS if {"first", "second"} <= set(table.columns) else MOST_ROWS]
    panels = by_question(shown)
    reference = table.reference
    axes = _axes(panels, name, reference, view)
    known = [question for question, own in panels.items() if any(row.value is not None for row in own)]
    alike = len({axes[question] for question in known}) <= 1
    sheet = Sheet(table, view)
    left, length = _columns(shown, view)
    for question, own in panels.items():
        axis = axes[question]
        sheet.heading(question)
        if reference and known[:1] == [question]:
            _say_reference(sheet, reference, axis, left, length)
        if question in known and len(own) > LABELLED_ABOVE_TOO:
            sheet.ticks(axis, left, length, sheet.y + 12)
            sheet.y += 18
        _panel(sheet, own, axis, left, length, reference)
        if question in known and (not alike or question == known[-1]):
            sheet.ticks(axis, left, length, sheet.y + 14)
            sheet.y += 20
        if known[-1:] == [question]:
            words = figure_words(table)
            start = min(left, max(0.0, view.width - width_of(words, SMALL)))
            sheet.add(written(start, sheet.y + 12, words, room=view.width - start, ink="ink-soft", size=SMALL))
            sheet.y += 18
    _notes(sheet, every, shown)
    return sheet.done([row.said for row in every])


def _told_apart(rows: Sequence[PictureRow]) -> list[PictureRow]:
    """Without names that all rows share: they tell none of them from the others."""
    width = max(len(row.names) for row in rows)
    kept = [place for place in range(width) if len({row.names[place] for row in rows}) > 1]
    return [replace(row, names=tuple(row.names[place] for place in kept or range(width))) for row in rows]


def _axes(
    panels: Mapping[str, Sequence[PictureRow]], name: str, reference: tuple[float, str] | None, view: Layout
) -> dict[str, Axis]:
    """The axis of every question: its own scale for ratings; for all else one, so that questions can be compared."""
    most = 4 if view.narrow else 6
    ends = {question: [end for row in own for end in row.ends] for question, own in panels.items()}
    if name in SCALED:
        return {question: axis_for(own, view.asked(question).scale, most) for question, own in ends.items()}
    together = axis_for([*(end for own in ends.values() for end in own), *(reference or ())[:1]], None, most)
    return dict.fromkeys(panels, together)


def _columns(rows: Sequence[PictureRow], view: Layout) -> tuple[float, float]:
    """Where the axis begins and how long it is, between the names and the numbers."""
    most = view.width * (0.36 if view.narrow else 0.32)
    names = min(most, max(width_of(row.name) for row in rows))
    numbers = max((width_of(number(row.value)) for row in rows if row.value is not None), default=0)
    left = names + 18
    return left, view.width - left - numbers - 16


def _panel(
    sheet: Sheet,
    rows: Sequence[PictureRow],
    axis: Axis,
    left: float,
    length: float,
    reference: tuple[float, str] | None,
) -> None:
    height = 26.0 if len(rows) <= 40 else 20.0
    for known, run in groupby(rows, key=lambda row: row.value is not None):
        top, bottom = sheet.y, sheet.y + height * len(list(run))
        if known:  # lines would only disturb the words in rows without a number
            sheet.grid(axis, left, length, top, bottom)
            if reference:
                x = axis.at(reference[0], left, length)
                sheet.add(line(x, top, x, bottom, "line-strong", 1.5, dashed=True))
        sheet.y = bottom
    sheet.y -= height * len(rows)
    for row in rows:
        middle = sheet.y + height / 2
        sheet.add(written(0, middle + 4.5, row.name, room=left - 18, name=True))
        if row.value is None:
            words = f"not known{f': {row.reason}' if row.reason else ''}"
            sheet.add(
                written(left + 6, middle + 4.5, words, room=sheet.width - left - 6, ink="ink-soft", size=SMALL),
            )
        else:
            if row.low is not None and row.high is not None:
                low, high = (axis.at(end, left, length) for end in (row.low, row.high))
                sheet.add(line(low, middle, high, middle, "accent", 2))
                sheet.add(*(line(end, middle - 4, end, middle + 4, "accent", 1.5) for end in (low, high)))
            x = axis.at(row.value, left, length)
            sheet.add(Dot(x, middle, hollow=row.low is None or row.high is None, title=row.said))
            sheet.add(TextMark(sheet.width, middle + 4.5, number(row.value), anchor="end"))
        sheet.y += height


def _say_reference(sheet: Sheet, reference: tuple[float, str], axis: Axis, left: float, length: float) -> None:
    """What the dashed line means, written above it and kept within the picture."""
    value, words = reference
    half = width_of(words, SMALL) / 2
    x = min(max(axis.at(value, left, length), half), sheet.width - half)
    sheet.add(TextMark(x, sheet.y + 11, words, "ink-soft", SMALL, "middle"))
    sheet.y += 17


def _notes(sheet: Sheet, every: Sequence[PictureRow], shown: Sequence[PictureRow]) -> None:
    bare = [row for row in shown if row.value is not None and (row.low is None or row.high is None)]
    if bare:
        said = Counter(row.reason.removeprefix("no interval: ") for row in bare if row.reason).most_common(1)
        what = "A ring has no interval" if len(bare) < len(shown) else "There are no intervals"
        sheet.note(f"{what}{f': {said[0][0]}' if said else ''}.")
    if len(every) > len(shown):
        sheet.note(f"{len(every) - len(shown):,} more are in the table.")
