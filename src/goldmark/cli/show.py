"""How commands print tables: for people, as CSV, as LaTeX, or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from goldmark.cli.output import print_json, talk
from goldmark.records.tables import Table

Format = Literal["table", "csv", "latex"]


def show(*tables: Table, form: Format = "table", json: bool = False) -> None:
    """Print tables; with CSV and LaTeX, what a reader must know besides goes to standard error."""
    from goldmark.reports import tables as written

    if json:
        print_json({"tables": [written.to_json(table) for table in tables]})
        return
    for position, table in enumerate(tables):
        if position:
            sys.stdout.write("\n")
        if form == "table":
            sys.stdout.write(written.to_text(table, width=_width()))
            continue
        sys.stdout.write(written.to_csv(table) if form == "csv" else written.to_latex(table))
        if form == "csv":
            for remark in (*table.notes, table.signature):
                talk(remark)


def draw(table: Table, value: str, labels: Sequence[str], path: Path | None) -> None:
    """Draw a column of a table with its intervals to a file, if one is asked for."""
    if path is not None:
        from goldmark.results.pictures.to_file import draw_column

        draw_column(table, value, labels, path)


def _width() -> int | None:
    """A terminal folds long cells; a pipe gets whole lines."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns
