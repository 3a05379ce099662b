"""Which answers are observed: asked for by pages and commands before anything is read."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from goldmark.records.annotators import PERSON

if TYPE_CHECKING:
    from goldmark.observations.rows import UnitFacts
    from goldmark.observations.source import ObservedPerson, ObservedResponse


class Filter(NamedTuple):
    """Which answers are observed. Test questions, excluded people, and models and checkers that annotate, are left out
    unless they are asked for: people's figures are people's."""

    tests: bool = False
    excluded: bool = False
    models: bool = False
    systems: frozenset[str] = frozenset()  # only these; empty: all
    conditions: frozenset[str] = frozenset()
    annotators: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def narrows(self) -> bool:
        """Whether only some of the answers that count are wanted."""
        return bool(self.systems or self.conditions or self.annotators or self.since or self.until)

    def counts(self, person: ObservedPerson) -> bool:
        """Whether who answered is a person, or one of the others that are wanted too, or by name."""
        return self.models or person.kind == PERSON or person.name in self.annotators

    def keeps(self, unit: UnitFacts, person: ObservedPerson, response: ObservedResponse) -> bool:
        return (
            (self.tests or not unit.test)
            and (self.excluded or person.state != "excluded")
            and self.counts(person)
            and (not self.systems or bool(self.systems & set(unit.systems.values())) or unit.system in self.systems)
            and (not self.conditions or unit.condition(person) in self.conditions)
            and (not self.annotators or person.name in self.annotators)
            and (self.since is None or (response.at is not None and response.at >= self.since))
            and (self.until is None or (response.at is not None and response.at < self.until))
        )


COUNTING = Filter()  # what counts
