"""What happens by itself as time goes on: rounds open when the schedule says, and are scored when they are complete."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from goldmark.campaigns import lifecycle
from goldmark.errors import GoldmarkError
from goldmark.leaderboards.boards import BoardRow, board_of_id, find_board, note
from goldmark.leaderboards.closing import score_round
from goldmark.leaderboards.opening import open_round, planned_rounds
from goldmark.leaderboards.rounds import find_round
from goldmark.store import Store
from goldmark.store.tables import board_round, campaign, unit

CLOCK = "the clock"  # how its decisions are signed


class Happened(NamedTuple):
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


def tick(store: Store, now: datetime) -> list[Happened]:
    """Do what is due at this moment. Asking twice at the same moment does nothing twice."""
    happened = []
    for board, number in store.read(lambda connection: planned_rounds(connection, now)):
        try:
            open_round(store, board.name, number, who=CLOCK, now=now)
            happened.append(Happened(board.name, number, "opened"))
        except GoldmarkError as error:
            happened.append(Happened(board.name, number, "waits", str(error)))
            store.write(partial(_say_why, board_name=board.name, number=number, why=str(error)))
    for one in store.read(_open_rounds):
        if one.complete and one.state == "running":
            lifecycle.move(store, one.campaign, "closed", author=CLOCK, reason="every unit has its labels")
        if one.complete or one.state == "closed":
            score_round(store, one.board.name, one.number, who=CLOCK, now=now)
            happened.append(Happened(one.board.name, one.number, "scored"))
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
