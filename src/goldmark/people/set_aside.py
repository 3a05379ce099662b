"""Answers of an excluded person leave their places, and take them again when that is undone: some of them at a time.

Whether somebody's work counts is said once, by the state of their row; nobody who reads answers sees some of them gone
and others not. What follows here concerns the places: each call leaves units with counts that are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    case,
    func,
    literal_column,
    null,
    select,
    text,
    update,
)

from goldmark.campaigns.assignments import allocation
from goldmark.store.states import HOLD_A_PLACE, STILL_OPEN
from goldmark.store.tables import annotator, assignment, unit

FEW = 20  # answers that are as well set aside in one transaction
_GONE = ("lapsed", "excluded")
# As in the index, letter by letter: SQLite would not use it otherwise.
_is_test: ColumnElement[bool] = literal_column("NOT unit.counts")
_holds, _in_hand = assignment.c.state.in_(HOLD_A_PLACE), assignment.c.state == "active"


def given(connection: Connection, annotator_id: int) -> int:
    """How much somebody was given, as far as it matters to whoever waits for the writer. Counting all takes long."""
    some = select(assignment.c.id).where(assignment.c.annotator_id == annotator_id).limit(FEW + 1).subquery()
    return int(connection.execute(select(func.count()).select_from(some)).scalar_one())


class Holding(NamedTuple):
    """What somebody's work takes up; a test question has no places."""

    labels: int
    places: int
    full: int  # of the units of these places


def as_it_is(connection: Connection, annotator_id: int) -> tuple[Any, ...]:
    """Another one as soon as somebody has taken, answered or lost something, or is decided about. Their row is held.

    So what was counted before still holds where this is the same, however much they were given.
    """
    told = ("state", "withdrew", "cursor", "done", "batch_done", "seconds_active")
    person = select(*(annotator.c[name] for name in told)).where(annotator.c.id == annotator_id)
    held = connection.execute(person.with_for_update(key_share=True)).one()
    still = select(assignment.c.id, assignment.c.state).where(
        assignment.c.annotator_id == annotator_id, text(f"assignment.{STILL_OPEN}")
    )
    return *held, *sorted(tuple(one) for one in connection.execute(still))


def what_goes(connection: Connection, annotator_id: int) -> Holding:
    """Counted assignment by assignment: of somebody who has many, outside of the writer."""
    full = unit.c.taken >= unit.c.wanted
    query = (
        select(_sum(_holds & ~_in_hand), _sum(_holds), _sum(_holds & full))
        .join(unit, unit.c.id == assignment.c.unit_id)
        .where(assignment.c.annotator_id == annotator_id, unit.c.counts)
    )
    return Holding(*(int(one or 0) for one in connection.execute(query).one()))


def still_there(annotator_id: int) -> Select[int]:
    """What is to be set aside, in the order of units, so that two who do so never cross."""
    theirs = (assignment.c.annotator_id == annotator_id) & assignment.c.state.not_in(_GONE)
    return select(assignment.c.id).where(theirs).order_by(assignment.c.unit_id)


def set_aside(connection: Connection, some: Sequence[int]) -> None:
    """Set these assignments aside, and give their places back.

    What was in somebody's hands stays theirs, with its draft, like anything whose lease ran out.
    """
    connection.execute(
        update(assignment)
        .where(assignment.c.id.in_(some), assignment.c.state.not_in(_GONE))
        .values(
            state=case((_in_hand, "lapsed"), else_="excluded"),
            state_before=case((_in_hand, null()), else_=assignment.c.state),
        )
    )
    _count(connection, some)


def aside(annotator_id: int) -> Select[int]:
    """What was set aside, in the order of units."""
    theirs = (assignment.c.annotator_id == annotator_id) & (assignment.c.state == "excluded")
    return select(assignment.c.id).where(theirs).order_by(assignment.c.unit_id)


def bring_back(connection: Connection, some: Sequence[int], *, approval: bool) -> int:
    """Let these be what they were, if their units still have places for them; how many are extra instead."""
    room = ~unit.c.counts | assignment.c.state_before.not_in(HOLD_A_PLACE) | (unit.c.taken < unit.c.wanted)
    found = connection.execute(
        select(assignment.c.id, room.label("room"))
        .join(unit, unit.c.id == assignment.c.unit_id)
        .where(assignment.c.id.in_(some), assignment.c.state == "excluded")
        .order_by(unit.c.id)
        .with_for_update(key_share=True, of=unit)
    ).all()
    extra = [one.id for one in found if not one.room]
    waits = "waiting" if approval else "done"  # approval may no longer be asked for
    before = case((assignment.c.state_before == "waiting", waits), else_=assignment.c.state_before)
    connection.execute(
        update(assignment)
        .where(assignment.c.id.in_([one.id for one in found]))
        .values(state=case((assignment.c.id.in_(extra), "extra"), else_=before), state_before=null())
    )
    _count(connection, some)
    return len(extra)


def labels_of(connection: Connection, annotator_id: int, campaign_id: int) -> int:
    """How many answers of somebody hold a place."""
    tests = select(unit.c.id).where(unit.c.campaign_id == campaign_id, _is_test)
    theirs = (assignment.c.annotator_id == annotator_id) & assignment.c.unit_id.not_in(tests)
    return int(connection.execute(select(func.count()).where(theirs, _holds, ~_in_hand)).scalar_one())


def _count(connection: Connection, some: Sequence[int]) -> None:
    """What the units of these assignments say of places and labels. Nobody takes one while the units are held."""
    units = select(assignment.c.unit_id).where(assignment.c.id.in_(some))
    these = unit.c.id.in_(units) & unit.c.counts
    allocation.hold(connection, these)
    connection.execute(update(unit).where(these).values(taken=_holding(HOLD_A_PLACE), done=_holding(("done",))))


def _holding(states: Sequence[str]) -> ScalarSelect[int]:
    holders = select(func.count()).where(assignment.c.unit_id == unit.c.id, assignment.c.state.in_(states))
    return holders.correlate(unit).scalar_subquery()


def _sum(of: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((of, 1), else_=0))
