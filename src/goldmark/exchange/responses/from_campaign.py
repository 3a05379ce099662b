"""The answers of a whole campaign that was read from a file, put on the units of another campaign.

The two have the same units by name and the same words in their texts. Tokens and white space may differ: marks are
moved by characters, and cover whole tokens where the campaign's question counts tokens. What corrects and what explains
a mark goes to the attributes that do so here, whatever they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.campaign.marks import ExportedQuestion, is_span, spans_questions
from goldmark.exchange.responses.given import Counted, GivenAnswers, ReadAnswers, Target, unknown_unit
from goldmark.exchange.responses.placement import Placing
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.campaigns import CampaignRecord, ResponseRecord
from goldmark.records.texts import Text


def through(read: Callable[[Files], CampaignRecord]) -> ReadAnswers:
    """A reader of whole campaigns as a reader of answers."""

    def answers(files: Files, target: Target, problems: list[Problem]) -> list[GivenAnswers]:
        file = next(iter(files)) if len(files) == 1 else ""
        return carried(read(files), target, problems, file=file)

    return answers


def carried(
    record: CampaignRecord,
    target: Target,
    problems: list[Problem],
    *,
    file: str = "",
    places: Mapping[tuple[str, str], GivenAnswers] = MappingProxyType({}),
    asked: Mapping[str, ExportedQuestion] | None = None,
) -> list[GivenAnswers]:
    """The final answers of a record, with their marks on the texts of the target's units.

    `places` says by unit and annotator where they stand in the file, if that is known; `asked` which questions have
    marks, if neither a protocol nor the shape of the answers tells it.
    """
    units = {unit.id: unit for unit in record.units}
    asked = asked or {one.id: one for one in spans_questions(record)}
    said = {key: _keys(record, key) for key in asked}
    found: list[GivenAnswers] = []
    for response in record.final_responses():
        known = places.get((response.unit, response.annotator))
        where = known.where if known else f"{f'{file}, ' if file else ''}{response.annotator} on {response.unit}"
        name = target.unit_named(response.unit)
        if name is None:
            problems.append(unknown_unit(where, response.unit, target.units))
            continue
        texts = {role: shown.text for role, shown in units[response.unit].shown.texts.items()}
        try:
            answers, widened = _moved(response, name, texts, asked, said, target)
        except GoldmarkError as error:
            problems.append(Problem(where, str(error)))
            continue
        time = response.server_time or response.client_time
        marks = known.marks if known else {}
        found.append(
            GivenAnswers(where, name, response.annotator, answers, response.seconds_active, time, marks, widened)
        )
    return found


def _moved(
    response: ResponseRecord,
    unit: str,
    texts: Mapping[str, Text],
    asked: Mapping[str, ExportedQuestion],
    said: Mapping[str, Collection[str]],
    target: Target,
) -> tuple[dict[str, Any], int]:
    """The answers under the campaign's questions, and how many marks were widened to whole tokens."""
    widened = 0
    questions = {question.id: question for question in target.protocol.questions()}
    moved: dict[str, Any] = {}
    for key, answer in response.answers.items():
        if key in target.leave_out:
            continue
        marks = isinstance(answer, list) and key in asked
        question = questions.get(target.renamed.question(key))
        if marks and not isinstance(question, SpansQuestion):
            question = target.spans_question()
            if question.id in moved:  # of another text, say; it is for people to decide whether they want these
                if answer:
                    moved[key] = answer
                continue
        if not marks or not isinstance(question, SpansQuestion):
            moved[target.renamed.question(key)] = answer
            continue
        theirs = asked[key]
        ours = target.text_of(unit, question)
        if ours is not None and theirs.role in texts:
            counts: Counted = "character" if theirs.by_character else "token"
            placing = Placing(texts[theirs.role], counts, ours, question.by)
            answer = [placing.move(mark) for mark in answer]
            widened += placing.widened
        names = _called_here(theirs, question, said[key])
        moved[question.id] = [{names.get(name, name): value for name, value in mark.items()} for mark in answer]
    return moved, widened


def _keys(record: CampaignRecord, question: str) -> frozenset[str]:
    """What is said of the marks of a question anywhere in the record."""
    answers = (one.answers.get(question) for one in record.responses)
    return frozenset(
        key for answer in answers if isinstance(answer, list) for mark in answer if is_span(mark) for key in mark
    )


def _called_here(theirs: ExportedQuestion, question: SpansQuestion, said: Collection[str]) -> dict[str, str]:
    """How what corrects and what explains is called here, where marks do not say it under that name already."""
    pairs = ((theirs.corrected_by, question.corrected_by), (theirs.explained_by, question.explained_by))
    return {their: our for their, our in pairs if their and our and our not in said}
