"""A campaign out of the database exactly as it stood at one moment: as one record, or row by row to be written.

Of everything that a record may have very many of a few are in memory: the others wait in files.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import starmap
from operator import attrgetter
from typing import Any, TypeVar

import orjson
from sqlalchemy import ColumnElement, Connection, Select, collate, select

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.transfer.curation_steps import curation_of, gold_versions_of
from goldmark.campaigns.transfer.training_records import attempts_in
from goldmark.campaigns.unit_overview import STATE_SEEN
from goldmark.exchange.campaign.rows import CampaignInOrder, UnitRow
from goldmark.exchange.campaign.unit_json import exported
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    CurationStepRecord,
    EventRecord,
    GoldVersionRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.spooled.records import Spooled
from goldmark.records.spooled.units import SpooledUnits, pack
from goldmark.store import Store
from goldmark.store.bulk import streamed, streamed_parts
from goldmark.store.states import NOT_FINAL
from goldmark.store.tables import annotator, assignment, event, protocol, response, review, unit, unit_secret

_Record = TypeVar("_Record")
# What units that were stored by earlier versions do not say of their texts.
_NOT_SAID: Mapping[str, Any] = {"prompt": None, "focus": None, "given": [], "language": ""}


def record_of(store: Store, name: str, *, with_excluded: bool = False) -> CampaignRecord:
    """Everything about a campaign: every revision, every time, every decision. No link or secret is in it.

    Excluded annotators are in it and do not count; `with_excluded` lets them count, to see what excluding them changed.
    """
    record = store.snapshot(lambda connection: _record(connection, find_campaign(connection, name)))
    return replace(record, counts_excluded=with_excluded)


def first_versions(record: CampaignRecord) -> CampaignRecord:
    """The same campaign with the versions as final that people had before any reviewer returned them.

    Of a response that was reviewed, that is the first revision that was judged; the others stay as they are. With it,
    every statistic can be computed of first versions as well, and the two compared.
    """
    judged = {
        (held.unit, held.annotator): min(said["revision"] for said in held.facts["reviews"])
        for held in record.assignments
        if held.facts.get("reviews") and held.state not in ("extra", "released")
    }
    return replace(
        record,
        responses=tuple(
            replace(one, final=judged[key] == one.revision) if (key := (one.unit, one.annotator)) in judged else one
            for one in record.responses
        ),
    )


def _record(connection: Connection, row: CampaignRow) -> CampaignRecord:
    protocols = _protocols(connection, row)
    return CampaignRecord(
        settings=_settings(row),
        protocol=row.protocol,
        protocols=tuple(protocols[key] for key in sorted(protocols)),
        units=units_of(connection, row),
        annotators=tuple(_annotators(connection, row, [annotator.c.id])),
        assignments=_spooled(AssignmentRecord, _assignments(connection, row, [assignment.c.id])),
        responses=_spooled(ResponseRecord, _responses(connection, row, protocols, [response.c.id])),
        events=_spooled(EventRecord, _events(connection, row, [event.c.id])),
        curation=_spooled(CurationStepRecord, curation_of(connection, row)),
        gold_versions=_spooled(GoldVersionRecord, gold_versions_of(connection, row)),
    )


def units_of(connection: Connection, row: CampaignRow) -> SpooledUnits:
    """The units of a campaign alone."""
    units = SpooledUnits()
    for name, stored, facts, tokenisers in streamed(connection, _units(row)):
        units.add_packed(name, pack(name, facts, tokenisers, orjson.Fragment(stored)))
    return units


def _spooled(kind: type[_Record], records: Iterable[_Record]) -> Spooled[_Record]:
    """Records in a file, each as its fields alone, which takes half of the time."""
    parted = attrgetter(*(one.name for one in fields(kind)))  # type: ignore[arg-type]
    return Spooled(
        ((str(number), one) for number, one in enumerate(records)),
        pack=lambda one: pickle.dumps(parted(one)),
        unpack=lambda packed: kind(*pickle.loads(packed)),  # noqa: S301 - our own file
    )


def in_order(connection: Connection, row: CampaignRow, *, by_name: bool = True) -> CampaignInOrder:
    """A campaign of any size to be written: while it is gone through, a few rows of it are in memory at a time.

    People stand in the order of their names or, where that would tell something, in which they came.
    """
    protocols = _protocols(connection, row)
    # Names by their characters, as Python sorts them, whatever the language of the database.
    name: ColumnElement[Any] = annotator.c.name if by_name else annotator.c.id
    if by_name and connection.dialect.name == "postgresql":
        name = collate(annotator.c.name, "C")
    return CampaignInOrder(
        settings=_settings(row),
        protocol=row.protocol,
        protocols=[protocols[key] for key in sorted(protocols)],
        units=starmap(_unit_row, streamed(connection, _units(row))),
        annotators=_annotators(connection, row, [name]),
        assignments=_assignments(connection, row, [unit.c.position, name]),
        responses=_responses(connection, row, protocols, [unit.c.position, name, response.c.revision]),
        events=_events(connection, row, [event.c.at, event.c.id]),
        curation=curation_of(connection, row),
        gold_versions=gold_versions_of(connection, row),
    )


def _settings(row: CampaignRow) -> dict[str, Any]:
    return {
        "campaign": row.name,
        "title": row.title,
        "state": row.state,
        "created_at": row.created_at.isoformat(),
        **row.settings.model_dump(mode="json"),
    }


def _protocols(connection: Connection, row: CampaignRow) -> dict[int, ProtocolRecord]:
    asked = select(assignment.c.protocol_id).where(assignment.c.campaign_id == row.id)
    rows = connection.execute(
        select(protocol).where((protocol.c.id == row.protocol_id) | protocol.c.id.in_(asked)).order_by(protocol.c.id)
    )
    return {found.id: ProtocolRecord(found.name, found.version, found.source) for found in rows}


def _units(row: CampaignRow) -> Select[Any]:
    return (
        select(unit.c.name, unit.c.shown, unit_secret.c.facts, unit_secret.c.tokenisers)
        .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
        .where(unit.c.campaign_id == row.id)
        .order_by(unit.c.position)
    )


def _unit_row(name: str, stored: str, facts: Mapping[str, Any], tokenisers: Mapping[str, str]) -> UnitRow:
    found = exported(stored)
    if found is not None:
        return UnitRow(name, found.shown, {role: tokenisers.get(role, "given") for role in found.roles}, facts)
    shown = orjson.loads(stored)
    texts = {role: {**_NOT_SAID, **text} for role, text in shown["texts"].items()}
    known = {role: tokenisers.get(role, "given") for role in texts}
    return UnitRow(name, {"context": [], **shown, "texts": texts}, known, facts)


def _annotators(
    connection: Connection, row: CampaignRow, order: Sequence[ColumnElement[Any]]
) -> Iterator[AnnotatorRecord]:
    rows = connection.execute(select(annotator).where(annotator.c.campaign_id == row.id).order_by(*order))
    attempts = attempts_in(connection, row.id)
    return (
        AnnotatorRecord(
            found.name,
            found.state,
            found.joined_at,
            {
                "consented_at": found.consented_at and found.consented_at.isoformat(),
                "cursor": found.cursor,
                "batch": found.batch,
                "batch_done": found.batch_done,
                # Where a person comes from is no part of this: platform ids never leave the database.
                **({"kind": found.kind} if found.kind != "person" else {}),
                **({"condition": found.condition} if found.condition else {}),
                **({"stage": found.stage} if found.stage != "work" else {}),
                **({"attempts": attempts[found.id]} if found.id in attempts else {}),
            },
        )
        for found in rows
    )


def _assignments(
    connection: Connection, row: CampaignRow, order: Sequence[ColumnElement[Any]]
) -> Iterator[AssignmentRecord]:
    query = (
        select(
            assignment,
            STATE_SEEN.label("seen"),
            unit.c.name.label("unit_name"),
            annotator.c.name.label("annotator_name"),
        )
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .where(assignment.c.campaign_id == row.id)
        .order_by(*order)
    )
    for some in streamed_parts(connection, query):
        ids = [found.id for found in some]
        reviews, replies = reviews_of(connection, ids), replies_of(connection, ids)
        for found in some:
            # What is about to be set aside is told as if it were.
            before = found.state_before or (found.state if found.seen != found.state else None)
            yield AssignmentRecord(
                found.unit_name,
                found.annotator_name,
                found.seen,
                found.claimed_at,
                found.finished_at,
                {
                    "batch": found.batch,
                    "lease_until": found.lease_until.isoformat(),
                    **({"before": before} if before else {}),
                    **({"shown_first": found.shown_first} if found.shown_first else {}),
                    **_draft(found),
                    **({"reviews": reviews[found.id]} if found.id in reviews else {}),
                    **({"replies": replies[found.id]} if found.id in replies else {}),
                },
            )


def reviews_of(connection: Connection, assignments: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """What reviewers said of each assignment, in the order in which they said it."""
    said: dict[int, list[dict[str, Any]]] = {}
    query = select(review).where(review.c.assignment_id.in_(assignments)).order_by(review.c.id)
    for found in connection.execute(query):
        said.setdefault(found.assignment_id, []).append(
            {
                "revision": found.revision,
                "verdict": found.verdict,
                "comment": found.comment,
                "remarks": found.remarks,
                "reviewer": found.reviewer,
                "at": found.at.isoformat(),
            }
        )
    return said


def replies_of(connection: Connection, assignments: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """What annotators answered to reviewers, by assignment, with the revision that came with it."""
    said: dict[int, list[dict[str, Any]]] = {}
    rows = connection.execute(
        select(response.c.assignment_id, response.c.revision, response.c.reply)
        .where(response.c.assignment_id.in_(assignments), response.c.reply != "")
        .order_by(response.c.id)
    )
    for found in rows:
        said.setdefault(found.assignment_id, []).append({"revision": found.revision, "reply": found.reply})
    return said


def _draft(found: Any) -> dict[str, Any]:
    """What someone had marked but not yet submitted: it is theirs, and not lost either."""
    if found.draft is None:
        return {}
    return {
        "draft": {
            "answers": found.draft,
            "version": found.draft_version,
            "saved_at": found.draft_at.isoformat(),
            "seconds_active": found.draft_seconds,
        }
    }


def _responses(
    connection: Connection,
    row: CampaignRow,
    protocols: Mapping[int, ProtocolRecord],
    order: Sequence[ColumnElement[Any]],
) -> Iterator[ResponseRecord]:
    query = (
        select(
            response,
            assignment.c.revision.label("latest"),
            assignment.c.state,
            assignment.c.state_before,
            unit.c.name.label("unit_name"),
            annotator.c.name.label("annotator_name"),
        )
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .where(assignment.c.campaign_id == row.id)
        .order_by(*order)
    )
    return (
        ResponseRecord(
            unit=found.unit_name,
            annotator=found.annotator_name,
            revision=found.revision,
            final=found.revision == found.latest and (found.state_before or found.state) not in NOT_FINAL,
            answers=found.answers,
            protocol=protocols[found.protocol_id].id,
            client_key=found.client_key,
            client_time=found.client_time,
            server_time=found.server_time,
            seconds_active=found.seconds_active,
            language=found.language,
        )
        for found in streamed(connection, query)
    )


def _events(connection: Connection, row: CampaignRow, order: Sequence[ColumnElement[Any]]) -> Iterator[EventRecord]:
    query = select(event).where(event.c.campaign_id == row.id).order_by(*order)
    return (
        EventRecord(found.at, found.author, found.kind, found.subject, found.reason, found.facts)
        for found in streamed(connection, query)
    )
