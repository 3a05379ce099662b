"""The answers of a whole campaign that was read from a file, put on the units of another campaign.

The two have the same units by name and the same words in their texts. Tokens and white space may differ: marks are
moved by characters, and cover whole tokens where the campaign's question counts tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.campaign.marks import spans_questions
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
) -> list[GivenAnswers]:
    """The final answers of a record, with their marks on the texts of the target's units.

    `places` says by unit and annotator where they stand in the file, if that is known.
    """
    units = {unit.id: unit for unit in record.units}
    counted: dict[str, tuple[str, Counted]] = {
        one.id: (one.role, "character" if one.by_character else "token") for one in spans_questions(record)
    }
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
            answers, widened = _moved(response, name, texts, counted, target)
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
    counted: Mapping[str, tuple[str, Counted]],
    target: Target,
) -> tuple[dict[str, Any], int]:
    """The answers under the campaign's questions, and how many marks were widened to whole tokens."""
    widened = 0
    questions = {question.id: question for question in target.protocol.questions()}
    moved: dict[str, Any] = {}
    for key, answer in response.answers.items():
        if key in target.leave_out:
            continue
        marks = isinstance(answer, list) and key in counted
        question = questions.get(key)
        if marks and not isinstance(question, SpansQuestion):
            question = target.spans_question()
            if question.id in moved:  # of another text, say; it is for people to decide whether they want these
                if answer:
                    moved[key] = answer
                continue
        if not marks or not isinstance(question, SpansQuestion):
            moved[key] = answer
            continue
        role, counts = counted[key]
        ours = target.text_of(unit, question)
        if ours is not None and role in texts:
            placing = Placing(texts[role], counts, ours, question.by)
            answer = [placing.move(mark) for mark in answer]
            widened += placing.widened
        moved[question.id] = answer
    return moved, widened
