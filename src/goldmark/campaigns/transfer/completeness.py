"""Answers made elsewhere against a protocol: what is wrong with them, and what of it is only that something is missing.

Older work and other tools do not always ask all that a protocol asks. An answer that lacks something can still be kept,
if its author says so; one that cannot be placed (a mark outside the text, an unknown question, label or option) never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.responses.renamed import SAME_NAMES, Renamed
from goldmark.protocols import Protocol, validate
from goldmark.protocols.kinds.base import Question
from goldmark.protocols.kinds.choice import ChoicesQuestion
from goldmark.protocols.kinds.spans import SpanLinks, SpansQuestion
from goldmark.protocols.kinds.text import TextQuestion
from goldmark.records.units import ShownUnit, Surface

MOST_TOLD = 50  # different problems; with more, something is wrong with all of it
NOTHING_IMPORTED = "nothing was imported"
KEEP = "--keep-incomplete (keep_incomplete in a request) keeps answers in which only something is missing"


class Findings(NamedTuple):
    """What the protocol would refuse, and what remains of that if incomplete answers are kept."""

    problems: list[Problem]
    lasting: list[Problem]

    @classmethod
    def none(cls) -> Findings:
        return cls([], [])

    def add(self, *problems: Problem) -> None:
        """Something that no option helps against."""
        self.problems.extend(problems)
        self.lasting.extend(problems)

    def add_all(self, found: Findings, where: str, marks: Mapping[str, str] = MappingProxyType({})) -> None:
        """What was found of one answer, which names questions; `marks` says by id where single marks stand."""
        for gathered, some in zip(self, found, strict=True):
            gathered.extend(
                replace(one, where=marks.get(one.part.partition(".")[0], where), what=f"{one.where}: {one.what}")
                for one in some
            )

    def refuse(
        self, *, keep_incomplete: bool, noun: str = "lines", names: Callable[[], Renamed] = lambda: SAME_NAMES
    ) -> None:
        """Raise everything that stands in the way, equal things once, and name the options that help.

        `names` finds those of the file that probably mean others of the protocol; it is asked only where that helps.
        """
        wrong = self.lasting if keep_incomplete else self.problems
        if not wrong:
            return
        helps = not keep_incomplete and len(self.lasting) < len(self.problems)
        consequence = f"{NOTHING_IMPORTED}; {KEEP}" if helps else NOTHING_IMPORTED
        told = told_once(wrong, noun)
        meant = names()
        raise ProblemsToMap(told, consequence, meant) if meant else ProblemsFound(told, consequence=consequence)


class ProblemsToMap(ProblemsFound):
    """Problems of which some come from names alone, with what these probably mean."""

    def __init__(self, problems: Iterable[Problem], consequence: str, names: Renamed) -> None:
        self.names, self._consequence = names, consequence
        super().__init__(problems, f"{consequence}; names differ: if they mean the same, add {names.options()}")

    def further(self) -> dict[str, Any]:
        names = {"questions": dict(self.names.questions), "labels": dict(self.names.labels)}
        return {**super().further(), "names": names}

    def told_as(self, problems: Iterable[Problem]) -> ProblemsFound:
        return ProblemsToMap(problems, self._consequence, self.names)


class AnswerCheck:
    """Checks answers against one protocol; the lenient form of it is made once."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self._lenient = lenient(protocol)

    def check(self, answers: Mapping[str, Any], shown: ShownUnit | Surface) -> Findings:
        surface = shown.surface() if isinstance(shown, ShownUnit) else shown
        problems = validate(self.protocol, answers, surface)
        if not problems:
            return Findings.none()
        return Findings(problems, validate(self._lenient, self._labelled(answers), _without_suggestions(surface)))

    def _labelled(self, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answers with some label on every mark that has none, because no protocol can be told to do without."""
        filled = dict(answers)
        for question in self.protocol.questions():
            marks = answers.get(question.id)
            if isinstance(question, SpansQuestion) and question.labels is not None and isinstance(marks, list):
                some = next(iter(self.protocol.taxonomies[question.labels.tree].paths))
                filled[question.id] = [
                    {**mark, "label": mark.get("label") or some} if isinstance(mark, dict) else mark for mark in marks
                ]
        return filled


def lenient(protocol: Protocol) -> Protocol:
    """The same questions, none of which has to be answered; what an answer may hold stays as it is."""
    steps = tuple(
        step.model_copy(update={"when": None, "questions": tuple(map(_lenient, step.questions))})
        for step in protocol.steps
    )
    return replace(protocol, file=protocol.file.model_copy(update={"steps": steps}))


def _lenient(question: Question) -> Question:
    changed: dict[str, Any] = {"required": False, "when": None}
    if isinstance(question, ChoicesQuestion):
        changed |= {"at_least": 0, "at_most": None}
    elif isinstance(question, TextQuestion):
        changed |= {"at_least": 0, "not_pasted": False}
    elif isinstance(question, SpansQuestion):
        changed |= {
            "at_least": 0,
            "at_most": None,
            "overlap": True,
            "require": None,
            "labels": question.labels and question.labels.model_copy(update={"any_level": True}),
            "attributes": tuple(map(_lenient, question.attributes)),
            "links": {role: SpanLinks() for role in question.links},
        }
    return question.model_copy(update=changed)


def _without_suggestions(surface: Surface) -> Surface:
    """What was suggested needs no decision of somebody who never saw it."""
    return replace(surface, texts={role: replace(text, suggested=()) for role, text in surface.texts.items()})


def told_once(problems: Iterable[Problem], noun: str = "lines") -> list[Problem]:
    """Equal problems told once, at the first place, with how many more there are."""
    same: dict[tuple[str, str], list[Problem]] = {}
    for one in problems:
        same.setdefault((one.what, one.remedy), []).append(one)
    told = [_with_count(found[0], len(found) - 1, noun) for found in list(same.values())[:MOST_TOLD]]
    if len(same) > MOST_TOLD:
        rest = list(same.values())[MOST_TOLD:]
        told.append(Problem(rest[0][0].where, f"and {sum(map(len, rest))} problems more, from here on"))
    return told


def _with_count(first: Problem, more: int, noun: str) -> Problem:
    if not more:
        return first
    return replace(first, what=f"{first.what} ... and {more} more {noun if more > 1 else noun[:-1]} like this")
