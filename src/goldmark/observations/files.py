"""Observations as files: a folder with one CSV or Parquet file for each table, written row by row."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, Literal

import orjson

from goldmark.errors import Conflict
from goldmark.observations.filter import COUNTING, Filter
from goldmark.observations.folders import all_or_nothing
from goldmark.observations.rows import OmittedCounts, Row, TableColumns, blocks, columns_of
from goldmark.observations.schema import TABLES
from goldmark.observations.source import ObservationSource
from goldmark.records.tidy.columns import Kind as CellKind
from goldmark.texts.readers.sheets.parquet import need_polars, write_frames
from goldmark.texts.readers.spreadsheet import csv_line

FileKind = Literal["csv", "parquet"]
PROTOCOL_FILE = "protocol.json"  # what was asked: with it, every table of results can be made of the folder
ROWS_AT_ONCE = 10_000  # rows of a Parquet file that are held before they are written, each of its groups

NUMBERS = frozenset({"weight", "value", "seconds", "error_weight", "seconds_median", "seconds_total"})
WHOLE = frozenset(
    {
        "start",
        "end",
        "start_character",
        "end_character",
        "tokens",
        "sentences",
        "characters",
        "responses",
        "test_questions",
    }
)
YES_OR_NO = frozenset({"test", "excluded", "chosen", "deletes"})


class FolderInUse(Conflict):
    code = "OBSERVATIONS-01"
    message = "{path} already exists and is not empty; name a new folder, so that nothing is overwritten"


def write_tables(
    source: ObservationSource, folder: Path, wanted: Filter = COUNTING, kind: FileKind = "csv"
) -> OmittedCounts:
    """Write every table, and what was asked, into a new or empty folder; says what was left out."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FolderInUse(path=folder)
    left = OmittedCounts()
    columns = columns_of(source)
    with all_or_nothing(folder), ExitStack() as open_files:
        (folder / PROTOCOL_FILE).write_bytes(orjson.dumps(source.protocol.resolved, option=orjson.OPT_INDENT_2) + b"\n")
        opener = _csv_table if kind == "csv" else _parquet_table
        write = {name: opener(folder, name, columns, open_files) for name in TABLES}
        order = {name: _in_order(columns, name) for name in TABLES}
        for table, shared, own in blocks(source, wanted, left, columns):
            for row in own:
                write[table](order[table](shared + row))
    return left


def _in_order(columns: TableColumns, name: str) -> Callable[[Row], Row]:
    """From what rows share and what each has of its own to the order of the columns."""
    shared, own = columns.parted(name)
    place = {column: at for at, column in enumerate((*shared, *own))}
    return itemgetter(*(place[column] for column in columns.of(name)))


def _csv_table(folder: Path, name: str, columns: TableColumns, open_files: ExitStack) -> Callable[[Row], None]:
    file: IO[str] = open_files.enter_context((folder / f"{name}.csv").open("x", encoding="utf-8", newline=""))
    names = columns.of(name)
    file.write(csv_line(names))

    def write(row: Row) -> None:
        file.write(csv_line(row))

    return write


def _parquet_table(folder: Path, name: str, columns: TableColumns, open_files: ExitStack) -> Callable[[Row], None]:
    need_polars()
    import polars

    names = columns.of(name)
    schema: dict[str, Any] = {column: _type(column, name) for column in names}
    held: list[list[Any]] = []
    # Rows of all tables come together, and a file of Parquet is written in one go: until then its groups wait as files.
    waiting = Path(open_files.enter_context(tempfile.TemporaryDirectory(prefix="goldmark-tidy-")))
    parts: list[Path] = []

    def flush() -> None:
        if held:
            parts.append(waiting / str(len(parts)))
            polars.DataFrame(held, schema=schema, orient="row", strict=False).write_ipc(parts[-1])
            held.clear()

    def write(row: Row) -> None:
        held.append([_typed(cell, column, name) for cell, column in zip(row, names, strict=True)])
        if len(held) >= ROWS_AT_ONCE:
            flush()

    def finish() -> None:
        flush()
        frames = (polars.read_ipc(part) for part in parts)
        write_frames(frames, schema, folder / f"{name}.parquet", ROWS_AT_ONCE)

    open_files.callback(finish)
    return write


def kind_of(column: str, table: str) -> CellKind:
    """What stands in the cells of a column."""
    if column == "introduced":
        return "whole" if table == "texts" else "yes"
    return "number" if column in NUMBERS else "whole" if column in WHOLE else "yes" if column in YES_OR_NO else "text"


def _type(column: str, table: str) -> Any:
    import polars

    types = {"number": polars.Float64, "whole": polars.Int64, "yes": polars.Boolean, "text": polars.String}
    return types[kind_of(column, table)]


def _typed(value: object, column: str, table: str) -> object:
    """A hidden fact may be a number in one unit and text in another; its column is text."""
    if value is None or kind_of(column, table) != "text":
        return value
    return value if isinstance(value, str) else str(value)
