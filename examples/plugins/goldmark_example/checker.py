"""A checker: colours that are not on a list."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from goldmark.checkers.plugins import CannotCheck, CheckedText, CheckerType
from goldmark.errors import Problem
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text

KNOWN = {"red", "green", "blue", "yellow"}


class Colours:
    """Marks colours that are not on a list."""

    def __init__(self, allowed: set[str]) -> None:
        self.allowed = allowed

    def check(self, text: Text) -> CheckedText:
        if not text.tokens:
            raise CannotCheck(text=text.id, reason="it is empty")
        found = [
            Mistake(text.id, Span(place, place + 1), "WORD", comment="not one of the colours in the data")
            for place in range(len(text.tokens))
            if text.token(place) in KNOWN - self.allowed
        ]
        return CheckedText(tuple(found))


def open_colours(sources: Mapping[str, Path]) -> tuple[Colours, list[Problem]]:
    return Colours(set(sources["colours"].read_text(encoding="utf-8").split())), []


COLOURS = CheckerType("colours", "colours that are not in the data", {"colours": "a file of colours"}, open_colours)
