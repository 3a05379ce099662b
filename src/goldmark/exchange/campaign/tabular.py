"""CSV and Parquet: a folder with one table for each kind of row, complete."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from goldmark.errors import Problem
from goldmark.exchange.campaign.archive import Sources
from goldmark.exchange.campaign.rows import (
    COLUMNS,
    Located,
    Row,
    Type,
    read_json,
    read_time,
    write_json,
    write_time,
)
from goldmark.exchange.format import Format, by_rows, of_rows
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.sheets.parquet import NotParquet, need_polars, read_frame, write_frames
from goldmark.texts.readers.spreadsheet import csv_line, csv_lines

if TYPE_CHECKING:
    import polars

TABLES = {
    "campaign": "campaign",
    "protocol": "protocols",
    "unit": "units",
    "annotator": "annotators",
    "assignment": "assignments",
    "response": "responses",
    "event": "events",
    "curation": "curation",
    "gold": "gold_lists",
}
OPTIONAL = ("curation", "gold")  # an export that was made before there was curation does not have them
ROWS_AT_ONCE = 2_000  # of a Parquet file that are held before they are written


def write_csv(rows: Iterator[Row], folder: Path) -> None:
    for name, columns, some in _tables(rows):
        with (folder / f"{name}.csv").open("x", encoding="utf-8", newline="") as file:
            file.write(csv_line(columns))
            file.writelines(csv_line(_cell(row[column]) for column in columns) for row in some)


def _cell(value: object) -> str | float | bool | None:
    if isinstance(value, datetime):
        return write_time(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return write_json(value)


def read_csv(sources: Sources, problems: list[Problem]) -> Iterator[Located]:
    """The rows of all tables, of which one is in memory at a time."""
    for kind, table in TABLES.items():
        name = f"{table}.csv"
        source = _source(kind, name, sources, problems)
        if source is None:
            continue
        with io.TextIOWrapper(source(), encoding="utf-8-sig", newline="") as text:
            try:
                lines = csv_lines(text)
                _, header = next(lines, (1, []))
                for line, cells in lines:
                    where = f"{name}:{line}"
                    if len(cells) != len(header):
                        problems.append(Problem(where, f"the row has {len(cells)} cells, the header {len(header)}"))
                        continue
                    values = _read(kind, dict(zip(header, cells, strict=True)), where, problems)
                    if values is not None:
                        yield Located(kind, where, values)
            except csv.Error as error:
                problems.append(Problem(name, f"the file is not CSV: {error}"))
            except UnicodeDecodeError:
                decode(_whole(source), name, problems)  # which byte of all it is


def _whole(source: Callable[[], IO[bytes]]) -> bytes:
    with source() as file:
        return file.read()


def _source(kind: str, name: str, sources: Sources, problems: list[Problem]) -> Callable[[], IO[bytes]] | None:
    if name not in sources and kind not in OPTIONAL:
        problems.append(Problem(name, "the file is missing", "give the whole folder that was exported"))
    return sources.get(name)


def write_parquet(rows: Iterator[Row], folder: Path) -> None:
    need_polars()
    import polars

    of_type: dict[Type, Any] = {
        "text": polars.String,
        "json": polars.String,
        "integer": polars.Int64,
        "number": polars.Float64,
        "truth": polars.Boolean,
        "time": polars.Datetime("us", "UTC"),
    }
    for name, columns, some in _tables(rows):
        schema = {column: of_type[kind] for column, kind in columns.items()}
        write_frames(_frames(some, schema), schema, folder / f"{name}.parquet", ROWS_AT_ONCE)


def _frames(rows: Iterator[Mapping[str, Any]], schema: Mapping[str, Any]) -> Iterator[polars.DataFrame]:
    """The rows in pieces."""
    import polars

    cells = ([_plain(row[column]) for column in schema] for row in rows)
    while some := list(islice(cells, ROWS_AT_ONCE)):
        yield polars.DataFrame(some, schema=schema, orient="row")


def _plain(value: Any) -> Any:
    return write_json(value) if isinstance(value, Mapping | list) else value


def read_parquet(sources: Sources, problems: list[Problem]) -> Iterator[Located]:
    """The rows of all tables, of which one table is in memory at a time."""
    for kind, table in TABLES.items():
        name = f"{table}.parquet"
        source = _source(kind, name, sources, problems)
        if source is None:
            continue
        try:
            frame = read_frame(_whole(source))
        except NotParquet as error:
            problems.append(Problem(name, str(error)))
            continue
        for number, row in enumerate(frame.iter_rows(named=True), start=1):
            where = f"{name}:{number}"
            values = _read(kind, row, where, problems)
            if values is not None:
                yield Located(kind, where, values)


def _tables(rows: Iterator[Row]) -> Iterator[tuple[str, dict[str, Type], Iterator[Mapping[str, Any]]]]:
    """Every table with its rows, which come in the order of the tables; one without rows is there too."""
    grouped = groupby(rows, key=itemgetter(0))
    ahead = next(grouped, None)
    for kind, table in TABLES.items():
        if ahead is not None and ahead[0] == kind:
            yield table, COLUMNS[kind], (row for _, row in ahead[1])
            ahead = next(grouped, None)
        else:
            yield table, COLUMNS[kind], iter(())


def _read(kind: str, row: Mapping[str, Any], where: str, problems: list[Problem]) -> dict[str, Any] | None:
    """The values of a row whose cells may still be text; None if one of them cannot be read."""
    values = dict(row)
    for column, of_type in COLUMNS[kind].items():
        value = values.get(column)
        if not isinstance(value, str):
            continue
        try:
            values[column] = _READ[of_type](value)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(where, f'"{column}" cannot be read: {error}'))
            return None
    return values


def _truth(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError(f'"{value}" is neither true nor false')
    return value == "true"


_READ: dict[Type, Callable[[str], Any]] = {
    "text": str,
    "integer": int,
    "number": lambda value: float(value) if value else None,
    "truth": _truth,
    "time": lambda value: read_time(value) if value else None,
    "json": read_json,
}


CSV = Format(
    "csv",
    "everything, a table for each kind",
    by_rows(write_csv),
    of_rows(read_csv),
    complete=True,
    rows=write_csv,
    read_rows=read_csv,
)
PARQUET = Format(
    "parquet",
    "everything, typed tables",
    by_rows(write_parquet),
    of_rows(read_parquet),
    complete=True,
    rows=write_parquet,
    read_rows=read_parquet,
)
