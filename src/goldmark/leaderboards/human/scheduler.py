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
from goldmark.leaderboards.human.rounds import find_round
from goldmark.leaderboards.human.scheduler_jobs import CLOCK, CLOCK_JOB, EVERY, forget, wake_again
from goldmark.leaderboards.human.score_round import score_round
from goldmark.store import Store
from goldmark.store.tables import board_round, campaign, unit


class SchedulerAction(NamedTuple):
    board: str
    round: int
    what: str  # opened, scored, waits
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
    """In a minute while people answer or a round waits for money; else when the next round opens."""
    on_its_way = select(board_round.c.state, board_round.c.opens_at).where(board_round.c.state != "scored")
    rounds = connection.execute(on_its_way).all()
    if any(one.state == "open" or one.opens_at <= now for one in rounds):
        return now + EVERY
    return min((one.opens_at for one in rounds), default=None)


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
    for one in store.read(_open_rounds):
        if one.complete and one.state == "running":
            lifecycle.move(store, one.campaign, "closed", author=CLOCK, reason="every unit has its labels")
        if one.complete or one.state == "closed":
            score_round(store, one.board.name, one.number, who=CLOCK, now=now)
            happened.append(SchedulerAction(one.board.name, one.number, "scored"))
    return happened


def _say_why(connection: Connection, board_name: str, number: int, why: str) -> None:
    """Once, however often the clock tries again."""
    row = find_board(connection, board_name, hold=True)
    found = find_round(connection, row, number)
    if found.state == "planned" and found.facts.get("waits") != why:
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
