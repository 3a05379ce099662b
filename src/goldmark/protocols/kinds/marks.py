"""What one mark of an answer says: where it lies, and which of its parts corrects, explains and weighs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from goldmark.protocols.conditions import answered
from goldmark.records.answers import Mark
from goldmark.records.spans import Span, covering
from goldmark.records.units import TextSurface

if TYPE_CHECKING:
    from goldmark.protocols.kinds.spans import SpansQuestion


def read_mark(question: SpansQuestion, span: Mapping[str, Any], text: TextSurface) -> Mark | None:
    """The mark as its protocol means it; None if it does not lie in the text."""
    places = _places(question, span, text)
    if places is None:
        return None
    tokens, characters = places
    label = str(span.get("label") or "")
    said: dict[str, Any] = {}
    for attribute in question.attributes:
        value = span.get(attribute.id)
        if answered(value):
            said[attribute.id] = value.strip() if isinstance(value, str) else value
    return Mark(
        str(span.get("id", "")),
        tokens,
        characters,
        label,
        _correction(question, said),
        str(said.get(question.explained_by or "", "")),
        str(said.get(question.ranks or "", "")),
        weight_of(question, label, said),
        _links(question, span, text) if question.links else (),
        said,
        str(span.get("suggested") or ""),
    )


def _links(question: SpansQuestion, span: Mapping[str, Any], text: TextSurface) -> tuple[tuple[str, Span], ...]:
    linked = span.get("links")
    links: Mapping[str, Any] = linked if isinstance(linked, Mapping) else {}
    return tuple(
        (role, place[0])
        for role in question.links
        for one in links.get(role) or ()
        if (place := _places(question, one, text)) is not None
    )


_span = lru_cache(maxsize=1 << 16)(Span)  # many marks lie at the same places of different texts


def _places(question: SpansQuestion, span: Mapping[str, Any], text: TextSurface) -> tuple[Span, Span] | None:
    """The tokens and the characters of a span; None if it lies outside of the text."""
    if misplaced(span, text.tokens if question.by == "token" else len(text.characters), question.by):
        return None
    start, end = span["start"], span["end"]
    if question.by == "token":
        return _span(start, end), _span(text.places[start][0], text.places[end - 1][1])
    tokens = covering(text.places, start, end)
    return None if tokens is None else (tokens, _span(start, end))


def _correction(question: SpansQuestion, said: Mapping[str, Any]) -> str | None:
    """Words, nothing (delete them), or None: nobody said."""
    by = question.corrected_by
    if by is not None and by in said:
        return str(said[by])
    return "" if question.empty_deletes else None


def weight_of(question: SpansQuestion, label: str, attributes: Mapping[str, object]) -> float | None:
    """How much a mark with this label and these attributes counts; None where the protocol gives no weights."""
    if question.ranks is None and not question.weights:
        return None
    facts = {"label": label, **attributes}
    for rule in question.weights:
        if rule.when.holds(facts, question.attribute_numbers):
            return rule.weight
    return question.attribute_numbers.get(question.ranks or "", {}).get(str(facts.get(question.ranks or "")))


def misplaced(span: Mapping[str, object], length: int, by: str) -> str:
    """Why a span cannot be placed on a text of this length; nothing if it can."""
    start, end = span.get("start"), span.get("end")
    if type(start) is not int or type(end) is not int:  # a bool is an int to isinstance
        return "The span's start and end must be whole numbers."
    if not 0 <= start < end:
        return f"The span {start}-{end} is empty or reversed."
    if end > length:
        return f"The span {start}-{end} runs past the text, which has {length} {by}s."
    return ""
