"""Where observations come from: units in their order, each with the answers that are final.

The database and an exported campaign are two such sources; what is made of them is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from typing import Protocol as Interface

from goldmark.protocols import Protocol, parse
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import Surface


class ShownSurface(NamedTuple):
    """What of a text a table needs beside its surface."""

    language: str
    sentences: int


class ObservedUnit(NamedTuple):
    """A unit with what only managers know of it."""

    name: str
    facts: Mapping[str, Any]
    surface: Surface
    texts: Mapping[str, ShownSurface]


class ObservedResponse(NamedTuple):
    """A final answer."""

    annotator: str
    answers: Mapping[str, Any]
    protocol: Protocol
    at: datetime | None
    seconds: float | None
    first: str = ""  # the role of the text that was shown first, where the order was randomised
    shown_in: str = ""  # the language of the page


class ObservedPerson(NamedTuple):
    """An annotator."""

    name: str
    kind: str
    state: str
    condition: str
    joined: datetime | None


class ObservationSource(Interface):
    """A campaign to observe. Units are streamed: what a source keeps does not grow with their number."""

    @property
    def campaign(self) -> str: ...

    @property
    def protocol(self) -> Protocol:
        """What is asked now."""
        ...

    def people(self) -> Iterable[ObservedPerson]: ...

    def facts(self) -> Iterator[Mapping[str, Any]]:
        """The hidden facts of every unit."""
        ...

    def units(self) -> Iterator[tuple[ObservedUnit, Sequence[ObservedResponse]]]:
        """Every unit in the campaign's order with its final answers, also of test questions and excluded people."""
        ...


class RecordSource:
    """A campaign that was read from files, or is at hand as a whole."""

    def __init__(self, record: CampaignRecord) -> None:
        self._record = record
        self._protocols = {one.id: parse(one.source, file=one.id) for one in record.protocols}

    @property
    def campaign(self) -> str:
        return str(self._record.settings.get("campaign", ""))

    @property
    def protocol(self) -> Protocol:
        return self._protocols[self._record.protocol]

    def people(self) -> Iterator[ObservedPerson]:
        for one in self._record.annotators:
            condition = str(one.facts.get("condition") or "")
            yield ObservedPerson(one.id, str(one.facts.get("kind") or "person"), one.state, condition, one.joined)

    def facts(self) -> Iterator[Mapping[str, Any]]:
        for unit in self._record.units:
            yield unit.hidden

    def units(self) -> Iterator[tuple[ObservedUnit, list[ObservedResponse]]]:
        first = {(one.unit, one.annotator): str(one.facts.get("shown_first") or "") for one in self._record.assignments}
        answered: dict[str, list[ObservedResponse]] = {}
        for one in self._record.responses:
            if one.final:
                response = ObservedResponse(
                    one.annotator,
                    one.answers,
                    self._protocols.get(one.protocol, self.protocol),
                    one.server_time or one.client_time,
                    one.seconds_active,
                    first.get((one.unit, one.annotator), ""),
                    one.language,
                )
                answered.setdefault(one.unit, []).append(response)
        for unit in self._record.units:
            texts = {
                role: ShownSurface(shown.language, len(shown.text.sentences))
                for role, shown in unit.shown.texts.items()
            }
            yield ObservedUnit(unit.id, unit.hidden, unit.shown.surface(), texts), answered.get(unit.id, [])
