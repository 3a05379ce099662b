"""A campaign record into the database: an exported campaign again, or finished work from another tool."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection, insert, select

from goldmark.accounts.links import new_nonce
from goldmark.campaigns.assignments import allocation
from goldmark.campaigns.assignments.strata import placement_of
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import (
    CampaignExists,
    CampaignRow,
    find_campaign,
    keep_protocol,
    places,
    tokenisers_of,
)
from goldmark.campaigns.transfer import curation_steps
from goldmark.campaigns.transfer.completeness import NOTHING_IMPORTED, AnswerCheck, Findings, told_once
from goldmark.campaigns.transfer.training_records import restore_training, unreadable_training
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.responses.from_campaign import carried
from goldmark.exchange.responses.given import Target
from goldmark.exchange.responses.values import Values
from goldmark.protocols import Protocol, load, parse, tidied
from goldmark.protocols.answers import marking
from goldmark.protocols.validation import asked_in
from goldmark.records.campaigns import AssignmentRecord, CampaignRecord, ProtocolRecord, ResponseRecord
from goldmark.store import Store, events
from goldmark.store.states import ANSWERED, HOLD_A_PLACE
from goldmark.store.tables import annotator, assignment, campaign, event, response, review, unit, unit_secret

# What a record says about a campaign besides its settings.
ABOUT = ("campaign", "title", "state", "created_at")
# What a review in an assignment's facts holds.
REVIEW = {"revision": int, "verdict": str, "comment": str, "remarks": list, "reviewer": str, "at": str}
REMARK = {"where", "part", "comment"}


def read_record(
    path: Path, format_name: str, protocol: Protocol | None = None, *, name: str | None = None
) -> CampaignRecord:
    """A campaign in a file: as it was exported, or what another tool wrote, completed by what was asked."""
    from goldmark.exchange.formats import FORMATS, import_campaign

    record, usual = import_campaign(path, format_name), FORMATS[format_name].protocol
    if protocol is None and usual:
        protocol = load(usual)
    if protocol is None and record.settings:
        return record
    return completed(record, protocol, name=name or path.stem)  # what another tool wrote: texts and answers only


def completed(
    record: CampaignRecord, protocol: Protocol | None = None, *, name: str, title: str = ""
) -> CampaignRecord:
    """What another tool knows, texts and answers only, as a finished campaign of this protocol, or of its own.

    Its answers are read the way the protocol stores them: labels and options by their titles, too, and marks in tokens
    or characters, whichever its question counts. Tools keep no mark for "nothing is marked": an answer without spans,
    where the protocol lets people mark none, says that there is nothing to mark.
    """
    asked = protocol or _own_protocol(record)
    if asked is None:
        return record
    target = Target(asked, {one.id: one.shown for one in record.units})
    problems: list[Problem] = []
    given = {(one.unit, one.annotator): one.answers for one in carried(record, target, problems)}
    if problems:
        raise ProblemsFound(told_once(problems, "answers"), consequence=NOTHING_IMPORTED)
    values = Values(asked)
    labels = Counter(one.unit for one in record.assignments)
    return replace(
        record,
        settings={
            "campaign": name,
            "title": title or name,
            "state": "closed",
            "labels_per_unit": max(labels.values(), default=1),
        },
        protocol=asked.id,
        protocols=(ProtocolRecord(asked.name, asked.version, asked.source),),
        responses=tuple(
            replace(
                one,
                protocol=asked.id,
                answers=_with_silence(asked, values.read(given.get((one.unit, one.annotator), one.answers))),
            )
            for one in record.responses
        ),
    )


def _with_silence(protocol: Protocol, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers with an empty list for every question about spans that they lead to and say nothing of."""
    known = {question.id for question in protocol.questions()}
    said = {key: value for key, value in answers.items() if key in known or value != []}
    optional = {question.id for question in marking(protocol) if question.at_least == 0}
    silent = [
        question.id
        for question, asked in asked_in(protocol, said)
        if asked and question.id in optional and question.id not in said
    ]
    return {**said, **{name: [] for name in silent}}


def _tidied(record: CampaignRecord) -> CampaignRecord:
    """The record with its answers as they are kept; drafts stay as they were typed."""
    protocols = {one.id: parse(one.source, file=one.id) for one in record.protocols}
    responses = (
        replace(one, answers=tidied(protocols[asked], one.answers))
        if (asked := one.protocol or record.protocol) in protocols
        else one
        for one in record.responses
    )
    return replace(record, responses=tuple(responses))


def _own_protocol(record: CampaignRecord) -> Protocol | None:
    found = next((one for one in record.protocols if one.id == record.protocol), None)
    return None if found is None else parse(found.source, file=found.id)


def restore(
    store: Store, record: CampaignRecord, *, name: str | None = None, author: str, keep_incomplete: bool = False
) -> CampaignRow:
    """The campaign in this record, with everything in it or not at all. Links are new: the old ones open nothing.

    Answers are held to the protocol like any other, unless `keep_incomplete` says that older work is to be kept as it
    is, such as a mistake without the correction that the protocol asks for. What cannot be placed is never kept.
    """
    malformed = [*_malformed_reviews(record), *_unknown_orders(record), *unreadable_training(record)]
    if malformed:
        raise ProblemsFound(malformed, consequence="nothing was imported")
    record = _tidied(record)
    found = _checked(record)
    found.refuse(keep_incomplete=keep_incomplete, noun="answers")

    def make(connection: Connection) -> CampaignRow:
        return _Restoring(connection, record, name).run(author, len(found.problems))

    return store.write(make)


def _checked(record: CampaignRecord) -> Findings:
    """What the record's own protocols would refuse of its answers."""
    checks = {one.id: AnswerCheck(parse(one.source, file=one.id)) for one in record.protocols}
    units = {one.id: one.shown for one in record.units}
    found = Findings.none()
    if record.protocol not in checks:
        what = f"the protocol {record.protocol!r} is not in the record" if record.protocol else "no protocol is in it"
        found.add(Problem("campaign", what, "say with --protocol what was asked"))
        return found
    for one in record.responses:
        check = checks.get(one.protocol or record.protocol)
        where = f"response of {one.annotator} to {one.unit}, revision {one.revision}"
        if check is None or one.unit not in units:
            found.add(Problem(where, "its protocol or its unit is not in the record"))
        else:
            found.add_all(check.check(one.answers, units[one.unit]), where)
    return found


def _malformed_reviews(record: CampaignRecord) -> Iterator[Problem]:
    """Reviews that nobody can read: they are facts of an assignment, which a file may hold in any shape."""
    for held in record.assignments:
        said = held.facts.get("reviews", [])
        where = f"assignment of {held.unit} to {held.annotator}"
        if not isinstance(said, list):
            yield Problem(where, "its reviews are no list", part="reviews")
            continue
        for one in said:
            wrong = not isinstance(one, dict) or {key: type(value) for key, value in one.items()} != REVIEW
            if (
                wrong
                or one["verdict"] not in ("approved", "returned")
                or not _is_time(one["at"])
                or any(not isinstance(remark, dict) or set(remark) != REMARK for remark in one["remarks"])
            ):
                yield Problem(where, f"a review cannot be read: {str(one)[:80]}", part="reviews")


def _unknown_orders(record: CampaignRecord) -> Iterator[Problem]:
    """Assignments that showed first what their unit has not. Exports of earlier versions do not say what came first."""
    units = {one.id: one.shown for one in record.units}
    for held in record.assignments:
        first = held.facts.get("shown_first")
        known = units[held.unit].texts if held.unit in units else ()
        if first is not None and not (isinstance(first, str) and first in known):
            where = f"assignment of {held.unit} to {held.annotator}"
            yield Problem(where, f"its unit has no text {str(first)[:40]!r} to show first", part="shown_first")


def _is_time(written: str) -> bool:
    try:
        return datetime.fromisoformat(written).tzinfo is not None
    except ValueError:
        return False


class _Restoring:
    """One import, in one transaction; ids of the record are names, ids of the database are made here."""

    def __init__(self, connection: Connection, record: CampaignRecord, name: str | None) -> None:
        self.connection = connection
        self.record = record
        self.settings = Settings(**{key: value for key, value in record.settings.items() if key not in ABOUT})
        self.name = name or str(record.settings["campaign"])
        self.protocols: dict[str, tuple[int, Protocol]] = {}
        self.now = datetime.now(UTC)

    def run(self, author: str, problems: int) -> CampaignRow:
        if self.connection.execute(select(campaign.c.id).where(campaign.c.name == self.name)).first():
            raise CampaignExists(name=self.name)
        for one in self.record.protocols:
            asked = parse(one.source, file=one.id)
            self.protocols[one.id] = (keep_protocol(self.connection, asked), asked)
        campaign_id = self._campaign()
        units = self._units(campaign_id)
        people = self._annotators(campaign_id)
        assignments = self._assignments(campaign_id, units, people)
        self._responses(assignments)
        self._reviews(campaign_id, assignments)
        self._events(campaign_id)
        curation_steps.put_back(self.connection, self.record, campaign_id, units)
        # Recorded with the server, not with the campaign, whose own history stays as it was exported.
        facts = {"units": len(units), "responses": len(self.record.responses), "problems": problems}
        events.record(self.connection, None, author=author, kind="campaign imported", subject=self.name, facts=facts)
        return find_campaign(self.connection, self.name)

    def _campaign(self) -> int:
        about = self.record.settings
        made = self.connection.execute(
            insert(campaign)
            .values(
                name=self.name,
                title=about.get("title", self.name),
                state=about.get("state", "closed"),
                protocol_id=self.protocols[self.record.protocol][0],
                settings=self.settings.model_dump_json(),
                invite_nonce=new_nonce(),
                created_at=_time(about.get("created_at")) or self.now,
                crowd=self.settings.quality.crowd,
            )
            .returning(campaign.c.id)
        )
        return int(made.scalar_one())

    def _units(self, campaign_id: int) -> dict[str, int]:
        counting = {one.id for one in self.record.units if placement_of(one.hidden).counts}
        held = [one for one in self.record.assignments if one.unit in counting]
        taken = Counter(one.unit for one in held if one.state in HOLD_A_PLACE)
        done = Counter(one.unit for one in held if one.state == "done")
        ids = {}
        for position, one in enumerate(self.record.units):
            made = self.connection.execute(
                insert(unit)
                .values(
                    campaign_id=campaign_id,
                    name=one.id,
                    position=position,
                    wanted=max(places(one, self.settings), taken[one.id]),
                    taken=taken[one.id],
                    done=done[one.id],
                    **placement_of(one.hidden)._asdict(),
                    shown=orjson.dumps(one.shown.to_json()).decode(),
                    added_at=self.now,
                )
                .returning(unit.c.id)
            )
            ids[one.id] = int(made.scalar_one())
        if ids:
            self.connection.execute(
                insert(unit_secret),
                [
                    {"unit_id": ids[one.id], "facts": dict(one.hidden), "tokenisers": tokenisers_of(one)}
                    for one in self.record.units
                ],
            )
        return ids

    def _annotators(self, campaign_id: int) -> dict[str, int]:
        done = Counter(one.annotator for one in self.record.assignments if one.state in ANSWERED)
        seconds: Counter[str] = Counter()
        for one in self.record.responses:
            seconds[one.annotator] += one.seconds_active or 0.0  # type: ignore[assignment]
        ids = {}
        for person in self.record.annotators:
            made = self.connection.execute(
                insert(annotator)
                .values(
                    campaign_id=campaign_id,
                    name=person.id,
                    kind=person.facts.get("kind", "person"),
                    state=person.state,
                    link_nonce=new_nonce(),
                    joined_at=person.joined or self.now,
                    condition=person.facts.get("condition"),
                    stage=person.facts.get("stage", "work"),
                    consented_at=_time(person.facts.get("consented_at")),
                    cursor=person.facts.get("cursor", -1),
                    done=done[person.id],
                    batch=person.facts.get("batch", 1),
                    batch_done=person.facts.get("batch_done", 0),
                    seconds_active=float(seconds[person.id]),
                )
                .returning(annotator.c.id)
            )
            ids[person.id] = int(made.scalar_one())
            known = {name: protocol_id for name, (protocol_id, _) in self.protocols.items()}
            restore_training(self.connection, ids[person.id], person.facts, known)
        return ids

    def _assignments(
        self, campaign_id: int, units: Mapping[str, int], people: Mapping[str, int]
    ) -> dict[tuple[str, str], int]:
        latest: dict[tuple[str, str], ResponseRecord] = {}
        for one in self.record.responses:
            latest[one.unit, one.annotator] = one
        ids = {}
        for held in self.record.assignments:
            last = latest.get((held.unit, held.annotator))
            asked = (last.protocol if last else "") or self.record.protocol
            made = self.connection.execute(
                insert(assignment)
                .values(
                    campaign_id=campaign_id,
                    unit_id=units[held.unit],
                    annotator_id=people[held.annotator],
                    protocol_id=self.protocols[asked][0],
                    revision=last.revision if last else 0,
                    **self._held(held),
                )
                .returning(assignment.c.id)
            )
            ids[held.unit, held.annotator] = int(made.scalar_one())
        if self.settings.order.one_version_per_item:
            allocation.hold_items(self.connection, campaign_id)
        return ids

    def _held(self, held: AssignmentRecord) -> dict[str, Any]:
        claimed = held.claimed or self.now
        lease = timedelta(minutes=self.settings.lease_minutes)
        draft = held.facts.get("draft")
        return {
            "state": held.state,
            "state_before": _before(held),
            "shown_first": held.facts.get("shown_first"),
            "batch": held.facts.get("batch", 1),
            "claimed_at": claimed,
            "lease_until": _time(held.facts.get("lease_until")) or claimed + lease,
            "finished_at": held.finished,
            "draft": draft and draft["answers"],
            "draft_version": draft["version"] if draft else 0,
            "draft_at": draft and _time(draft["saved_at"]),
            "draft_seconds": draft["seconds_active"] if draft else 0.0,
        }

    def _responses(self, assignments: Mapping[tuple[str, str], int]) -> None:
        rows = [
            {
                "assignment_id": assignments[one.unit, one.annotator],
                "revision": one.revision,
                "client_key": one.client_key or uuid.uuid4().hex,
                "answers": dict(one.answers),
                "protocol_id": self.protocols[one.protocol or self.record.protocol][0],
                "client_time": one.client_time,
                "server_time": one.server_time or self.now,
                "seconds_active": one.seconds_active or 0.0,
                "language": one.language,
            }
            for one in self.record.responses
        ]
        if rows:
            self.connection.execute(insert(response), rows)

    def _reviews(self, campaign_id: int, assignments: Mapping[tuple[str, str], int]) -> None:
        rows = [
            {
                "campaign_id": campaign_id,
                "assignment_id": assignments[held.unit, held.annotator],
                **said,
                "at": _time(said["at"]),
            }
            for held in self.record.assignments
            for said in held.facts.get("reviews", ())
        ]
        if rows:
            self.connection.execute(insert(review), sorted(rows, key=lambda row: row["at"]))

    def _events(self, campaign_id: int) -> None:
        rows = [
            {
                "campaign_id": campaign_id,
                "at": one.at,
                "author": one.author,
                "kind": one.kind,
                "subject": one.subject,
                "reason": one.reason,
                "facts": dict(one.facts),
            }
            for one in self.record.events
        ]
        if rows:
            self.connection.execute(insert(event), rows)


def _before(held: AssignmentRecord) -> str | None:
    """What an excluded answer was; where the record does not say, it counted."""
    if held.state != "excluded":
        return None
    said = held.facts.get("before")
    return said if said in ANSWERED and said != "excluded" else "done"


def _time(written: Any) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)
