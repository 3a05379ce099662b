"""The table of jobs from a worker's side. Every write names its holder: who lost a job can write nothing of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, Update, and_, or_, select, update

from goldmark.jobs.queue import Job, job_of
from goldmark.store.tables import job


def _open(now: datetime, stale: timedelta, kinds: Sequence[str]) -> Select[Any]:
    """Jobs that nobody does: those whose time has come, and those whose worker has fallen silent."""
    waiting = and_(job.c.state == "waiting", job.c.due_at <= now)
    deserted = and_(job.c.state == "running", job.c.heartbeat_at < now - stale)
    query = select(job).where(or_(waiting, deserted)).order_by(job.c.due_at, job.c.id).limit(1)
    return query.where(job.c.kind.in_(kinds)) if kinds else query


def any_open(connection: Connection, now: datetime, stale: timedelta, kinds: Sequence[str] = ()) -> bool:
    """Only a look, so that an idle worker never stands in the way of those who write."""
    return connection.execute(_open(now, stale, kinds).with_only_columns(job.c.id)).first() is not None


def claim(
    connection: Connection, holder: str, now: datetime, stale: timedelta, kinds: Sequence[str] = ()
) -> Job | None:
    """Take the next job. One whose workers died as often as it may be tried is given up."""
    while True:
        row = connection.execute(_open(now, stale, kinds).with_for_update(key_share=True, skip_locked=True)).first()
        if row is None:
            return None
        found = job_of(row)
        if found.state == "running" and found.attempt >= found.most_attempts:
            error = f"its worker died in each of {found.attempt} attempts, the last time after: {found.message or '-'}"
            ended = {"state": "failed", "error": error, "finished_at": now, "holder": None}
            connection.execute(update(job).where(job.c.id == found.id).values(**ended))
            continue
        taken = connection.execute(
            update(job)
            .where(job.c.id == found.id)
            .values(
                state="running",
                attempt=found.attempt + 1,
                holder=holder,
                heartbeat_at=now,
                started_at=found.started_at or now,
                error=None,
            )
            .returning(job)
        ).one()
        return job_of(taken)


def _mine(number: int, holder: str) -> Update:
    return update(job).where(job.c.id == number, job.c.state == "running", job.c.holder == holder)


def change(connection: Connection, number: int, holder: str, values: Mapping[str, Any]) -> bool:
    """Write something about a job; False if it is not this holder's any more."""
    return connection.execute(_mine(number, holder).values(**values)).rowcount == 1


def still_held(connection: Connection, number: int, holder: str) -> bool:
    """Whether the job is this holder's, and stays so until the transaction ends."""
    query = select(job.c.id).where(job.c.id == number, job.c.state == "running", job.c.holder == holder)
    return connection.execute(query.with_for_update(key_share=True)).first() is not None
