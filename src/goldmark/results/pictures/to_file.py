"""What `--plot` draws: a column of any table, or the histograms of a study, as the file that its name ends in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from goldmark.errors import GoldmarkError
from goldmark.records.tables import Table
from goldmark.results.output.tables import bounds_of
from goldmark.results.pictures.dots import dots
from goldmark.results.pictures.draw import picture_file
from goldmark.results.pictures.forms import form_of
from goldmark.results.pictures.histograms import histograms
from goldmark.results.pictures.shapes import Picture
from goldmark.results.pictures.sheet import Layout
from goldmark.studies.evaluation.report import StudyReport
from goldmark.studies.evaluation.report_output import histogram_groups


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
    _write(dots("", drawn, Layout(titled=True)) if known else None, path, table.title, value)


def draw_histograms(found: StudyReport, path: Path) -> None:
    """One small histogram for each cell of a study's first table of results."""
    groups = [group for table in found.histograms for group in histogram_groups(table)]
    title = f"{found.title}: participants by score"
    drawn = histograms(title, groups, Layout(titled=True)) if found.flow.analysed else None
    _write(drawn, path, found.title, "participants")


def _write(picture: Picture | None, path: Path, title: str, column: str) -> None:
    form = form_of(path)
    if picture is None:
        raise NothingToDraw(title=title, column=column)
    path.write_bytes(picture_file(picture, form))
