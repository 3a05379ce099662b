"""Asking the clock to look: a job that is due at a moment."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete

from goldmark import jobs
from goldmark.store.tables import job

CLOCK = "the clock"  # how its decisions are signed
CLOCK_JOB = "leaderboard clock"
EVERY = timedelta(minutes=1)
SELDOM = timedelta(minutes=5)  # when nothing is on its way, but something may have been decided


def wake(connection: Connection, at: datetime) -> None:
    """Have the clock look at this moment, or as soon as somebody does the jobs after it."""
    jobs.enqueue(connection, CLOCK_JOB, {}, author=CLOCK, due_at=at)


def wake_again(connection: Connection, at: datetime) -> None:
    """The same for the clock itself: however many of its looks end in this minute, one follows."""
    key = f"{CLOCK_JOB}/{at.isoformat(timespec='minutes')}"
    jobs.enqueue(connection, CLOCK_JOB, {}, author=CLOCK, key=key, due_at=at)


def forget(connection: Connection) -> None:
    """Looks that are over say nothing to anybody."""
    connection.execute(delete(job).where(job.c.kind == CLOCK_JOB, job.c.state == "done"))
