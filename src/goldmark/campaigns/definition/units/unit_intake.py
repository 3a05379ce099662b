"""Units on their way into a campaign: each is looked at by itself when it is read, and then waits in a file.

So every problem of every unit is known before anything is written, and of any number of units one is in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from goldmark.campaigns.assignments.strata import placement_of
from goldmark.campaigns.definition.units.needed_context import MissingContext
from goldmark.campaigns.definition.units.suggestions import MOST_PROBLEMS, Marks, suggestions_in, with_marks
from goldmark.campaigns.test_questions.expected_answers import ByVerdict, misplaced_errors, with_expected
from goldmark.errors import Problem, ProblemList, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.records.spooled.units import SpooledUnits, UnitTexts
from goldmark.records.texts import Text
from goldmark.records.units import Sign, Unit, sign_of


class ProblemPlaces(NamedTuple):
    """Where of a file a problem is told, by what it is about."""

    texts: str
    suggestions: str
    tests: str

    @classmethod
    def all_in(cls, where: str) -> ProblemPlaces:
        return cls(where, where, where)


class UnitIntake:
    """The units of one campaign, and what is wrong with any of them. Without a protocol nothing can be."""

    def __init__(self, protocol: Protocol | None, where: ProblemPlaces, expected: ByVerdict | None = None) -> None:
        self.units = SpooledUnits()
        self.strata: set[str] = set()
        self.signs: Counter[Sign | None] = Counter()
        self.roles: list[Problem] = []  # units that lack a text, or have another
        self._protocol, self._where, self._expected = protocol, where, expected or {}
        self._suggestions: dict[str, list[Problem]] = {}
        self._misplaced: list[Problem] = ProblemList()
        self._tests: list[Problem] = ProblemList()
        self._context = None if protocol is None else MissingContext(protocol)

    def take(self, unit: Unit) -> None:
        """Look at a unit and keep it, a test question with what is right in it."""
        self.strata.add(placement_of(unit.hidden).stratum)
        self.signs[sign_of(unit.hidden)] += 1
        if self._protocol is not None and self._context is not None:
            self._context.look_at(unit)
            self.roles += role_problems(self._protocol, [unit], self._where.texts)[: MOST_PROBLEMS - len(self.roles)]
            self._look_at_suggestions(unit)
            self._misplaced += misplaced_errors(unit, self._where.tests)
            unit = with_expected(self._protocol, unit, self._where.tests, self._tests, self._expected)
        self.units.add(unit.id, unit)

    def _look_at_suggestions(self, unit: Unit) -> None:
        found = suggestions_in(unit, self._protocol, self._where.suggestions) if self._protocol else []
        if found and len(self._suggestions) < MOST_PROBLEMS:
            self._suggestions[unit.id] = found

    def suggest(self, suggestions: Mapping[str, Marks]) -> None:
        """Put suggestions on the units of these names, instead of any that these had."""
        for name, marks in suggestions.items():
            unit = self.units.named(name)
            if unit is not None:
                self._suggestions.pop(name, None)
                changed = with_marks(unit, marks)
                self._look_at_suggestions(changed)
                self.units.replace(name, changed)

    @property
    def texts(self) -> Mapping[str, Text]:
        """The only text of every unit that has one, by the unit's id; read again whenever it is asked for."""
        return UnitTexts(self.units)

    def context_problems(self) -> list[Problem]:
        """What units lack beside their texts and must not lack."""
        return [] if self._context is None else self._context.problems(self._where.texts)

    def missing_context(self) -> Sequence[str]:
        """What units lack beside their texts and are taken without."""
        return () if self._context is None else self._context.warnings()

    def suggestion_problems(self) -> list[Problem]:
        return [one for found in self._suggestions.values() for one in found][:MOST_PROBLEMS]

    def unit_problems(self) -> list[Problem]:
        """What is wrong with any unit, whether or not it is a test question."""
        return [*self.roles, *self.context_problems(), *self.suggestion_problems()]

    def test_problems(self) -> list[Problem]:
        """What is wrong with test questions among the units."""
        return self._misplaced or self._tests

    def refuse(self) -> None:
        """Raise what stands against adding these units to a campaign that there is."""
        _refuse(self.unit_problems() or self.test_problems())


def checked_units(protocol: Protocol, units: Iterable[Unit], where: str) -> SpooledUnits:
    """The units, unless two have one name, or any lacks a text the protocol asks about or what it needs beside it, or
    has suggestions that nobody could accept."""
    intake = UnitIntake(protocol, ProblemPlaces.all_in(where))
    twice = _taken(intake, units, where)
    _refuse([*twice, *intake.unit_problems()])
    return intake.units


def checked_tests(
    protocol: Protocol, units: Iterable[Unit], where: str, expected: ByVerdict | None = None
) -> SpooledUnits:
    """The same units, every test question with what is right in it; refuses those of which nobody could say that."""
    intake = UnitIntake(protocol, ProblemPlaces.all_in(where), expected)
    twice = _taken(intake, units, where)
    _refuse([*twice, *intake.test_problems()])
    return intake.units


def _taken(intake: UnitIntake, units: Iterable[Unit], where: str) -> Sequence[Problem]:
    """All of them taken; what stands against it if two have one name."""
    twice: list[Problem] = ProblemList()
    for unit in units:
        if intake.units.knows(unit.id):
            twice.append(Problem(where, f"two units are called {unit.id!r}", "rename one of them"))
        intake.take(unit)
    return twice


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        raise ProblemsFound(problems, consequence="nothing was added")


def role_problems(protocol: Protocol, units: Iterable[Unit], where: str) -> list[Problem]:
    """Units whose texts are not those that the protocol asks about."""
    wanted = set(protocol.texts)
    return [
        Problem(
            where,
            f"unit {unit.id!r} has {_listed(unit.shown.texts)}, but {protocol.id} asks about {_listed(wanted)}",
            "rename the columns of the texts or choose another protocol",
        )
        for unit in units
        if set(unit.shown.texts) != wanted
    ]


def _listed(roles: Collection[str]) -> str:
    return " and ".join(f"`{role}`" for role in sorted(roles))
