"""The one entry to grading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.protocols import Protocol
from goldmark.protocols.expected import Expected, Grading
from goldmark.protocols.kinds import Question
from goldmark.quality.grading.grades import GRADERS, Grade, Judging, PartGrade
from goldmark.records.units import ShownUnit

AS_IS = Grading()


class NothingToGrade(GoldmarkError):
    code = "GRADE-02"
    message = 'no expected answer belongs to a question of "{protocol}"; its questions are {questions}'


class QuestionNotAsked(GoldmarkError):
    code = "GRADE-03"
    message = '"{question}" has an expected answer, but "{protocol}" does not ask it; it asks {questions}'


def grade(
    protocol: Protocol,
    answers: Mapping[str, Any],
    expected: Mapping[str, Any],
    shown: ShownUnit | None = None,
) -> Grade:
    """Grade a unit's answers, question by question, against what they should have been.

    Only questions with an expected answer are graded; one that was left unanswered is wrong. `expected` maps the id of
    a question to the right answer, or to a mapping such as `{"at_least": 0.5}` (see `protocols.expected`). With
    `shown`, explanations quote the passages that they speak of.
    """
    questions = {question.id: question for question in protocol.questions()}
    for name in expected:
        if name not in questions:
            raise QuestionNotAsked(question=name, protocol=protocol.id, questions=", ".join(questions))
    if not expected:
        raise NothingToGrade(protocol=protocol.id, questions=", ".join(questions))
    judging = Judging(protocol.around, shown)
    rules = protocol.file.grading
    return Grade.of(
        tuple(
            _one(question, answers.get(question.id), expected[question.id], rules.get(question.id, AS_IS), judging)
            for question in questions.values()
            if question.id in expected
        )
    )


def _one(question: Question, answer: object, written: object, rule: Grading, judging: Judging) -> PartGrade:
    said = Expected.of(question.id, written)
    wanted = said.model_copy(update=said.over(rule).model_dump())
    return GRADERS[question.kind](question, answer, wanted, judging)
