"""The stages of an answer: what a reviewer can find right or wrong by itself.

A question is one stage. A question that asks for marks has several, for each mark is the work of several stages: the
marked words, the words linked to them, the label and whatever is asked of the mark. So the five stages of TGEA are
`verdict`, `errors.span`, `errors.associated`, `errors.correction`, `errors.label` and `errors.rationale`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goldmark.protocols.kinds.base import Question
from goldmark.protocols.kinds.spans import MARKED_WORDS
from goldmark.protocols.language import Protocol
from goldmark.protocols.parts import in_words


@dataclass(frozen=True, slots=True)
class Stage:
    """One thing that can be right or wrong: a question, or one part of its marks."""

    id: str  # `verdict`, or `errors.correction`
    step: str
    question: str
    part: str  # of a mark: span, label, the role of linked words, or an attribute; nothing for a whole question
    title: str


def stages(protocol: Protocol) -> tuple[Stage, ...]:
    """Every stage in the order of the work."""
    return tuple(
        stage
        for number, step in enumerate(protocol.steps, start=1)
        for question in step.questions
        for stage in _stages(step.id or str(number), question)
    )


def _stages(step: str, question: Question) -> Iterator[Stage]:
    parts = question.parts()
    if not parts:
        yield Stage(question.id, step, question.id, "", question.ask or in_words(question.id))
    for part, title in parts.items():
        yield Stage(f"{question.id}.{part}", step, question.id, part, title)


def asked_stages(known: Iterable[Stage], answers: Mapping[str, Any]) -> frozenset[str]:
    """The stages that an answer went through. Without a mark there is no label or correction to be right or wrong."""
    return frozenset(
        stage.id
        for stage in known
        if stage.question in answers and (stage.part in ("", MARKED_WORDS) or answers[stage.question])
    )


def wrong_stages(known: Iterable[Stage], remarks: Iterable[Mapping[str, str]]) -> frozenset[str]:
    """The stages that a reviewer's remarks are about.

    A remark on a whole mark, or on the whole question (a mark is missing, say), is about the marked words.
    """
    ids = {stage.id for stage in known}
    found = set()
    for remark in remarks:
        question, part = remark["where"], remark["part"].partition(".")[2]
        whole = question if question in ids else f"{question}.{MARKED_WORDS}"
        found.add(f"{question}.{part}" if part else whole)
    return frozenset(found & ids)
