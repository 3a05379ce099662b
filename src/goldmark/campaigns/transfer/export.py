"""A campaign out of the database as one record, exactly as it stood at one moment."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import orjson
from sqlalchemy import Connection, select

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.transfer.curation_steps import curation_of, gold_versions_of
from goldmark.campaigns.transfer.training_records import attempts_in
from goldmark.observations.rows import COUNTING, Filter
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    EventRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.units import ShownUnit, Unit
from goldmark.store import Store
from goldmark.store.states import NOT_FINAL
from goldmark.store.tables import annotator, assignment, event, protocol, response, review, unit, unit_secret


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


def exported(
    store: Store,
    name: str,
    format_name: str,
    question: str | None = None,
    wanted: Filter = COUNTING,
) -> tuple[str, bytes]:
    """A campaign in this format, to download: a name, and the file itself or a zip archive of several.

    Tidy tables hold the answers that are wanted; of whole campaigns, that says only whether excluded people count.
    """
    # Imported here: a server starts faster without the formats of other tools.
    from goldmark.campaigns.transfer.observe import write_observations
    from goldmark.exchange.formats import FORMATS, export_bytes

    tables = FORMATS.find(format_name).tables
    if tables is None:
        made, content = export_bytes(
            record_of(store, name, with_excluded=wanted.excluded), format_name, question=question
        )
        ending = PurePosixPath(made).suffix
        return f"{name}{ending}" if ending == f".{format_name}" else f"{name}.{format_name}{ending}", content
    with tempfile.TemporaryDirectory(prefix="goldmark-tidy-") as folder:
        archive = Path(folder) / "tables.zip"
        write_observations(store, name, archive, wanted, tables)
        return f"{name}.{format_name}.zip", archive.read_bytes()


def _record(connection: Connection, row: CampaignRow) -> CampaignRecord:
    protocols = _protocols(connection, row)
    return CampaignRecord(
        settings={
            "campaign": row.name,
            "title": row.title,
            "state": row.state,
            "created_at": row.created_at.isoformat(),
            **row.settings.model_dump(mode="json"),
        },
        protocol=row.protocol,
        protocols=tuple(protocols[key] for key in sorted(protocols)),
        units=_units(connection, row),
        annotators=_annotators(connection, row),
        assignments=_assignments(connection, row),
        responses=_responses(connection, row, protocols),
        events=_events(connection, row),
        curation=curation_of(connection, row),
        gold_versions=gold_versions_of(connection, row),
    )


def _protocols(connection: Connection, row: CampaignRow) -> dict[int, ProtocolRecord]:
    asked = select(assignment.c.protocol_id).where(assignment.c.campaign_id == row.id)
    rows = connection.execute(
        select(protocol).where((protocol.c.id == row.protocol_id) | protocol.c.id.in_(asked)).order_by(protocol.c.id)
    )
    return {found.id: ProtocolRecord(found.name, found.version, found.source) for found in rows}


def _units(connection: Connection, row: CampaignRow) -> tuple[Unit, ...]:
    rows = connection.execute(
        select(unit.c.name, unit.c.shown, unit_secret.c.facts, unit_secret.c.tokenisers)
        .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
        .where(unit.c.campaign_id == row.id)
        .order_by(unit.c.position)
    )
    return tuple(
        Unit(
            found.name,
            ShownUnit.from_json(orjson.loads(found.shown), id=found.name, tokenisers=found.tokenisers),
            found.facts,
        )
        for found in rows
    )


def _annotators(connection: Connection, row: CampaignRow) -> tuple[AnnotatorRecord, ...]:
    rows = connection.execute(select(annotator).where(annotator.c.campaign_id == row.id).order_by(annotator.c.id))
    attempts = attempts_in(connection, row.id)
    return tuple(
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


def _assignments(connection: Connection, row: CampaignRow) -> tuple[AssignmentRecord, ...]:
    reviews, replies = _reviews(connection, row), _replies(connection, row)
    rows = connection.execute(
        select(assignment, unit.c.name.label("unit_name"), annotator.c.name.label("annotator_name"))
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .where(assignment.c.campaign_id == row.id)
        .order_by(assignment.c.id)
    )
    return tuple(
        AssignmentRecord(
            found.unit_name,
            found.annotator_name,
            found.state,
            found.claimed_at,
            found.finished_at,
            {
                "batch": found.batch,
                "lease_until": found.lease_until.isoformat(),
                **({"before": found.state_before} if found.state_before else {}),
                **({"shown_first": found.shown_first} if found.shown_first else {}),
                **_draft(found),
                **({"reviews": reviews[found.id]} if found.id in reviews else {}),
                **({"replies": replies[found.id]} if found.id in replies else {}),
            },
        )
        for found in rows
    )


def _reviews(connection: Connection, row: CampaignRow) -> dict[int, list[dict[str, Any]]]:
    """What reviewers said of each assignment, in the order in which they said it."""
    said: dict[int, list[dict[str, Any]]] = {}
    for found in connection.execute(select(review).where(review.c.campaign_id == row.id).order_by(review.c.id)):
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


def _replies(connection: Connection, row: CampaignRow) -> dict[int, list[dict[str, Any]]]:
    """What annotators answered to reviewers, by assignment, with the revision that came with it."""
    said: dict[int, list[dict[str, Any]]] = {}
    rows = connection.execute(
        select(response.c.assignment_id, response.c.revision, response.c.reply)
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .where(assignment.c.campaign_id == row.id, response.c.reply != "")
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
    connection: Connection, row: CampaignRow, protocols: dict[int, ProtocolRecord]
) -> tuple[ResponseRecord, ...]:
    rows = connection.execute(
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
        .order_by(response.c.id)
    )
    return tuple(
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
        for found in rows
    )


def _events(connection: Connection, row: CampaignRow) -> tuple[EventRecord, ...]:
    rows = connection.execute(select(event).where(event.c.campaign_id == row.id).order_by(event.c.id))
    return tuple(
        EventRecord(found.at, found.author, found.kind, found.subject, found.reason, found.facts) for found in rows
    )
