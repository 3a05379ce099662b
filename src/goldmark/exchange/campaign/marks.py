"""The spans of final responses, as formats of other tools want them: by token, by character, with label and links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from goldmark.errors import GoldmarkError, Missing, Problem, ProblemsFound
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.spans import OWN_KEYS, USUAL_CORRECTIONS, USUAL_EXPLANATIONS
from goldmark.protocols.responses import protocol_of, read_responses
from goldmark.records.answers import Mark
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    ResponseRecord,
)
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.spooled.units import finder, hidden_facts
from goldmark.records.texts import Text
from goldmark.records.units import ShownText, ShownUnit, Unit

QUESTION = "mistakes"  # what the spans of a format that has no name for its question are the answer to


class WhichQuestion(GoldmarkError):
    code = "EXCHANGE-21"
    message = "this format holds the marks of one question; there are {found}; say which one with --question"


class NoMarksToWrite(GoldmarkError):
    code = "EXCHANGE-24"
    message = (
        "this format holds marked passages and nothing else, and nothing is marked in this campaign; jsonl, csv, "
        "parquet, tidy and label-studio hold every question"
    )


class UnknownSpansQuestion(Missing):
    code = "EXCHANGE-22"
    message = 'nothing is marked in a question "{question}"; the questions with spans are: {known}'


class MarkOutsideText(GoldmarkError):
    code = "EXCHANGE-23"
    message = 'the response of "{annotator}" to "{unit}" cannot be read: {why}'


@dataclass(frozen=True)
class ExportedQuestion:
    """A question whose answers are spans: of which text, in tokens or characters, and what their attributes mean."""

    id: str
    role: str = "text"
    by_character: bool = False
    corrected_by: str | None = None
    explained_by: str | None = None
    chosen: frozenset[str] = frozenset()  # attributes whose answers are options


@dataclass(frozen=True)
class MarkedSpans:
    """What one annotator finally marked in one text."""

    unit: Unit
    annotator: str
    text: Text
    marks: tuple[Mark, ...]
    question: ExportedQuestion

    def mistakes(self, text_id: str) -> Iterator[Mistake]:
        """The marks as a list of mistakes."""
        for mark in self.marks:
            yield mark.mistake(text_id, self.annotator, self.question.corrected_by, self.question.explained_by)


def spans_question(record: CampaignRecord, wanted: str | None = None) -> ExportedQuestion:
    """The question that was asked for, or the only one whose answers are spans."""
    known = {question.id: question for question in spans_questions(record)}
    if not known and not record.final_responses():
        return ExportedQuestion(wanted or QUESTION)  # nothing is answered yet, so any name will do
    if wanted is not None:
        if wanted not in known:
            raise UnknownSpansQuestion(question=wanted, known=", ".join(sorted(known)) or "none")
        return known[wanted]
    if not known:
        raise NoMarksToWrite
    if len(known) > 1:
        raise WhichQuestion(found=", ".join(sorted(known)))
    return next(iter(known.values()))


def marked(record: CampaignRecord, question: ExportedQuestion) -> Iterator[MarkedSpans]:
    """The final marks of every text and annotator, in the order of the campaign's units.

    Whoever answered for a text saw it: an answer that never came to the question, say because the text was called fine
    before, marks nothing.
    """
    read = _read if _readable(record) else _read_by_shape
    for unit, annotator, marks in read(record, _by_unit(record), question):
        yield MarkedSpans(unit, annotator, unit.shown.texts[question.role].text, marks, question)


def _by_unit(record: CampaignRecord) -> Iterator[ResponseRecord]:
    """What counts, in the order of the units and then of annotators' names."""
    place = {name: position for position, (name, _) in enumerate(hidden_facts(record.units))}
    final = record.final_responses()
    keys = [(place[one.unit], one.annotator) for one in final]
    return (final[number] for number in sorted(range(len(keys)), key=keys.__getitem__))


def features_of(mark: Mark) -> Mapping[str, Any]:
    """All that is said of a mark besides its label and its links, by name, as other tools keep it."""
    return {**mark.attributes, "suggested": mark.suggested} if mark.suggested else mark.attributes


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


def campaign_of_layers(
    texts: Mapping[str, Text],
    answers: Mapping[tuple[str, str], list[dict[str, Any]]],
    layers: Sequence[str],
    problems: list[Problem],
    *,
    none: str,
) -> CampaignRecord:
    """The same from files that each hold one layer, which must be the same; `none` says what there is no file of."""
    if len(layers) > 1:
        what = f"the files have different layers: {', '.join(layers)}"
        problems.append(Problem("the import", what, "import them one by one"))
    if not texts and none and not problems:
        problems.append(Problem("the import", none, "give the folder that was exported"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    return campaign_of(texts, answers, question=next(iter(layers), QUESTION))


def spans_questions(record: CampaignRecord) -> Iterator[ExportedQuestion]:
    """All questions whose answers are spans: by the protocol if it can be read, otherwise by the answers' shape."""
    if _readable(record):
        protocol = protocol_of(record)
        for one in marking(protocol):
            role = one.text_of(protocol.texts)
            chosen = frozenset(part.id for part in one.attributes if part.options_with_numbers() is not None)
            yield ExportedQuestion(one.id, role, one.by == "character", one.corrected_by, one.explained_by, chosen)
        return
    shaped: dict[str, set[str]] = {}  # by question what is said of its spans
    empty: dict[str, set[str]] = {}  # where nobody marked anything, an empty list is the only sign
    for response in record.final_responses():
        for name, answer in response.answers.items():
            if answer == []:
                empty.setdefault(name, set())
            elif _are_spans(answer):
                shaped.setdefault(name, set()).update(key for span in answer for key in span)
    for name, keys in (shaped or empty).items():
        corrected = next((one for one in USUAL_CORRECTIONS if one in keys), None)
        explained = next((one for one in USUAL_EXPLANATIONS if one in keys), None)
        yield ExportedQuestion(name, "text", False, corrected, explained)


def _readable(record: CampaignRecord) -> bool:
    """Whether the campaign says what it asks; what comes from another tool does not."""
    try:
        protocol_of(record)
    except GoldmarkError:
        return False
    return True


def _read(
    record: CampaignRecord, responses: Iterable[ResponseRecord], question: ExportedQuestion
) -> Iterator[tuple[Unit, str, tuple[Mark, ...]]]:
    for unit, response, said in read_responses(record, responses):
        wrong = next((one for one in said.unread if one.where == question.id), None)
        if wrong is not None and question.role in unit.shown.texts:
            raise MarkOutsideText(annotator=response.annotator, unit=response.unit, why=wrong.what)
        found = said.marked(question.id)
        if found is not None:
            yield unit, response.annotator, found.marks


# What follows reads the spans of other tools, which come without a protocol: by their shape, and by usual names.


def _read_by_shape(
    record: CampaignRecord, responses: Iterable[ResponseRecord], question: ExportedQuestion
) -> Iterator[tuple[Unit, str, tuple[Mark, ...]]]:
    unit_of = finder(record.units)
    for response in responses:
        unit, answer = unit_of(response.unit), response.answers.get(question.id)
        shown = unit.shown.texts.get(question.role)
        if shown is not None and (answer is None or answer == [] or _are_spans(answer)):
            marks = tuple(_mark(span, shown.text, question, response) for span in answer or ())
            yield unit, response.annotator, marks


def _are_spans(answer: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(answer, list) and bool(answer) and all(is_span(one) for one in answer)


def is_span(value: object) -> bool:
    return isinstance(value, Mapping) and type(value.get("start")) is int and type(value.get("end")) is int


def _mark(span: Mapping[str, Any], text: Text, question: ExportedQuestion, response: ResponseRecord) -> Mark:
    tokens = _tokens(span, text, response)
    links = span.get("links")
    said = {key: value for key, value in span.items() if key not in OWN_KEYS and value not in (None, "", [])}
    correction = said.get(question.corrected_by or "")
    return Mark(
        id=str(span.get("id", "")),
        tokens=tokens,
        characters=Span(text.tokens[tokens.start].start, text.tokens[tokens.end - 1].end),
        label=str(span.get("label") or ""),
        correction=None if correction is None else str(correction),
        explanation=str(said.get(question.explained_by or "", "")),
        links=tuple(
            (role, _tokens(one, text, response))
            for role, passages in sorted(links.items() if isinstance(links, Mapping) else ())
            for one in passages
        ),
        attributes=said,
        suggested=str(span.get("suggested") or ""),
    )


def _tokens(span: Mapping[str, Any], text: Text, response: ResponseRecord) -> Span:
    start, end = span["start"], span["end"]
    if not 0 <= start < end <= len(text.tokens):
        why = f"it marks {start}-{end}, which is not in the text"
        raise MarkOutsideText(annotator=response.annotator, unit=response.unit, why=why)
    return Span(start, end)
