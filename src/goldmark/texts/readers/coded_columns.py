"""Large clean files in, codes out: each cell as its position among the distinct cells of its column.

Half a million labels have few distinct units, people and values. Holding codes instead of text takes a tenth of the
memory, and what has to be checked is checked once per distinct cell. A file with anything unusual in it is left to
`tidy`, which is slower and can say what is wrong on which line.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldmark.texts.readers.spreadsheet import restore

JSON = frozenset({".json", ".jsonl", ".ndjson"})


@dataclass(frozen=True)
class CodedColumn:
    """`names[codes[row]]` is the cell of a row, without white space around it."""

    codes: array[int]
    names: list[str]


def read_coded(path: Path, columns: Sequence[str], without: Collection[str] = ()) -> list[CodedColumn] | None:
    """These columns of a separated file, or None if `tidy.read_tidy` had better look at it.

    That is so too if it has one of the columns `without`, by which rows may have to be left out.
    """
    if path.suffix.lower() in JSON or not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = file.readline().rstrip("\r\n")
            separator = next((mark for mark in ("\t", ",", ";") if mark in header), None)
            if separator is None or '"' in header:
                return None
            names = [name.strip() for name in header.split(separator)]
            if len(set(names)) < len(names) or not set(columns) <= set(names) or set(without) & set(names):
                return None
            return _coded(
                csv.reader(file, delimiter=separator), [names.index(column) for column in columns], len(names)
            )
    except (OSError, UnicodeDecodeError, csv.Error):
        return None


def _coded(rows: Iterable[list[str]], places: list[int], width: int) -> list[CodedColumn] | None:
    codes = [array("q") for _ in places]
    known: list[dict[str, int]] = [{} for _ in places]
    work = list(zip(places, codes, known, strict=True))
    for row in rows:
        if len(row) != width:
            if row:
                return None
            continue
        for place, column, seen in work:
            column.append(seen.setdefault(row[place], len(seen)))
    return [_stripped(column, list(seen)) for column, seen in zip(codes, known, strict=True)]


def _stripped(codes: array[int], cells: list[str]) -> CodedColumn:
    """Cells that differ in white space around them only become one; see `spreadsheet` on apostrophes."""
    names: dict[str, int] = {}
    new = [names.setdefault(restore(cell).strip(), len(names)) for cell in cells]
    return CodedColumn(codes if len(names) == len(cells) else array("q", (new[code] for code in codes)), list(names))
