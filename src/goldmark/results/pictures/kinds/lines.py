"""How something grew from day to day."""

from __future__ import annotations

from datetime import date, timedelta

from goldmark.records.figures import counted
from goldmark.records.tables import Table
from goldmark.results.pictures.axes import round_axis
from goldmark.results.pictures.picture_text import fit, width_of
from goldmark.results.pictures.shapes import Dot, Line, Picture, TextMark, line
from goldmark.results.pictures.sheet import SMALL, Layout, Sheet

HEIGHT = 170.0
MOST_DOTS = 45  # days that can be told apart


def growth(name: str, table: Table, view: Layout) -> Picture | None:
    """The total at the end of each day, beginning with nothing."""
    if not {"day", "total"} <= set(table.columns) or not table.rows:
        return None
    days = [(date.fromisoformat(str(row["day"])), int(str(row["total"]))) for row in table.records()]
    first, last, most = days[0][0], days[-1][0], days[-1][1]
    axis = round_axis(0, max(1, most), most=5)
    sheet = Sheet(table, view)
    left = max(width_of(axis.label(tick), SMALL) for tick in axis.ticks) + 12
    ending = counted(most, "answer")
    length = view.width - left - width_of(ending, bold=True) - 12
    span = (last - first).days + 1
    top, bottom = sheet.y + 8, sheet.y + 8 + HEIGHT

    def place(days_on: float, total: float) -> tuple[float, float]:
        return left + length * days_on / span, axis.at(total, bottom, top - bottom)

    for tick in axis.ticks:
        _, y = place(0, tick)
        sheet.add(
            line(left, y, left + length, y), TextMark(left - 8, y + 4, axis.label(tick), "ink-soft", SMALL, "end")
        )
    points = [place((day - first).days + 1, total) for day, total in days]
    sheet.add(Line((place(0, 0), *points), "accent", 2))
    if len(days) <= MOST_DOTS:
        for (x, y), (day, total) in zip(points, days, strict=True):
            sheet.add(Dot(x, y, 3.5, title=f"{_day(day)} {day.year}: {total:,} in all"))
    sheet.add(TextMark(points[-1][0] + 8, points[-1][1] + 4.5, ending, bold=True))
    _dates(sheet, first, span, left, length, bottom)
    sheet.y = bottom + 26
    return sheet.done([fit(f"{_day(day)} {day.year}: {total:,}") for day, total in days])


def _dates(sheet: Sheet, first: date, span: int, left: float, length: float, bottom: float) -> None:
    """Days below the line: as many as there is room for, each in the middle of itself."""
    room = width_of("00 Mmm 0000", SMALL) + 10
    step = max(1, -(-span // max(1, int(length // room))))
    for place in range(0, span, step):
        day = first + timedelta(days=place)
        x = left + length * (place + 0.5) / span
        words = f"{_day(day)} {day.year}" if place == 0 or day.year != (day - timedelta(days=step)).year else _day(day)
        sheet.add(TextMark(x, bottom + 18, words, "ink-soft", SMALL, "middle"))


def _day(day: date) -> str:
    return f"{day.day} {day:%b}"
