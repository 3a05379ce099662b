"""Work in pieces that follows from a decision: whoever decided does it at once, and if they are killed, a worker does.

What is owed is a job that is asked for in the transaction of the decision and due a moment later. Who has done it by
then takes it out of the table. It may be done twice, also by two at the same time, and must then come to the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, select, text

from goldmark.jobs.queue import enqueue
from goldmark.store.states import OPEN_JOB
from goldmark.store.tables import job

STILL_OWED = text(f"job.{OPEN_JOB}")  # spelled out: bound values would hide the partial index

GRACE = timedelta(minutes=1)  # for whoever decided


def owe(
    connection: Connection,
    kind: str,
    arguments: Mapping[str, Any],
    *,
    author: str,
    subject: str,
    campaign_id: int | None = None,
) -> int:
    """The number by which it is told that nothing is owed any more."""
    due = datetime.now(UTC) + GRACE
    made = enqueue(connection, kind, arguments, author=author, subject=subject, campaign_id=campaign_id, due_at=due)
    return made.id


def open_of(connection: Connection, kind: str) -> list[Mapping[str, Any]]:
    """The arguments of all of a kind that still have to be done, or are being done."""
    theirs = select(job.c.arguments).where(STILL_OWED, job.c.kind == kind)
    return list(connection.execute(theirs).scalars())


def is_open(connection: Connection, kind: str, campaign_id: int) -> bool:
    """Whether this still has to be done to a campaign, or is being done."""
    theirs = select(job.c.id).where(STILL_OWED, job.c.kind == kind, job.c.campaign_id == campaign_id)
    return connection.execute(theirs.limit(1)).first() is not None


def done(connection: Connection, number: int) -> None:
    """Nothing is owed any more; what a worker is at already, it ends."""
    connection.execute(delete(job).where(job.c.id == number, job.c.state == "waiting"))


def forget(connection: Connection, kind: str, campaign_id: int, subject: str) -> None:
    """The same for all of a kind about something, however often it was decided."""
    about = (job.c.kind == kind, job.c.campaign_id == campaign_id, job.c.subject == subject)
    connection.execute(delete(job).where(*about, job.c.state == "waiting"))
