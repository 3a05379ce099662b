"""What curators did, out of the database and into it again. What it means is known in the room of curation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.records.campaigns import CampaignRecord, CurationStepRecord, GoldVersionRecord
from goldmark.store.bulk import insert_rows, streamed
from goldmark.store.pieces import RowWriter
from goldmark.store.tables import curation_step, gold_version, unit


def curation_of(connection: Connection, row: CampaignRow) -> Iterator[CurationStepRecord]:
    """Every step of every curator, by unit, question and number."""
    query = (
        select(curation_step, unit.c.name.label("unit"))
        .join(unit, unit.c.id == curation_step.c.unit_id)
        .where(curation_step.c.campaign_id == row.id)
        .order_by(unit.c.position, curation_step.c.question, curation_step.c.number)
    )
    return (
        CurationStepRecord(
            found.unit, found.question, found.number, found.kind, found.facts, found.reason, found.author, found.at
        )
        for found in streamed(connection, query)
    )


def gold_versions_of(connection: Connection, row: CampaignRow) -> Iterator[GoldVersionRecord]:
    """Every version of every gold list, by unit, question and number."""
    query = (
        select(gold_version, unit.c.name.label("unit"))
        .join(unit, unit.c.id == gold_version.c.unit_id)
        .where(gold_version.c.campaign_id == row.id)
        .order_by(unit.c.position, gold_version.c.question, gold_version.c.version)
    )
    return (
        GoldVersionRecord(
            found.unit, found.question, found.version, found.steps, found.mistakes, found.author, found.at
        )
        for found in streamed(connection, query)
    )


def put_back(rows: RowWriter, record: CampaignRecord, campaign_id: int) -> None:
    """The curation of a record, whose units are there already."""

    def put_steps(connection: Connection, some: Sequence[CurationStepRecord]) -> None:
        units = unit_ids(connection, campaign_id, [one.unit for one in some])
        new = [
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
            for one in some
        ]
        insert_rows(connection, curation_step, new)

    def put_versions(connection: Connection, some: Sequence[GoldVersionRecord]) -> None:
        units = unit_ids(connection, campaign_id, [one.unit for one in some])
        new = [
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
            for one in some
        ]
        insert_rows(connection, gold_version, new)

    rows.each(record.curation, put_steps)
    rows.each(record.gold_versions, put_versions)


def unit_ids(connection: Connection, campaign_id: int, names: Iterable[str]) -> dict[str, int]:
    """The ids of a campaign's units by their names."""
    query = select(unit.c.name, unit.c.id).where(unit.c.campaign_id == campaign_id, unit.c.name.in_(set(names)))
    return {row.name: row.id for row in connection.execute(query)}
