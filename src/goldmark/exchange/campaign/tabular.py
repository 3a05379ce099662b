"""CSV and Parquet: a folder with one table for each kind of row, complete."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from goldmark.errors import Problem, ProblemList
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.campaign.rows import (
    COLUMNS,
    Located,
    Type,
    read_time,
    record_of,
    rows_of,
    write_json,
    write_time,
)
from goldmark.exchange.format import Format, everything
from goldmark.records.campaigns import CampaignRecord
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.sheets.parquet import NotParquet, read_frame
from goldmark.texts.readers.spreadsheet import csv_line, csv_lines

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
_Row = Mapping[str, Any]


def write_csv(record: CampaignRecord) -> Iterator[tuple[str, bytes]]:
    for name, columns, rows in _tables(record):
        lines = [csv_line(columns), *(csv_line(_cell(row[column]) for column in columns) for row in rows)]
        yield f"{name}.csv", "".join(lines).encode()


def _cell(value: object) -> str | float | bool | None:
    if isinstance(value, datetime):
        return write_time(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return write_json(value)


def read_csv(files: Files) -> CampaignRecord:
    problems: list[Problem] = ProblemList()
    return record_of(list(_csv_rows(files, problems)), problems)


def _csv_rows(files: Files, problems: list[Problem]) -> Iterator[Located]:
    for kind, table in TABLES.items():
        name = f"{table}.csv"
        if kind in OPTIONAL and name not in files:
            continue
        text = _content(files, name, problems)
        if text is None:
            continue
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


def _content(files: Files, name: str, problems: list[Problem]) -> str | None:
    if name not in files:
        problems.append(Problem(name, "the file is missing", "give the whole folder that was exported"))
        return None
    return decode(files[name].removeprefix(b"\xef\xbb\xbf"), name, problems)


def write_parquet(record: CampaignRecord) -> Iterator[tuple[str, bytes]]:
    import polars

    of_type: dict[Type, Any] = {
        "text": polars.String,
        "json": polars.String,
        "integer": polars.Int64,
        "number": polars.Float64,
        "truth": polars.Boolean,
        "time": polars.Datetime("us", "UTC"),
    }
    for name, columns, rows in _tables(record):
        data = {
            column: [
                write_json(row[column]) if isinstance(row[column], Mapping | list) else row[column] for row in rows
            ]
            for column in columns
        }
        frame = polars.DataFrame(data, schema={column: of_type[kind] for column, kind in columns.items()})
        out = io.BytesIO()
        frame.write_parquet(out, compression="zstd")
        yield f"{name}.parquet", out.getvalue()


def read_parquet(files: Files) -> CampaignRecord:
    problems: list[Problem] = ProblemList()
    return record_of(list(_parquet_rows(files, problems)), problems)


def _parquet_rows(files: Files, problems: list[Problem]) -> Iterator[Located]:
    for kind, table in TABLES.items():
        name = f"{table}.parquet"
        if kind in OPTIONAL and name not in files:
            continue
        if name not in files:
            problems.append(Problem(name, "the file is missing", "give the whole folder that was exported"))
            continue
        try:
            frame = read_frame(files[name])
        except NotParquet as error:
            problems.append(Problem(name, str(error)))
            continue
        for number, row in enumerate(frame.iter_rows(named=True), start=1):
            where = f"{name}:{number}"
            values = _read(kind, row, where, problems)
            if values is not None:
                yield Located(kind, where, values)


def _tables(record: CampaignRecord) -> Iterator[tuple[str, dict[str, Type], list[_Row]]]:
    rows: dict[str, list[_Row]] = {kind: [] for kind in TABLES}
    for kind, row in rows_of(record):
        rows[kind].append(row)
    for kind, table in TABLES.items():
        yield table, COLUMNS[kind], rows[kind]


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
    "json": json.loads,
}


CSV = Format("csv", "everything, a table for each kind", everything(write_csv), read_csv, complete=True)
PARQUET = Format("parquet", "everything, typed tables", everything(write_parquet), read_parquet, complete=True)
