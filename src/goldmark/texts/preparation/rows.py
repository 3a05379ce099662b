"""Rows of texts in and out: any known format is read, JSONL is written, and facts that no tool knows are kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.texts.readers.formats import reader_for
from goldmark.texts.readers.units import LIMIT_BYTES

Values = dict[str, Any]


class NotATextRow(GoldmarkError):
    code = "PREPARE-01"
    message = "{reason}"


def read_rows(paths: Iterable[Path], *, needs: Sequence[str] = ("id", "text")) -> list[Values]:
    """The rows of all files in order; raises `ProblemsFound` with everything that is wrong in any of them.

    `needs` are the keys that every row must have, each with text that is not empty; ids must differ.
    """
    rows: list[Values] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for path in paths:
        before = (len(rows), len(problems))
        try:
            reader = reader_for(path)
        except GoldmarkError as error:
            problems.append(Problem(str(path), str(error)))
            continue
        for row in reader.rows(path, LIMIT_BYTES, problems):
            values = {**row.values, "id": str(row.values["id"])} if "id" in row.values else dict(row.values)
            wrong = [key for key in needs if not isinstance(values.get(key), str) or not values[key].strip()]
            if wrong:
                what = f"the row has no text under {' or '.join(wrong)}"
                problems.append(Problem(row.where, what, f"every row needs {', '.join(needs)}", wrong[0]))
                continue
            if "id" in needs and values["id"] in seen:
                what = f'the id "{values["id"]}" was already used at {seen[values["id"]]}'
                problems.append(Problem(row.where, what, "give every row an id of its own", "id"))
                continue
            seen[values.get("id", row.where)] = row.where
            rows.append(values)
        if before == (len(rows), len(problems)):
            problems.append(Problem(str(path), "the file holds no row"))
    if problems:
        raise ProblemsFound(problems, "nothing was written")
    return rows


def line_of(values: Values) -> str:
    """A row as one line of JSONL."""
    return json.dumps(values, ensure_ascii=False) + "\n"


def write_rows(path: Path, rows: Iterable[Values]) -> int:
    """Write rows as JSONL, all or nothing: a file that is there is replaced only once the new one is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    draft = path.with_name(path.name + ".part")
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        for values in rows:
            file.write(line_of(values))
            written += 1
    draft.replace(path)
    return written
