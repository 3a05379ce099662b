"""Gold lists that were frozen: every version of a unit's list, what changed between two, and the list of a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Connection, Select, func, insert, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.campaigns.unit_overview import UnitLine
from goldmark.curation.gold_lists.files import freeze
from goldmark.curation.question import role_of, spans_question
from goldmark.curation.workspace.state import more_from_json, more_to_json, source_from_json, source_to_json
from goldmark.curation.workspace.steps import CurationStep
from goldmark.records.gold import GoldMistake, GoldText, Reported
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import ShownUnit
from goldmark.store import Store, events
from goldmark.store.bulk import streamed
from goldmark.store.tables import gold_version, unit

WORDS = ("label", "correction", "comment", "note", "id", "group")
COUNTS = ("found_by", "label_agreed_by", "span_agreed_by", "annotators")


def keep(
    connection: Connection,
    row: CampaignRow,
    line: UnitLine,
    question: str,
    gold: GoldText,
    step: CurationStep,
    *,
    at: datetime,
) -> GoldText:
    """Freeze the next version of a unit's list; those before it stay as they are."""
    last = connection.execute(
        select(func.max(gold_version.c.version)).where(
            gold_version.c.unit_id == line.id, gold_version.c.question == question
        )
    ).scalar()
    previous = GoldText(gold.text_id, (), version=last) if last else None
    frozen = freeze(gold, previous=previous, author=step.author, reason=step.reason, at=at)
    connection.execute(
        insert(gold_version).values(
            campaign_id=row.id,
            unit_id=line.id,
            question=question,
            version=frozen.version,
            steps=step.number,
            mistakes=gold_to_json(frozen),
            author=step.author,
            at=at,
        )
    )
    counts = {"mistakes": len(frozen.mistakes), "left_out": len(frozen.left_out)}
    events.record(
        connection,
        row.id,
        author=step.author,
        kind="gold list finished",
        subject=line.name,
        reason=step.reason,
        facts={"question": question, "version": frozen.version, **counts},
    )
    return frozen


def versions_of(connection: Connection, unit_id: int, question: str) -> list[GoldText]:
    """Every version of a unit's list, the first one first."""
    rows = connection.execute(
        select(gold_version)
        .where(gold_version.c.unit_id == unit_id, gold_version.c.question == question)
        .order_by(gold_version.c.version)
    )
    return [_gold(row) for row in rows]


def gold_of(
    connection: Connection, row: CampaignRow, question: str, *, role: str
) -> tuple[list[GoldText], dict[str, Text]]:
    """The last version of every unit that was finished, in the order of the units' names, with their texts."""
    texts: dict[str, Text] = {}
    gold: list[GoldText] = []
    for found in connection.execute(_last_versions(row, question, unit.c.name, unit.c.shown)):
        text = ShownUnit.from_json(orjson.loads(found.shown), id=found.name).texts[role].text
        texts[text.id] = text
        gold.append(_gold(found))
    return gold, texts


def lists_by_unit(
    connection: Connection, row: CampaignRow, question: str, versions: Mapping[str, int] | None = None
) -> Iterator[tuple[str, GoldText]]:
    """The same without the texts, which are most of it, a few at a time and with the units' names; or those versions
    that are named by unit."""
    if versions is None:
        query = _last_versions(row, question, unit.c.name)
    else:
        query = (
            select(gold_version, unit.c.name)
            .join(unit, unit.c.id == gold_version.c.unit_id)
            .where(gold_version.c.campaign_id == row.id, gold_version.c.question == question)
            .order_by(unit.c.name)
        )
    for found in streamed(connection, query):
        if versions is None or versions.get(found.name) == found.version:
            yield found.name, _gold(found)


def _last_versions(row: CampaignRow, question: str, *more: ColumnElement[Any]) -> Select[Any]:
    last = (
        select(gold_version.c.unit_id, func.max(gold_version.c.version).label("version"))
        .where(gold_version.c.campaign_id == row.id, gold_version.c.question == question)
        .group_by(gold_version.c.unit_id)
        .subquery()
    )
    return (
        select(gold_version, *more)
        .join(last, (last.c.unit_id == gold_version.c.unit_id) & (last.c.version == gold_version.c.version))
        .join(unit, unit.c.id == gold_version.c.unit_id)
        .where(gold_version.c.question == question)
        .order_by(unit.c.name)
    )


def finished_gold(
    store: Store, content: ContentCache, name: str, question: str | None = None
) -> tuple[list[GoldText], dict[str, Text]]:
    """The same of a campaign by its name: the lists of one of its questions about passages, or of the first."""

    def look(connection: Connection, row: CampaignRow) -> tuple[list[GoldText], dict[str, Text]]:
        protocol = content.protocol(row.protocol_id)
        asked = spans_question(protocol, row, question)
        return gold_of(connection, row, asked.id, role=role_of(protocol, asked))

    return look_into(store, name, look)


def _gold(found: Any) -> GoldText:
    return gold_from_json(found.mistakes, version=found.version, author=found.author, at=found.at)


def gold_to_json(gold: GoldText) -> dict[str, Any]:
    return {
        "text_id": gold.text_id,
        "mistakes": [mistake_to_json(one) for one in gold.mistakes],
        "left_out": [
            {
                "start": one.span.start,
                "end": one.span.end,
                "labels": list(one.labels),
                "sources": [source_to_json(source) for source in one.sources],
                "group": one.group,
            }
            for one in gold.left_out
        ],
        "annotators": list(gold.annotators),
        "reason": gold.reason,
    }


def mistake_to_json(one: GoldMistake) -> dict[str, Any]:
    return {
        "start": one.span.start,
        "end": one.span.end,
        **{name: getattr(one, name) for name in (*WORDS, *COUNTS)},
        **more_to_json(one),
        "corrections": list(one.corrections),
        "comments": list(one.comments),
        "sources": [source_to_json(source) for source in one.sources],
    }


def gold_from_json(data: Mapping[str, Any], *, version: int, author: str, at: datetime) -> GoldText:
    text_id = data["text_id"]
    return GoldText(
        text_id,
        tuple(_mistake(text_id, one) for one in data["mistakes"]),
        tuple(
            Reported(
                text_id,
                Span(one["start"], one["end"]),
                tuple(one["labels"]),
                tuple(source_from_json(source) for source in one["sources"]),
                one["group"],
            )
            for one in data["left_out"]
        ),
        tuple(data["annotators"]),
        version,
        author,
        data["reason"],
        at,
    )


def _mistake(text_id: str, data: Mapping[str, Any]) -> GoldMistake:
    return GoldMistake(
        text_id,
        Span(data["start"], data["end"]),
        **{name: data[name] for name in (*WORDS, *COUNTS)},
        **more_from_json(data),
        corrections=tuple(data["corrections"]),
        comments=tuple(data["comments"]),
        sources=tuple(source_from_json(one) for one in data["sources"]),
    )
