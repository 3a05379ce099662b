"""Objects in JSON: one on each line, or an array of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.texts.readers.formats import decode

_KINDS = {
    int: "a number",
    float: "a number",
    str: "a string",
    bool: "true or false",
    list: "a list",
    type(None): "null",
}
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
            problems.append(Problem(where, f"{_KINDS.get(type(written), 'something')}, not an object", remedy))


def _written(name: str, content: bytes, problems: list[Problem]) -> Iterator[tuple[str, Any]]:
    text = decode(content.removeprefix(b"\xef\xbb\xbf"), name, problems) or ""
    try:
        if text.lstrip().startswith("["):
            yield from ((f"{name}, entry {number}", one) for number, one in enumerate(json.loads(text), start=1))
            return
    except (ValueError, RecursionError) as error:
        problems.append(Problem(name, f"the file is not JSON: {error}"))
        return
    lines = text.split("\n")
    if lines[0].strip() in ("{", "") and (whole := _whole(text)) is not None:
        yield name, whole
        return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield f"{name}:{number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                problems.append(Problem(f"{name}:{number}", f"the line is not JSON: {error}"))


def _whole(text: str) -> Any:
    """One object on many lines, if the file is that."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def unreadable(where: str, error: Exception) -> Problem:
    """An object of another shape: what it lacks, in words."""
    if isinstance(error, GoldmarkError):
        return Problem(where, str(error)[:300])
    if isinstance(error, UnicodeDecodeError):
        return Problem(
            where, f"byte {error.start} (0x{error.object[error.start]:02x}) is not UTF-8", "save it as UTF-8"
        )
    if isinstance(error, json.JSONDecodeError):
        return Problem(where, f"it is not JSON: {error}"[:300])
    if isinstance(error, RecursionError):
        return Problem(where, "it is nested too deeply")
    if isinstance(error, KeyError):
        return Problem(where, f"it has no {error.args[0]!r}, so it is of another shape than expected"[:300])
    told = "" if isinstance(error, TypeError | AttributeError) else f": {error}"  # these name parts of the program
    return Problem(where, f"it is of another shape than expected{told}"[:300])
