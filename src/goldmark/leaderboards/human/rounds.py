"""Rounds of human evaluation: planned when submissions come, opened when the schedule says, scored when they close."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from goldmark.errors import Conflict, Missing
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, find_board, items_of, note
from goldmark.leaderboards.human.scheduling.jobs import wake
from goldmark.leaderboards.human.scheduling.schedule import next_opening
from goldmark.leaderboards.submitted.submissions import NotPossibleNow, SubmissionRow, find_submission, make_system
from goldmark.store import Store, in_transaction
from goldmark.store.tables import (
    board_entry,
    board_output,
    board_round,
    board_score,
    board_submission,
    board_system,
    campaign,
)

GOLD = "Reference"  # how the gold row is called


class UnknownRound(Missing):
    code = "ROUND-04"
    message = "there is no round {number} on the leaderboard {board!r}"


class OutsideSchedule(Conflict):
    code = "ROUND-05"
    message = "the schedule of {board!r} allows no more openings; change its dates"


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """A submission in a round, and why it is in it."""

    submission_id: int
    system: str
    version: int
    why: str  # new, again, gold


class Round(NamedTuple):
    """An evaluation by people."""

    id: int
    number: int
    state: str  # planned, open, scored
    campaign: str | None
    campaign_state: str | None
    opens_at: datetime
    opened_at: datetime | None
    scored_at: datetime | None
    facts: Mapping[str, Any]
    entries: tuple[RoundEntry, ...]


def rounds_of(connection: Connection, row: BoardRow) -> list[Round]:
    """All rounds, the newest first."""
    found = connection.execute(
        select(board_round, campaign.c.name.label("campaign"), campaign.c.state.label("campaign_state"))
        .outerjoin(campaign, campaign.c.id == board_round.c.campaign_id)
        .where(board_round.c.board_id == row.id)
        .order_by(board_round.c.number.desc())
    ).all()
    entries: dict[int, list[RoundEntry]] = {}
    for one in connection.execute(
        select(board_entry, board_submission.c.version, board_system.c.name)
        .join(board_submission, board_submission.c.id == board_entry.c.submission_id)
        .join(board_system, board_system.c.id == board_submission.c.system_id)
        .where(board_submission.c.board_id == row.id)
        .order_by(board_entry.c.submission_id)
    ):
        entries.setdefault(one.round_id, []).append(RoundEntry(one.submission_id, one.name, one.version, one.why))
    return [_round(one, tuple(entries.get(one.id, ()))) for one in found]


def _round(found: Any, entries: tuple[RoundEntry, ...]) -> Round:
    values = {name: getattr(found, name) for name in Round._fields if name != "entries"}
    return Round(**values, entries=entries)


def find_round(connection: Connection, row: BoardRow, number: int) -> Round:
    for one in rounds_of(connection, row):
        if one.number == number:
            return one
    raise UnknownRound(number=number, board=row.name)


def approve(
    store: Store, board_name: str, submission_id: int, *, who: Actor, now: datetime, reason: str = ""
) -> SubmissionRow:
    """Have a submission judged by people: it joins the next round."""
    return _decide(store, board_name, submission_id, "approved", who=who, now=now, reason=reason)


def decline(
    store: Store, board_name: str, submission_id: int, *, who: Actor, now: datetime, reason: str = ""
) -> SubmissionRow:
    """Do not have it judged by people; its metrics stay."""
    return _decide(store, board_name, submission_id, "declined", who=who, now=now, reason=reason)


@in_transaction
def _decide(
    connection: Connection,
    board_name: str,
    submission_id: int,
    approval: str,
    *,
    who: Actor,
    now: datetime,
    reason: str,
) -> SubmissionRow:
    row = find_board(connection, board_name, hold=True)
    found = find_submission(connection, row, submission_id)
    if not row.protocol and approval == "approved":
        raise NotPossibleNow(id=found.id, state=found.state, why="this board has no protocol by which to ask people")
    if found.phase != "test" and approval == "approved":
        raise NotPossibleNow(id=found.id, state="of the development phase", why="people judge the test only")
    if found.approval != approval:
        connection.execute(update(board_submission).where(board_submission.c.id == found.id).values(approval=approval))
        kind = f"human evaluation {approval}"
        note(connection, row, author=who.name, kind=kind, subject=found.system, reason=reason)
    if approval == "approved":
        if next_opening(row.settings.opening, now) is None:
            raise OutsideSchedule(board=row.name)
        plan(connection, row, now, author=who.name)
    return find_submission(connection, row, found.id)


def plan(connection: Connection, row: BoardRow, now: datetime, *, author: str) -> None:
    """Put approved submissions that are in no round yet into the next one, as many as may share it. Idempotent."""
    waiting = connection.execute(
        select(board_submission.c.id, board_system.c.name)
        .join(board_system, board_system.c.id == board_submission.c.system_id)
        .where(
            board_submission.c.board_id == row.id,
            board_submission.c.approval == "approved",
            board_submission.c.phase == "test",
            board_submission.c.state != "withdrawn",
            board_submission.c.outputs > 0,
            board_system.c.kind == "system",
            board_submission.c.id.not_in(select(board_entry.c.submission_id)),
        )
        .order_by(board_submission.c.id)
    ).all()
    for one in waiting:
        round_id = _joinable(connection, row)
        if round_id is None:
            round_id = _new_round(connection, row, now, author=author)
        if round_id is None:
            return  # after the last date: they wait for another
        connection.execute(insert(board_entry).values(round_id=round_id, submission_id=one.id, why="new"))


def _joinable(connection: Connection, row: BoardRow) -> int | None:
    """A planned round that has room for another system."""
    planned = select(board_round.c.id).where(board_round.c.board_id == row.id, board_round.c.state == "planned")
    for round_id in connection.execute(planned.order_by(board_round.c.number)).scalars():
        new = select(func.count()).where(board_entry.c.round_id == round_id, board_entry.c.why == "new")
        if connection.execute(new).scalar_one() < row.settings.human.together:
            return int(round_id)
    return None


def _new_round(connection: Connection, row: BoardRow, now: datetime, *, author: str) -> int | None:
    opens_at = next_opening(row.settings.opening, now)
    if opens_at is None:
        return None
    last = connection.execute(select(func.max(board_round.c.number)).where(board_round.c.board_id == row.id)).scalar()
    number = (last or 0) + 1
    made = insert(board_round).values(board_id=row.id, number=number, state="planned", opens_at=opens_at, facts={})
    round_id = int(connection.execute(made.returning(board_round.c.id)).scalar_one())
    _add_again(connection, row, round_id)
    if row.settings.human.gold:
        _add_gold(connection, row, round_id, now)
    wake(connection, opens_at)
    facts = {"opens at": opens_at.isoformat(timespec="minutes")}
    note(connection, row, author=author, kind="round planned", subject=f"round {number}", facts=facts)
    return round_id


def _add_again(connection: Connection, row: BoardRow, round_id: int) -> None:
    """Earlier systems beside the new ones: those whose last round is longest ago, so that all take their turn."""
    last = func.max(board_entry.c.round_id)
    found = connection.execute(
        select(board_entry.c.submission_id)
        .join(board_score, board_score.c.submission_id == board_entry.c.submission_id)
        .join(board_submission, board_submission.c.id == board_entry.c.submission_id)
        .join(board_system, board_system.c.id == board_submission.c.system_id)
        .where(
            board_submission.c.board_id == row.id,
            board_submission.c.state != "withdrawn",
            board_submission.c.outputs > 0,
            board_system.c.kind == "system",
        )
        .group_by(board_entry.c.submission_id)
        .order_by(last, board_entry.c.submission_id)
        .limit(row.settings.human.again)
    ).scalars()
    for submission_id in list(found):
        connection.execute(insert(board_entry).values(round_id=round_id, submission_id=submission_id, why="again"))


def _add_gold(connection: Connection, row: BoardRow, round_id: int, now: datetime) -> None:
    """The references as a row of their own, judged once; later rounds judge it again only if they need it for drift."""
    known = connection.execute(
        select(board_submission.c.id)
        .join(board_system, board_system.c.id == board_submission.c.system_id)
        .where(board_submission.c.board_id == row.id, board_system.c.kind == "gold")
    ).scalar()
    if known is not None:
        return
    items = items_of(connection, row)
    made = insert(board_submission).values(
        board_id=row.id,
        system_id=make_system(connection, row, GOLD, None, "gold"),
        version=1,
        state="published",
        approval="approved",
        description="A reference of every item, judged like an output.",
        link="",
        authors=[],
        outputs=len(items),
        digest="",
        submitted_by="the board",
        submitted_at=now,
        published_at=now,
    )
    gold = int(connection.execute(made.returning(board_submission.c.id)).scalar_one())
    place = 0 if row.data.shown_reference is None else -1
    connection.execute(
        insert(board_output),
        # Where annotators see the first reference, the last: nobody should judge a text by itself.
        [{"submission_id": gold, "item_id": one.id, "output": one.item.references[place]} for one in items],
    )
    connection.execute(insert(board_entry).values(round_id=round_id, submission_id=gold, why="gold"))
