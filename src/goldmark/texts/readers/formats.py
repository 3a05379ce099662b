"""Files of texts, row by row. A reader yields the rows it can read and notes the problems of the others."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from goldmark.errors import Forbidden, GoldmarkError, Problem
from goldmark.plugins import Group
from goldmark.texts.readers.rows import KNOWN, LETTERS, SEVERAL, Row
from goldmark.texts.readers.sheets.parquet import NotParquet, read_frame
from goldmark.texts.readers.spreadsheet import CELL_LIMIT, restore

CONTEXT_PREFIX = "context."
MOST_NAMED = 20  # columns in a message
MARK = b"\xef\xbb\xbf"
TEXT_COLUMNS = {f"{SEVERAL}.{letter}": letter for letter in LETTERS}  # three texts or more in a table
_CSV_KNOWN = frozenset(("id", "text", "a", "b", "prompt", "language", *TEXT_COLUMNS))


class OutsideFolder(Forbidden):
    code = "FILE-01"
    message = '"{path}" leads outside the folder {folder}; keep the files that a campaign names inside its own folder'


class UnknownFormat(GoldmarkError):
    code = "FILE-02"
    message = '{path} is of no known format; name one with "format" ({known})'


@dataclass(frozen=True)
class Reader:
    """A format of files: its name, what it is, the endings of its files, and how rows are read from one of them."""

    name: str
    purpose: str
    endings: tuple[str, ...]
    rows: Callable[[Path, int, list[Problem]], Iterator[Row]]


READERS: Group[Reader] = Group(
    "readers",
    "format of texts",
    Reader,
    {
        "jsonl": "goldmark.texts.readers.formats:JSONL",
        "csv": "goldmark.texts.readers.formats:CSV",
        "xlsx": "goldmark.texts.readers.formats:XLSX",
        "parquet": "goldmark.texts.readers.formats:PARQUET",
        "txt": "goldmark.texts.readers.formats:TXT",
        "folder": "goldmark.texts.readers.formats:FOLDER",
    },
)


def reader_for(path: Path, name: str | None = None) -> Reader:
    """The reader that was named, or the one whose files end like this one; a folder is a folder of texts."""
    if name is None:
        if path.is_dir():
            return READERS["folder"]
        found = next((reader for reader in READERS.usable().values() if path.suffix.lower() in reader.endings), None)
    else:
        return READERS.find(name)
    if found is None:
        raise UnknownFormat(path=path, known=", ".join(sorted(READERS)))
    return found


def inside(folder: Path, relative: str | Path) -> Path:
    """The path of a file that must lie inside a folder, links followed; anything else is refused."""
    path = (folder / relative).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise OutsideFolder(path=relative, folder=folder)
    return path


def read_bytes(path: Path, limit: int, problems: list[Problem]) -> bytes | None:
    """The content of a file, or None and the reason in `problems`."""
    with _opened(path, limit, problems) as file:
        return None if file is None else file.read()


@contextmanager
def _opened(path: Path, limit: int, problems: list[Problem]) -> Iterator[BinaryIO | None]:
    """A file to read from, behind the mark of UTF-8 that some programs write first; or None and the reason."""
    try:
        with path.open("rb") as file:
            size, start = path.stat().st_size, file.read(len(MARK))
            if size > limit:
                remedy = "split it, or allow larger files"
                problems.append(Problem(str(path), f"the file has {size:,} bytes; {limit:,} are allowed", remedy))
            elif start[:2] in (b"\xff\xfe", b"\xfe\xff"):
                problems.append(Problem(str(path), "the file is encoded as UTF-16", "save it as UTF-8"))
            else:
                file.seek(len(MARK) if start == MARK else 0)
                yield file
                return
    except OSError as error:
        problems.append(Problem(str(path), f"the file cannot be read: {error.strerror or error}"))
    yield None


def decode(content: bytes, where: str, problems: list[Problem], *, offset: int = 0) -> str | None:
    """UTF-8 text, or None and the first byte that is not in `problems`; `offset` is the content's place in its file."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        what = f"byte {offset + error.start} (0x{content[error.start]:02x}) is not UTF-8"
        problems.append(Problem(where, what, "save the file as UTF-8"))
        return None


def jsonl_rows(path: Path, limit: int, problems: list[Problem]) -> Iterator[Row]:
    """One JSON object a line, of which one is in memory at a time."""
    with _opened(path, limit, problems) as file:
        if file is not None:
            yield from _json_rows(path, file, problems)


def _json_rows(path: Path, file: BinaryIO, problems: list[Problem]) -> Iterator[Row]:
    offset = file.tell()
    for number, line in enumerate(file, start=1):
        where = f"{path}:{number}"
        text = decode(line.removesuffix(b"\n"), where, problems, offset=offset)
        offset += len(line)
        if not text or text.isspace():
            continue
        try:
            values = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite)
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            problems.append(Problem(where, f"the line is not JSON: {reason}", "write one JSON object on each line"))
            continue
        if not isinstance(values, dict):
            problems.append(Problem(where, "the line is JSON, but no object", 'write {"id": ..., "text": ...}'))
            continue
        yield Row(where, values)


def csv_rows(path: Path, limit: int, problems: list[Problem]) -> Iterator[Row]:
    """A header and one row a unit; a cell may run over several lines, and counts as the line where its row begins."""
    yield from _table_rows(path, csv_cells(path, limit, problems), problems)


def xlsx_rows(path: Path, limit: int, problems: list[Problem]) -> Iterator[Row]:
    """The first sheet: a header and one row a unit."""
    yield from _table_rows(path, sheet_cells(path, limit, problems), problems)


def csv_cells(path: Path, limit: int, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, its header first, with the lines where they begin; a row is in memory at a time."""
    with _opened(path, limit, problems) as file:
        if file is None:
            return
        csv.field_size_limit(CELL_LIMIT)
        begins = file.tell()
        try:
            with io.TextIOWrapper(file, encoding="utf-8", newline="") as stream:
                delimiter = delimiter_of(path, stream.read(100_000))
                stream.seek(begins)
                reader, line = csv.reader(stream, delimiter=delimiter, strict=True), 1
                for cells in reader:
                    where, line = line, reader.line_num + 1
                    if cells:
                        yield where, [restore(cell) for cell in cells]
        except csv.Error as error:
            problems.append(Problem(f"{path}:{reader.line_num}", f"the file is not CSV from here on: {error}"))
        except UnicodeDecodeError:
            decode(path.read_bytes(), str(path), problems)  # which byte of all it is


def delimiter_of(path: Path, text: str) -> str:
    """What parts the cells: a tab in .tsv files, else whichever of comma, semicolon and tab parts the first line best.

    Spreadsheets of countries with a decimal comma write semicolons.
    """
    if path.suffix.lower() == ".tsv":
        return "\t"
    first = re.sub(r'"[^"]*"', "", text).partition("\n")[0]
    return max(",;\t", key=first.count)


def sheet_cells(path: Path, limit: int, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    from goldmark.texts.readers.sheets.xlsx import NotExcel, xlsx_cells

    content = read_bytes(path, limit, problems)
    if content is None:
        return
    try:
        yield from xlsx_cells(content)
    except NotExcel as error:
        problems.append(Problem(str(path), str(error)))


def _table_rows(path: Path, rows: Iterator[tuple[int, list[str]]], problems: list[Problem]) -> Iterator[Row]:
    before = len(problems)
    _, header = next(rows, (1, []))
    if len(problems) > before:
        return
    problem = _header_problem(header, f"{path}:1", cells_only=True)
    if problem:
        problems.append(problem)
        return
    for line, cells in rows:
        where = f"{path}:{line}"
        if path.suffix.lower() in XLSX.endings:  # a sheet does not keep the empty cells at the end of a row
            cells = cells + [""] * (len(header) - len(cells))
        if len(cells) != len(header):
            what = f"the row has {len(cells)} cells, the header {len(header)}"
            problems.append(Problem(where, what, 'put cells that hold a comma in quotes ("...")'))
            continue
        values = dict(zip(header, cells, strict=True))
        yield Row(where, _gathered({key: cell for key, cell in values.items() if cell or not _shown(key)}))


def text_rows(path: Path, limit: int, problems: list[Problem]) -> Iterator[Row]:
    """A file that is one text."""
    content = read_bytes(path, limit, problems)
    text = None if content is None else decode(content, str(path), problems)
    if text is not None:
        yield Row(str(path), {"id": path.name, "text": text})


def parquet_rows(path: Path, limit: int, problems: list[Problem]) -> Iterator[Row]:
    """One row a unit, with the keys of JSONL or the columns of CSV; rows count from 1."""
    content = read_bytes(path, limit, problems)
    if content is None:
        return
    try:
        frame = read_frame(content)
    except NotParquet as error:
        problems.append(Problem(str(path), str(error)))
        return
    problem = _header_problem(frame.columns, str(path), cells_only=False)
    if problem:
        problems.append(problem)
        return
    for number, values in enumerate(frame.iter_rows(named=True), start=1):
        where = f"{path}:{number}"
        try:
            yield Row(where, _gathered({key: plain(value) for key, value in values.items()}))
        except TypeError as error:
            problems.append(
                Problem(
                    where, str(error), "keep to one way of giving context, and store text, numbers, lists or structs"
                )
            )


def folder_rows(path: Path, limit: int, problems: list[Problem]) -> Iterator[Row]:
    """Every .txt file of a folder is a text; its id is the file's name."""
    paths = sorted(path.glob("*.txt"))
    if not paths:
        what = "the folder holds no .txt file" if path.is_dir() else "this is not a folder"
        problems.append(Problem(str(path), what, "give a folder with one .txt file per text"))
    for found in paths:
        try:
            content = read_bytes(inside(path, found.name), limit, problems)
        except OutsideFolder as error:
            problems.append(Problem(str(found), str(error)))
            continue
        text = None if content is None else decode(content, str(found), problems)
        if text is not None:
            yield Row(str(found), {"id": found.name, "text": text})


JSONL = Reader("jsonl", "a JSON object a line", (".jsonl", ".ndjson"), jsonl_rows)
CSV = Reader("csv", "a table with a header; a row is a unit", (".csv", ".tsv"), csv_rows)
XLSX = Reader("xlsx", "the first sheet of an Excel workbook; a row is a unit", (".xlsx", ".xlsm"), xlsx_rows)
TXT = Reader("txt", "a file that is one text", (".txt",), text_rows)
PARQUET = Reader("parquet", "typed columns; a row is a unit", (".parquet", ".pq"), parquet_rows)
FOLDER = Reader("folder", "a folder in which every .txt file is a text", (), folder_rows)


def _header_problem(header: Sequence[str], where: str, *, cells_only: bool) -> Problem | None:
    """What no row could mend: columns named twice or missing, or columns whose content a plain cell cannot hold."""
    columns = set(header)
    if not any(header):
        return Problem(where, "the file has no header", "name the columns on the first line")
    if len(columns) < len(header):
        twice = ", ".join(sorted(name for name, count in Counter(header).items() if count > 1)[:MOST_NAMED])
        return Problem(where, f"column {twice} occurs more than once", "name every column once")
    unfit = sorted(columns & (KNOWN - _CSV_KNOWN)) if cells_only else []
    if unfit:
        remedy = "use JSONL; context goes into columns named context.TITLE"
        return Problem(where, f"a cell cannot hold {', '.join(unfit)}", remedy)
    texts = {"text", "a", "b", "tokens", *TEXT_COLUMNS} | (set() if cells_only else {SEVERAL})
    if "id" not in columns or not columns & texts:
        remedy = 'rename columns to "id" and "text" ("a" and "b" for comparisons)'
        return Problem(where, f"the file has the columns {', '.join(header[:MOST_NAMED])}", remedy)
    return None


def _shown(key: str) -> bool:
    return key in _CSV_KNOWN or key.startswith(CONTEXT_PREFIX)


def _gathered(values: dict[str, Any]) -> dict[str, Any]:
    """Columns named `context.TITLE` become the mapping `context`, from title to content, and columns named `texts.a`,
    `texts.b` and so on become `texts`; other keys stay."""
    compared = {TEXT_COLUMNS[key]: value for key, value in values.items() if key in TEXT_COLUMNS and value is not None}
    values = {key: value for key, value in values.items() if key not in TEXT_COLUMNS}
    if compared:
        values[SEVERAL] = {letter: compared[letter] for letter in LETTERS if letter in compared}
    titled = {
        key.removeprefix(CONTEXT_PREFIX): value
        for key, value in values.items()
        if key.startswith(CONTEXT_PREFIX) and value is not None
    }
    if not titled:
        return {key: value for key, value in values.items() if not key.startswith(CONTEXT_PREFIX)}
    if values.get("context") is not None:
        raise TypeError(f'the row has "context" and "{CONTEXT_PREFIX}{next(iter(titled))}"')
    rest = {key: value for key, value in values.items() if not key.startswith(CONTEXT_PREFIX)}
    return {**rest, "context": titled}


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key "{key}" occurs twice')
        found[key] = value
    return found


def _finite(written: str) -> float:
    number = float(written)
    if number - number != 0:  # larger than any that can be kept: it would become nothing at all
        raise ValueError(f"{written[:40]} is too large for a number")
    return number


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number that JSON knows; use null")


def plain(value: object) -> object:
    """A value of Parquet as JSON has it: times as ISO 8601, exact decimals as text, NaN as nothing."""
    from datetime import date, datetime, time
    from decimal import Decimal

    if isinstance(value, float):
        return value if value - value == 0 else None
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    raise TypeError(f"a column holds {type(value).__name__}, which has no place in a unit")
