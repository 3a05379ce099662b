"""Whose marks they are is not told to curators: everybody gets another name, in an order of each text's own.

Only what a curator receives is written under other names. Steps, versions and exports keep the real ones.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from typing import Any

from goldmark.curation.workspace.steps import CurationStep
from goldmark.exchange.campaign.pseudonyms import renamed

Aliases = Mapping[str, str]


def aliases_for(key: bytes, unit: str, names: Iterable[str]) -> dict[str, str]:
    """Other names for people. Their order is drawn anew for every text, so that nobody can be followed through them;
    without the key nobody can work it out from the names.
    """
    drawn = sorted(set(names), key=lambda name: hmac.digest(key, f"{unit}\x00{name}".encode(), "sha256"))
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
    return renamed(data, lambda name: aliases.get(name, name), key)
