"""A campaign made many times as large, straight in the database, with the decisions that managers left in it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, String, Table, cast, func, insert, literal, select, update

from benchmarks._filled import LABELS, NOW
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.curation.gold_lists.versions import gold_to_json
from goldmark.records.gold import GoldText
from goldmark.store import Store
from goldmark.store.tables import (
    annotator,
    assignment,
    event,
    gold_version,
    participant,
    response,
    review,
    unit,
    unit_secret,
)

# What each row of a campaign points to: its copy points to the copy.
POINTERS = {"unit_id": unit, "annotator_id": annotator, "assignment_id": assignment, "participant_id": participant}
NAMES = {(unit, "name"), (annotator, "name"), (participant, "platform_id"), (participant, "fingerprint")}
EVERY = 5  # one answer in five was reviewed, one text in five has a gold list


def multiply(store: Store, row: CampaignRow, times: int) -> None:
    """So many times the people, units, answers and decisions. The campaign must be the newest in the database."""

    def work(connection: Connection) -> None:
        first = {table: _ids(connection, table, row) for table in POINTERS.values()}
        for number in range(1, times):
            _copy(connection, row, first, number)

    store.write(work)


def decide(store: Store, row: CampaignRow, question: str | None) -> None:
    """Reviews, gold lists (of a question that marks), people of a platform, and what was decided about them."""
    store.write(lambda connection: _decide(connection, row, question))


def _ids(connection: Connection, table: Table, row: CampaignRow) -> tuple[int, int]:
    """The first and the last of a campaign's rows, which stand together."""
    of_campaign = table.c.platform_id.like(f"{row.name}-%") if table is participant else table.c.campaign_id == row.id
    low, high = connection.execute(select(func.min(table.c.id), func.max(table.c.id)).where(of_campaign)).one()
    return int(low), int(high)


def _copy(connection: Connection, row: CampaignRow, first: dict[Table, tuple[int, int]], number: int) -> None:
    apart = {table: number * (high - low + 1) for table, (low, high) in first.items()}
    of_campaign: dict[Table, ColumnElement[bool]] = {
        participant: participant.c.id.between(*first[participant]),
        annotator: annotator.c.id.between(*first[annotator]),
        unit: unit.c.id.between(*first[unit]),
        unit_secret: unit_secret.c.unit_id.between(*first[unit]),
        assignment: assignment.c.id.between(*first[assignment]),
        response: response.c.assignment_id.between(*first[assignment]),
        review: review.c.assignment_id.between(*first[assignment]),
        gold_version: gold_version.c.unit_id.between(*first[unit]),
        event: (event.c.campaign_id == row.id) & (number == 1),  # decisions double once: there are enough of them
    }
    for table, wanted in of_campaign.items():
        values = {column.name: _copied(column, table, apart, number) for column in table.columns}
        values = {name: value for name, value in values.items() if value is not None}
        connection.execute(insert(table).from_select(list(values), select(*values.values()).where(wanted)))


def _copied(column: Column[Any], table: Table, apart: dict[Table, int], number: int) -> Any:
    if column.name == "id":
        return column + apart[table] if table in apart else None
    if column.name in POINTERS:
        return column + apart[POINTERS[column.name]]
    if (table, column.name) in NAMES:
        return column + literal(f"-{number}")
    return column + apart[unit] if (table, column.name) == (unit, "position") else column


def _decide(connection: Connection, row: CampaignRow, question: str | None) -> None:
    people, texts = annotator.c.campaign_id == row.id, unit.c.campaign_id == row.id
    named = literal(f"{row.name}-") + cast(annotator.c.id, String)
    known = {"platform": literal("prolific"), "platform_id": named, "fingerprint": named}
    _insert(connection, participant, known | {"created_at": annotator.c.joined_at}, people)
    own = select(participant.c.id).where(participant.c.platform_id == named).scalar_subquery()
    done = select(func.count()).where(assignment.c.annotator_id == annotator.c.id).scalar_subquery()
    work = {"done": done, "seconds_active": 60.0 * done}
    connection.execute(update(annotator).where(people).values(participant_id=own, **work))
    connection.execute(update(unit).where(texts).values(taken=LABELS, done=LABELS))
    some = (assignment.c.campaign_id == row.id) & (assignment.c.id % EVERY == 0)
    by = {"campaign_id": literal(row.id), "at": assignment.c.finished_at}
    reviewed = {
        "assignment_id": assignment.c.id,
        "revision": literal(1),
        "verdict": literal("approved"),
        "comment": literal(""),
        "remarks": literal([], type_=review.c.remarks.type),
        "reviewer": literal("manager"),
    }
    _insert(connection, review, by | reviewed, some)
    told = {
        "author": literal("manager"),
        "kind": literal("response approved"),
        "subject": cast(assignment.c.id, String),
        "reason": literal("as the instructions say"),
        "facts": literal({"verdict": "approved"}, type_=event.c.facts.type),
    }
    _insert(connection, event, by | told, some)
    if question is None:
        return
    gold = {
        "campaign_id": literal(row.id),
        "unit_id": unit.c.id,
        "question": literal(question),
        "version": literal(1),
        "steps": literal(0),
        "mistakes": literal(gold_to_json(GoldText("", ())), type_=gold_version.c.mistakes.type),
        "author": literal("manager"),
        "at": literal(NOW, type_=gold_version.c.at.type),
    }
    _insert(connection, gold_version, gold, texts & (unit.c.id % EVERY == 0))


def _insert(connection: Connection, table: Table, values: dict[str, Any], wanted: ColumnElement[bool]) -> None:
    connection.execute(insert(table).from_select(list(values), select(*values.values()).where(wanted)))
