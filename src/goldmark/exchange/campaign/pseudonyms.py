"""An export under other names: a pseudonym for everybody, the same throughout one export and another in the next.

Pseudonyms are made with a key that is drawn for the export and kept nowhere, so nobody can work out from a list of
names who is who, this server included. Models and checkers keep their names. What people wrote in their own words
(answers, reasons, comments) stays as it is.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from goldmark.errors import Problem
from goldmark.exchange.campaign.rows import Located, Row, rows_of
from goldmark.exchange.campaign.rows_read import record_of
from goldmark.observations.filter import Filter
from goldmark.observations.source import ObservationSource, ObservedPerson, ObservedResponse, ObservedUnit
from goldmark.protocols import Protocol
from goldmark.records.campaigns import CampaignRecord

NOTE = (
    "Names of annotators, reviewers, curators and managers are pseudonyms, drawn for this export alone. "
    "Answers, reasons and comments are as people wrote them."
)
KIND = "names replaced"  # the event by which an export says so
NOTE_FILE = "pseudonyms.txt"  # the same beside tidy tables
NOBODY = frozenset(
    ("", "rule", "the protocol's rule", "open link", "the clock")
)  # how decisions of no person are signed

# Where names stand in what is kept of people's marks.
ONE_NAME = ("annotator", "first", "second")  # the two of a pair; a place in a text is a number
NAMES = ("annotators", "people")
REVISIONS = ("responses", "basis")  # a name, a stroke and a number


def renamed(data: Any, of: Callable[[str], str], key: str = "") -> Any:
    """The same with everybody's name replaced; `key` is what the data stands under."""
    if isinstance(data, Mapping):
        inside = {name: renamed(value, of, name) for name, value in data.items()}
        return {of(name): inside[name] for name in sorted(inside)} if key == "marks" else inside
    if isinstance(data, list | tuple):
        many = [renamed(one, of, key) for one in data]
        if key in (*NAMES, *REVISIONS):
            return sorted(many)
        # What is sorted by name would tell the order of the names.
        return sorted(many, key=lambda one: (one["annotator"], one["start"])) if key == "sources" else many
    if isinstance(data, str):
        if key in REVISIONS:
            name, stroke, revision = data.rpartition("/")
            return f"{of(name)}{stroke}{revision}"
        return of(data) if key in (*ONE_NAME, *NAMES) else data
    return data


class Pseudonyms:
    """Other names for everybody but those whose names are `kept`."""

    def __init__(self, kept: Collection[str] = (), key: bytes | None = None) -> None:
        self._kept = frozenset(kept) | NOBODY
        self._key = key or secrets.token_bytes(32)
        self._units: dict[str, str] = {}  # units whose names hold the name of who answered what they are made of
        self._people: set[str] = set()

    def of(self, name: str) -> str:
        if name in self._kept:
            return name
        digest = hmac.digest(self._key, name.encode("utf-8", "surrogatepass"), "sha256")
        return f"person-{base64.b32encode(digest[:10]).decode().lower()}"

    def record(self, record: CampaignRecord) -> CampaignRecord:
        """A whole campaign under other names."""
        problems: list[Problem] = []
        rows = (Located(kind, kind, values) for kind, values in self.rows(rows_of(record)))
        made = record_of(rows, problems)
        # People stood in the order of their names.
        return replace(
            made,
            annotators=tuple(sorted(made.annotators, key=lambda one: one.id)),
            assignments=tuple(sorted(made.assignments, key=lambda one: one.annotator)),
            responses=tuple(sorted(made.responses, key=lambda one: one.annotator)),
            counts_excluded=record.counts_excluded,
        )

    def rows(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows of a campaign under other names, and one more event that says so. Whoever makes them does not order
        them by name.
        """
        campaign, told = "", False
        for kind, values in rows:
            if kind == "campaign":
                campaign = str(values["settings"].get("campaign", ""))
            if kind in ("curation", "gold") and not told:
                yield _note(campaign)
                told = True
            yield kind, self._row(kind, values)
        if not told:
            yield _note(campaign)

    def _row(self, kind: str, values: dict[str, Any]) -> dict[str, Any]:
        match kind:
            case "campaign":
                return {**values, "settings": self._settings(values["settings"])}
            case "unit":
                name, hidden = self.unit(values["id"], values["hidden"])
                return {**values, "id": name, "hidden": hidden}
            case "annotator":
                self._people.add(values["id"])
                return {**values, "id": self.of(values["id"])}
            case "assignment":
                return {**self._of_unit(values), "facts": self._facts(values["facts"])}
            case "response":
                return self._of_unit(values)
            case "event":
                subject, facts = self._everywhere(values["subject"]), self._everywhere(values["facts"])
                return {**values, "author": self.of(values["author"]), "subject": subject, "facts": facts}
            case "curation" | "gold":
                part = "facts" if kind == "curation" else "gold"
                named = {**values, "author": self.of(values["author"]), part: renamed(values[part], self.of)}
                return {**named, "unit": self._units.get(values["unit"], values["unit"])}
        return values

    def _settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        join = settings.get("join", {})
        invited = {"join": {**join, "invite": sorted(map(self.of, join["invite"]))}} if join.get("invite") else {}
        return {**settings, **invited}

    def unit(self, name: str, hidden: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """A unit's name and hidden facts; those of a follow-up say whose answer it is made of."""
        facts = dict(hidden)
        if isinstance(by := facts.get("reported_by"), list):
            facts["reported_by"] = sorted(map(self.of, map(str, by)))
        source = facts.get("source")
        if not isinstance(source, Mapping) or not isinstance(who := source.get("annotator"), str):
            return name, facts
        facts["source"] = {**source, "annotator": self.of(who)}
        start = f"{source.get('unit')}:{who}"
        if name == start or name.startswith(f"{start}:"):
            self._units[name] = f"{source.get('unit')}:{self.of(who)}{name[len(start) :]}"
        return self._units.get(name, name), facts

    def _of_unit(self, values: dict[str, Any]) -> dict[str, Any]:
        unit = self._units.get(values["unit"], values["unit"])
        return {**values, "unit": unit, "annotator": self.of(values["annotator"])}

    def _facts(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        if "reviews" not in facts:
            return dict(facts)
        return {**facts, "reviews": [{**said, "reviewer": self.of(said["reviewer"])} for said in facts["reviews"]]}

    def _everywhere(self, data: Any) -> Any:
        """Events say in many ways of whom they are: whatever is exactly an annotator's name is taken for it."""
        if isinstance(data, Mapping):
            return {self._everywhere(key): self._everywhere(value) for key, value in data.items()}
        if isinstance(data, list | tuple):
            return [self._everywhere(one) for one in data]
        if isinstance(data, str):
            return self.of(data) if data in self._people else self._units.get(data, data)
        return data

    def wanted(self, wanted: Filter) -> Filter:
        """The same answers, asked for under the other names."""
        return wanted._replace(annotators=frozenset(map(self.of, wanted.annotators)))


def _note(campaign: str) -> Row:
    at = datetime.now(UTC)
    return "event", {"at": at, "author": "", "kind": KIND, "subject": campaign, "reason": NOTE, "facts": {}}


def with_pseudonyms(record: CampaignRecord) -> CampaignRecord:
    """A whole campaign under names that are drawn for it."""
    programs = [one.id for one in record.annotators if one.facts.get("kind", "person") != "person"]
    return Pseudonyms(programs).record(record)


class PseudonymSource:
    """Observations under other names."""

    def __init__(self, source: ObservationSource, names: Pseudonyms) -> None:
        self._source, self._names = source, names

    @property
    def campaign(self) -> str:
        return self._source.campaign

    @property
    def protocol(self) -> Protocol:
        return self._source.protocol

    def people(self) -> Iterator[ObservedPerson]:
        for one in self._source.people():
            yield one._replace(name=self._names.of(one.name))

    def facts(self) -> Iterator[Mapping[str, Any]]:
        for one in self._source.facts():
            yield self._names.unit("", one)[1]

    def units(self) -> Iterator[tuple[ObservedUnit, Sequence[ObservedResponse]]]:
        for unit, responses in self._source.units():
            name, facts = self._names.unit(unit.name, unit.facts)
            yield (
                unit._replace(name=name, facts=facts),
                [one._replace(annotator=self._names.of(one.annotator)) for one in responses],
            )
