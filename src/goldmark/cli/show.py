from collections.abc import Sequence
from pathlib import Path

from goldmark.cli import output
from goldmark.cli.options import Format, PlotOutput, TableOutput
from goldmark.records.tables import Table

__all__ = ["Format", "draw", "show"]


def show(*tables: Table, form: Format = "table", json: bool = False) -> None:
    output.emit(TableOutput(json=json, format=form), tables=tables)


def draw(table: Table, value: str, labels: Sequence[str], path: Path | None) -> None:
    output.draw(PlotOutput(plot=path), table, value, labels)
