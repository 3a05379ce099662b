"""A reader of texts: every line is one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from goldmark.errors import Problem
from goldmark.texts.readers.formats import Reader, decode, read_bytes
from goldmark.texts.readers.rows import Row


def rows(path: Path, limit: int, problems: list[Problem]) -> Iterator[Row]:
    content = read_bytes(path, limit, problems)
    text = None if content is None else decode(content, str(path), problems)
    for number, line in enumerate((text or "").splitlines(), start=1):
        yield Row(f"{path}:{number}", {"id": str(number), "text": line})


LINES = Reader("lines", "every line is a text", (".lines",), rows)
