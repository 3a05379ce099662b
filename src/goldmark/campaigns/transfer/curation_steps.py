"""What curators did, out of the database and into it again. What it means is known in the room of curation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, Table, insert, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.records.campaigns import CampaignRecord, CurationStepRecord, GoldVersionRecord
from goldmark.store.pieces import RowWriter
from goldmark.store.tables import curation_step, gold_version, unit


def curation_of(connection: Connection, row: CampaignRow) -> tuple[CurationStepRecord, ...]:
    """Every step of every curator, by unit, question and number."""
    rows = connection.execute(
        select(curation_step, unit.c.name.label("unit"))
        .join(unit, unit.c.id == curation_step.c.unit_id)
        .where(curation_step.c.campaign_id == row.id)
        .order_by(unit.c.position, curation_step.c.question, curation_step.c.number)
    )
    return tuple(
        CurationStepRecord(
            found.unit, found.question, found.number, found.kind, found.facts, found.reason, found.author, found.at
        )
        for found in rows
    )


def gold_versions_of(connection: Connection, row: CampaignRow) -> tuple[GoldVersionRecord, ...]:
    """Every version of every gold list, by unit, question and number."""
    rows = connection.execute(
        select(gold_version, unit.c.name.label("unit"))
        .join(unit, unit.c.id == gold_version.c.unit_id)
        .where(gold_version.c.campaign_id == row.id)
        .order_by(unit.c.position, gold_version.c.question, gold_version.c.version)
    )
    return tuple(
        GoldVersionRecord(
            found.unit, found.question, found.version, found.steps, found.mistakes, found.author, found.at
        )
        for found in rows
    )


def put_back(rows: RowWriter, record: CampaignRecord, campaign_id: int, units: Mapping[str, int]) -> None:
    """The curation of a record; `units` are the ids that its units have here."""
    steps: Iterator[dict[str, Any]] = (
        {
            "campaign_id": campaign_id,
            "unit_id": units[one.unit],
            "question": one.question,
            "number": one.number,
            "kind": one.kind,
            "facts": dict(one.facts),
            "reason": one.reason,
            "author": one.author,
            "at": one.at,
        }
        for one in record.curation
    )
    versions: Iterator[dict[str, Any]] = (
        {
            "campaign_id": campaign_id,
            "unit_id": units[one.unit],
            "question": one.question,
            "version": one.version,
            "steps": one.steps,
            "mistakes": dict(one.gold),
            "author": one.author,
            "at": one.at,
        }
        for one in record.gold_versions
    )
    for table, every in ((curation_step, steps), (gold_version, versions)):
        rows.each(every, partial(_put, table))


def _put(table: Table, connection: Connection, some: Sequence[Mapping[str, Any]]) -> None:
    connection.execute(insert(table), some)
