"""A whole campaign as one immutable record: what is exported, imported, bundled and analysed.

Nothing in it knows a database. All times are in UTC; None means that the time is not known, as in work that was
imported from a format without times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.records.annotators import EXCLUDED
from goldmark.records.spooled.records import SomeOf
from goldmark.records.spooled.units import hidden_facts
from goldmark.records.units import Unit, sign_of


class TimeWithoutZone(GoldmarkError):
    code = "CAMPAIGN-RECORD-01"
    message = "the time {time} of {what} is not in UTC; give a timezone-aware time in UTC"


def _check_utc(what: str, *times: datetime | None) -> None:
    for time in times:
        if time is not None and time.utcoffset() != timedelta(0):
            raise TimeWithoutZone(time=time.isoformat(), what=what)


@dataclass(frozen=True, slots=True)
class ProtocolRecord:
    """A protocol that the campaign asks or asked, as it was written."""

    name: str
    version: int
    source: str  # YAML

    @property
    def id(self) -> str:
        """Name and version together, such as accuracy/1: what is stored with every response."""
        return f"{self.name}/{self.version}"


@dataclass(frozen=True, slots=True)
class AnnotatorRecord:
    """A person, or a program, under the name that the campaign knows them by."""

    id: str
    state: str = "active"
    joined: datetime | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)  # whatever else is known of them

    def __post_init__(self) -> None:
        _check_utc(f"annotator {self.id}", self.joined)


@dataclass(frozen=True, slots=True)
class AssignmentRecord:
    """One unit given to one annotator, which happens at most once."""

    unit: str
    annotator: str
    state: str
    claimed: datetime | None = None
    finished: datetime | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_utc(f"the assignment of {self.unit} to {self.annotator}", self.claimed, self.finished)


@dataclass(frozen=True, slots=True)
class ResponseRecord:
    """One answer to one unit. An edit is a new revision; at most one revision of an assignment is final."""

    unit: str
    annotator: str
    revision: int
    final: bool
    answers: Mapping[str, Any]  # by question; token positions from 0, end exclusive
    protocol: str = ""  # name and version of what was asked
    client_key: str = ""
    client_time: datetime | None = None
    server_time: datetime | None = None
    seconds_active: float | None = None
    language: str = ""  # in which the page was shown; empty: nobody said

    def __post_init__(self) -> None:
        _check_utc(f"the response of {self.annotator} to {self.unit}", self.client_time, self.server_time)


@dataclass(frozen=True, slots=True)
class EventRecord:
    """Somebody decided something, and why."""

    at: datetime
    author: str
    kind: str
    subject: str
    reason: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_utc(f"the event {self.kind}", self.at)


@dataclass(frozen=True, slots=True)
class ExclusionRecord:
    """An annotator whose work is kept but does not count: by which rule, who decided it, and how much work it is."""

    annotator: str
    rule: str  # the rule that acted or was followed; empty: somebody's own decision
    author: str
    reason: str
    at: datetime | None
    responses: int  # final ones that therefore do not count

    @classmethod
    def told(cls, annotator: str, event: Any, responses: int) -> ExclusionRecord:
        """As the event says, in a record or in the database, by which they were excluded; None: nothing is known."""
        if event is None:
            return cls(annotator, "", "", "", None, responses)
        return cls(annotator, str(event.facts.get("rule", "")), event.author, event.reason, event.at, responses)


BY_HAND = "decided by hand"


@dataclass(frozen=True, slots=True)
class CurationStepRecord:
    """One step of a curator on the marks of one question in one unit."""

    unit: str
    question: str
    number: int  # from 1, by unit and question
    kind: str
    facts: Mapping[str, Any]
    reason: str
    author: str
    at: datetime

    def __post_init__(self) -> None:
        _check_utc(f"a step on {self.unit}", self.at)


@dataclass(frozen=True, slots=True)
class GoldVersionRecord:
    """A unit's gold list of one question, as a curator froze it."""

    unit: str
    question: str
    version: int  # from 1, by unit and question
    steps: int  # how many steps it rests on
    gold: Mapping[str, Any]  # mistakes, what was left out, who looked at the text
    author: str
    at: datetime

    def __post_init__(self) -> None:
        _check_utc(f"the gold list of {self.unit}", self.at)


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    """Everything about a campaign: its settings, what was asked of which units, who answered what and when.

    The order of `units` is the campaign's own; that of events with the same time is the order in which they happened.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    protocol: str = ""  # name and version of what is asked now
    protocols: tuple[ProtocolRecord, ...] = ()
    units: Sequence[Unit] = ()
    annotators: tuple[AnnotatorRecord, ...] = ()
    assignments: Sequence[AssignmentRecord] = ()
    responses: Sequence[ResponseRecord] = ()
    events: Sequence[EventRecord] = ()
    curation: Sequence[CurationStepRecord] = ()
    gold_versions: Sequence[GoldVersionRecord] = ()
    counts_excluded: bool = False  # whether excluded annotators count after all, to see what excluding them changed

    def final_responses(self, *, with_excluded: bool | None = None) -> Sequence[ResponseRecord]:
        """What counts: the final revision of every answered assignment, in the order of `responses`.

        Test questions never count. Excluded annotators do not either, unless `with_excluded` brings them back; left
        out, the record's own `counts_excluded` says so.
        """
        keep = self.counts_excluded if with_excluded is None else with_excluded
        left_out = set() if keep else {one.id for one in self.annotators if one.state == "excluded"}
        tests = self.test_units()
        return SomeOf(
            self.responses,
            (
                place
                for place, one in enumerate(self.responses)
                if one.final and one.annotator not in left_out and one.unit not in tests
            ),
        )

    def test_units(self) -> frozenset[str]:
        """The units that were asked to test annotators, not to learn about texts."""
        return frozenset(name for name, hidden in hidden_facts(self.units) if sign_of(hidden))

    def exclusions(self) -> tuple[ExclusionRecord, ...]:
        """Who is excluded, in the order of `annotators`, whether or not they are counted after all."""
        said = {one.subject: one for one in self.events if one.kind == EXCLUDED}
        tests = self.test_units()
        work = Counter(one.annotator for one in self.responses if one.final and one.unit not in tests)
        return tuple(
            ExclusionRecord.told(person.id, said.get(person.id), work[person.id])
            for person in self.annotators
            if person.state == "excluded"
        )

    def exclusion_notes(self) -> tuple[str, ...]:
        """What every figure of this campaign has to say of excluded annotators; nothing if there are none."""
        return exclusion_notes(self.exclusions(), counted=self.counts_excluded)


def exclusion_notes(found: Sequence[ExclusionRecord], *, counted: bool = False) -> tuple[str, ...]:
    """How many people are excluded with how many responses, and by which rules; nothing if nobody is."""
    if not found:
        return ()
    rules = Counter(one.rule or BY_HAND for one in found)
    people, responses = len(found), sum(one.responses for one in found)
    return (
        f"{people} annotator{'s' * (people > 1)} with {responses} response{'s' * (responses != 1)} "
        f"{'is' if people == 1 else 'are'} excluded ({', '.join(f'{rule}: {n}' for rule, n in rules.items())}) "
        f"and {'counted here all the same' if counted else 'not counted here'}",
    )
