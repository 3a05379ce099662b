"""Errors that were put into a text on purpose, to see who finds them. They are a hidden fact of its unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from goldmark.records.spans import Span


@dataclass(frozen=True, slots=True)
class Introduced:
    """One error: the tokens of the changed text that are wrong, of which kind it is, and what stood there before."""

    span: Span
    label: str
    text: str  # what stands there now
    original: str  # what stood there before, and would be the right correction

    def to_json(self) -> dict[str, Any]:
        return {
            "start": self.span.start,
            "end": self.span.end,
            "label": self.label,
            "text": self.text,
            "original": self.original,
        }


def introduced_errors(hidden: Mapping[str, Any]) -> tuple[Introduced, ...]:
    """The errors that were introduced into the text of a unit with these hidden facts; nothing if none were."""
    found = hidden.get("introduced")
    return tuple(
        Introduced(
            Span(one["start"], one["end"]),
            str(one.get("label") or ""),
            str(one.get("text") or ""),
            str(one.get("original") or ""),
        )
        for one in (found if isinstance(found, list) else ())
        if isinstance(one, Mapping) and _is_span(one.get("start"), one.get("end"))
    )


def introduced_in(hidden: Mapping[str, Any]) -> tuple[Span, ...]:
    """Where they are, in tokens."""
    return tuple(one.span for one in introduced_errors(hidden))


def touches(span: Span, introduced: Iterable[Span]) -> bool:
    """Whether a mark overlaps an introduced error: it is about that, and no mistake of whoever wrote the text."""
    return any(span.overlaps(one) for one in introduced)


def _is_span(start: object, end: object) -> bool:
    return isinstance(start, int) and isinstance(end, int) and 0 <= start < end
