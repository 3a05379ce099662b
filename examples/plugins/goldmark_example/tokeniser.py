"""A tokeniser: every character is a token, for scripts that are written without spaces."""

from __future__ import annotations

from goldmark.records.spans import Span


def letters(characters: str) -> list[Span]:
    """Every character that is not white space."""
    return [Span(place, place + 1) for place, one in enumerate(characters) if not one.isspace()]
