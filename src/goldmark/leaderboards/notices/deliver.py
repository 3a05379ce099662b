"""Telling what happened, as a job: it waits for a server that is down, and a board never waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from sqlalchemy import Connection, select

from goldmark import jobs
from goldmark.accounts.notices import mail
from goldmark.jobs import Running
from goldmark.leaderboards.definition.boards import NOTICE_JOB, BoardRow, board_of_id
from goldmark.leaderboards.notices import web_hook
from goldmark.store.events import Decision
from goldmark.store.tables import board_event


@jobs.register(NOTICE_JOB)
def deliver(running: Running) -> Mapping[str, Any]:
    """Tell one event to one address, unless the board has it no more."""
    number, to = int(running.arguments["event"]), str(running.arguments["to"])
    board, event = running.store.read(lambda connection: _event(connection, number))
    wanted = next((one for one in board.settings.notify if one.digest == to), None)
    if wanted is None:
        return {"told": False}
    if wanted.url:
        body = orjson.dumps(_facts(board, event, number))
        return {"told": True, "status": web_hook.call(wanted.url, body, event=event.kind, secret=wanted.secret)}
    mail.send(wanted.to, f"{board.title}: {event.kind} ({event.subject})", _words(board, event))
    return {"told": True}


def _event(connection: Connection, number: int) -> tuple[BoardRow, Decision]:
    found = connection.execute(select(board_event).where(board_event.c.id == number)).one()
    event = Decision(found.author, found.kind, found.subject, found.reason, found.facts, found.at)
    return board_of_id(connection, found.board_id), event


def _facts(board: BoardRow, event: Decision, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "leaderboard": board.name,
        "title": board.title,
        "event": event.kind,
        "subject": event.subject,
        "author": event.author,
        "reason": event.reason,
        "facts": event.facts,
        "at": event.at,
        "path": f"/leaderboards/{board.name}",
    }


def _words(board: BoardRow, event: Decision) -> str:
    lines = [
        f"{event.kind}: {event.subject}",
        f"by {event.author}, {event.at:%Y-%m-%d %H:%M} UTC",
        *([event.reason] if event.reason else []),
        *(f"{key}: {value}" for key, value in event.facts.items()),
        "",
        f"You get this because the leaderboard {board.name!r} names your address under notify.",
    ]
    return "\n".join(lines)
