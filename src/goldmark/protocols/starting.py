"""A protocol file to start from, with every part of the language that most people need."""

from __future__ import annotations

from importlib import resources


def starting_file(name: str) -> str:
    """The commented starting file for a protocol of this name."""
    text = (resources.files("goldmark.protocols") / "starting.yaml").read_text(encoding="utf-8")
    return text.replace("my-protocol", name)
