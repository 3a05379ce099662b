"""Other settings for a campaign that exists, and what follows from them for its texts and answers.

Of a small campaign all of it is one transaction. Of a large one the writer would be held for seconds, so texts and
answers follow some at a time: the settings are there at once, and every piece goes by what the campaign wants when it
is written, so that of two managers who change them at the same moment the last one is obeyed everywhere. What is still
to follow is owed (`goldmark.jobs.owed`): if the server is killed, a worker goes on with it.

One version of each item for each person is the other way round. Answers have to name their items before the rule holds;
so these come first, and until the last is there the settings are as they were.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Text, literal_column, select, type_coerce, update

from goldmark.campaigns.assignments import allocation, item_versions
from goldmark.campaigns.assignments.replies import release, waiting_for_approval
from goldmark.campaigns.definition.admission import refuse_unknown_kits
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, places_of
from goldmark.jobs import Running, owed, register
from goldmark.store import Store, events
from goldmark.store.pieces import SMALL, InPieces
from goldmark.store.tables import assignment, campaign, unit, unit_secret

FOLLOW = "settings reach texts and answers"  # the kind of job


class Following(NamedTuple):
    """What follows from a change of settings."""

    labels: bool  # texts have another number of places
    approved: bool  # answers need not wait for approval any more


def change_settings(
    store: Store, name: str, settings: Settings, *, title: str, author: str, reason: str
) -> CampaignRow:
    """New settings for what comes; labels per unit can grow, and shrink down to what is taken already."""
    known = _name_items(store, name, settings)

    def change(connection: Connection) -> tuple[CampaignRow, Following, int | None]:
        row = find_campaign(connection, name, hold=True)
        refuse_unknown_kits(connection, row.protocol_id, settings)
        connection.execute(
            update(campaign)
            .where(campaign.c.id == row.id)
            .values(title=title, settings=settings.model_dump_json(), crowd=settings.quality.crowd)
        )
        if _asks_for_versions(row, settings):
            # All of a small campaign, or what came meanwhile; found first, or the database looks through everything.
            came = select(assignment.c.id).where(assignment.c.campaign_id == row.id, assignment.c.id > known)
            item_versions.hold_items(connection, assignment.c.id.in_(connection.execute(came).scalars().all()))
        before, after = row.settings.model_dump(mode="json"), settings.model_dump(mode="json")
        changed = {key: [before[key], after[key]] for key in after if before[key] != after[key]}
        events.record(
            connection, row.id, author=author, kind="settings changed", subject=name, reason=reason, facts=changed
        )
        follows = Following(
            settings.labels_per_unit != row.settings.labels_per_unit,
            row.settings.review.required and not settings.review.required,
        )
        owing = None
        if any(follows) and _is_large(connection, row.id):
            arguments = {"campaign": name, **follows._asdict()}
            owing = owed.owe(connection, FOLLOW, arguments, author=author, subject=name, campaign_id=row.id)
        else:
            for wanted, work in _steps(row.id, follows):
                work(connection, name, connection.execute(wanted).scalars().all())
        return row._replace(title=title, settings=settings), follows, owing

    row, follows, owing = store.write(change)
    if owing is not None:
        follow(store, name, follows)
        store.write(lambda connection: owed.done(connection, owing))
    return row


@register(FOLLOW)
def _follow(running: Running) -> None:
    name, *what = (running.arguments[key] for key in ("campaign", *Following._fields))
    follow(running.store, name, Following(*what))


def follow(store: Store, name: str, what: Following) -> None:
    """Let texts and answers follow the settings that their campaign has, some at a time."""
    row = store.read(lambda connection: find_campaign(connection, name))
    for wanted, work in _steps(row.id, what):
        _each(store, name, wanted, work)


Work = Callable[[Connection, str, Sequence[int]], None]


def _steps(campaign_id: int, what: Following) -> Iterator[tuple[Select[int], Work]]:
    """Which rows follow, and how."""
    if what.labels:
        yield _units(campaign_id), _want
    if what.approved:
        yield waiting_for_approval(campaign_id), _approve


def _each(store: Store, name: str, wanted: Select[int], work: Work) -> None:
    ids = store.read(lambda connection: array("q", connection.execute(wanted).scalars()))  # there may be a million
    InPieces(store).each(ids, lambda connection, some: work(connection, name, some))


def _want(connection: Connection, name: str, some: Sequence[int]) -> None:
    """As many places for these units as the campaign wants now."""
    row = find_campaign(connection, name, hold=True)
    allocation.hold(connection, unit.c.id.in_(some) & unit.c.counts)
    own = _own_numbers(connection, row.settings, some)
    by_wanted: dict[int, list[int]] = {}
    for one in some:
        by_wanted.setdefault(own.get(one, row.settings.labels_per_unit), []).append(one)
    for wanted, ids in by_wanted.items():
        these = unit.c.id.in_(ids) & unit.c.counts
        connection.execute(update(unit).where(these, unit.c.taken <= wanted).values(wanted=wanted))
        connection.execute(update(unit).where(these, unit.c.taken > wanted).values(wanted=unit.c.taken))


def _own_numbers(connection: Connection, settings: Settings, some: Sequence[int]) -> dict[int, int]:
    """Of those units to which a study gives a number of places of their own."""
    said = type_coerce(unit_secret.c.facts, Text).contains('"labels_wanted"')
    query = select(unit_secret.c.unit_id, unit_secret.c.facts).where(unit_secret.c.unit_id.in_(some), said)
    return {number: places_of(facts, settings) for number, facts in connection.execute(query)}


def _units(campaign_id: int) -> Select[int]:
    # First those of which the next place to be taken could be one too many.
    return select(unit.c.id).where(unit.c.campaign_id == campaign_id).order_by(unit.c.taken.desc(), unit.c.id)


def _approve(connection: Connection, name: str, some: Sequence[int]) -> None:
    """Of these answers those count that still wait, unless approval is asked for again."""
    if not find_campaign(connection, name, hold=True).settings.review.required:
        release(connection, some)


def _asks_for_versions(row: CampaignRow, settings: Settings) -> bool:
    return settings.order.one_version_per_item and not row.settings.order.one_version_per_item


def _name_items(store: Store, name: str, settings: Settings) -> int:
    """Items for what was given out in a large campaign. Returns the last that was there, or 0 where nothing was done.

    Where it breaks off, items that nobody asks for do no harm; given again, the settings go on.
    """

    def look(connection: Connection) -> CampaignRow | None:
        row = find_campaign(connection, name)
        refuse_unknown_kits(connection, row.protocol_id, settings)
        return row if _asks_for_versions(row, settings) and _is_large(connection, row.id) else None

    def put(connection: Connection, _: str, some: Sequence[int]) -> None:
        item_versions.hold_items(connection, assignment.c.id.in_(some))

    row = store.read(look)
    if row is None:
        return 0
    last = select(assignment.c.id).where(assignment.c.campaign_id == row.id).order_by(assignment.c.id.desc()).limit(1)
    known = store.read(lambda connection: connection.execute(last).scalar()) or 0
    _each(store, name, item_versions.without_item(row.id), put)
    return known


# As in the index, letter by letter: SQLite would not use it otherwise.
_answered: ColumnElement[bool] = literal_column("assignment.revision > 0")


def _is_large(connection: Connection, campaign_id: int) -> bool:
    """Whether it has more texts or answers than may be written in one transaction. Counting all would take long."""
    units = select(unit.c.id).where(unit.c.campaign_id == campaign_id)
    answers = select(assignment.c.id).where(assignment.c.campaign_id == campaign_id, _answered)
    return any(connection.execute(some.offset(SMALL).limit(1)).first() is not None for some in (units, answers))
