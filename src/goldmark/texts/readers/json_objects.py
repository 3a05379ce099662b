"""Objects in JSON: one on each line, or an array of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from goldmark.errors import Problem
from goldmark.texts.readers.formats import decode

# What reading an object of another shape raises; the object is then told as one that cannot be read.
OTHER_SHAPE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


def json_objects(
    name: str, content: bytes, problems: list[Problem], remedy: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object with where it stands: its line, or its number in the array. `remedy` says what objects must be."""
    for where, written in _written(name, content, problems):
        if isinstance(written, dict):
            yield where, written
        else:
            problems.append(Problem(where, f"a {type(written).__name__}, not an object", remedy))


def _written(name: str, content: bytes, problems: list[Problem]) -> Iterator[tuple[str, Any]]:
    text = decode(content.removeprefix(b"\xef\xbb\xbf"), name, problems) or ""
    try:
        if text.lstrip().startswith("["):
            yield from ((f"{name}, entry {number}", one) for number, one in enumerate(json.loads(text), start=1))
            return
    except (ValueError, RecursionError) as error:
        problems.append(Problem(name, f"the file is not JSON: {error}"))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"{name}:{number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                problems.append(Problem(f"{name}:{number}", f"the line is not JSON: {error}"))


def unreadable(where: str, error: Exception) -> Problem:
    return Problem(where, f"it cannot be read: {error!r}"[:300])
