"""A splitter: what stands between semicolons counts as a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from goldmark.records.spans import Span


def clauses(characters: str, tokens: Sequence[Span]) -> list[Span]:
    """A sentence ends at a semicolon, and where the text does."""
    ends = [place + 1 for place, token in enumerate(tokens) if characters[token.start : token.end] == ";"]
    starts = [0, *ends]
    return [Span(start, end) for start, end in zip(starts, [*ends, len(tokens)], strict=True) if start < end]
