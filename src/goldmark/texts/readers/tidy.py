"""Tidy tables in: CSV, TSV, Parquet, JSON lines, or columns separated by white space, each row with its line.

`table_of` also takes what a notebook holds: data frames, columns, rows.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from goldmark.errors import GoldmarkError, Missing, Problem, ProblemList, ProblemsFound
from goldmark.records.tidy.columns import Frame, written
from goldmark.texts.readers.sheets.parquet import NotParquet, read_frame
from goldmark.texts.readers.spreadsheet import CELL_LIMIT, ESCAPE, lines_of, restore


class NoSuchFile(Missing):
    code = "TIDY-01"
    message = "there is no file {path}; the working directory is {here}"


class NotReadable(GoldmarkError):
    code = "TIDY-02"
    message = "{path} cannot be read: {reason}"


class NothingInside(GoldmarkError):
    code = "TIDY-03"
    message = "{path} holds no rows; a header line and at least one row are needed"


class NotATable(GoldmarkError):
    code = "TIDY-04"
    message = (
        "{source} is {found}; give a data frame, columns, rows that are dictionaries, or the path of a CSV, Parquet or "
        "JSON lines file"
    )


def table_of(data: object, source: str = "table") -> Frame:
    """A table of text cells from whatever there is: a path, a data frame, columns, or rows.

    What is missing in a data frame (None, NaN, NA) is an empty cell, as in a file.
    """
    if isinstance(data, Frame):
        return data
    if isinstance(data, str | Path):
        return read_tidy(Path(data))
    return Frame.of_columns(columns_of(data, source), source)


def columns_of(data: object, source: str = "table") -> dict[str, list[Any]]:
    """The columns of a data frame (pandas, polars, pyarrow), of a mapping, or of rows, their values as they are."""
    given: Any = data
    if isinstance(data, Mapping):
        return {str(name): list(values) for name, values in data.items()}
    if hasattr(data, "to_pydict"):  # pyarrow, whose `columns` are no names
        return dict(given.to_pydict())
    if hasattr(data, "columns"):
        if any(name is not None for name in getattr(getattr(data, "index", None), "names", ())):
            given = given.reset_index()  # pandas: an index with a name is a column
        names = [str(name) for name in given.columns]
        if len(set(names)) < len(names):
            raise NotATable(source=source, found="a data frame with two columns of one name")
        return {name: list(given[column]) for name, column in zip(names, given.columns, strict=True)}
    if not isinstance(data, Iterable):
        raise NotATable(source=source, found=f"a {type(data).__name__}")
    rows: list[Any] = [row._asdict() if hasattr(row, "_asdict") else row for row in data]
    for row in rows:
        if not isinstance(row, Mapping):
            raise NotATable(source=source, found=f"a {type(data).__name__} of {type(row).__name__}")
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def read_tidy(path: Path) -> Frame:
    """A file as a table of text cells; see `parse_tidy`."""
    if path.suffix.lower() == ".parquet":
        return _parquet(path)
    return parse_tidy(read_text(path), path)


def _parquet(path: Path) -> Frame:
    if not path.exists():
        raise NoSuchFile(path=path, here=Path.cwd())
    try:
        return table_of(read_frame(path.read_bytes()), path.name)
    except (OSError, NotParquet) as error:
        raise NotReadable(path=path, reason=str(error)) from None


def parse_tidy(text: str, path: Path) -> Frame:
    """The table that stands in a file. The format follows from the name, the separator from the header line.

    `.jsonl`, `.ndjson` and `.json` hold one object per line (or one array of objects). Everything else has a header
    line: separated by tabs, commas or semicolons, or by white space where there is none of these, as R writes it.
    Cells that were kept from running as a formula (see `spreadsheet`) are as they were before.
    """
    if path.suffix.lower() in {".jsonl", ".ndjson", ".json"}:
        return _json(path, text)
    header = text.split("\n", 1)[0].rstrip("\r")
    if not header.strip():
        raise NothingInside(path=path)
    separator = next((mark for mark in ("\t", ",", ";") if mark in header), None)
    if separator is None and len(header.split()) > 1:
        return _frame(path, _blank_separated(text))
    return _frame(path, _separated(text, separator or ","))


def read_text(path: Path) -> str:
    """What a file holds, without a byte order mark."""
    if not path.exists():
        raise NoSuchFile(path=path, here=Path.cwd())
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotReadable(path=path, reason=f"byte {error.start} is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise NotReadable(path=path, reason=error.strerror or str(error)) from None


def _separated(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(CELL_LIMIT)  # generated texts of 100,000 characters and more stand in single cells
    reader = csv.reader(lines_of(text), delimiter=separator)
    line = 1
    escaped = ESCAPE in text
    for row in reader:
        if row:
            yield line, [restore(cell) for cell in row] if escaped else row
        line = reader.line_num + 1


def _blank_separated(text: str) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(text.split("\n"), start=1):
        cells = row.split()
        if cells:
            yield line, [cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell for cell in cells]


def _frame(path: Path, rows: Iterator[tuple[int, list[str]]]) -> Frame:
    problems: list[Problem] = ProblemList()
    try:
        _, header = next(rows)
        names = [name.strip() for name in header]
        problems.extend(
            Problem(f"{path.name}:1", f"column {name!r} stands there twice", "give each its own name")
            for name in sorted({name for name in names if names.count(name) > 1})
        )
        lines: list[int] = []
        kept: list[list[str]] = []
        for line, row in rows:
            if len(row) == len(names):
                lines.append(line)
                kept.append(row)
            else:
                problems.append(
                    Problem(f"{path.name}:{line}", f"{len(row)} cells for {len(names)} columns", "quote separators")
                )
    except csv.Error as error:
        raise NotReadable(path=path, reason=str(error)) from None
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    if not kept:
        raise NothingInside(path=path)
    columns = zip(*kept, strict=True)
    return Frame(path.name, dict(zip(names, (list(column) for column in columns), strict=True)), lines)


def _json(path: Path, text: str) -> Frame:
    records: list[dict[str, object]] = []
    lines: list[int] = []
    problems: list[Problem] = ProblemList()
    if text.lstrip().startswith("["):
        try:
            found: list[tuple[int, object]] = list(enumerate(json.loads(text), start=1))
        except json.JSONDecodeError as error:
            raise NotReadable(path=path, reason=f"line {error.lineno}: {error.msg}") from None
    else:
        found = []
        for line, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                try:
                    found.append((line, json.loads(row)))
                except json.JSONDecodeError as error:
                    problems.append(Problem(f"{path.name}:{line}", f"not JSON: {error.msg}"))
    for line, value in found:
        if isinstance(value, dict):
            records.append(value)
            lines.append(line)
        else:
            problems.append(Problem(f"{path.name}:{line}", f"a {type(value).__name__}, not an object"))
    if problems:
        problems.sort(key=lambda problem: int(problem.where.rpartition(":")[2]))
        raise ProblemsFound(problems, consequence="nothing was computed")
    if not records:
        raise NothingInside(path=path)
    names = list(dict.fromkeys(name for record in records for name in record))
    return Frame(path.name, {name: [written(record.get(name)) for record in records] for name in names}, lines)
