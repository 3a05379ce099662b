"""Who gets which unit next, exactly.

Each unit wants k labels and so has k places. Taking one raises the unit's count of taken places, which a constraint
of the database keeps at or below k; a person and a unit meet at most once, which a unique key keeps. A place is held
on a lease; when it runs out the place is free again, but the assignment stays on record, so the same unit is never
handed to the same person as if it were new.

The units lie on a ring in seeded random order. Every person starts somewhere else on it and walks on from the last
unit they got, so people see units in different orders, and finding the next one is one step on an index in a campaign
of any size. Among the units, those with the fewest places taken come first (`evenly`), or those that were begun
(`finish_first`). Under a condition, `evenly` means: the fewest readers of that condition, then the fewest of all, so
that within every condition the units get alike many readers.

People who joined in the same browser may be one person, so no two of them meet one unit.

Where a campaign says so (`one_version_per_item`), nobody meets two versions of one item: the assignment then carries
the item, and a unique key of the database keeps a person and an item from meeting twice.

A test question has no places: any number of people answer it, each once, and its counts stay at nought. The one that
fewest people have got comes first, so that people who tell each other what they saw do not know it by how often it
came. It is handed out only to someone for whom there is work left, so nobody is kept busy with test questions alone.
Handing one out runs the very statements that handing out work runs, and looks for one whether or not one is due, so
that no reply takes longer, or less long, because of what it brings.

Of a comparison it is also decided here which text comes first: the rule is in `campaigns.assignments.text_order`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    ScalarSelect,
    String,
    bindparam,
    case,
    cast,
    exists,
    func,
    insert,
    literal_column,
    or_,
    select,
    text,
    true,
    union_all,
    update,
)

from goldmark.campaigns.assignments.strata import DueTestQuestion, NextSource
from goldmark.campaigns.assignments.text_order import OrderDraw
from goldmark.campaigns.definition.settings import Order
from goldmark.store.prepared import OneStatement, Prepared, values_of
from goldmark.store.states import HOLD_A_PLACE
from goldmark.store.tables import annotator, assignment, unit
from goldmark.store.types import UtcTime

# How many leases that ran out are taken back at once; the rest wait for the next claim.
LAPSE_AT_ONCE = 50


class ClaimedUnit(NamedTuple):
    """A unit in someone's hands."""

    assignment_id: int
    unit_id: int
    counts: bool  # False: a test question
    shown_first: str | None  # of a comparison: the role of the text that is shown first
    shown: str  # as JSON


class AllocationCursor(NamedTuple):
    """What the allocation knows of a person: who they are, where on the ring, in which batch."""

    annotator_id: int
    cursor: int
    batch: int
    condition: str | None = None
    browser: int | None = None  # in which others joined, too: see `same_browser` of annotators


class FreeUnit(NamedTuple):
    """A unit that somebody may have: where it lies on the ring, and what it is a version of."""

    id: int
    position: int
    item: str | None


_met_before = exists().where(assignment.c.unit_id == unit.c.id, assignment.c.annotator_id == bindparam("annotator_id"))
_version_met = exists().where(assignment.c.annotator_id == bindparam("annotator_id"), assignment.c.item == unit.c.item)
# Others in the same browser may be the same person: what one of them has met is new to none of them.
_of_browser = (annotator.c.id == assignment.c.annotator_id) & (annotator.c.same_browser == bindparam("browser"))
_met_in_browser = exists().where(assignment.c.unit_id == unit.c.id, _of_browser)
_version_met_in_browser = exists().where(assignment.c.item == unit.c.item, _of_browser)
# By one_version_per_item, and by whether their browser is shared.
_new_to_them: dict[tuple[bool, bool], ColumnElement[bool]] = {
    (False, False): true(),
    (True, False): ~_version_met,
    (False, True): ~_met_in_browser,
    (True, True): ~_version_met & ~_met_in_browser & ~_version_met_in_browser,
}
_share = Prepared(select(annotator.c.id).where(annotator.c.id == bindparam("browser")).with_for_update(key_share=True))
_free = select(unit.c.id, unit.c.position, unit.c.item).where(
    unit.c.campaign_id == bindparam("campaign_id"),
    unit.c.stratum == bindparam("stratum"),
    unit.c.taken < unit.c.wanted,
    ~_met_before,
)
_at_level = _free.where(unit.c.taken == bindparam("level")).order_by(unit.c.position).limit(1)
_ahead = unit.c.position > bindparam("cursor")
# From where somebody stands to the end of the ring, then from its beginning.
_walks = {
    one_version: tuple(_at_level.where(part, new) for part in (_ahead, ~_ahead))
    for one_version, new in _new_to_them.items()
}
_ring = {
    (one_version, skip_locked): tuple(
        Prepared(part.with_for_update(key_share=True, of=unit, skip_locked=skip_locked)) for part in walk
    )
    for one_version, walk in _walks.items()
    for skip_locked in (True, False)
}
# Units that got more labels than anybody asked for, by import, and lost some of them since. There are few, if any.
_beyond = {
    (one_version, skip_locked): Prepared(
        _free.where(unit.c.taken >= bindparam("level"), new)
        .order_by(unit.c.taken, case((_ahead, 0), else_=1), unit.c.position)
        .limit(1)
        .with_for_update(key_share=True, of=unit, skip_locked=skip_locked)
    )
    for one_version, new in _new_to_them.items()
    for skip_locked in (True, False)
}
# How many people have got a unit, counted no further than this: looking must not take longer the more people come.
COUNTED = 8
_some_holders = select(assignment.c.id).where(assignment.c.unit_id == unit.c.id).correlate(unit).limit(COUNTED)
_holders = select(func.count()).select_from(_some_holders.subquery()).scalar_subquery()
# Of a test question nothing is taken, so nothing is locked: everybody may have it at once.
_fewest_holders = {
    one_version: Prepared(_free.where(new).order_by(_holders, case((_ahead, 0), else_=1), unit.c.position).limit(1))
    for one_version, new in _new_to_them.items()
}

# How many people of a condition have each unit. Counted, not kept: whoever leaves, is excluded or comes back is
# right in it at once, and a condition has few people beside a campaign's units.
_readers = (
    select(assignment.c.unit_id, func.count().label("number"))
    .join(annotator, annotator.c.id == assignment.c.annotator_id)
    .where(
        annotator.c.campaign_id == bindparam("campaign_id"),
        annotator.c.condition == bindparam("condition"),
        or_(*(assignment.c.state == state for state in HOLD_A_PLACE)),
    )
    .group_by(assignment.c.unit_id)
    .subquery()
)
# A unit that nobody of the condition has is found on the index; only when all are read are their readers counted.
_read_in_condition = exists().where(
    assignment.c.unit_id == unit.c.id,
    annotator.c.id == assignment.c.annotator_id,
    annotator.c.condition == bindparam("condition"),
    or_(*(assignment.c.state == state for state in HOLD_A_PLACE)),
)
_unread_units = _free.where(~_read_in_condition).order_by(unit.c.taken, unit.c.position).limit(1)
_fewest_readers = (
    _free.outerjoin(_readers, _readers.c.unit_id == unit.c.id)
    .order_by(func.coalesce(_readers.c.number, 0), unit.c.taken, case((_ahead, 0), else_=1), unit.c.position)
    .limit(1)
)
_fewest = {
    (one_version, skip_locked): tuple(
        Prepared(query.where(new).with_for_update(key_share=True, of=unit, skip_locked=skip_locked))
        for query in (_unread_units, _fewest_readers)
    )
    for one_version, new in _new_to_them.items()
    for skip_locked in (True, False)
}
_in_stratum = select(unit.c.position).where(
    unit.c.campaign_id == bindparam("campaign_id"),
    unit.c.stratum == bindparam("stratum"),
    unit.c.taken == 0,
    unit.c.taken < unit.c.wanted,
)
_ends_of_stratum = select(
    _in_stratum.order_by(unit.c.position).limit(1).scalar_subquery().label("first"),
    _in_stratum.order_by(unit.c.position.desc()).limit(1).scalar_subquery().label("last"),
)
_ends = Prepared(_ends_of_stratum)

_run_out = Prepared(
    select(assignment.c.id, assignment.c.unit_id)
    .where(
        assignment.c.campaign_id == bindparam("campaign_id"),
        text("assignment.state = 'active'"),  # spelled out: a bound value would hide the partial index
        assignment.c.lease_until < bindparam("now", type_=UtcTime),
    )
    .order_by(assignment.c.lease_until)
    .limit(LAPSE_AT_ONCE)
    .with_for_update(key_share=True, skip_locked=True)
)
_mine = assignment.alias()
_on_lease = Prepared(
    select(assignment.c.id)
    .join(unit, unit.c.id == assignment.c.unit_id)
    .where(
        unit.c.counts,
        assignment.c.campaign_id == bindparam("campaign_id"),
        text("assignment.state = 'active'"),  # spelled out, as above
        ~exists().where(_mine.c.unit_id == assignment.c.unit_id, _mine.c.annotator_id == bindparam("annotator_id")),
        # Assignments carry an item only where nobody may meet two versions of it.
        ~exists().where(_mine.c.item == assignment.c.item, _mine.c.annotator_id == bindparam("annotator_id")),
    )
    .limit(1)
)
_this_unit = unit.c.id == bindparam("unit")
_taking = (
    update(unit)
    .where(_this_unit, unit.c.taken < unit.c.wanted)
    .values(taken=unit.c.taken + case((unit.c.counts, 1), else_=0))
)
_take = Prepared(_taking)
_give_back = Prepared(update(unit).where(_this_unit, unit.c.counts).values(taken=unit.c.taken - 1))
count_labels = update(unit).where(_this_unit, unit.c.counts).values(done=unit.c.done + bindparam("labels"))
_count = Prepared(count_labels)
_walk = update(annotator).where(annotator.c.id == bindparam("annotator_id")).values(cursor=bindparam("position"))
_lapse = Prepared(update(assignment).where(assignment.c.id == bindparam("assignment")).values(state="lapsed"))
_columns = ("campaign_id", "unit_id", "item", "annotator_id", "protocol_id", "batch", "claimed_at", "lease_until")
_new = insert(assignment).values(
    state="active", revision=0, draft_version=0, draft_seconds=0.0, **values_of(assignment, *_columns)
)
_brings = (
    assignment.c.id,
    assignment.c.shown_first,
    select(unit.c.shown).where(unit.c.id == bindparam("unit_id")).scalar_subquery().label("shown"),
)
_hold = OneStatement(_taking, _walk, _new.returning(*_brings))


def due_first(texts: int) -> ScalarSelect[str]:
    """Which of so many texts is due to come first in a unit: the one that fewest of those who hold a place see so."""
    holds = (assignment.c.unit_id == bindparam("of_unit"), or_(*(assignment.c.state == one for one in HOLD_A_PLACE)))
    choices = []
    for place in range(texts):
        role = bindparam(f"role{place}", type_=String)
        seen = select(func.count()).where(*holds, assignment.c.shown_first == role).scalar_subquery()
        at = literal_column(str(place), Integer).label("place")
        choices.append(select(cast(role, String).label("role"), seen.label("seen"), at))
    known = union_all(*choices).subquery()
    return select(known.c.role).order_by(known.c.seen, known.c.place).limit(1).scalar_subquery()


@cache
def _hold_in_turn(texts: int) -> OneStatement:
    """It is one statement, which the claim of the unit has already made safe: nobody else takes a place of the unit
    before this transaction ends."""
    return OneStatement(_taking, _walk, _new.values(shown_first=due_first(texts)).returning(*_brings))


def claim(
    connection: Connection,
    campaign_id: int,
    person: AllocationCursor,
    order: Order,
    labels_per_unit: int,
    protocol_id: int,
    source: NextSource,
    draw: OrderDraw | None = None,
    *,
    now: datetime,
    lease: timedelta,
) -> ClaimedUnit | None:
    """Hand the next unit to this person, or None if there is nothing left for them at the moment.

    `draw` is there if units are comparisons of texts. The caller holds the annotator's row, so one person's claims
    never race each other, and has seen to places whose lease has run out (`lapse`).
    """
    if person.browser is not None:
        _share.first(connection, browser=person.browser)  # one after the other, or two could take one unit at once
    find = partial(_find, connection, campaign_id, person, source.work, order, labels_per_unit)
    found = find(skip_locked=True)
    if found is None and connection.dialect.name == "postgresql":
        # What we skipped may have been locked by someone who is not taking it: wait for them and look again.
        found = find(skip_locked=False)
    if found is None:
        return None
    test = _find_test(connection, campaign_id, person, order, source.test) if source.test else None
    if source.test is None or not source.test.due:
        test = None
    given = test or found
    assignment_key = {
        "campaign_id": campaign_id,
        "unit": given.id,
        "unit_id": given.id,
        "item": given.item if order.one_version_per_item else None,
        "annotator_id": person.annotator_id,
        "position": given.position if test is None else person.cursor,
        "protocol_id": protocol_id,
        "batch": person.batch,
        "claimed_at": now,
        "lease_until": now + lease,
    }
    if draw is None:
        held = _hold.first(connection, **assignment_key)
    else:  # a test question takes the order that is due for the work in its place, which is as good as a draw
        roles = {f"role{place}": role for place, role in enumerate(draw)}
        held = _hold_in_turn(len(draw)).first(connection, **assignment_key, of_unit=found.id, **roles)
    return ClaimedUnit(held.id, given.id, test is None, held.shown_first, held.shown)


def _find(
    connection: Connection,
    campaign_id: int,
    person: AllocationCursor,
    strata: Sequence[str],
    order: Order,
    labels_per_unit: int,
    *,
    skip_locked: bool,
) -> FreeUnit | None:
    variant = (_variant(order, person), skip_locked)
    levels = range(labels_per_unit)
    if order.fill == "finish_first":
        levels = levels[::-1]
    for stratum in strata:
        where = {
            "campaign_id": campaign_id,
            "stratum": stratum,
            "annotator_id": person.annotator_id,
            "cursor": person.cursor,
            **_browser(person),
        }
        if person.condition is not None and order.fill == "evenly":
            for query in _fewest[variant]:
                found = query.first(connection, **where, condition=person.condition)
                if found is not None:
                    return FreeUnit(*found)
            continue
        for level in levels:
            for part_of_ring in _ring[variant]:
                found = part_of_ring.first(connection, **where, level=level)
                if found is not None:
                    return FreeUnit(*found)
        found = _beyond[variant].first(connection, **where, level=labels_per_unit)
        if found is not None:
            return FreeUnit(*found)
    return None


def _find_test(
    connection: Connection, campaign_id: int, person: AllocationCursor, order: Order, source: DueTestQuestion
) -> FreeUnit | None:
    """A test question that this person has not met and fewest others have, or None if they met them all.

    Among equals it is the first from a random place on.
    """
    ends = _ends.first(connection, campaign_id=campaign_id, stratum=source.stratum)
    if ends.first is None:
        return None
    cursor = ends.first - 1 + int(source.place * (ends.last - ends.first + 1))
    found = _fewest_holders[_variant(order, person)].first(
        connection,
        campaign_id=campaign_id,
        stratum=source.stratum,
        annotator_id=person.annotator_id,
        cursor=cursor,
        **_browser(person),
    )
    return None if found is None else FreeUnit(*found)


def _variant(order: Order, person: AllocationCursor) -> tuple[bool, bool]:
    return order.one_version_per_item, person.browser is not None


def _browser(person: AllocationCursor) -> dict[str, int]:
    return {} if person.browser is None else {"browser": person.browser}


def more_may_come(connection: Connection, campaign_id: int, annotator_id: int) -> bool:
    """Whether a unit that this person has not met is only on lease to others and could still come back."""
    return _on_lease.first(connection, campaign_id=campaign_id, annotator_id=annotator_id) is not None


def ask_run_out(connection: Connection, campaign_id: int, *, now: datetime) -> Callable[[], list[Any]]:
    """The assignments whose lease has run out, for `lapse`."""
    return _run_out.ask(connection, campaign_id=campaign_id, now=now)


def lapse(connection: Connection, run_out: Sequence[Any]) -> None:
    """Take back places whose lease has run out; what was drafted stays with its assignment."""
    for lost in run_out:
        _lapse.run(connection, assignment=lost.id)
        _give_back.run(connection, unit=lost.unit_id)


def retake(connection: Connection, unit_id: int) -> bool:
    """Take a place of this unit for someone whose lease ran out; False if all are taken by now."""
    return _take.count(connection, unit=unit_id) == 1


def hold(connection: Connection, these: ColumnElement[bool]) -> None:
    """Nobody takes a place in these units until the end. In the order of units, so that two who hold some never cross.

    On PostgreSQL `key_share` lets others refer to what is held: with it nobody who answers waits for the campaign.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(unit.c.id).where(these).order_by(unit.c.id).with_for_update(key_share=True)).all()


def leave(connection: Connection, unit_id: int, state: str) -> None:
    """Free the place that an assignment in this state holds."""
    count_done(connection, unit_id, state, "")  # first: no more may be done than are taken
    _give_back.run(connection, unit=unit_id)


def count_done(connection: Connection, unit_id: int, before: str, after: str) -> None:
    """Keep the unit's count of labels that count, when an assignment goes from one state to another.

    Even if it stays as it is: where answers wait for approval, those to test questions do not.
    """
    _count.run(connection, unit=unit_id, labels=labels_between(before, after))


def labels_between(before: str, after: str) -> int:
    """How many labels that count a unit gains when an assignment goes from one state to another."""
    return int(after == "done") - int(before == "done")
