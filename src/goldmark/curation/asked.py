"""What is curated: a question about passages, what its protocol allows, and the marks in people's answers to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.curation.step_kinds import Rules
from goldmark.errors import GoldmarkError, Kind
from goldmark.exchange.marks import covering
from goldmark.protocols import Protocol
from goldmark.protocols.kinds.choice import Choice, Choices
from goldmark.protocols.kinds.spans import OWN_KEYS, Spans
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import ShownText


class NothingToCurate(GoldmarkError):
    code = "CURATE-10"
    kind = Kind.CONFLICT
    message = "campaign {campaign!r} asks nobody to mark passages, so there is nothing to curate"


class NoSuchQuestion(GoldmarkError):
    code = "CURATE-15"
    kind = Kind.MISSING
    message = "campaign {campaign!r} has no question {question!r} about passages; it has: {known}"


def spans_questions(protocol: Protocol) -> tuple[Spans, ...]:
    """Every question whose marks can be curated, in the order in which they are asked."""
    return tuple(question for question in protocol.questions() if isinstance(question, Spans))


def spans_question(protocol: Protocol, row: CampaignRow, wanted: str | None = None) -> Spans:
    """The question that is asked for; the first one that asks for passages if none is."""
    known = {question.id: question for question in spans_questions(protocol)}
    if not known:
        raise NothingToCurate(campaign=row.name)
    if wanted is not None and wanted not in known:
        raise NoSuchQuestion(campaign=row.name, question=wanted, known=", ".join(known))
    return next(iter(known.values())) if wanted is None else known[wanted]


def role_of(protocol: Protocol, question: Spans) -> str:
    """Which text of a unit the question is about."""
    return question.of or protocol.texts[0]


def rules_of(protocol: Protocol, question: Spans, shown: ShownText) -> Rules:
    labels: tuple[str, ...] | None = None
    priority: tuple[str, ...] = ()
    if question.labels is not None:
        tree = protocol.taxonomies[question.labels.tree]
        labels = tuple(path for path in tree.paths if question.labels.any_level or path in tree.leaves)
        first = question.labels.priority
        # Labels that have no place in the priority follow in their own order.
        priority = (*first, *(path for path in tree.paths if path not in first)) if first else ()
    return Rules(
        first=shown.prompt.end if shown.prompt else 0,
        last=len(shown.text.tokens),
        overlap=question.overlap,
        labels=labels,
        priority=priority,
        attributes={
            one.id: tuple(option.id for option in one.options) if isinstance(one, Choice | Choices) else None
            for one in question.attributes
        },
        roles=tuple(question.links),
    )


def marks_of(
    answers: Mapping[str, Any] | None, question: Spans, text: Text, annotator: str | None
) -> tuple[Mistake, ...]:
    """An answer's marks in tokens, with their attributes and linked passages.

    A mark without a comment has as its comment whatever else people wrote of it, such as a rationale.
    """
    found = []
    for span in (answers or {}).get(question.id) or ():
        tokens = _tokens(span, question, text)
        if tokens is None:
            continue
        said = {key: value for key, value in span.items() if key not in OWN_KEYS and value not in (None, "", [])}
        correction = str(said.pop("correction", ""))
        comment = str(said.pop("comment", ""))
        if not comment:
            written = [key for key, value in said.items() if isinstance(value, str) and _is_free(question, key)]
            comment = "; ".join(said.pop(key) for key in written)
        links = tuple(
            (role, place)
            for role, passages in sorted((span.get("links") or {}).items())
            for one in passages
            if (place := _tokens(one, question, text)) is not None
        )
        found.append(
            Mistake(
                text.id,
                tokens,
                span.get("label") or "",
                correction,
                comment,
                str(span["id"]),
                annotator,
                pairs_of(said),
                links,
            )
        )
    return tuple(found)


def _tokens(span: Mapping[str, Any], question: Spans, text: Text) -> Span | None:
    if question.by == "token":
        return Span(span["start"], span["end"])
    return covering(text, span["start"], span["end"])


def _is_free(question: Spans, attribute: str) -> bool:
    """Whether an attribute is answered in one's own words."""
    return not any(one.id == attribute and isinstance(one, Choice | Choices) for one in question.attributes)


def pairs_of(attributes: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Attributes as pairs of words, one for each value: what can be compared and put in order."""
    return tuple(
        (key, str(one))
        for key, value in sorted(attributes.items())
        for one in (value if isinstance(value, list | tuple) else [value])
    )
