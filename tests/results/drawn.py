"""Tables to draw, and what was drawn of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from goldmark.records.tables import Table
from goldmark.results.inputs.questions import AskedQuestion
from goldmark.results.pictures.draw import picture_of
from goldmark.results.pictures.shapes import Box, Dot, Line, Picture, TextMark

AGREE = AskedQuestion("correct", "Is it?", (0.0, 1.0), {"no": "No", "so_so": "So so", "yes": "Yes"})
Shape = TypeVar("Shape", TextMark, Dot, Box, Line)


def rated(*figures: tuple[str, float | None, float | None, float | None], question: str = "correct") -> Table:
    rows: list[dict[str, Any]] = [
        {
            "question": question,
            "system": system,
            "value": value,
            "low": low,
            "high": high,
            "n": 9,
            "reason": "" if value is not None and low is not None else "nobody has judged it",
        }
        for system, value, low, high in figures
    ]
    return Table.of("Mean ratings", rows, labels={"value": "mean"}, signature="figure:mean|level:0.95")


def shared(*figures: tuple[str, str, float], question: str = "correct") -> Table:
    rows: list[dict[str, Any]] = [
        {"question": question, "system": system, "label": label, "value": share, "low": None, "high": None, "n": 4}
        for system, label, share in figures
    ]
    return Table.of("Shares", rows, labels={"value": "share"})


def drawn(name: str, kind: str, table: Table, *questions: AskedQuestion, **more: bool) -> Picture:
    picture = picture_of(name, kind, table, questions, **more)
    assert picture is not None
    return picture


def of(picture: Picture, kind: type[Shape]) -> list[Shape]:
    return [mark for mark in picture.marks if isinstance(mark, kind)]


def word(picture: Picture, text: str) -> TextMark:
    return next(mark for mark in of(picture, TextMark) if mark.text == text)


def pairs(people: Sequence[str], value: float | None = 0.5) -> Table:
    rows: list[dict[str, Any]] = [
        {"question": "q", "label": "", "first": a, "second": b, "measure": "percent", "value": value, "reason": "alone"}
        for place, a in enumerate(people)
        for b in people[place + 1 :]
    ]
    return Table.of("Pairs", rows)


def progress(*counts: int) -> Table:
    rows: list[dict[str, Any]] = []
    for place, count in enumerate(counts):
        day = date(2026, 12, 30) + timedelta(days=place)
        rows.append({"day": day.isoformat(), "responses": count, "total": sum(counts[: place + 1])})
    return Table.of("Progress", rows)
