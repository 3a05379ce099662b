"""A table whose columns have names of their own: what is in it, and which column is what.

A campaign's files call their columns `id` and `text`; a spreadsheet calls them as people do. Here a person says which
is which, sees what stays hidden, and how the first texts are cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.texts.readers.formats import CONTEXT_PREFIX, CSV, PARQUET, XLSX, csv_cells, plain, reader_for, sheet_cells
from goldmark.texts.readers.rows import KNOWN, LETTERS, SEVERAL
from goldmark.texts.readers.sheets.parquet import NotParquet, read_frame
from goldmark.texts.readers.units import LIMIT_BYTES

MOST_COLUMNS = 500  # that a page offers to choose from
FIRST_ROWS = 3
LONGEST_LOOKED_AT = 5_000  # characters of a cell
# What a column can be, with the names under which people keep it, best first.
ROLES = {
    "text": ("text", "output", "summary", "answer", "translation", "generated", "generation", "target", "prediction"),
    "a": ("a", "text_a", "output_a", "first"),
    "b": ("b", "text_b", "output_b", "second"),
    "c": ("c", "text_c", "output_c", "third"),
    "d": ("d", "text_d", "output_d", "fourth"),
    "e": ("e", "text_e", "output_e", "fifth"),
    "id": ("id", "text_id", "unit_id", "row_id", "nr", "no", "number", "index"),
    "system": ("system", "model", "system_id", "generator"),
    "item": ("item", "item_id", "doc_id", "prompt_id", "game", "document"),
    "language": ("language", "lang"),
    "prompt": (),  # the beginning of the text that somebody else wrote; what is called so is often something else
}


class NoTextColumn(GoldmarkError):
    code = "SHEET-01"
    message = "say which column holds the text, or which hold the first text, the second and so on; it has {columns}"


class ColumnNotInSheet(GoldmarkError):
    code = "SHEET-02"
    message = "there is no column {name!r}; the file has {columns}"


class TooManyColumns(GoldmarkError):
    code = "SHEET-03"
    message = (
        "the file has {count:,} columns, of which a page offers {most}; leave out those that nobody needs, or call "
        "the others as the documentation does (id, text) and choose none here"
    )


@dataclass(frozen=True)
class UploadedSheet:
    """A table as it is: the names of its columns, and its rows; of one that is only looked at, the first."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    count: int  # of all its rows


def read_sheet(path: Path) -> UploadedSheet:
    """A CSV, Excel, Parquet or JSONL file, without asking what its columns are called."""
    problems: list[Problem] = ProblemList()
    reader = reader_for(path)
    if reader.name in (CSV.name, XLSX.name):
        cells = (csv_cells if reader.name == CSV.name else sheet_cells)(path, LIMIT_BYTES, problems)
        sheet = _from_cells(cells)
    elif reader.name == PARQUET.name:
        sheet = _from_parquet(path, problems)
    else:
        rows = [dict(row.values) for row in reader.rows(path, LIMIT_BYTES, problems)]
        sheet = UploadedSheet(tuple(dict.fromkeys(key for row in rows for key in row)), rows, len(rows))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    return sheet


def first_rows(path: Path) -> UploadedSheet:
    """The beginning of a table, to be looked at."""
    sheet = read_sheet(path)
    if len(sheet.columns) > MOST_COLUMNS:
        raise TooManyColumns(count=len(sheet.columns), most=MOST_COLUMNS)
    rows = [{name: _beginning(cell) for name, cell in row.items()} for row in sheet.rows[:FIRST_ROWS]]
    return UploadedSheet(sheet.columns, rows, sheet.count)


def _beginning(cell: object) -> object:
    if isinstance(cell, list | dict):
        cell = json.dumps(cell, ensure_ascii=False)
    return cell[:LONGEST_LOOKED_AT] if isinstance(cell, str) else cell


def write_mapped(path: Path, *, target: Path, roles: Mapping[str, str], context: Sequence[str]) -> None:
    """A table whose columns somebody says the sense of, as a file of texts."""
    with target.open("w", encoding="utf-8") as file:
        for row in mapped(read_sheet(path), roles, context):
            file.write(json.dumps(row) + "\n")


def _from_cells(cells: Iterator[tuple[int, list[str]]]) -> UploadedSheet:
    _, header = next(cells, (1, []))
    names = tuple(name.strip() or f"column {place}" for place, name in enumerate(header, start=1))
    rows = [dict(zip(names, row + [""] * (len(names) - len(row)), strict=False)) for _, row in cells]
    return UploadedSheet(tuple(dict.fromkeys(names)), rows, len(rows))


def _from_parquet(path: Path, problems: list[Problem]) -> UploadedSheet:
    try:
        frame = read_frame(path.read_bytes())
        rows = [{name: plain(cell) for name, cell in row.items()} for row in frame.iter_rows(named=True)]
    except (NotParquet, TypeError) as error:
        problems.append(Problem(path.name, str(error)))
        return UploadedSheet((), [], 0)
    return UploadedSheet(tuple(frame.columns), rows, len(rows))


def guessed(columns: Sequence[str]) -> dict[str, str]:
    """Which column is probably what, by its name; each column is at most one thing."""
    found: dict[str, str] = {}
    for role, names in ROLES.items():
        by_name = {one.strip().lower().replace(" ", "_"): one for one in columns if one not in found.values()}
        best = next((by_name[name] for name in names if name in by_name), None)
        if best is not None:
            found[role] = best
    compared = "".join(letter for letter in LETTERS if letter in found)
    while len(compared) > 1 and not LETTERS.startswith(compared):  # a text after a gap is something else
        compared = compared[:-1]
    set_aside = {"text"} if len(compared) > 1 else set(LETTERS)
    return {role: one for role, one in found.items() if role not in set_aside | (set(LETTERS) - set(compared))}


def mapped(sheet: UploadedSheet, roles: Mapping[str, str], context: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The rows as a file of texts has them; columns that nobody chose stay hidden, rows without an id get a number."""
    wanted = {role: column for role, column in roles.items() if column}
    known = ", ".join(sheet.columns)
    for name in (*wanted.values(), *context):
        if name not in sheet.columns:
            raise ColumnNotInSheet(name=name[:100], columns=known)
    letters = [letter for letter in LETTERS if letter in wanted]
    if "text" not in wanted and (len(letters) < 2 or not LETTERS.startswith("".join(letters))):
        raise NoTextColumn(columns=known)
    several = letters if len(letters) > 2 and "text" not in wanted else []
    shown_keys = KNOWN | ({SEVERAL, *several} if several else set())
    taken = {*wanted.values(), *context}
    rows = []
    for number, row in enumerate(sheet.rows, start=1):
        # What nobody chose stays hidden, also under a name that would be shown.
        made: dict[str, Any] = {
            f"column {key}" if key in shown_keys else key: value for key, value in row.items() if key not in taken
        }
        made |= {role: row.get(column) for role, column in wanted.items() if row.get(column) not in (None, "")}
        if several:
            made[SEVERAL] = {letter: str(made.pop(letter, "")) for letter in several}
        made["id"] = str(made.get("id", number))
        shown = {one.removeprefix(CONTEXT_PREFIX): str(row[one]) for one in context if row.get(one) not in (None, "")}
        rows.append({**made, **({"context": shown} if shown else {})})
    return rows
