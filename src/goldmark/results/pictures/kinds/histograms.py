"""How many people had which score: a small histogram for each group, all on one scale."""

from __future__ import annotations

from collections.abc import Sequence

from goldmark.records.tables import Table
from goldmark.results.pictures.picture_text import width_of, written
from goldmark.results.pictures.shapes import Box, Picture, TextMark, line
from goldmark.results.pictures.sheet import SMALL, Layout, Sheet

Bar = tuple[str, int, float | None]  # score, people, share of the group
HEIGHT, GAP = 90.0, 24.0


def histograms(title: str, groups: Sequence[tuple[str, Sequence[Bar]]], view: Layout) -> Picture:
    """The groups from left to right, as many in a row as there is room for."""
    sheet = Sheet(Table(title, (), ()), view)
    columns = min(1 if view.narrow else 3, len(groups))
    width = (view.width - GAP * (columns - 1)) / columns
    most = max((people for _, bars in groups for _, people, _ in bars), default=0)
    for place, (name, bars) in enumerate(groups):
        left, top = (place % columns) * (width + GAP), sheet.y
        sheet.add(written(left, top + 14, name, room=width, bold=True, name=True))
        _bars(sheet, bars, max(1, most), left, width, top + 40)
        if place % columns == columns - 1 or place == len(groups) - 1:
            sheet.y = top + 40 + HEIGHT + 30
    said = [f"{name}, {score}: {people:,}" for name, bars in groups for score, people, _ in bars]
    return sheet.done(said)


def _bars(sheet: Sheet, bars: Sequence[Bar], most: int, left: float, width: float, top: float) -> None:
    step, bottom = width / max(1, len(bars)), top + HEIGHT
    widest = max((width_of(score, SMALL) for score, _, _ in bars), default=0.0) + 6
    every = max(1, -(-int(widest) // max(1, int(step))))  # scores below the bars, as far as there is room
    for place, (score, people, _) in enumerate(bars):
        x, height = left + place * step, HEIGHT * people / most
        sheet.add(Box(x + 0.1 * step, bottom - height, 0.8 * step, height, "accent", f"{score}: {people:,}"))
        if people and width_of(f"{people:,}", SMALL) <= step:
            sheet.add(TextMark(x + step / 2, bottom - height - 4, f"{people:,}", "ink-soft", SMALL, "middle"))
        if place % every == 0:
            sheet.add(TextMark(x + step / 2, bottom + 15, score, "ink-soft", SMALL, "middle"))
    sheet.add(line(left, bottom, left + width, bottom, "line-strong"))
