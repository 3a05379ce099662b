"""The spans of final responses, as formats of other tools want them: by token, by character, with label and links."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goldmark.errors import GoldmarkError, Kind
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    ResponseRecord,
)
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import ShownText, ShownUnit, Unit

OWN_KEYS = ("id", "start", "end", "label", "links")
QUESTION = "mistakes"  # what the spans of a format that has no name for its question are the answer to


class WhichQuestion(GoldmarkError):
    code = "EXCHANGE-21"
    message = "this format holds the spans of one question; {found}; say which one"


class NoSuchQuestion(GoldmarkError):
    code = "EXCHANGE-22"
    kind = Kind.MISSING
    message = 'nothing is marked in a question "{question}"; the questions with spans are: {known}'


class MarkOutsideText(GoldmarkError):
    code = "EXCHANGE-23"
    message = 'the response of "{annotator}" to "{unit}" marks {start}-{end}, which is not in the text'


@dataclass(frozen=True)
class SpansQuestion:
    """A question whose answers are spans: of which text, and whether positions count tokens or characters."""

    id: str
    role: str = "text"
    by_character: bool = False


@dataclass(frozen=True)
class Mark:
    """One span of one final response. `tokens` are all tokens that it touches."""

    id: str
    tokens: Span
    characters: Span
    label: str
    attributes: Mapping[str, Any]
    links: tuple[tuple[str, Span], ...]  # role and tokens


@dataclass(frozen=True)
class Marked:
    """What one annotator finally marked in one text."""

    unit: Unit
    annotator: str
    text: Text
    marks: tuple[Mark, ...]


def spans_question(record: CampaignRecord, wanted: str | None = None) -> SpansQuestion:
    """The question that was asked for, or the only one whose answers are spans."""
    known = {question.id: question for question in spans_questions(record)}
    if not known and not record.final_responses():
        return SpansQuestion(wanted or QUESTION)  # nothing is answered yet, so any name will do
    if wanted is not None:
        if wanted not in known:
            raise NoSuchQuestion(question=wanted, known=", ".join(sorted(known)) or "none")
        return known[wanted]
    if len(known) != 1:
        raise WhichQuestion(found=f"there are {', '.join(sorted(known))}" if known else "no response has any")
    return next(iter(known.values()))


def marked(record: CampaignRecord, question: SpansQuestion) -> Iterator[Marked]:
    """The final marks of every text and annotator, in the order of the campaign's units.

    Whoever answered for a text saw it: an answer that never came to the question, say because the text was called fine
    before, marks nothing.
    """
    place = {unit.id: position for position, unit in enumerate(record.units)}
    finals = [response for response in record.final_responses() if _answered(response, question)]
    for response in sorted(finals, key=lambda one: (place[one.unit], one.annotator)):
        unit = record.units[place[response.unit]]
        shown = unit.shown.texts.get(question.role)
        if shown is None:
            continue
        marks = tuple(_mark(span, shown.text, question, response) for span in response.answers.get(question.id) or ())
        yield Marked(unit, response.annotator, shown.text, marks)


def covering(text: Text, start: int, end: int) -> Span | None:
    """All tokens that these characters touch; None if they touch white space only."""
    first = bisect_right([token.end for token in text.tokens], start)
    last = bisect_left([token.start for token in text.tokens], end)
    return Span(first, last) if first < last else None


def campaign_of(
    texts: Mapping[str, Text],
    answers: Mapping[tuple[str, str], list[dict[str, Any]]],
    *,
    question: str,
    hidden: Mapping[str, Mapping[str, object]] | None = None,
) -> CampaignRecord:
    """What a format of another tool carries: texts by unit, and the spans of every unit and annotator."""
    units = tuple(
        Unit(unit, ShownUnit({"text": ShownText(text)}), (hidden or {}).get(unit, {})) for unit, text in texts.items()
    )
    return CampaignRecord(
        units=units,
        annotators=tuple(AnnotatorRecord(name) for name in sorted({annotator for _, annotator in answers})),
        assignments=tuple(AssignmentRecord(unit, annotator, "done") for unit, annotator in answers),
        responses=tuple(
            ResponseRecord(unit, annotator, 1, True, {question: spans}) for (unit, annotator), spans in answers.items()
        ),
    )


def spans_questions(record: CampaignRecord) -> Iterator[SpansQuestion]:
    """All questions whose answers are spans: by the protocol if it can be read, otherwise by the answers' shape."""
    source = next((one.source for one in record.protocols if one.id == record.protocol), None)
    if source is not None:
        from goldmark.protocols.kinds.spans import Spans
        from goldmark.protocols.loader import parse

        try:
            protocol = parse(source)
        except GoldmarkError:
            protocol = None
        if protocol is not None:
            for question in protocol.questions():
                if isinstance(question, Spans):
                    yield SpansQuestion(question.id, question.of or protocol.texts[0], question.by == "character")
            return
    found = {
        name: None
        for response in record.final_responses()
        for name, answer in response.answers.items()
        if isinstance(answer, list) and answer and all(_is_span(one) for one in answer)
    }
    for name in found or _empty_lists(record):
        yield SpansQuestion(name)


def _empty_lists(record: CampaignRecord) -> dict[str, None]:
    """Where nobody marked anything, an empty list is the only sign of a question about spans."""
    return {name: None for one in record.final_responses() for name, answer in one.answers.items() if answer == []}


def _answered(response: ResponseRecord, question: SpansQuestion) -> bool:
    answer = response.answers.get(question.id)
    return answer is None or (isinstance(answer, list) and all(_is_span(one) for one in answer))


def _is_span(value: object) -> bool:
    return isinstance(value, Mapping) and type(value.get("start")) is int and type(value.get("end")) is int


def _mark(span: Mapping[str, Any], text: Text, question: SpansQuestion, response: ResponseRecord) -> Mark:
    tokens, characters = _places(span, text, question, response)
    links = span.get("links")
    linked = tuple(
        (role, _places(one, text, question, response)[0])
        for role, passages in sorted(links.items() if isinstance(links, Mapping) else ())
        for one in passages
    )
    return Mark(
        id=str(span.get("id", "")),
        tokens=tokens,
        characters=characters,
        label=str(span.get("label") or ""),
        attributes={key: value for key, value in span.items() if key not in OWN_KEYS},
        links=linked,
    )


def _places(
    span: Mapping[str, Any], text: Text, question: SpansQuestion, response: ResponseRecord
) -> tuple[Span, Span]:
    start, end = span["start"], span["end"]
    length = len(text.characters) if question.by_character else len(text.tokens)
    if not 0 <= start < end <= length:
        raise MarkOutsideText(annotator=response.annotator, unit=response.unit, start=start, end=end)
    if not question.by_character:
        return Span(start, end), Span(text.tokens[start].start, text.tokens[end - 1].end)
    tokens = covering(text, start, end)
    if tokens is None:
        raise MarkOutsideText(annotator=response.annotator, unit=response.unit, start=start, end=end)
    return tokens, Span(start, end)
