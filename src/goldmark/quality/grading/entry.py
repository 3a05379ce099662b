"""The one entry to grading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.languages import speaking
from goldmark.protocols import Protocol
from goldmark.protocols.answers import read
from goldmark.protocols.expected import Expected, Grading
from goldmark.protocols.kinds import Question
from goldmark.protocols.kinds.best_worst import BestWorstQuestion
from goldmark.quality.grading.choices import best_and_worst, one_of_the_options, some_of_the_options
from goldmark.quality.grading.grades import Grade, Grader, Judging, PartGrade
from goldmark.quality.grading.numbers import close_enough
from goldmark.quality.grading.spans import marked_passages
from goldmark.quality.grading.words import same_words
from goldmark.records.answers import Marks, Said, Words
from goldmark.records.units import ShownUnit, Surface

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
    shown: ShownUnit | Surface,
) -> Grade:
    """Grade a unit's answers, question by question, against what they should have been.

    Only questions with an expected answer are graded; one that was left unanswered is wrong. `expected` maps the id of
    a question to the right answer, or to a mapping such as `{"at_least": 0.5}` (see `protocols.expected`).
    """
    questions = {question.id: question for question in protocol.questions()}
    for name in expected:
        if name not in questions:
            raise QuestionNotAsked(question=name, protocol=protocol.id, questions=", ".join(questions))
    if not expected:
        raise NothingToGrade(protocol=protocol.id, questions=", ".join(questions))
    surface = shown.surface() if isinstance(shown, ShownUnit) else shown
    judging = Judging(protocol.around, surface, protocol.words_in(speaking.get()))
    rules = protocol.file.grading
    said = read(protocol, answers, judging.shown).said
    return Grade.of(
        tuple(
            _one(
                question,
                [one for one in said if one.question == question.id],
                expected[question.id],
                rules.get(question.id, AS_IS),
                judging,
            )
            for question in questions.values()
            if question.id in expected
        )
    )


def _one(question: Question, said: Sequence[Said], written: object, rule: Grading, judging: Judging) -> PartGrade:
    key = Expected.of(question.id, written)
    wanted = key.model_copy(update=key.over(rule).model_dump())
    return _grader(question)(question, said, wanted, judging)


def _grader(question: Question) -> Grader:
    """By what the question's answers say, so that a new kind of question is graded like those that say the same."""
    if question.gives is Marks:
        return marked_passages
    if question.gives is Words:
        return same_words
    if isinstance(question, BestWorstQuestion):
        return best_and_worst
    if question.several:
        return some_of_the_options
    return close_enough if question.options_with_numbers() is None else one_of_the_options
