"""Which format files look like, told to somebody who named another one and was refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from goldmark.exchange.campaign.archive import Files, Sources
from goldmark.exchange.format import Format

_MOST_BYTES, _MOST_FILES = 5_000_000, 50  # looked into


def beginnings(sources: Sources) -> Files:
    """As much of files that are not in memory as is looked into."""

    def beginning(name: str) -> bytes:
        with sources[name]() as file:
            return file.read(_MOST_BYTES)

    return {name: beginning(name) for name in list(sources)[:_MOST_FILES]}


def looks_like(files: Files, formats: Iterable[Format]) -> str | None:
    """The name of the first format that knows one of these files by its keys or its beginning."""
    known = list(formats)
    for content in list(files.values())[:_MOST_FILES]:
        text = content[:_MOST_BYTES].decode("utf-8", errors="replace").lstrip("\ufeff \n")
        begun = next((one.name for one in known if one.begins and text.startswith(one.begins)), None)
        found = begun or _by_keys(_first(text), known)
        if found:
            return found
    return None


def _first(text: str) -> Any:
    """The first object: of the first line, or of the whole."""
    for written in (text.partition("\n")[0], text):
        try:
            found = json.loads(written)
        except (ValueError, RecursionError):
            continue
        while isinstance(found, list) and found:
            found = found[0]
        return found
    return None


def _by_keys(found: Any, formats: list[Format]) -> str | None:
    """Of the object itself, or of the first one in one of its lists."""
    if not isinstance(found, dict):
        return None
    inner = (one[0] for one in found.values() if isinstance(one, list) and one)
    told = next((one.name for one in formats if one.keys and set(one.keys) <= found.keys()), None)
    return told or next((name for one in inner if (name := _by_keys(one, formats))), None)
