"""The table of jobs from the outside: ask for one, look at them, cancel one, have one done again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, select, update

from goldmark.errors import Conflict, Failed, Missing
from goldmark.store import events
from goldmark.store.once import insert_once
from goldmark.store.tables import job

State = Literal["waiting", "running", "done", "failed", "cancelled"]
STATES: tuple[State, ...] = ("waiting", "running", "done", "failed", "cancelled")
OPEN = ("waiting", "running")
MOST_ATTEMPTS = 3
MOST_LISTED = 100


class UnknownJob(Missing):
    code = "JOB-01"
    message = "there is no job {number}"


class NotOpen(Conflict):
    code = "JOB-02"
    message = "job {number} is {state} and cannot be cancelled any more"


class StillOpen(Conflict):
    code = "JOB-03"
    message = "job {number} is {state}; wait until it has ended, or cancel it first"


class TryAgain(Failed):
    """A handler raises it for trouble that may pass, such as a model's server that does not answer."""

    code = "JOB-04"
    message = "{reason}"


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of long work: what it is, how far it is, how it ended."""

    id: int
    kind: str
    arguments: Mapping[str, Any]
    key: str | None
    subject: str
    campaign_id: int | None
    state: State
    attempt: int
    most_attempts: int
    due_at: datetime
    holder: str | None
    heartbeat_at: datetime | None
    done: int
    total: int | None
    message: str
    result: Any
    error: str | None
    author: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def share(self) -> float | None:
        """How much of it is done, from 0 to 1; None if nobody knows how much there is."""
        if self.state == "done":
            return 1.0
        return min(self.done / self.total, 1.0) if self.total else None


def job_of(row: Row[Any]) -> Job:
    return Job(**row._mapping)


def enqueue(
    connection: Connection,
    kind: str,
    arguments: Mapping[str, Any],
    *,
    author: str,
    key: str | None = None,
    subject: str = "",
    campaign_id: int | None = None,
    due_at: datetime | None = None,
    most_attempts: int = MOST_ATTEMPTS,
) -> Job:
    """Ask for work, in the same transaction as what makes it necessary. The same key again is the same job.

    `arguments` are what JSON can hold. `subject` says what it is about, for people and for lists, such as
    `board/system`. A job that has ended is not begun again by asking; that is `rerun`.
    """
    now = datetime.now(UTC)
    new = {
        "kind": kind,
        "arguments": dict(arguments),
        "key": key,
        "subject": subject,
        "campaign_id": campaign_id,
        "state": "waiting",
        "attempt": 0,
        "most_attempts": most_attempts,
        "due_at": due_at or now,
        "done": 0,
        "message": "",
        "author": author,
        "created_at": now,
    }
    made = connection.execute(insert_once(connection, job, new, by="key").returning(job)).first()
    if made is None:
        made = connection.execute(select(job).where(job.c.key == key)).one()
    return job_of(made)


def find(connection: Connection, number: int) -> Job:
    row = connection.execute(select(job).where(job.c.id == number)).first()
    if row is None:
        raise UnknownJob(number=number)
    return job_of(row)


def listing(
    connection: Connection,
    *,
    states: Sequence[str] = (),
    kind: str | None = None,
    subject: str | None = None,
    campaign_id: int | None = None,
    before: int | None = None,
    most: int = MOST_LISTED,
) -> list[Job]:
    """The newest jobs first; `before` a job's number goes on where another list ended."""
    query = select(job).order_by(job.c.id.desc()).limit(most)
    if states:
        query = query.where(job.c.state.in_(states))
    if kind is not None:
        query = query.where(job.c.kind == kind)
    if subject is not None:
        query = query.where(job.c.subject == subject)
    if campaign_id is not None:
        query = query.where(job.c.campaign_id == campaign_id)
    if before is not None:
        query = query.where(job.c.id < before)
    return [job_of(row) for row in connection.execute(query)]


def counts(connection: Connection) -> dict[State, int]:
    """How many jobs there are in each state."""
    found = {row[0]: int(row[1]) for row in connection.execute(_counting)}
    return {state: found.get(state, 0) for state in STATES}


_counting = select(job.c.state, func.count()).group_by(job.c.state)


def cancel(connection: Connection, number: int, *, author: str, reason: str = "") -> Job:
    """Nobody begins it any more; a worker that is at it stops when it next reports how far it is."""
    before = _held(connection, number)
    if before.state not in OPEN:
        raise NotOpen(number=number, state=before.state)
    now = datetime.now(UTC)
    connection.execute(update(job).where(job.c.id == number).values(state="cancelled", holder=None, finished_at=now))
    _note(connection, before, "job cancelled", author, reason)
    return find(connection, number)


def rerun(connection: Connection, number: int, *, author: str, reason: str = "") -> Job:
    """Do it again from the beginning, whatever came of it the last time."""
    before = _held(connection, number)
    if before.state in OPEN:
        raise StillOpen(number=number, state=before.state)
    connection.execute(
        update(job)
        .where(job.c.id == number)
        .values(
            state="waiting",
            attempt=0,
            due_at=datetime.now(UTC),
            holder=None,
            heartbeat_at=None,
            done=0,
            total=None,
            message="",
            result=None,
            error=None,
            started_at=None,
            finished_at=None,
        )
    )
    _note(connection, before, "job begun again", author, reason)
    return find(connection, number)


def _held(connection: Connection, number: int) -> Job:
    """The job, while nobody else can change it."""
    row = connection.execute(select(job).where(job.c.id == number).with_for_update(key_share=True)).first()
    if row is None:
        raise UnknownJob(number=number)
    return job_of(row)


def _note(connection: Connection, about: Job, kind: str, author: str, reason: str) -> None:
    subject = " ".join(part for part in (str(about.id), about.kind, about.subject) if part)
    events.record(connection, about.campaign_id, author=author, kind=kind, subject=subject, reason=reason)
