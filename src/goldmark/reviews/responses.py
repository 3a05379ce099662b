"""Responses as managers and curators see them: who answered what, with every revision and its times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from sqlalchemy import ColumnElement, Connection, literal_column, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.pages import Page, one_page
from goldmark.campaigns.unit_overview import STATE_SEEN, preview
from goldmark.errors import Missing
from goldmark.records.units import ShownUnit
from goldmark.store.tables import annotator, assignment, protocol, response, unit, unit_secret


class UnknownResponse(Missing):
    code = "RESPONSE-01"
    message = "there is no response {id} in campaign {campaign!r}"


@dataclass(frozen=True, slots=True)
class ResponseLine:
    """A response in a list. Its id is its assignment's: one person and one unit, once."""

    id: int
    unit_id: int
    unit: str
    annotator_id: int
    annotator: str
    state: str  # done, waiting, returned, extra
    revision: int
    finished_at: datetime | None
    seconds_active: float
    preview: str
    counts: bool  # False: the unit is a test question


class Revision(NamedTuple):
    """An answer as it was submitted once."""

    number: int
    answers: Mapping[str, Any]
    protocol_id: int
    protocol: str
    client_time: datetime | None
    server_time: datetime
    seconds_active: float
    reply: str = ""  # to a reviewer who returned the revision before it: why some of it stays


class ResponseFile(NamedTuple):
    """One person's answer to one unit, with its whole history, newest first."""

    id: int
    unit_id: int
    unit: str
    annotator_id: int
    annotator: str
    state: str
    claimed_at: datetime
    finished_at: datetime | None
    has_draft: bool
    shown_first: str | None  # of a comparison: the role of the text that was shown first; None: as given
    shown: ShownUnit
    hidden: Mapping[str, Any]
    revisions: tuple[Revision, ...]


# As in the index, letter by letter: a bound parameter would keep SQLite from using it.
_answered: ColumnElement[bool] = literal_column("assignment.revision > 0")

# What a list and the page of one response both tell, under the names of their records.
_about = (
    assignment.c.id,
    assignment.c.unit_id,
    unit.c.name.label("unit"),
    assignment.c.annotator_id,
    annotator.c.name.label("annotator"),
    STATE_SEEN.label("state"),
    assignment.c.finished_at,
    unit.c.shown,
)
_lines = (
    select(*_about, assignment.c.revision, response.c.seconds_active, unit.c.counts)
    .join(unit, unit.c.id == assignment.c.unit_id)
    .join(annotator, annotator.c.id == assignment.c.annotator_id)
    .join(response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision))
)


def list_responses(
    connection: Connection,
    row: CampaignRow,
    *,
    annotator_id: int | None = None,
    unit_id: int | None = None,
    who: str = "",
    page: int = 1,
) -> Page[ResponseLine]:
    """Responses, the newest assignment first; those of one person, of people called so or of one unit if asked."""
    wanted = [assignment.c.campaign_id == row.id, _answered]
    if annotator_id is not None:
        wanted.append(assignment.c.annotator_id == annotator_id)
    if unit_id is not None:
        wanted.append(assignment.c.unit_id == unit_id)
    if who:
        named = annotator.c.name.icontains(who, autoescape=True)
        people = select(annotator.c.id).where(annotator.c.campaign_id == row.id, named)
        wanted.append(assignment.c.annotator_id.in_(people))
    query = _lines.where(*wanted).order_by(assignment.c.id.desc())
    return one_page(connection, query, page, _line, counting=select(assignment.c.id).where(*wanted))


def _line(found: Any) -> ResponseLine:
    facts = dict(found._mapping)
    return ResponseLine(preview=preview(facts.pop("shown")), **facts)


def find_response(connection: Connection, row: CampaignRow, assignment_id: int) -> ResponseFile:
    """One response with every revision."""
    found = connection.execute(
        select(
            *_about,
            assignment.c.claimed_at,
            (assignment.c.draft_version > 0).label("has_draft"),
            assignment.c.shown_first,
            unit_secret.c.facts.label("hidden"),
        )
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .where(assignment.c.campaign_id == row.id, assignment.c.id == assignment_id, _answered)
    ).first()
    if found is None:
        raise UnknownResponse(id=assignment_id, campaign=row.name)
    facts = dict(found._mapping)
    shown = ShownUnit.from_json(orjson.loads(facts.pop("shown")), id=found.unit)
    return ResponseFile(**facts, shown=shown, revisions=_revisions(connection, assignment_id))


def _revisions(connection: Connection, assignment_id: int) -> tuple[Revision, ...]:
    rows = connection.execute(
        select(response, protocol.c.name, protocol.c.version)
        .join(protocol, protocol.c.id == response.c.protocol_id)
        .where(response.c.assignment_id == assignment_id)
        .order_by(response.c.revision.desc())
    )
    return tuple(
        Revision(
            row.revision,
            row.answers,
            row.protocol_id,
            f"{row.name}/{row.version}",
            row.client_time,
            row.server_time,
            row.seconds_active,
            row.reply,
        )
        for row in rows
    )
