"""What one mark of an answer says: where it lies, and which of its parts corrects, explains and weighs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from goldmark.errors import Problem
from goldmark.languages import gettext, ngettext
from goldmark.protocols.conditions import answered
from goldmark.protocols.kinds.base import AnswerContext
from goldmark.records.answers import Mark
from goldmark.records.spans import Span, covering
from goldmark.records.units import TextSurface

if TYPE_CHECKING:
    from goldmark.protocols.kinds.spans import SpansQuestion


_span = lru_cache(maxsize=1 << 16)(Span)  # many marks lie at the same places of different texts


class MarkReader:
    """Reads the marks of one question. What its protocol means by their parts is looked up once."""

    def __init__(self, question: SpansQuestion) -> None:
        self._question = question
        self._by = question.by
        self._attributes = tuple(attribute.id for attribute in question.attributes)
        self._corrects, self._explains = question.corrected_by or "", question.explained_by or ""
        self._ranks = question.ranks or ""
        self._uncorrected = "" if question.empty_deletes else None  # delete the words, or nobody said
        self._weighs = question.ranks is not None or bool(question.weights)
        self._links = tuple(question.links)

    def read(self, span: Mapping[str, Any], text: TextSurface) -> Mark | None:
        """The mark as its protocol means it; None if it does not lie in the text."""
        places = self._places(span, text)
        if places is None:
            return None
        said: dict[str, Any] = {}
        for name in self._attributes:
            value = span.get(name)
            if isinstance(value, str):
                value = value.strip()
            if answered(value):
                said[name] = value
        label = str(span.get("label") or "")
        return Mark(
            str(span.get("id", "")),
            *places,
            label,
            str(said[self._corrects]) if self._corrects in said else self._uncorrected,
            str(said.get(self._explains, "")),
            str(said.get(self._ranks, "")),
            weight_of(self._question, label, said) if self._weighs else None,
            self._linked(span, text) if self._links else (),
            said,
            str(span.get("suggested") or ""),
        )

    def _linked(self, span: Mapping[str, Any], text: TextSurface) -> tuple[tuple[str, Span], ...]:
        linked = span.get("links")
        links: Mapping[str, Any] = linked if isinstance(linked, Mapping) else {}
        return tuple(
            (role, place[0])
            for role in self._links
            for one in links.get(role) or ()
            if (place := self._places(one, text)) is not None
        )

    def _places(self, span: Mapping[str, Any], text: TextSurface) -> tuple[Span, Span] | None:
        """The tokens and the characters of a span; None if it lies outside of the text."""
        by_token = self._by == "token"
        if misplaced(span, text.tokens if by_token else len(text.characters), self._by):
            return None
        start, end = span["start"], span["end"]
        if by_token:
            return _span(start, end), _span(text.places[start][0], text.places[end - 1][1])
        tokens = covering(text.places, start, end)
        return None if tokens is None else (tokens, _span(start, end))


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


def count_marked(count: int) -> str:
    """How many passages are marked, in words."""
    if not count:
        return gettext("No spans are marked.")
    return ngettext("{count} span is marked.", "{count} spans are marked.", count)


def overlaps(placed: list[tuple[int, int, str]], asked: AnswerContext) -> Iterator[Problem]:
    """One problem for each span that shares something with one that starts before it."""
    furthest, owner = 0, ""
    for start, end, name in sorted(placed):
        if start < furthest:
            overlaps = gettext('The span overlaps the span "{other}".', other=owner)
            yield asked.within(name).problem(overlaps, gettext("Shorten or remove one of the two."))
        if end > furthest:
            furthest, owner = end, name
