"""Who saw which text: the table beside a mistake list that names also those who marked nothing.

A list has a row for every mistake, so somebody who read a text and found none is not in it. Left out, they would make
the others agree too well.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from goldmark.errors import Problem, ProblemsFound
from goldmark.records.tidy.columns import Columns
from goldmark.texts.readers.spreadsheet import csv_line
from goldmark.texts.readers.text_ids import find_id
from goldmark.texts.readers.tidy import NothingInside, parse_tidy, read_text

SEEN_FILE = "seen.csv"
SEEN = Columns("TEXT_ID", "ANNOTATOR")
Seen = tuple[tuple[str, str], ...]  # text, annotator


def read_seen(path: Path, texts: Container[str]) -> Seen:
    """The table in a file; see `parse_seen`."""
    return parse_seen(read_text(path), texts, path)


def parse_seen(content: str, texts: Container[str], path: Path | str = SEEN_FILE) -> Seen:
    """Who saw which of these texts, or every row that names another. A header alone says that nobody saw any."""
    try:
        frame = parse_tidy(content, Path(path))
    except NothingInside:
        if content.strip():
            return ()
        raise
    checked = SEEN.check(frame)
    found = [find_id(name, texts) for name in checked.texts("TEXT_ID")]
    problems = [
        Problem(frame.where(row), f"text {name!r} is not known", "use the names of the texts", "TEXT_ID")
        for row, (name, text) in enumerate(zip(checked.texts("TEXT_ID"), found, strict=True))
        if text is None
    ]
    if problems:
        raise ProblemsFound(problems, consequence="nothing was read")
    return tuple((text or "", who) for text, who in zip(found, checked.texts("ANNOTATOR"), strict=True))


def beside(mistakes: Path) -> Path | None:
    """The table that stands in the folder of a mistake list, as exports write it; None if there is none."""
    found = mistakes.parent / SEEN_FILE
    return found if found.is_file() else None


def write_seen(seen: Iterable[Sequence[str]]) -> str:
    return "".join(map(csv_line, [[column.name for column in SEEN], *seen]))
