"""Figures in cells: categories by system, and annotators by annotators. The number stands in the cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from goldmark.records.tables import Table
from goldmark.results.pictures.kinds.dots import dots
from goldmark.results.pictures.palette import ramp
from goldmark.results.pictures.picture_text import cut, fit, number, width_of, written
from goldmark.results.pictures.shapes import Box, Picture, TextMark
from goldmark.results.pictures.sheet import (
    MOST_ROWS,
    MOST_SAID,
    SMALL,
    Layout,
    PictureRow,
    Sheet,
    by_question,
    figure_name,
    figure_of,
    rows_of,
)

TOTAL = "total"
PAIR = ("first", "second", "question", "label", "measure")  # what a row of two people is told by
MOST_COLUMNS = 8  # systems that stand side by side; more stand below each other
MOST_PEOPLE = 16  # of whom every two are drawn: with more, nobody finds two of them, and there are thousands of pairs
CELL, ROW = 52.0, 26.0  # the narrowest cell with a number, and how high one is
Cells = Mapping[tuple[str, str], PictureRow]  # by row and column


def heat(name: str, table: Table, view: Layout, most: float | None = None) -> Picture | None:
    """Systems by labels; `most` has the strongest colour, or else the largest figure of a question.

    The total is no label: it has no colour, so that it does not outshine the others.
    """
    rows = rows_of(table)
    if not rows or any(len(row.names) != 2 for row in rows) or len({row.names[0] for row in rows}) == 1:
        return dots(name, table, view)
    sheet = Sheet(table, view)
    for question, own in by_question(rows).items():
        sheet.heading(question)
        groups = list(dict.fromkeys(row.names[0] for row in own))
        labels = list(dict.fromkeys(row.names[1] for row in own))
        across = len(groups) <= MOST_COLUMNS
        cells = {(row.names[1], row.names[0]) if across else row.names[:2]: row for row in own}
        down, over = (labels, groups) if across else (groups, labels)
        largest = most or max((row.value or 0 for row in own if row.names[1] != TOTAL), default=0.0)
        _grid(sheet, down[:MOST_ROWS], over, cells, largest)  # type: ignore[arg-type]
        if len(down) > MOST_ROWS:
            sheet.note(f"{len(down) - MOST_ROWS:,} more are in the table.")
    sheet.y += 4
    sheet.note(f"{figure_name(table)}; intervals are in the table")
    return sheet.done([row.said for row in rows])


def _grid(sheet: Sheet, down: Sequence[str], over: Sequence[str], cells: Cells, most: float) -> None:
    left = 14 + min(
        sheet.view.width * (0.36 if sheet.view.narrow else 0.32),
        max(width_of(fit(name), bold=name == TOTAL) for name in down),
    )
    room = sheet.view.width - left
    column = max(CELL, min(110.0, room / len(over)))
    sheet.width = max(sheet.width, left + column * len(over))
    heads = [fit(name) for name in over]
    widest = max(width_of(name, SMALL) for name in heads)
    if widest <= column - 6:
        for place, head in enumerate(heads):
            sheet.add(TextMark(left + column * (place + 0.5), sheet.y + 12, head, "ink-soft", SMALL, "middle"))
        sheet.y += 20
    else:
        _turned(sheet, heads, left, column, min(widest, 150.0))
    for name in down:
        sheet.add(written(0, sheet.y + ROW / 2 + 4.5, name, room=left - 14, bold=name == TOTAL, name=True))
        for place, other in enumerate(over):
            row = cells.get((name, other))
            _cell(sheet, row, left + column * place, column, most, total=TOTAL in (name, other))
        sheet.y += ROW + (6 if name == TOTAL else 0)


def _turned(sheet: Sheet, heads: Sequence[str], left: float, column: float, longest: float) -> None:
    """Heads that do not fit over their columns rise to the right."""
    sheet.y += longest * 0.71 + 14
    for place, head in enumerate(heads):
        x = left + column * (place + 0.5)
        shown = cut(head, longest, SMALL, middle=True)
        title = head if shown != head else ""
        sheet.add(TextMark(x, sheet.y - 6, shown, "ink-soft", SMALL, turned=45, title=title))
    sheet.width = max(sheet.width, left + column * (len(heads) - 0.5) + longest * 0.71 + 10)


def _cell(sheet: Sheet, row: PictureRow | None, x: float, width: float, most: float, *, total: bool) -> None:
    middle, base = x + width / 2, sheet.y + ROW / 2 + 4.5
    if row is None or row.value is None:
        sheet.add(TextMark(middle, base, "–", "ink-soft", anchor="middle", title=row.said if row else ""))
        return
    fill, ink = ("", "ink") if total else ramp(row.value / most if most else 0.0)
    if fill:
        sheet.add(Box(x, sheet.y, width - 2, ROW - 2, fill, row.said))
    sheet.add(TextMark(middle - 1, base - 1, number(row.value), ink, anchor="middle", bold=total))


def matrix(name: str, table: Table, view: Layout) -> Picture | None:
    """Every two people: each name stands at the end of its row and on top of its column."""
    if not {"first", "second"} <= set(table.columns):
        return dots(name, table, view)
    # There may be many thousand pairs: only those that are shown or told of become rows of a picture.
    column = {name: [str(cell or "") for cell in table.column(name)] for name in PAIR if name in table.columns}
    known = [cell is not None for cell in table.column(figure_of(table) or "")]
    nothing = [""] * len(known)
    panels: dict[tuple[str, str], dict[frozenset[str], int]] = {}
    for at, place in enumerate(zip(column.get("question", nothing), column.get("label", nothing), strict=True)):
        panels.setdefault(place, {})[frozenset((column["first"][at], column["second"][at]))] = at

    def drawn(places: Iterable[int]) -> list[PictureRow]:
        some = list(places)
        rows = rows_of(replace(table, rows=tuple(table.rows[at] for at in some)))
        named = (f"{column['first'][at]} and {column['second'][at]}" for at in some)
        return [replace(row, names=(both,)) for row, both in zip(rows, named, strict=True)]

    sheet = Sheet(table, view)
    for (question, label), pairs in panels.items():
        sheet.heading(" · ".join(part for part in (question, label) if part))
        met = Counter(name for pair, at in pairs.items() if known[at] for name in pair)
        people = sorted({name for pair in pairs for name in pair})
        shown = sorted(sorted(people, key=lambda name: -met[name])[:MOST_PEOPLE])
        both_shown = [pair for pair in pairs if pair <= set(shown)]
        _triangle(sheet, shown, dict(zip(both_shown, drawn(pairs[pair] for pair in both_shown), strict=True)))
        if len(people) > MOST_PEOPLE:
            sheet.note(f"The {MOST_PEOPLE} who met most others; {len(people) - MOST_PEOPLE:,} more are in the table.")
    every = [at for pairs in panels.values() for at in pairs.values()]
    if not all(known[at] for at in every):
        sheet.note("– or nothing: these two have too little in common.")
    sheet.note("1 is full agreement. " + _measures(column.get("measure", ())))
    return sheet.done([row.said for row in drawn(every[:MOST_SAID])], len(every))


def _measures(names: Iterable[str]) -> str:
    said = {"percent": "the share of equal answers", "token_f1": "F1 of the marked tokens"}
    found = [said.get(name, name) for name in dict.fromkeys(names) if name]
    return f"Shown: {', '.join(found)}." if found else ""


def _triangle(sheet: Sheet, people: Sequence[str], pairs: Mapping[frozenset[str], PictureRow]) -> None:
    name_room = min(120.0, max(width_of(fit(name)) for name in people)) + 8
    column = max(12.0, min(64.0, (sheet.view.width - name_room) / max(1, len(people) - 1)))
    row_height = ROW if column >= 24 else max(12.0, column)
    size = 13.0 if row_height >= 18 else 10.0
    sheet.width = max(sheet.width, column * (len(people) - 1) + name_room)
    for place, person in enumerate(people):
        for other in range(place):
            row = pairs.get(frozenset((person, people[other])))
            _pair(sheet, row, column * other, column, row_height)
        x = column * place + (4 if place else 0)
        sheet.add(written(x, sheet.y + row_height / 2 + size / 3, person, room=name_room, size=size, name=True))
        sheet.y += row_height
    sheet.y += 4


def _pair(sheet: Sheet, row: PictureRow | None, x: float, width: float, height: float) -> None:
    if row is None or row.value is None:
        if width >= 24:
            said = row.said if row else ""
            sheet.add(TextMark(x + width / 2, sheet.y + height / 2 + 4.5, "–", "ink-soft", anchor="middle", title=said))
        return
    fill, ink = ramp(row.value)
    gap = 2 if width >= 24 else 1
    sheet.add(Box(x, sheet.y, width - gap, height - gap, fill, row.said))
    if width >= 36:
        sheet.add(TextMark(x + width / 2 - 1, sheet.y + height / 2 + 3.5, number(row.value), ink, anchor="middle"))
