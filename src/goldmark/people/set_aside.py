"""All answers of one person set aside, or brought back: what becomes of each, and what their units count then.

Answers change in one statement, so that nobody sees some of them gone. Counts of units take longest and may follow some
at a time: they are found by counting, which may be broken off and done again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    bindparam,
    case,
    func,
    literal_column,
    null,
    select,
    update,
)

from goldmark.store import Store
from goldmark.store.pieces import SMALL, AtOnce, InPieces
from goldmark.store.states import HOLD_A_PLACE, RESTORING
from goldmark.store.tables import annotator, assignment, unit

_theirs = assignment.c.annotator_id == bindparam("person")
_holds, _in_hand = assignment.c.state.in_(HOLD_A_PLACE), assignment.c.state == "active"


def _sum(of: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((of, 1), else_=0))


# Labels, places, and units that were full; a test question has no places.
_what_goes = (
    select(_sum(_holds & ~_in_hand), _sum(_holds), _sum(_holds & (unit.c.taken >= unit.c.wanted)))
    .join(unit, unit.c.id == assignment.c.unit_id)
    .where(_theirs, unit.c.counts)
)
# What was in their hands stays theirs, with its draft, like anything whose lease ran out. What is excluded already was
# set aside before, when they gave their place back.
_set_aside = (
    update(assignment)
    .where(_theirs, assignment.c.state.not_in(("lapsed", "excluded", RESTORING)))
    .values(
        state=case((_in_hand, "lapsed"), else_="excluded"),
        state_before=case((_in_hand, null()), else_=assignment.c.state),
    )
)
_aside = assignment.c.state.in_(("excluded", RESTORING))
_had_a_place = assignment.c.state_before.in_(HOLD_A_PLACE)
_campaign = select(annotator.c.campaign_id).where(annotator.c.id == bindparam("person")).scalar_subquery()
# As in the index, letter by letter: SQLite would not use it otherwise.
_tests = select(unit.c.id).where(unit.c.campaign_id == _campaign, literal_column("NOT unit.counts"))
_is_test = assignment.c.unit_id.in_(_tests)
_what_comes_back = select(
    _sum(assignment.c.state == RESTORING), _sum((assignment.c.state == "excluded") & _had_a_place)
).where(_theirs, _aside, ~_is_test)
_bring_back = (
    update(assignment)
    .where(_theirs, _aside)
    .values(
        state=case(
            ((assignment.c.state == "excluded") & _had_a_place & ~_is_test, "extra"),
            ((assignment.c.state_before == "waiting") & ~_is_test, bindparam("waits")),
            else_=assignment.c.state_before,
        ),
        state_before=null(),
    )
)


def set_aside(connection: Connection, annotator_id: int) -> tuple[int, int, int]:
    """Take all answers of somebody out; how many labels, places and full units that concerns."""
    held = connection.execute(_what_goes, {"person": annotator_id}).one()
    connection.execute(_set_aside, {"person": annotator_id})
    labels, places, reopened = (int(one or 0) for one in held)
    return labels, places, reopened


def bring_back(connection: Connection, annotator_id: int, *, approval: bool) -> tuple[int, int]:
    """Let answers be what they were, where they have a place again; how many labels, and how many are extra now."""
    labels, extra = connection.execute(_what_comes_back, {"person": annotator_id}).one()
    waits = "waiting" if approval else "done"  # approval may no longer be asked for
    connection.execute(_bring_back, {"person": annotator_id, "waits": waits})
    return int(labels or 0), int(extra or 0)


def is_large(connection: Connection, annotator_id: int) -> bool:
    """Whether somebody was given more than may be counted in one transaction."""
    given = select(assignment.c.id).where(assignment.c.annotator_id == annotator_id)
    return connection.execute(given.offset(SMALL).limit(1)).first() is not None


def _units_of(annotator_id: int) -> Select[int]:
    """Of everything that somebody was given, in one order, so that two who count never cross."""
    return select(assignment.c.unit_id).where(assignment.c.annotator_id == annotator_id).order_by(assignment.c.unit_id)


def count_at_once(connection: Connection, annotator_id: int) -> None:
    """What units say of their places and labels follows from what somebody holds of them now."""
    _count(connection, connection.execute(_units_of(annotator_id)).scalars().all())


def count_in_pieces(store: Store, people: Sequence[int]) -> None:
    """The same for those who were given much, some units at a time."""
    for one in people:
        InPieces(store).each(_read(store, _units_of(one)), _count)


def _count(connection: Connection, some: Sequence[int]) -> None:
    """Count the places and labels of these units. Nobody takes a place or answers while they are held."""
    these = (unit.c.id.in_(some), unit.c.counts)
    connection.execute(select(unit.c.id).where(*these).order_by(unit.c.id).with_for_update())
    connection.execute(update(unit).where(*these).values(taken=_holding(HOLD_A_PLACE), done=_holding(("done",))))


def _holding(states: Sequence[str]) -> ScalarSelect[int]:
    holders = select(func.count()).where(assignment.c.unit_id == unit.c.id, assignment.c.state.in_(states))
    return holders.correlate(unit).scalar_subquery()


def retake_at_once(connection: Connection, annotator_id: int) -> None:
    """Take again what is still free of the places that somebody's answers had."""
    AtOnce(connection).each(connection.execute(_without_place(annotator_id)).scalars().all(), _retake)


def retake_in_pieces(store: Store, annotator_id: int, first: Callable[[Connection], None]) -> None:
    """The same some at a time; `first` may refuse to go on."""
    InPieces(store, first).each(_read(store, _without_place(annotator_id)), _retake)


def _read(store: Store, query: Select[int]) -> Sequence[int]:
    return store.read(lambda connection: connection.execute(query).scalars().all())


def _without_place(annotator_id: int) -> Select[int]:
    """Answers that had a place when they were set aside, and have none."""
    waits = (assignment.c.annotator_id == annotator_id) & (assignment.c.state == "excluded") & _had_a_place
    return select(assignment.c.id).where(waits).order_by(assignment.c.unit_id)


def _retake(connection: Connection, some: Sequence[int]) -> None:
    free = connection.execute(
        select(assignment.c.id, assignment.c.unit_id)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .where(assignment.c.id.in_(some), assignment.c.state == "excluded", unit.c.counts, unit.c.taken < unit.c.wanted)
        .order_by(unit.c.id)
        .with_for_update(of=unit)
    ).all()
    units, answers = unit.c.id.in_([one.unit_id for one in free]), assignment.c.id.in_([one.id for one in free])
    connection.execute(update(unit).where(units).values(taken=unit.c.taken + 1))
    connection.execute(update(assignment).where(answers).values(state=RESTORING))
