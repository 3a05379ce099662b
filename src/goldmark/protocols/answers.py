"""What an answer means. This is the one place that says so: everything that reads answers reads them here.

A question's kind knows what its own answers say (`Question.read`); the protocol declares which attribute of a mark
rewrites, explains or ranks. Out come the records of `records.answers`, which know no kind of question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldmark.errors import Problem
from goldmark.protocols.conditions import Condition
from goldmark.protocols.kinds import AnswerContext, Question
from goldmark.protocols.kinds.choice import WithOptions
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.language import Protocol
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.records.answers import Choice, Marks, Rating, ReadAnswer, Said
from goldmark.records.units import ShownUnit, Surface


def read(protocol: Protocol, answers: Mapping[str, Any], shown: ShownUnit | Surface) -> ReadAnswer:
    """What one response says to each question, and what of it cannot be read."""
    surface = shown.surface() if isinstance(shown, ShownUnit) else shown
    said: list[Said] = []
    unread: list[Problem] = []
    around = protocol.around
    for step in protocol.steps:
        for question in step.questions:
            answer = answers.get(question.id)
            if answer is not None and not question.empty(answer):
                for one in question.read(answer, AnswerContext(surface, around, question.id)):
                    if isinstance(one, Problem):
                        unread.append(one)
                    else:
                        said.append(_with_dismissed(one, question, answers) if isinstance(one, Marks) else one)
            elif isinstance(question, SpansQuestion) and _ruled_out(protocol, answers, step.when, question.when):
                said.append(Marks(question.id, question.text_of(protocol.texts), asked=False))
    known = protocol.answer_keys
    unread += [
        Problem(name[:80], "There is no such question.", did_you_mean(name, known))
        for name in answers
        if name not in known
    ]
    return ReadAnswer(tuple(said), tuple(unread))


def _ruled_out(protocol: Protocol, answers: Mapping[str, Any], *conditions: Condition | None) -> bool:
    """Whether earlier answers leave a question out. What sets a text aside does not say that it has no errors."""
    asked = all(condition is None or condition.holds(answers, protocol.numbers) for condition in conditions)
    return not asked and not any(str(answers.get(name)) in options for name, options in protocol.set_aside.items())


def _with_dismissed(marks: Marks, question: Question, answers: Mapping[str, Any]) -> Marks:
    turned_down = answers.get(question.companion or "")
    if not isinstance(turned_down, list | tuple):
        return marks
    return Marks(marks.question, marks.role, marks.marks, tuple(str(one) for one in turned_down))


def marking(protocol: Protocol) -> tuple[SpansQuestion, ...]:
    """The questions that ask for marks, in the order in which they are asked."""
    return tuple(question for question in protocol.questions() if isinstance(question, SpansQuestion))


def rating(protocol: Protocol) -> tuple[Question, ...]:
    """The questions whose answers are numbers."""
    return giving(protocol, Rating)


def giving(protocol: Protocol, what: type[Said]) -> tuple[Question, ...]:
    """The questions whose answers are read as this: numbers, choices, comparisons, words or marks."""
    return tuple(question for question in protocol.questions() if question.gives is what)


def choosing_several(protocol: Protocol) -> WithOptions | None:
    """The question in which several options can be chosen, such as codes: the first."""
    known = (question for question in protocol.questions() if isinstance(question, WithOptions))
    return next((question for question in known if question.several), None)


def main_rating(protocol: Protocol) -> Question | None:
    """The rating that says how good the whole is: the one declared as `main`, or the only one there is."""
    known = rating(protocol)
    declared = [question for question in known if question.main]
    if declared:
        return declared[0]
    return known[0] if len(known) == 1 else None


def deciding(protocol: Protocol, marks: SpansQuestion) -> Question | None:
    """The choice that decides whether anything is marked: the one that the condition of the marks looks at."""
    step = next(step for step in protocol.steps if marks in step.questions)
    looked_at = {name for condition in (step.when, marks.when) if condition for name in condition.names()}
    return next(
        (one for one in protocol.questions() if one.id in looked_at and one.gives in (Choice, Rating)),
        None,
    )
