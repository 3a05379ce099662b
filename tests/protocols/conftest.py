"""Units and protocols that the tests of this room share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goldmark.protocols import Protocol, parse
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import ContextText, ShownText, ShownUnit

MakeUnit = Callable[..., ShownUnit]
MakeProtocol = Callable[[str], Protocol]


def shown_unit(words: str = "one two three four five six seven eight", prompt: int = 0, source: str = "") -> ShownUnit:
    """A unit with one text, its tokens parted by single spaces."""
    tokens, at = [], 0
    for word in words.split(" "):
        tokens.append(Span(at, at + len(word)))
        at += len(word) + 1
    text = Text("u1", words, tuple(tokens), (Span(0, len(tokens)),))
    context = (ContextText("Source", source),) if source else ()
    return ShownUnit({"text": ShownText(text, prompt=Span(0, prompt) if prompt else None)}, context)


@pytest.fixture
def unit() -> MakeUnit:
    return shown_unit


@pytest.fixture
def protocol_of() -> MakeProtocol:
    """A protocol from its steps alone."""

    def make(steps: str) -> Protocol:
        return parse(f"protocol: test/1\ntitle: Test\n{steps}")

    return make
