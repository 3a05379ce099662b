"""CSV cells that a spreadsheet would run as a formula are made harmless, and restored exactly.

A cell that begins with one of `FORMULA_STARTS` (or with apostrophes before one) gets one apostrophe in front, unless it
is a plain number; reading takes it away again. Both directions leave every other cell alone, so
`restore(neutralise(cell)) == cell` always holds.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from goldmark.records.tidy.columns import written

CELL_LIMIT = 2**31 - 1  # files are limited instead; the csv module's own limit is 131,072 characters a cell

ESCAPE = "'"
# The last four are the full-width forms, which East Asian spreadsheets read as the plain ones.
FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_RUNS_OR_ESCAPED = re.compile(f"'*[{re.escape(FORMULA_STARTS)}]")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_ESCAPED = re.compile(f"'+[{re.escape(FORMULA_STARTS)}]")


def neutralise(cell: str) -> str:
    """A cell that a spreadsheet will show and not run."""
    return f"{ESCAPE}{cell}" if _RUNS_OR_ESCAPED.match(cell) and not _NUMBER.fullmatch(cell) else cell


def restore(cell: str) -> str:
    """The cell as it was before `neutralise`; any other cell unchanged."""
    return cell[1:] if cell[:1] == ESCAPE and _ESCAPED.match(cell) else cell


def csv_line(cells: Iterable[str | float | bool | None]) -> str:
    """One line of CSV: text made harmless, numbers exact, nothing for None; the same bytes for the same cells."""
    return ",".join(quoted(_written(cell)) for cell in cells) + "\n"


def csv_table(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Rows with the same names as a CSV file; nothing at all if there are none."""
    names = list(rows[0]) if rows else []
    lines = [csv_line(names), *(csv_line(written(row[name]) for name in names) for row in rows)]
    return "".join(lines).encode()


def lines_of(text: str) -> Iterator[str]:
    """Lines with their ends, as readers of CSV want them. A file in memory would take four bytes of each character, and
    `str.splitlines` also breaks at form feeds and U+2028, which may stand inside a text."""
    return (found[0] for found in _LINE.finditer(text))


def csv_lines(text: str | Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows of CSV, each with the line where it begins, every cell as it was before it was written."""
    csv.field_size_limit(CELL_LIMIT)
    reader = csv.reader(lines_of(text) if isinstance(text, str) else text, strict=True)
    line = 1
    for cells in reader:
        if cells:
            yield line, [restore(cell) for cell in cells]
        line = reader.line_num + 1


def _written(cell: str | float | bool | None) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return neutralise(cell)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return repr(cell)


def quoted(cell: str) -> str:
    # csv.writer leaves a carriage return bare where lines end in "\n", and readers then break the row there.
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in ',"\n\r') else cell
