"""Which format files look like, told to somebody who named another one and was refused."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from goldmark.exchange.campaign.archive import Files, Sources

_MOST_BYTES, _MOST_FILES = 5_000_000, 50  # looked into
# The keys of an object that tell whose it is, the more telling ones first.
_KEYS: tuple[tuple[str, frozenset[str]], ...] = (
    ("jsonl", frozenset({"record", "format", "protocol"})),
    ("cas", frozenset({"%TYPES", "%FEATURE_STRUCTURES"})),
    ("pearmut", frozenset({"user_id", "item_i", "annotation"})),
    ("factgenie", frozenset({"example_idx", "annotations"})),
    ("appraise", frozenset({"target_text", "annotator", "score"})),
    ("label-studio", frozenset({"data", "annotations"})),
    ("argilla", frozenset({"fields", "responses"})),
    ("thresh", frozenset({"target", "edits"})),
    ("doccano", frozenset({"text", "entities"})),
    ("doccano", frozenset({"text", "label"})),
)
_BEGIN = {"#FORMAT=WebAnno": "webanno-tsv", "PAR1": "parquet"}


def beginnings(sources: Sources) -> Files:
    """As much of files that are not in memory as is looked into."""

    def beginning(name: str) -> bytes:
        with sources[name]() as file:
            return file.read(_MOST_BYTES)

    return {name: beginning(name) for name in list(sources)[:_MOST_FILES]}


def looks_like(files: Files) -> str | None:
    """The name of the format, if one can be told."""
    names = {PurePosixPath(name).name for name in files}
    if names & {"user_state.json", "annotated_instances.jsonl"}:
        return "potato"
    if any(name.endswith(".xmi") for name in names):
        return "cas"
    for name, content in list(files.items())[:_MOST_FILES]:
        text = content[:_MOST_BYTES].decode("utf-8", errors="replace").lstrip("\ufeff \n")
        begun = next((form for start, form in _BEGIN.items() if text.startswith(start)), None)
        head = text.partition("\n")[0]
        if begun is None and name.endswith(".tsv") and {"rater", "severity"} <= set(head.casefold().split("\t")):
            begun = "mqm"
        found = begun or _of_object(_first(text, head))
        if found:
            return found
    return None


def _first(text: str, head: str) -> Any:
    """The first object: of the first line, or of the whole."""
    for written in (head, text):
        try:
            found = json.loads(written)
        except (ValueError, RecursionError):
            continue
        while isinstance(found, list) and found:
            found = found[0]
        return found
    return None


def _of_object(found: Any) -> str | None:
    if not isinstance(found, dict):
        return None
    known = next((form for form, keys in _KEYS if keys <= found.keys()), None)
    lists = [one[0] for one in found.values() if isinstance(one, list) and one]
    return known or next((form for one in lists if (form := _of_object(one)) == "pearmut"), None)
