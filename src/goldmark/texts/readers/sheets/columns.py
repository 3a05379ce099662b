"""A table whose columns have names of their own: what is in it, and which column is what.

A campaign's files call their columns `id` and `text`; a spreadsheet calls them as people do. Here a person says which
is which, sees what stays hidden, and how the first texts are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.texts.readers.formats import CONTEXT_PREFIX, CSV, PARQUET, XLSX, csv_cells, reader_for, sheet_cells
from goldmark.texts.readers.rows import KNOWN, LETTERS, SEVERAL
from goldmark.texts.readers.sheets.parquet import NotParquet, read_frame
from goldmark.texts.readers.units import LIMIT_BYTES

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


@dataclass(frozen=True)
class UploadedSheet:
    """A table as it is: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]


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
        sheet = UploadedSheet(tuple(dict.fromkeys(key for row in rows for key in row)), rows)
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    return sheet


def _from_cells(cells: Iterator[tuple[int, list[str]]]) -> UploadedSheet:
    _, header = next(cells, (1, []))
    names = tuple(name.strip() or f"column {place}" for place, name in enumerate(header, start=1))
    rows = [dict(zip(names, row + [""] * (len(names) - len(row)), strict=False)) for _, row in cells]
    return UploadedSheet(tuple(dict.fromkeys(names)), rows)


def _from_parquet(path: Path, problems: list[Problem]) -> UploadedSheet:
    try:
        frame = read_frame(path.read_bytes())
    except NotParquet as error:
        problems.append(Problem(path.name, str(error)))
        return UploadedSheet((), [])
    return UploadedSheet(tuple(frame.columns), list(frame.iter_rows(named=True)))


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
