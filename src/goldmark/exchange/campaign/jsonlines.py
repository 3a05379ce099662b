"""JSONL: one file with everything, one row a line, its kind under the key `record`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from goldmark.errors import Problem, ProblemList
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.campaign.rows import COLUMNS, Located, Row, read_time, record_of, write_json, write_time
from goldmark.exchange.format import Format, by_rows
from goldmark.records.campaigns import CampaignRecord
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.json_objects import unreadable

NAME = "campaign.jsonl"


def write(rows: Iterator[Row], folder: Path) -> None:
    with (folder / NAME).open("x", encoding="utf-8", newline="") as file:
        file.writelines(f"{_line(kind, values)}\n" for kind, values in rows)


def _line(kind: str, values: dict[str, Any]) -> str:
    plain = {name: write_time(value) if isinstance(value, datetime) else value for name, value in values.items()}
    return write_json({"record": kind, **plain})


def read(files: Files) -> CampaignRecord:
    problems: list[Problem] = ProblemList()
    return record_of(_rows(files, problems), problems)


def _rows(files: Files, problems: list[Problem]) -> Iterator[Located]:
    for name, content in files.items():
        for number, line in enumerate(io.BytesIO(content.removeprefix(b"\xef\xbb\xbf")), start=1):
            where = f"{name}:{number}"
            text = decode(line, where, problems)
            if not text or text.isspace():
                continue
            try:
                values = json.loads(text)
                kind = values.pop("record")
                for column, of_type in COLUMNS[kind].items():
                    if of_type == "time" and values.get(column) is not None:
                        values[column] = read_time(values[column])
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                remedy = f'every line is a JSON object with "record": {", ".join(COLUMNS)}'
                what = f"the line cannot be read: {unreadable(where, error).what}"
                problems.append(Problem(where, what, remedy))
                continue
            yield Located(kind, where, values)


JSONL = Format(
    "jsonl",
    "everything, one row a line",
    by_rows(write),
    read,
    complete=True,
    single=True,
    rows=write,
    keys=("record", "format", "protocol"),
)
