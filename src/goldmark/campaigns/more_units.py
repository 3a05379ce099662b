"""More texts for a campaign that exists, also while people work in it: all of them or none.

Many texts come in as those of a new campaign do: in pieces, and hidden. When all of them are there and nothing stands
against them, they join the campaign, again in pieces, because SQLite has one writer and moving 5,000 texts at once
would hold it for a tenth of a second. From its first piece on nothing can refuse the joining: names and places are
theirs. If the server dies in the middle of it, the next one to start, or whoever adds texts next, lets the rest join.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, case, delete, func, insert, select, update

from goldmark.accounts.links import new_nonce
from goldmark.campaigns.arrival import ArrivingCampaign, arriving
from goldmark.campaigns.definition.settings import settings_from
from goldmark.campaigns.definition.units.needed_context import note_missing
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, insert_units, next_position
from goldmark.campaigns.told import Tell, told_to_nobody
from goldmark.errors import Problem, ProblemList, ProblemsFound
from goldmark.records.spooled.units import SpooledUnits
from goldmark.records.units import Unit
from goldmark.store import Store, events
from goldmark.store.pieces import SMALL, AtOnce, InPieces, in_parts
from goldmark.store.states import JOINING
from goldmark.store.tables import campaign, event, unit

AT_ONCE = 500  # names in one question to the database
ADDED = "units added"  # the kind of event


class Joining(NamedTuple):
    """Texts that become a part of a campaign: `units` of them, from the position `first` on."""

    into: int
    first: int
    units: int
    labels: int  # per unit, as the campaign wanted them when they came
    author: str
    missing_context: Sequence[str] = ()  # what they lack beside the texts, told and taken


def add_units(
    store: Store,
    name: str,
    units: Iterable[Unit],
    *,
    author: str,
    missing_context: Sequence[str] = (),
    tell: Tell = told_to_nobody,
) -> int:
    """All of these texts, or none if one of them is there already."""
    units = SpooledUnits.of(units)
    finish_joining(store)
    if len(units) <= SMALL:
        return store.write(lambda connection: _add(connection, name, units, author, missing_context))
    row = store.read(lambda connection: find_campaign(connection, name))
    looked = _looked(store, row, units)  # before anything is made
    came = Joining(row.id, 0, len(units), row.settings.labels_per_unit, author, missing_context)
    arriving(store, lambda coming: _bring(store, coming, row, units, came, looked, tell), large=True)
    finish_joining(store)
    return len(units)


def _add(
    connection: Connection, name: str, units: SpooledUnits, author: str, missing_context: Sequence[str] = ()
) -> int:
    row = find_campaign(connection, name, hold=True)
    _refuse_known(connection, row, units)
    insert_units(AtOnce(connection), row.id, row.settings, units, _next_position(connection, row))
    _record(connection, row.name, Joining(row.id, 0, len(units), 0, author, missing_context))
    return len(units)


def _looked(store: Store, row: CampaignRow, units: SpooledUnits) -> tuple[Any, ...]:
    """Refuse texts that are there; what had come by then. It takes long, so nobody has to wait for it."""

    def look(connection: Connection) -> tuple[Any, ...]:
        came = _what_came(connection, row)
        _refuse_known(connection, row, units)
        return came

    return store.snapshot(look)


def _bring(
    store: Store,
    coming: ArrivingCampaign,
    row: CampaignRow,
    units: SpooledUnits,
    came: Joining,
    looked: tuple[Any, ...],
    tell: Tell,
) -> None:
    def begin(connection: Connection) -> int:
        values = {
            "name": row.name,
            "title": row.name,
            "state": row.state,
            "protocol_id": row.protocol_id,
            "settings": row.settings.model_dump_json(),
            "invite_nonce": new_nonce(),
            "created_at": datetime.now(UTC),
            "crowd": "",
        }
        made = connection.execute(insert(campaign).values(coming.row(values)).returning(campaign.c.id))
        return int(made.scalar_one())

    def join(connection: Connection) -> bool:
        now = find_campaign(connection, row.name, hold=True)
        if _what_came(connection, now) != looked:
            return False
        plan = orjson.dumps(came._replace(first=_next_position(connection, now))._asdict()).decode()
        connection.execute(update(campaign).where(campaign.c.id == coming.id).values(state=JOINING, title=plan))
        return True

    coming.id = coming.rows.once(begin)
    insert_units(coming.rows, coming.id, row.settings, units, tell=tell)
    while not coming.rows.once(join):
        looked = _looked(store, row, units)


def finish_joining(store: Store) -> None:
    """Let all texts become a part of their campaign that were on their way when a server died, or just now."""
    for number, plan in store.read(lambda connection: list(_joining(connection))):
        _move(store, number, plan)


def _joining(connection: Connection, into: int | None = None) -> Iterator[tuple[int, Joining]]:
    for number, plan in connection.execute(select(campaign.c.id, campaign.c.title).where(campaign.c.state == JOINING)):
        found = Joining(**orjson.loads(plan))
        if into is None or found.into == into:
            yield number, found


def _move(store: Store, number: int, plan: Joining) -> None:
    waiting = select(unit.c.id).where(unit.c.campaign_id == number)
    ordered = waiting.order_by(unit.c.position)
    ids = store.read(lambda connection: array("q", connection.execute(ordered).scalars()))  # there may be a million

    def move(connection: Connection, some: Sequence[int]) -> None:
        theirs = unit.c.id.in_(some) & (unit.c.campaign_id == number)  # another server may do the same
        as_when_they_came = unit.c.counts & (unit.c.wanted == plan.labels)
        wanted = case((as_when_they_came, _labels_wanted(connection, plan.into)), else_=unit.c.wanted)
        moved = {"campaign_id": plan.into, "position": unit.c.position + plan.first, "wanted": wanted}
        connection.execute(update(unit).where(theirs).values(moved))

    def finish(connection: Connection) -> None:
        row = connection.execute(
            select(campaign).where(campaign.c.id == plan.into).with_for_update(key_share=True)
        ).one()
        here = campaign.c.id == number
        still = connection.execute(select(campaign.c.id).where(here).with_for_update(key_share=True)).first()
        if still is None or connection.execute(waiting.limit(1)).first() is not None:
            return  # another server has done it, or is at it
        connection.execute(delete(campaign).where(here))
        _record(connection, row.name, plan)

    pieces = InPieces(store)
    pieces.each(ids, move)
    pieces.once(finish)


def _labels_wanted(connection: Connection, campaign_id: int) -> int:
    """As the campaign wants them now; nobody changes that until the end."""
    settings = select(campaign.c.settings).where(campaign.c.id == campaign_id).with_for_update(key_share=True)
    return settings_from(connection.execute(settings).scalar_one()).labels_per_unit


def _refuse_known(connection: Connection, row: CampaignRow, units: SpooledUnits) -> None:
    """Names of units are there once. Those that are about to join count already."""
    campaigns = [row.id, *(number for number, _ in _joining(connection, row.id))]
    problems: list[Problem] = ProblemList()
    for some in in_parts(units.keys(), AT_ONCE):
        query = select(unit.c.name).where(unit.c.campaign_id.in_(campaigns), unit.c.name.in_(some))
        taken = set(connection.execute(query).scalars())
        problems += [
            Problem(one, f"a unit {one!r} is in the campaign already", "leave it out or rename it")
            for one in some
            if one in taken
        ]
    if problems:
        raise ProblemsFound(problems, consequence="nothing was added")


def _what_came(connection: Connection, row: CampaignRow) -> tuple[Any, ...]:
    """What differs as soon as other texts have come, or are about to."""
    added = select(func.max(event.c.id)).where(event.c.campaign_id == row.id, event.c.kind == ADDED)
    return connection.execute(added).scalar(), *(number for number, _ in _joining(connection, row.id))


def _next_position(connection: Connection, row: CampaignRow) -> int:
    ends = [plan.first + plan.units for _, plan in _joining(connection, row.id)]
    return max([next_position(connection, row.id), *ends])


def _record(connection: Connection, name: str, came: Joining) -> None:
    events.record(connection, came.into, author=came.author, kind=ADDED, subject=name, facts={"units": came.units})
    note_missing(connection, came.into, name, came.missing_context, author=came.author)
