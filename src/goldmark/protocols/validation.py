"""Is this answer right? Every problem at once, each with the question that a page shows it beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

import orjson

from goldmark.errors import MOST_PROBLEMS, Problem
from goldmark.languages import gettext
from goldmark.protocols.conditions import answered
from goldmark.protocols.kinds import AnswerContext, Question
from goldmark.protocols.language import Protocol
from goldmark.protocols.loading.did_you_mean import did_you_mean, few_guesses
from goldmark.records.units import ShownUnit, Surface

LARGEST_ANSWER: Final = 1_000_000  # bytes of JSON


def validate(protocol: Protocol, answers: object, shown: ShownUnit | Surface) -> list[Problem]:
    """Everything wrong with one unit's answers, up to a thousand things; an empty list if they can be accepted.

    `Problem.where` is the id of the question, `part` the id of a span or "e1.correction" for its attribute.
    """
    surface = shown.surface() if isinstance(shown, ShownUnit) else shown
    nowhere = AnswerContext(surface, protocol.around, "")
    if not isinstance(answers, Mapping):
        return [nowhere.malformed("The answers must be an object with the ids of the questions as keys.")]
    try:
        size = len(orjson.dumps(answers))
    except (orjson.JSONEncodeError, TypeError) as error:
        return [nowhere.malformed(f"The answers cannot be stored as JSON: {error}.")]
    if size > LARGEST_ANSWER:
        most = gettext("At most {most} are accepted.", most=LARGEST_ANSWER)
        return [nowhere.problem(gettext("The answers have {size} bytes.", size=size), most)]
    with few_guesses():
        return list(islice(_problems(protocol, answers, surface), MOST_PROBLEMS))


def tidied(protocol: Protocol, answers: Any) -> Any:
    """The answers as they are kept, whatever way they come in: each question tidies its own."""
    if not isinstance(answers, Mapping):
        return answers
    kept = dict(answers)
    for question in protocol.questions():
        if question.id in kept:
            kept[question.id] = question.tidied(kept[question.id])
    return kept


def asked_in(protocol: Protocol, answers: Mapping[str, object]) -> Iterator[tuple[Question, bool]]:
    """Every question in order, and whether these answers lead to it."""
    facts: dict[str, object] = {}  # only answers to questions that were asked: the others do not exist for conditions
    for step in protocol.steps:
        open_step = step.when is None or step.when.holds(facts, protocol.numbers)
        for question in step.questions:
            asked = open_step and (question.when is None or question.when.holds(facts, protocol.numbers))
            yield question, asked
            answer = answers.get(question.id)
            if asked and not question.empty(answer):
                facts[question.id] = answer


def _problems(protocol: Protocol, answers: Mapping[str, object], shown: Surface) -> Iterator[Problem]:
    ids = protocol.answer_keys
    for key in answers:
        if key not in ids:
            near = did_you_mean(key, ids, sentence=True)
            nowhere = AnswerContext(shown, protocol.around, key[:80])
            yield nowhere.malformed("There is no such question.", f"Leave the answer out.{near}")
    for question, is_asked in asked_in(protocol, answers):
        answer = answers.get(question.id)
        given = not question.empty(answer)
        asked = AnswerContext(shown, protocol.around, question.id)
        if not is_asked:
            if given and answered(answer):
                yield asked.problem(
                    gettext("This question was not asked, so it cannot be answered."), gettext("Leave it empty.")
                )
        elif given:
            yield from question.problems(answer, asked)
            if question.companion:
                yield from question.companion_problems(answers.get(question.companion), answer, asked)
        elif question.required:
            yield asked.problem(gettext("An answer is missing."), gettext("Please answer this question."))
