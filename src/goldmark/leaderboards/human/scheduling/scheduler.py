"""What happens by itself as time goes on: rounds open when the schedule says, and are scored when they are complete."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, update

from goldmark import jobs
from goldmark.campaigns import lifecycle
from goldmark.errors import GoldmarkError
from goldmark.jobs import Running
from goldmark.leaderboards.definition.boards import BoardRow, board_of_id, find_board, note
from goldmark.leaderboards.human.open_round import open_round, planned_rounds
from goldmark.leaderboards.human.readiness import look_once_more, outdated, wanting
from goldmark.leaderboards.human.rounds import find_round
from goldmark.leaderboards.human.scheduling.jobs import CLOCK, CLOCK_JOB, EVERY, SELDOM, forget, wake_again
from goldmark.leaderboards.human.score_round import score_round
from goldmark.recruiting.offering import begin
from goldmark.store import Store
from goldmark.store.tables import board_round, campaign, unit


class SchedulerAction(NamedTuple):
    board: str
    round: int
    what: str  # opened, scored, waits, opened again
    why: str = ""


class _Open(NamedTuple):
    board: BoardRow
    number: int
    campaign: str
    state: str
    complete: bool


@jobs.register(CLOCK_JOB)
def look(running: Running) -> Mapping[str, Any]:
    """Do what is due, and ask to be woken again while any round is on its way."""
    now = datetime.now(UTC)
    happened = tick(running.store, now)

    def go_on(connection: Connection) -> None:
        forget(connection)
        due = _next_look(connection, now)
        if due is not None:
            wake_again(connection, due)

    running.write(go_on)
    return {"happened": [one._asdict() for one in happened]}


def _next_look(connection: Connection, now: datetime) -> datetime | None:
    """In a minute while people answer or a round waits, for money say; else when the next round opens.

    Where rounds are scored, now and then in any case: somebody may be excluded from one.
    """
    rounds = connection.execute(select(board_round.c.state, board_round.c.opens_at, board_round.c.campaign_id)).all()
    on_their_way = [one for one in rounds if one.state != "scored"]
    if any(one.state == "open" or one.opens_at <= now for one in on_their_way) or _outdated_rounds(connection):
        return now + EVERY
    now_and_then = [now + SELDOM] if any(one.campaign_id is not None for one in rounds) else []
    return min((*(one.opens_at for one in on_their_way), *now_and_then), default=None)


def tick(store: Store, now: datetime) -> list[SchedulerAction]:
    """Do what is due at this moment. Asking twice at the same moment does nothing twice."""
    happened = []
    for board, number in store.read(lambda connection: planned_rounds(connection, now)):
        try:
            open_round(store, board.name, number, who=CLOCK, now=now)
            happened.append(SchedulerAction(board.name, number, "opened"))
        except GoldmarkError as error:
            happened.append(SchedulerAction(board.name, number, "waits", str(error)))
            store.write(partial(_say_why, board_name=board.name, number=number, why=str(error)))
    happened += [_judge_again(store, board_name, number, now) for board_name, number in store.read(_outdated_rounds)]
    ended = [one for one in store.read(_open_rounds) if one.complete or one.state == "closed"]
    return happened + [_score(store, one, now) for one in ended]


def _score(store: Store, one: _Open, now: datetime) -> SchedulerAction:
    """Score a round that is complete, unless somebody still has to be decided on or replaced."""
    waits = look_once_more(store, store.read(partial(lifecycle.find_campaign, name=one.campaign)))
    if waits:
        if waits.reopened and one.state == "closed":
            begin.move(store, one.campaign, "started", author=CLOCK, reason=waits.words)
        store.write(partial(_say_why, board_name=one.board.name, number=one.number, why=waits.words))
        return SchedulerAction(one.board.name, one.number, "waits", waits.words)
    if one.state == "running":
        begin.move(store, one.campaign, "closed", author=CLOCK, reason="every unit has its labels")
    score_round(store, one.board.name, one.number, who=CLOCK, now=now, decided=waits.decided)
    return SchedulerAction(one.board.name, one.number, "scored")


def _judge_again(store: Store, board_name: str, number: int, now: datetime) -> SchedulerAction:
    """Somebody was excluded, or is no longer, since a round was scored: replace their labels, then score it again."""
    found = store.read(lambda connection: find_round(connection, find_board(connection, board_name), number))
    campaign_name = found.campaign or ""
    row = store.read(partial(lifecycle.find_campaign, name=campaign_name))
    waits = store.snapshot(lambda connection: wanting(connection, row.id))
    why = waits.words
    if waits.owed:
        return SchedulerAction(board_name, number, "waits", why)
    if not waits:
        score_round(store, board_name, number, who=CLOCK, now=now, decided=waits.decided)
        return SchedulerAction(board_name, number, "scored")
    begin.move(store, campaign_name, "started", author=CLOCK, reason=why)

    def reopen(connection: Connection) -> None:
        board = find_board(connection, board_name, hold=True)
        facts = {**found.facts, "waits": why}
        connection.execute(update(board_round).where(board_round.c.id == found.id).values(state="open", facts=facts))
        note(connection, board, author=CLOCK, kind="round opened again", subject=f"round {number}", reason=why, at=now)

    store.write(reopen)
    return SchedulerAction(board_name, number, "opened again", why)


def _outdated_rounds(connection: Connection) -> list[tuple[str, int]]:
    """Rounds whose scores do not know the last decision about their annotators."""
    query = select(board_round).where(board_round.c.state == "scored", board_round.c.campaign_id.is_not(None))
    rounds = connection.execute(query.order_by(board_round.c.id)).all()
    late = outdated(connection, rounds)
    return [(board_of_id(connection, one.board_id).name, one.number) for one in rounds if one.id in late]


def _say_why(connection: Connection, board_name: str, number: int, why: str) -> None:
    """Once, however often the clock tries again."""
    row = find_board(connection, board_name, hold=True)
    found = find_round(connection, row, number)
    if found.state != "scored" and found.facts.get("waits") != why:
        facts = {**found.facts, "waits": why}
        connection.execute(update(board_round).where(board_round.c.id == found.id).values(facts=facts))
        note(connection, row, author=CLOCK, kind="round waits", subject=f"round {number}", reason=why)


def _open_rounds(connection: Connection) -> list[_Open]:
    missing = (
        select(unit.c.id)
        .where(unit.c.campaign_id == campaign.c.id, unit.c.counts, unit.c.done < unit.c.wanted)
        .limit(1)
        .scalar_subquery()
    )
    rows = connection.execute(
        select(
            board_round.c.board_id, board_round.c.number, campaign.c.name, campaign.c.state, missing.label("missing")
        )
        .join(campaign, campaign.c.id == board_round.c.campaign_id)
        .where(board_round.c.state == "open")
        .order_by(board_round.c.id)
    ).all()
    return [
        _Open(board_of_id(connection, one.board_id), one.number, one.name, one.state, one.missing is None)
        for one in rows
    ]
