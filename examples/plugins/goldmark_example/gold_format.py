"""A format of gold lists: one mistake a line, with tabs between its text, first token, last token and category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from goldmark.curation.gold_lists.formats import GoldFormat
from goldmark.records.gold import GoldMistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text


def write(mistakes: Sequence[GoldMistake], texts: Mapping[str, Text]) -> Iterator[tuple[str, bytes]]:
    """One file; tokens are counted from 1."""
    lines = [f"{one.text_id}\t{one.span.start + 1}\t{one.span.end}\t{one.label}\n" for one in mistakes]
    yield "gold.tab", "".join(lines).encode()


def read(path: Path, texts: Mapping[str, Text]) -> list[GoldMistake]:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [GoldMistake(text, Span(int(first) - 1, int(last)), label) for text, first, last, label in rows]


TABS = GoldFormat("tabs", "one mistake a line, with tabs between", write, read, ending=".tab")
