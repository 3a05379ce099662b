"""One bar for each system, its answers side by side in their order: from the lowest to the highest, or as listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from goldmark.records.tables import Table
from goldmark.results.pictures.kinds.dots import dots
from goldmark.results.pictures.kinds.grids import heat
from goldmark.results.pictures.palette import TONES, ramp
from goldmark.results.pictures.picture_text import cut, fit, percent, percents, width_of, written
from goldmark.results.pictures.shapes import Box, Picture, TextMark
from goldmark.results.pictures.sheet import MOST_ROWS, SMALL, Layout, PictureRow, Sheet, by_question, rows_of

BAR, GAP = 26.0, 9.0
SWATCH = 10.0


class AnswerLabel(NamedTuple):
    """An answer as people read it, and how its part of a bar looks."""

    words: str
    fill: str
    ink: str  # of words on the fill
    edge: str = ""


def stacked(name: str, table: Table, view: Layout) -> Picture | None:
    """The shares of labels; where somebody could choose several they add up to no whole, and cells show them."""
    rows = rows_of(table)
    if not rows or any(len(row.names) != 2 or row.value is None for row in rows):
        return dots(name, table, view)
    panels = {question: _by_group(own) for question, own in by_question(rows).items()}
    bars = [(question, group, own) for question, groups in panels.items() for group, own in groups.items()]
    if any(sum(row.value or 0 for row in own) > 1.001 for _, _, own in bars):
        return heat(name, table, view, most=1.0)
    sheet = Sheet(table, view)
    left = 0.0 if view.narrow else 14 + min(view.width * 0.28, max(width_of(row.names[0]) for row in rows))
    end = view.width - max(width_of(_count(row), SMALL) for row in rows) - 10
    labels: dict[str, AnswerLabel] = {}
    last = None
    for question, group, own in bars[:MOST_ROWS]:
        if question != last:
            labels = _labels(question, panels[question], view)
            sheet.heading(question)
            _key(sheet, labels, left)
            last = question
        _bar(sheet, group, own, labels, left, end)
    if len(bars) > MOST_ROWS:
        sheet.note(f"{len(bars) - MOST_ROWS:,} more are in the table.")
    return sheet.done(
        [
            fit(f"{group}: " + ", ".join(f"{row.names[1]} {percent(row.value or 0)}" for row in own))
            for _, group, own in bars
        ]
    )


def _by_group(rows: Sequence[PictureRow]) -> dict[str, list[PictureRow]]:
    found: dict[str, list[PictureRow]] = {}
    for row in rows:
        found.setdefault(row.names[0], []).append(row)
    return found


def _count(row: PictureRow) -> str:
    return "" if row.n is None else f"n = {row.n:,}"


def _labels(question: str, groups: Mapping[str, Sequence[PictureRow]], view: Layout) -> dict[str, AnswerLabel]:
    """The labels of a question in their order: on a ramp where they are a scale, in tones where they are not."""
    asked = view.asked(question)
    found = list(dict.fromkeys(row.names[1] for own in groups.values() for row in own))
    words = {label: fit(asked.options.get(label) or label) for label in found}
    if asked.scale is None:
        tones = [1 + place % TONES for place in range(len(found))]
        return {
            label: AnswerLabel(words[label], f"tint-{tone}", "ink", f"tone-{tone}")
            for label, tone in zip(found, tones, strict=True)
        }
    # All options of the scale have a place, so that a shade means the same in every question that has this scale.
    scale = [*asked.options, *(label for label in found if label not in asked.options)]
    places = {label: place / max(1, len(scale) - 1) for place, label in enumerate(scale)}
    # From the second step on: the first could hardly be seen beside the page.
    return {
        label: AnswerLabel(words[label], *ramp((1 + 5 * places[label]) / 6))
        for label in sorted(found, key=places.__getitem__)
    }


def _key(sheet: Sheet, labels: Mapping[str, AnswerLabel], left: float) -> None:
    """Every label once above the bars, in the order in which they stand in them."""
    x = left
    for label in labels.values():
        words = cut(label.words, sheet.width - left - SWATCH - 6, SMALL)
        needed = SWATCH + 5 + width_of(words, SMALL)
        if x > left and x + needed > sheet.width:
            x = left
            sheet.y += 18
        sheet.add(Box(x, sheet.y + 3, SWATCH, SWATCH, label.fill))
        if label.edge:
            sheet.add(Box(x, sheet.y + SWATCH, SWATCH, 3, label.edge))
        sheet.add(TextMark(x + SWATCH + 5, sheet.y + 12.5, words, "ink-soft", SMALL))
        x += needed + 14
    sheet.y += 24


def _bar(
    sheet: Sheet, group: str, rows: Sequence[PictureRow], labels: Mapping[str, AnswerLabel], left: float, end: float
) -> None:
    if sheet.view.narrow:
        sheet.add(written(0, sheet.y + 13, group, room=end, name=True))
        sheet.y += 18
    else:
        sheet.add(written(0, sheet.y + BAR / 2 + 4.5, group, room=left - 14, name=True))
    x = left
    own = {row.names[1]: row for row in rows}
    for name, label in labels.items():
        width = ((own[name].value or 0) if name in own else 0) * (end - left)
        if width > 0.5:
            _part(sheet, own[name], label, x, width)
        x += width
    sheet.add(TextMark(sheet.width, sheet.y + BAR / 2 + 4, _count(rows[0]), "ink-soft", SMALL, "end"))
    sheet.y += BAR + GAP


def _part(sheet: Sheet, row: PictureRow, label: AnswerLabel, x: float, width: float) -> None:
    share = percent(row.value or 0)
    told = f"{fit(row.names[0])}, {label.words}: {share}{percents(row.low, row.high)}"
    inner = max(0.5, width - 1.5)  # a little of the page shows between two parts
    sheet.add(Box(x, sheet.y, inner, BAR, label.fill, told))
    if label.edge:
        sheet.add(Box(x, sheet.y + BAR - 3, inner, 3, label.edge))
    shown = next((one for one in (f"{label.words} {share}", share) if width_of(one, SMALL) + 10 <= width), "")
    if shown:
        sheet.add(TextMark(x + inner / 2, sheet.y + BAR / 2 + 4, shown, label.ink, SMALL, "middle"))
