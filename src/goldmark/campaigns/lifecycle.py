"""The life of a campaign: create, start, pause, close; texts and people added while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, func, insert, select, update

from goldmark.accounts.links import new_nonce
from goldmark.campaigns.arrival import VISIBLE, ArrivingCampaign, arriving
from goldmark.campaigns.assignments.strata import placement_of
from goldmark.campaigns.definition.settings import Settings, settings_from
from goldmark.campaigns.definition.units import unit_order
from goldmark.campaigns.told import Tell, counted_rows, told_to_nobody
from goldmark.errors import Conflict, Missing
from goldmark.protocols import Protocol
from goldmark.records.spooled.units import PackedUnit, SpooledUnits
from goldmark.records.units import Unit
from goldmark.store import Store, events, in_transaction
from goldmark.store.bulk import insert_beside, insert_rows
from goldmark.store.once import insert_once
from goldmark.store.pieces import SMALL, RowWriter
from goldmark.store.tables import campaign, protocol, unit, unit_secret
from goldmark.store.transactions import one_at_a_time

Found = TypeVar("Found")


class UnknownCampaign(Missing):
    code = "CAMPAIGN-01"
    message = "there is no campaign {name!r}; there are {known}"


class CampaignExists(Conflict):
    code = "CAMPAIGN-02"
    message = "a campaign {name!r} exists already; choose another name, or add texts to it"


class StateNotPossible(Conflict):
    code = "CAMPAIGN-03"
    message = "campaign {name!r} is {state}; it can only be {verb} when it is {allowed}"


class CampaignRow(NamedTuple):
    """A campaign as it stands."""

    id: int
    name: str
    title: str
    state: str  # draft, running, paused, closed
    protocol_id: int
    protocol: str
    settings: Settings
    invite_nonce: str
    created_at: datetime


# verb: (the states it may start from, the state it leads to)
MOVES = {
    "started": (("draft", "paused", "closed"), "running"),
    "paused": (("running",), "paused"),
    "closed": (("draft", "running", "paused"), "closed"),
}

_campaigns = select(
    campaign.c.id,
    campaign.c.name,
    campaign.c.title,
    campaign.c.state,
    campaign.c.protocol_id,
    protocol.c.name.label("protocol_name"),
    protocol.c.version,
    campaign.c.settings,
    campaign.c.invite_nonce,
    campaign.c.created_at,
).join(protocol, protocol.c.id == campaign.c.protocol_id)


def _row(found: Any) -> CampaignRow:
    return CampaignRow(
        found.id,
        found.name,
        found.title,
        found.state,
        found.protocol_id,
        f"{found.protocol_name}/{found.version}",
        settings_from(found.settings),
        found.invite_nonce,
        found.created_at,
    )


def list_campaigns(connection: Connection) -> list[CampaignRow]:
    """All of them, but none that is still on its way in."""
    query = _campaigns.where(VISIBLE).order_by(campaign.c.created_at, campaign.c.id)
    return [_row(found) for found in connection.execute(query)]


def find_campaign(connection: Connection, name: str, *, hold: bool = False) -> CampaignRow:
    """The campaign of this name; with `hold`, nobody else changes its units, people or state until the end."""
    query = _campaigns.where(campaign.c.name == name, VISIBLE)
    found = connection.execute(query.with_for_update(key_share=True, of=campaign) if hold else query).first()
    if found is None:
        known = ", ".join(row.name for row in list_campaigns(connection)) or "none yet"
        raise UnknownCampaign(name=name, known=known)
    return _row(found)


def look_into(store: Store, name: str, look: Callable[[Connection, CampaignRow], Found]) -> Found:
    """What is found when one looks at a campaign, all of it as it stood at one moment."""
    return store.snapshot(lambda connection: look(connection, find_campaign(connection, name)))


Noted = Callable[[Connection, CampaignRow], None]


def nothing_noted(connection: Connection, row: CampaignRow) -> None:
    pass


def create(
    store: Store,
    *,
    name: str,
    title: str,
    protocol: Protocol,
    settings: Settings,
    units: Iterable[Unit],
    author: str,
    tell: Tell = told_to_nobody,
    noting: Noted = nothing_noted,
) -> CampaignRow:
    """A new campaign with all its units and what else is noted of it, or nothing at all."""
    every = SpooledUnits.of(units)
    return arriving(
        store,
        lambda coming: _create(coming, name, title, protocol, settings, every, author, tell, noting),
        large=len(every) > SMALL,
    )


def _create(
    coming: ArrivingCampaign,
    name: str,
    title: str,
    protocol: Protocol,
    settings: Settings,
    units: SpooledUnits,
    author: str,
    tell: Tell,
    noting: Noted,
) -> CampaignRow:
    wanted = unit_order.in_subset(units.all_packed(), settings.subset)

    def begin(connection: Connection) -> int:
        refuse_known_name(connection, name)
        values = {
            "name": name,
            "title": title,
            "state": "draft",
            "protocol_id": keep_protocol(connection, protocol),
            "settings": settings.model_dump_json(),
            "invite_nonce": new_nonce(),
            "created_at": datetime.now(UTC),
            "crowd": settings.quality.crowd,
        }
        made = connection.execute(insert(campaign).values(coming.row(values)).returning(campaign.c.id))
        return int(made.scalar_one())

    def finish(connection: Connection) -> CampaignRow:
        refuse_known_name(connection, name, besides=coming.id)
        coming.show(connection)
        row = find_campaign(connection, name)
        facts = {"units": many, "protocol": row.protocol}
        events.record(connection, row.id, author=author, kind="campaign created", subject=name, facts=facts)
        noting(connection, row)
        return row

    coming.id = coming.rows.once(begin)
    many = insert_units(coming.rows, coming.id, settings, units, wanted=wanted, tell=tell)
    return coming.rows.once(finish)


def refuse_known_name(connection: Connection, name: str, besides: int = 0) -> None:
    """Names of campaigns are addresses: each is there once. Who asks for the same at the same moment waits."""
    one_at_a_time(connection, f"campaign {name}")
    same = select(campaign.c.id).where(campaign.c.name == name, campaign.c.id != besides)
    if connection.execute(same).first():
        raise CampaignExists(name=name)


def keep_protocol(connection: Connection, given: Protocol) -> int:
    """The id of this very protocol; the same text is stored once."""
    values = {
        "name": given.name,
        "version": given.version,
        "digest": given.digest,
        "source": given.source,
        "created_at": datetime.now(UTC),
    }
    connection.execute(insert_once(connection, protocol, values, by="digest"))
    return int(connection.execute(select(protocol.c.id).where(protocol.c.digest == given.digest)).scalar_one())


def next_position(connection: Connection, campaign_id: int) -> int:
    """The place on the ring behind its last unit. Counting units would take longer the more there are."""
    last = connection.execute(select(func.max(unit.c.position)).where(unit.c.campaign_id == campaign_id)).scalar()
    return 0 if last is None else int(last) + 1


def count_work(connection: Connection, campaign_id: int) -> int:
    """The units that count. Annotators know how many there are; how many test questions there are would tell them."""
    return int(
        connection.execute(select(func.count()).where(unit.c.campaign_id == campaign_id, unit.c.counts)).scalar_one()
    )


def insert_units(
    rows: RowWriter,
    campaign_id: int,
    settings: Settings,
    units: SpooledUnits,
    first: int = 0,
    *,
    wanted: Callable[[PackedUnit], bool] = lambda _: True,
    tell: Tell = told_to_nobody,
) -> int:
    """Those of the units that are wanted, in their random order, from position `first` on; returns how many."""
    ordered = filter(wanted, units.all_packed(lambda name: unit_order.place_of(settings.order.seed, name)))
    made, now = 0, datetime.now(UTC)

    def placed() -> Iterator[UnitRows]:
        nonlocal made
        for made, one in enumerate(ordered, 1):
            yield unit_rows(campaign_id, one, first + made - 1, settings, now)

    rows.each(counted_rows(placed(), len(units), "texts written", tell), put_units)
    return made


class UnitRows(NamedTuple):
    """A unit as the two tables have it that hold units."""

    shown: dict[str, Any]
    secret: dict[str, Any]


def unit_rows(campaign_id: int, one: PackedUnit, position: int, settings: Settings, now: datetime) -> UnitRows:
    """A unit that nobody has seen yet."""
    placement = placement_of(one.hidden)
    shown = {
        "campaign_id": campaign_id,
        "name": one.id,
        "position": position,
        "wanted": places(one, settings),
        "taken": 0,
        "done": 0,
        "stratum": placement.stratum,
        "counts": placement.counts,
        "item": placement.item,
        "shown": one.shown.decode(),
        "added_at": now,
    }
    return UnitRows(shown, {"facts": one.hidden, "tokenisers": one.tokenisers})


def put_units(connection: Connection, some: Sequence[UnitRows]) -> None:
    ids = insert_rows(connection, unit, [one.shown for one in some])
    secrets = [{"unit_id": id_, **one.secret} for id_, one in zip(ids, some, strict=True)]
    insert_beside(connection, unit_secret, secrets)


def places(one: unit_order.KnownUnit, settings: Settings) -> int:
    """How many places a unit has. That of a test question is never taken, so it is always free.

    A study gives its texts a number of their own (`labels_wanted`): more people read some kinds than others.
    """
    return places_of(one.hidden, settings) if placement_of(one.hidden).counts else 1


def places_of(hidden: Mapping[str, Any], settings: Settings) -> int:
    """The same of a unit that counts, by its hidden facts."""
    own = hidden.get("labels_wanted")
    return min(own, settings.labels_per_unit) if isinstance(own, int) and own > 0 else settings.labels_per_unit


def move_in(connection: Connection, name: str, verb: str, *, author: str, reason: str = "") -> CampaignRow:
    """Start, pause or close a campaign. Closing throws nothing away, and a closed campaign can be started again."""
    allowed, target = MOVES[verb]
    row = find_campaign(connection, name, hold=True)
    if row.state == target:
        return row  # said twice, done once
    if row.state not in allowed:
        raise StateNotPossible(name=name, state=row.state, verb=verb, allowed=" or ".join(allowed))
    connection.execute(update(campaign).where(campaign.c.id == row.id).values(state=target))
    events.record(connection, row.id, author=author, kind=f"campaign {verb}", subject=name, reason=reason)
    return row._replace(state=target)


move = in_transaction(move_in)
