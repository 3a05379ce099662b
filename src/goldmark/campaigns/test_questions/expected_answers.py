"""What is right in a test question: as its row says, as the campaign's file says, or as is usual for its protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.protocols import Protocol
from goldmark.protocols.answers import main_rating, marking
from goldmark.protocols.checks.training import expected_mistakes
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.training.exercises import key_of
from goldmark.records.introduced import introduced_in
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import Sign, Unit, sign_of

MIDDLE = 0.5  # ratings from 0 to 1 are read as yes from here on
FOUND = 0.5  # the share of known mistakes that has to be found; people overlook some, spammers nearly all
SHARED = 0.5  # the share of the marks that has to be on known mistakes, where all are known
ByVerdict = Mapping[Sign, Mapping[str, Any]]


class NothingMarked(GoldmarkError):
    code = "TEST-06"
    message = "{protocol} asks nobody to mark passages, so mistakes that are known cannot be looked for"


def usual_answers(protocol: Protocol, unit: Unit) -> Mapping[str, Any]:
    """What is right where nobody says so: introduced errors are to be found, a rating is above or below the middle."""
    if introduced_in(unit.hidden) and marking(protocol):
        question = first_spans(protocol)
        text = unit.shown.texts[question.text_of(protocol.texts)].text
        return {question.id: found_among(introduced_in(unit.hidden), question, text)}
    rating, sign = rating_of_the_whole(protocol), sign_of(unit.hidden)
    return {} if rating is None else rated(rating, sign or "negative", MIDDLE)


def rating_of_the_whole(protocol: Protocol) -> str | None:
    """The question that says whether a text is good as a whole; nothing else decides which that is.

    The rating that the protocol declares as its main one, or the only one, if it goes from 0 to 1. Other ratings say
    nothing about right and wrong, since the summary of another article may well be fluent.
    """
    found = main_rating(protocol)
    return found.id if found is not None and _is_rating(found.numbers()) else None


def rated(question: str, sign: Sign, middle: float) -> dict[str, Any]:
    """A key for a rating: a good output is rated at least in the middle, a bad one below it."""
    return {question: {"at_least": middle} if sign == "positive" else {"below": middle}}


def _is_rating(numbers: Mapping[str, float]) -> bool:
    return bool(numbers) and min(numbers.values()) == 0 and max(numbers.values()) == 1


def first_spans(protocol: Protocol) -> SpansQuestion:
    """The question that asks for mistakes: the protocol's first that asks for spans."""
    known = marking(protocol)
    if not known:
        raise NothingMarked(protocol=protocol.id)
    return known[0]


def found_among(spans: Iterable[Span], question: SpansQuestion, text: Text) -> dict[str, Any]:
    """A key for a text that may have other mistakes as well: those known are to be found, the rest is not judged."""
    return {"includes": [_passage(one, question, text) for one in spans], "recall": FOUND}


def all_of(spans: Iterable[Span], question: SpansQuestion, text: Text) -> dict[str, Any]:
    """A key for a text of which every mistake is known."""
    return {"is": [_passage(one, question, text) for one in spans], "recall": FOUND, "precision": SHARED}


def _passage(span: Span, question: SpansQuestion, text: Text) -> dict[str, int]:
    """Without its label: whoever finds a mistake has read the text, whatever they call it."""
    if question.by == "token":
        return {"start": span.start, "end": span.end}
    return {"start": text.tokens[span.start].start, "end": text.tokens[span.end - 1].end}


def misplaced_errors(unit: Unit, where: str) -> list[Problem]:
    """Introduced errors that lie outside of the unit's text."""
    return [
        Problem(where, f"an error introduced into unit {unit.id!r} lies outside of its text", "", "introduced")
        for one in introduced_in(unit.hidden)
        if all(one.end > len(shown.text.tokens) for shown in unit.shown.texts.values())
    ]


def with_expected(protocol: Protocol, unit: Unit, where: str, problems: list[Problem], expected: ByVerdict) -> Unit:
    """A test question with what is right in it, or what is missing or wrong in `problems`; other units as they are."""
    sign = sign_of(unit.hidden)
    if sign is None:
        return unit
    written = unit.hidden.get("expected") or expected.get(sign) or usual_answers(protocol, unit)
    questions = {question.id: question for question in protocol.questions()}
    if not isinstance(written, Mapping) or not written:
        remedy = f"write test_questions.expected.{sign}, or `expected` in its row; {protocol.id} asks "
        problems.append(
            Problem(
                where, f"nothing says what is right in the test question {unit.id!r}", remedy + ", ".join(questions)
            )
        )
        return unit
    wrong = list(expected_mistakes(written, questions, unit.shown, protocol.around))
    problems += [
        Problem(where, f"test question {unit.id!r}: {one.what}", one.remedy, ".".join(map(str, one.key)))
        for one in wrong
    ]
    if wrong:
        return unit
    return replace(unit, hidden={**unit.hidden, "expected": dict(key_of(written, questions, unit.shown))})
