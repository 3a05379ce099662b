"""A record that was checked, row by row into the database."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from sqlalchemy import Connection, Table, insert

from goldmark.accounts.links import new_nonce
from goldmark.campaigns.arrival import ArrivingCampaign
from goldmark.campaigns.assignments import allocation
from goldmark.campaigns.assignments.strata import placement_of
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import (
    CampaignRow,
    find_campaign,
    keep_protocol,
    places,
    refuse_known_name,
    tokenisers_of,
)
from goldmark.campaigns.transfer import curation_steps
from goldmark.campaigns.transfer.training_records import restore_training
from goldmark.protocols import Protocol, parse
from goldmark.records.campaigns import AnnotatorRecord, AssignmentRecord, CampaignRecord, ResponseRecord
from goldmark.records.units import Unit
from goldmark.store import events
from goldmark.store.pieces import inserted
from goldmark.store.states import ANSWERED, HOLD_A_PLACE
from goldmark.store.tables import annotator, assignment, campaign, event, response, review, unit, unit_secret

# What a record says about a campaign besides its settings.
ABOUT = ("campaign", "title", "state", "created_at")


class RecordInsertion:
    """One import, all or nothing; ids of the record are names, ids of the database are made here."""

    def __init__(self, coming: ArrivingCampaign, record: CampaignRecord, name: str | None) -> None:
        self.coming, self.rows = coming, coming.rows
        self.record = record
        self.settings = Settings(**{key: value for key, value in record.settings.items() if key not in ABOUT})
        self.name = name or str(record.settings["campaign"])
        self.protocols: dict[str, tuple[int, Protocol]] = {}
        self.now = datetime.now(UTC)

    def run(self, author: str, problems: int) -> CampaignRow:
        campaign_id = self.rows.once(self._campaign)
        self.coming.id = campaign_id
        units = self._units(campaign_id)
        people = self._annotators(campaign_id)
        assignments = self._assignments(campaign_id, units, people)
        self._responses(assignments)
        self._reviews(campaign_id, assignments)
        self._events(campaign_id)
        curation_steps.put_back(self.rows, self.record, campaign_id, units)
        # Recorded with the server, not with the campaign, whose own history stays as it was exported.
        facts = {"units": len(units), "responses": len(self.record.responses), "problems": problems}

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

    def _units(self, campaign_id: int) -> dict[str, int]:
        counting = {one.id for one in self.record.units if placement_of(one.hidden).counts}
        held = [one for one in self.record.assignments if one.unit in counting]
        taken = Counter(one.unit for one in held if one.state in HOLD_A_PLACE)
        done = Counter(one.unit for one in held if one.state == "done")
        ids: dict[str, int] = {}

        def put(connection: Connection, some: Sequence[tuple[int, Unit]]) -> None:
            rows = [
                {
                    "campaign_id": campaign_id,
                    "name": one.id,
                    "position": position,
                    "wanted": max(places(one, self.settings), taken[one.id]),
                    "taken": taken[one.id],
                    "done": done[one.id],
                    **placement_of(one.hidden)._asdict(),
                    "shown": orjson.dumps(one.shown.to_json()).decode(),
                    "added_at": self.now,
                }
                for position, one in some
            ]
            new = inserted(connection, unit, rows)
            ids.update((one.id, id_) for (_, one), id_ in zip(some, new, strict=True))
            secrets = [
                {"unit_id": id_, "facts": dict(one.hidden), "tokenisers": tokenisers_of(one)}
                for (_, one), id_ in zip(some, new, strict=True)
            ]
            connection.execute(insert(unit_secret), secrets)

        self.rows.each(enumerate(self.record.units), put)
        return ids

    def _annotators(self, campaign_id: int) -> dict[str, int]:
        done = Counter(one.annotator for one in self.record.assignments if one.state in ANSWERED)
        seconds: Counter[str] = Counter()
        for one in self.record.responses:
            seconds[one.annotator] += one.seconds_active or 0.0  # type: ignore[assignment]
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
                    "done": done[person.id],
                    "batch": person.facts.get("batch", 1),
                    "batch_done": person.facts.get("batch_done", 0),
                    "seconds_active": float(seconds[person.id]),
                }
                for person in some
            ]
            for person, id_ in zip(some, inserted(connection, annotator, rows), strict=True):
                ids[person.id] = id_
                restore_training(connection, id_, person.facts, known)

        self.rows.each(self.record.annotators, put)
        return ids

    def _assignments(
        self, campaign_id: int, units: Mapping[str, int], people: Mapping[str, int]
    ) -> dict[tuple[str, str], int]:
        latest: dict[tuple[str, str], ResponseRecord] = {}
        for one in self.record.responses:
            latest[one.unit, one.annotator] = one
        ids: dict[tuple[str, str], int] = {}

        def put(connection: Connection, some: Sequence[AssignmentRecord]) -> None:
            rows = []
            for held in some:
                last = latest.get((held.unit, held.annotator))
                asked = (last.protocol if last else "") or self.record.protocol
                rows.append(
                    {
                        "campaign_id": campaign_id,
                        "unit_id": units[held.unit],
                        "annotator_id": people[held.annotator],
                        "protocol_id": self.protocols[asked][0],
                        "revision": last.revision if last else 0,
                        **self._held(held),
                    }
                )
            new = inserted(connection, assignment, rows)
            ids.update(((held.unit, held.annotator), id_) for held, id_ in zip(some, new, strict=True))

        self.rows.each(self.record.assignments, put)
        if self.settings.order.one_version_per_item:
            self.rows.once(lambda connection: allocation.hold_items(connection, campaign_id))
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
        replies = {
            (held.unit, held.annotator, one["revision"]): one["reply"]
            for held in self.record.assignments
            for one in held.facts.get("replies", ())
        }
        rows = (
            {
                "assignment_id": assignments[one.unit, one.annotator],
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
            for one in self.record.responses
        )
        self.rows.each(rows, lambda connection, some: _put(connection, response, some))

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
        ordered = sorted(rows, key=lambda row: row["at"])
        self.rows.each(ordered, lambda connection, some: _put(connection, review, some))

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
        self.rows.each(rows, lambda connection, some: _put(connection, event, some))


def _put(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    connection.execute(insert(table), rows)


def _before(held: AssignmentRecord) -> str | None:
    """What an excluded answer was; where the record does not say, it counted."""
    if held.state != "excluded":
        return None
    said = held.facts.get("before")
    return said if said in ANSWERED and said != "excluded" else "done"


def _time(written: Any) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)
