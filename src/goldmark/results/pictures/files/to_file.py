"""What `--plot` draws: a column of any table, as the file that its name ends in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from goldmark.errors import GoldmarkError
from goldmark.records.tables import Table
from goldmark.results.output.tables import bounds_of
from goldmark.results.pictures.draw import picture_file
from goldmark.results.pictures.files.forms import form_of
from goldmark.results.pictures.kinds.dots import dots
from goldmark.results.pictures.shapes import Picture
from goldmark.results.pictures.sheet import Layout


class NothingToDraw(GoldmarkError):
    code = "PLOT-03"
    message = "{title!r} has no {column} to draw: every row lacks a number"


def draw_column(table: Table, value: str, labels: Sequence[str], path: Path) -> None:
    """Draw a column of a table with its interval, one line per row named by the columns `labels`."""
    low, high = bounds_of(table, value) or ("", "")
    rows = [
        {
            **{name: row[name] for name in labels},
            "value": row[value] if isinstance(row[value], int | float) else None,
            **({"low": row[low], "high": row[high]} if low else {}),
            "reason": row.get("reason"),
        }
        for row in table.records()
    ]
    name = table.labels.get(value, value.replace("_", " "))
    drawn = Table.of(table.title, rows, signature=table.signature, labels={"value": name})
    known = any(row["value"] is not None for row in rows)
    write_picture(dots("", drawn, Layout(titled=True)) if known else None, path, table.title, value)


def write_picture(picture: Picture | None, path: Path, title: str, column: str) -> None:
    """A picture as the file that its name ends in; nothing to draw is an error."""
    form = form_of(path)
    if picture is None:
        raise NothingToDraw(title=title, column=column)
    path.write_bytes(picture_file(picture, form))
