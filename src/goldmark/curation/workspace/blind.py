"""Whose marks they are is not told to curators: everybody gets another name, in an order of each text's own.

Only what a curator receives is written under other names. Steps, versions and exports keep the real ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from goldmark.curation.workspace.steps import CurationStep

Aliases = Mapping[str, str]
ONE_NAME = ("annotator", "first", "second")  # the two of a pair; a place in a text is a number
NAMES = ("annotators", "people")
REVISIONS = ("responses", "basis")  # a name, a stroke and a number


def aliases_for(unit: str, names: Iterable[str]) -> dict[str, str]:
    """Other names for people. Their order is drawn anew for every text, so that nobody can be followed through them."""
    drawn = sorted(set(names), key=lambda name: hashlib.sha256(f"{unit}\x00{name}".encode()).digest())
    return {name: f"Annotator {number}" for number, name in enumerate(drawn, start=1)}


def names_in(marks: Iterable[str], steps: Iterable[CurationStep]) -> set[str]:
    """Everybody whose marks a text or any step on it rests on."""
    found = set(marks)
    for step in steps:
        found |= set(step.facts.get("annotators", ()))
        for entry in step.facts.get("entries", ()):
            found |= {str(one["annotator"]) for one in entry.get("sources", ())}
    return found


def hidden(data: Any, aliases: Aliases, key: str = "") -> Any:
    """The same with everybody's name replaced; `key` is what the data stands under."""
    if isinstance(data, Mapping):
        inside = {name: hidden(value, aliases, name) for name, value in data.items()}
        return {aliases.get(name, name): inside[name] for name in sorted(inside)} if key == "marks" else inside
    if isinstance(data, list | tuple):
        many = [hidden(one, aliases, key) for one in data]
        if key in (*NAMES, *REVISIONS):
            return sorted(many)
        # What is sorted by name would tell the order of the names.
        return sorted(many, key=lambda one: (one["annotator"], one["start"])) if key == "sources" else many
    if isinstance(data, str):
        if key in REVISIONS:
            name, stroke, revision = data.rpartition("/")
            return f"{aliases.get(name, name)}{stroke}{revision}"
        return aliases.get(data, data) if key in (*ONE_NAME, *NAMES) else data
    return data
