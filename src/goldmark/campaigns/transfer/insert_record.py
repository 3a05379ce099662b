"""A record that was checked, row by row into the database."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, case, insert, select, update

from goldmark.accounts.links import new_nonce
from goldmark.campaigns.arrival import ArrivingCampaign
from goldmark.campaigns.assignments import item_versions
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import (
    CampaignRow,
    find_campaign,
    keep_protocol,
    put_units,
    refuse_known_name,
    unit_rows,
)
from goldmark.campaigns.told import Tell, counted_rows
from goldmark.campaigns.transfer import curation_steps
from goldmark.campaigns.transfer.curation_steps import unit_ids
from goldmark.campaigns.transfer.training_records import restore_training
from goldmark.protocols import Protocol, parse
from goldmark.records.campaigns import AnnotatorRecord, AssignmentRecord, CampaignRecord, ResponseRecord
from goldmark.records.spooled.records import Spooled
from goldmark.records.spooled.units import SpooledUnits
from goldmark.store import events
from goldmark.store.bulk import insert_rows
from goldmark.store.states import ANSWERED, HOLD_A_PLACE
from goldmark.store.tables import annotator, assignment, campaign, event, response, review, unit

# What a record says about a campaign besides its settings.
ABOUT = ("campaign", "title", "state", "created_at")


class RecordInsertion:
    """One import, all or nothing; ids of the record are names, ids of the database are made here."""

    def __init__(
        self,
        coming: ArrivingCampaign,
        record: CampaignRecord,
        units: SpooledUnits,
        tidy: Callable[[ResponseRecord], ResponseRecord],
        name: str | None,
        tell: Tell,
    ) -> None:
        self.coming, self.rows = coming, coming.rows
        self.record, self.units, self.tidy, self.tell = record, units, tidy, tell
        self.settings = Settings(**{key: value for key, value in record.settings.items() if key not in ABOUT})
        self.name = name or str(record.settings["campaign"])
        self.protocols: dict[str, tuple[int, Protocol]] = {}
        self.now = datetime.now(UTC)

    def run(self, author: str, problems: int) -> CampaignRow:
        campaign_id = self.rows.once(self._campaign)
        self.coming.id = campaign_id
        self._units(campaign_id)
        people = self._annotators(campaign_id)
        said = self._assignments(campaign_id, people)
        seconds = self._responses(campaign_id, people, said.replies)
        self._reviews(campaign_id, people, said.reviews)
        self._work_of(people, said.done, seconds)
        self._events(campaign_id)
        curation_steps.put_back(self.rows, self.record, campaign_id)
        # Recorded with the server, not with the campaign, whose own history stays as it was exported.
        facts = {"units": len(self.units), "responses": len(self.record.responses), "problems": problems}

        def finish(connection: Connection) -> CampaignRow:
            refuse_known_name(connection, self.name, besides=campaign_id)
            self.coming.show(connection)
            events.record(connection, None, author=author, kind="campaign imported", subject=self.name, facts=facts)
            return find_campaign(connection, self.name)

        return self.rows.once(finish)

    def _campaign(self, connection: Connection) -> int:
        refuse_known_name(connection, self.name)
        for one in self.record.protocols:
            asked = parse(one.source, file=one.id)
            self.protocols[one.id] = (keep_protocol(connection, asked), asked)
        about = self.record.settings
        values = {
            "name": self.name,
            "title": about.get("title", self.name),
            "state": about.get("state", "closed"),
            "protocol_id": self.protocols[self.record.protocol][0],
            "settings": self.settings.model_dump_json(),
            "invite_nonce": new_nonce(),
            "created_at": _time(about.get("created_at")) or self.now,
            "crowd": self.settings.quality.crowd,
        }
        made = connection.execute(insert(campaign).values(self.coming.row(values)).returning(campaign.c.id))
        return int(made.scalar_one())

    def _units(self, campaign_id: int) -> None:
        """As if nobody had seen them yet; places are counted with the assignments."""
        packed = counted_rows(self.units.all_packed(), len(self.units), "texts written", self.tell)
        rows = (unit_rows(campaign_id, one, place, self.settings, self.now) for place, one in enumerate(packed))
        self.rows.each(rows, put_units)

    def _annotators(self, campaign_id: int) -> dict[str, int]:
        ids: dict[str, int] = {}
        known = {name: protocol_id for name, (protocol_id, _) in self.protocols.items()}

        def put(connection: Connection, some: Sequence[AnnotatorRecord]) -> None:
            rows = [
                {
                    "campaign_id": campaign_id,
                    "name": person.id,
                    "kind": person.facts.get("kind", "person"),
                    "state": person.state,
                    "link_nonce": new_nonce(),
                    "joined_at": person.joined or self.now,
                    "condition": person.facts.get("condition"),
                    "stage": person.facts.get("stage", "work"),
                    "consented_at": _time(person.facts.get("consented_at")),
                    "cursor": person.facts.get("cursor", -1),
                    "batch": person.facts.get("batch", 1),
                    "batch_done": person.facts.get("batch_done", 0),
                }
                for person in some
            ]
            for person, id_ in zip(some, insert_rows(connection, annotator, rows), strict=True):
                ids[person.id] = id_
                restore_training(connection, id_, person.facts, known)

        self.rows.each(self.record.annotators, put)
        return ids

    def _assignments(self, campaign_id: int, people: Mapping[str, int]) -> _Said:
        said = _Said(Counter(), {}, Spooled())

        def put(connection: Connection, some: Sequence[AssignmentRecord]) -> None:
            units = unit_ids(connection, campaign_id, [held.unit for held in some])
            rows = [
                {
                    "campaign_id": campaign_id,
                    "unit_id": units[held.unit],
                    "annotator_id": people[held.annotator],
                    "protocol_id": self.protocols[self.record.protocol][0],
                    "revision": 0,
                    **self._held(held),
                }
                for held in some
            ]
            ids = insert_rows(connection, assignment, rows)
            if self.settings.order.one_version_per_item:
                item_versions.hold_items(connection, assignment.c.id.in_(ids))
            _take_places(connection, some, units)

        every = self.record.assignments
        self.rows.each(map(said.gather, counted_rows(every, len(every), "assignments written", self.tell)), put)
        return said

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

    def _responses(
        self, campaign_id: int, people: Mapping[str, int], replies: Mapping[tuple[str, str, int], str]
    ) -> Mapping[str, float]:
        """All revisions; returns how long everybody worked."""
        seconds: dict[str, float] = defaultdict(float)

        def put(connection: Connection, some: Sequence[ResponseRecord]) -> None:
            held = _assignment_ids(connection, campaign_id, [one.unit for one in some])
            rows = [
                {
                    "assignment_id": held[one.unit, people[one.annotator]],
                    "revision": one.revision,
                    "client_key": one.client_key or uuid.uuid4().hex,
                    "answers": dict(one.answers),
                    "protocol_id": self.protocols[one.protocol or self.record.protocol][0],
                    "client_time": one.client_time,
                    "server_time": one.server_time or self.now,
                    "seconds_active": one.seconds_active or 0.0,
                    "reply": replies.get((one.unit, one.annotator, one.revision), ""),
                    "language": one.language,
                }
                for one in some
            ]
            insert_rows(connection, response, rows)
            last = {row["assignment_id"]: row for row in rows}  # the last of each is the one that counts
            connection.execute(_ANSWERED, [{name: row[name] for name in _OF_LAST} for row in last.values()])

        def timed() -> Iterator[ResponseRecord]:
            for one in self.record.responses:
                seconds[one.annotator] += one.seconds_active or 0.0
                yield self.tidy(one)

        self.rows.each(counted_rows(timed(), len(self.record.responses), "responses written", self.tell), put)
        return seconds

    def _reviews(self, campaign_id: int, people: Mapping[str, int], reviews: Spooled[_Review]) -> None:
        def put(connection: Connection, some: Sequence[_Review]) -> None:
            held = _assignment_ids(connection, campaign_id, [unit_name for unit_name, _, _ in some])
            rows = [
                {
                    "campaign_id": campaign_id,
                    "assignment_id": held[unit_name, people[who]],
                    **said,
                    "at": _time(said["at"]),
                }
                for unit_name, who, said in some
            ]
            insert_rows(connection, review, rows)

        self.rows.each(reviews.by_key(), put)

    def _work_of(self, people: Mapping[str, int], done: Mapping[str, int], seconds: Mapping[str, float]) -> None:
        work = (
            {"person": id_, "units": done.get(name, 0), "seconds": seconds.get(name, 0.0)}
            for name, id_ in people.items()
        )
        self.rows.each(work, _put_work)

    def _events(self, campaign_id: int) -> None:
        rows = (
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
        )
        self.rows.each(rows, _put_events)


_Review = tuple[str, str, Mapping[str, Any]]  # of whose answer to which unit, and what was said


class _Said(NamedTuple):
    """What assignments say that belongs elsewhere."""

    done: Counter[str]  # answered units by annotator
    replies: dict[tuple[str, str, int], str]
    reviews: Spooled[_Review]  # by time

    def gather(self, held: AssignmentRecord) -> AssignmentRecord:
        if held.state in ANSWERED:
            self.done[held.annotator] += 1
        for one in held.facts.get("replies", ()):
            self.replies[held.unit, held.annotator, one["revision"]] = one["reply"]
        for one in held.facts.get("reviews", ()):
            at = datetime.fromisoformat(one["at"]).astimezone(UTC)
            self.reviews.add(f"{at.isoformat()} {len(self.reviews):09}", (held.unit, held.annotator, one))
        return held


def _take_places(connection: Connection, some: Sequence[AssignmentRecord], units: Mapping[str, int]) -> None:
    """A unit has at least the places that are taken in it."""
    taken = Counter(units[one.unit] for one in some if one.state in HOLD_A_PLACE)
    done = Counter(units[one.unit] for one in some if one.state == "done")
    rows = [{"unit": id_, "more": many, "more_done": done[id_]} for id_, many in taken.items()]
    if rows:
        connection.execute(_TAKEN, rows)


_now_taken = unit.c.taken + bindparam("more")
_TAKEN = (
    update(unit)
    .where(unit.c.id == bindparam("unit"), unit.c.counts)
    .values(
        taken=_now_taken,
        done=unit.c.done + bindparam("more_done"),
        wanted=case((unit.c.wanted < _now_taken, _now_taken), else_=unit.c.wanted),
    )
)
_OF_LAST = ("assignment_id", "revision", "protocol_id")
_ANSWERED = (
    update(assignment)
    .where(assignment.c.id == bindparam("assignment_id"))
    .values(revision=bindparam("revision"), protocol_id=bindparam("protocol_id"))
)
_WORKED = (
    update(annotator)
    .where(annotator.c.id == bindparam("person"))
    .values(done=bindparam("units"), seconds_active=bindparam("seconds"))
)


def _assignment_ids(connection: Connection, campaign_id: int, names: Iterable[str]) -> dict[tuple[str, int], int]:
    """The ids of assignments by the names of their units and the ids of their people."""
    query = (
        select(unit.c.name, assignment.c.annotator_id, assignment.c.id)
        .join(assignment, assignment.c.unit_id == unit.c.id)
        .where(unit.c.campaign_id == campaign_id, unit.c.name.in_(set(names)))
    )
    return {(name, who): id_ for name, who, id_ in connection.execute(query)}


def _put_work(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    connection.execute(_WORKED, rows)


def _put_events(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    insert_rows(connection, event, rows)


def _before(held: AssignmentRecord) -> str | None:
    """What an excluded answer was; where the record does not say, it counted."""
    if held.state != "excluded":
        return None
    said = held.facts.get("before")
    return said if said in ANSWERED and said != "excluded" else "done"


def _time(written: Any) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)
