"""JSONL: one file with everything, one row a line, its kind under the key `record`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from goldmark.errors import Problem
from goldmark.exchange.campaign.archive import Sources
from goldmark.exchange.campaign.rows import (
    COLUMNS,
    Located,
    Row,
    WrittenJson,
    read_json,
    read_time,
    write_json,
    write_time,
)
from goldmark.exchange.campaign.unit_json import read_line
from goldmark.exchange.format import Format, by_rows, of_rows
from goldmark.texts.readers.formats import MARK, decode
from goldmark.texts.readers.json_objects import unreadable

NAME = "campaign.jsonl"


def write(rows: Iterator[Row], folder: Path) -> None:
    with (folder / NAME).open("x", encoding="utf-8", newline="") as file:
        file.writelines(f"{_line(kind, values)}\n" for kind, values in rows)


def _line(kind: str, values: dict[str, Any]) -> str:
    plain = {name: write_time(value) if isinstance(value, datetime) else value for name, value in values.items()}
    row = {"record": kind, **plain}
    if not isinstance(row.get("shown"), WrittenJson):
        return write_json(row)
    parts = (
        f'"{name}":{value if isinstance(value, WrittenJson) else write_json(value)}'
        for name, value in sorted(row.items())
    )
    return f"{{{','.join(parts)}}}"


def read_rows(sources: Sources, problems: list[Problem]) -> Iterator[Located]:
    """The rows of all files, of which a line is in memory at a time."""
    for name, source in sources.items():
        with source() as file:
            for number, line in enumerate(file, start=1):
                found = _located(line.removeprefix(MARK) if number == 1 else line, f"{name}:{number}", problems)
                if found is not None:
                    yield found


def _located(line: bytes, where: str, problems: list[Problem]) -> Located | None:
    values = read_line(line)
    plain = values is not None
    try:
        if values is None:
            text = decode(line, where, problems)
            if not text or text.isspace():
                return None
            values = read_json(text)
        kind = values.pop("record")
        for column in _TIMES[kind]:
            if values.get(column) is not None:
                values[column] = read_time(values[column])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        remedy = f'every line is a JSON object with "record": {", ".join(COLUMNS)}'
        problems.append(Problem(where, f"the line cannot be read: {unreadable(where, error).what}", remedy))
        return None
    return Located(kind, where, values, plain)


_TIMES = {kind: [name for name, of_type in columns.items() if of_type == "time"] for kind, columns in COLUMNS.items()}


JSONL = Format(
    "jsonl",
    "everything, one row a line",
    by_rows(write),
    of_rows(read_rows),
    complete=True,
    single=True,
    rows=write,
    read_rows=read_rows,
    keys=("record", "format", "protocol"),
)
