"""Long work: which jobs there are, how far each is, cancel one, have one done again."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from goldmark.jobs import Job, queue
from goldmark.jobs.queue import State
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import Out, ReasonIn
from goldmark.web.sign_in import CallsAsManager

router = Calls("/api/v1/jobs", "jobs")

Name = Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")]
Before = Annotated[int | None, Query(ge=1, le=2**53, description="Only jobs with a smaller number: the next page.")]


class JobOut(Out):
    id: int
    kind: str
    subject: str = Field(description="What it is about.")
    campaign_id: int | None
    state: State
    attempt: int
    most_attempts: int
    done: int
    total: int | None
    share: float | None = Field(description="How much is done, from 0 to 1; none if nobody knows.")
    message: str
    error: str | None
    author: str
    created_at: datetime
    due_at: datetime
    heartbeat_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


class WholeJob(JobOut):
    arguments: dict[str, Any]
    result: Any = Field(description="What it made, or has made so far.")


class JobList(Out):
    counts: dict[State, int]
    jobs: list[JobOut] = Field(description="The newest first, 100 at most.")


@router.get("", response_model=JobList)
def list_jobs(
    visit: CallsAsManager, state: State | None = None, kind: Name = None, subject: Name = None, before: Before = None
) -> dict[str, Any]:
    """The newest jobs first, and how many there are in each state."""
    states = (state,) if state else ()
    return visit.read(
        lambda connection: {
            "counts": queue.counts(connection),
            "jobs": queue.listing(connection, states=states, kind=kind, subject=subject, before=before),
        }
    )


@router.get("/{job_id}", response_model=WholeJob)
def show_job(visit: CallsAsManager, job_id: shapes.RowId) -> Job:
    """One job with what it was asked and what it made."""
    return visit.read(lambda connection: queue.find(connection, job_id))


@router.post("/{job_id}/cancel", response_model=JobOut)
def cancel_job(visit: CallsAsManager, job_id: shapes.RowId, body: ReasonIn) -> Job:
    """Do not begin a job, or stop it where it is."""
    return visit.store.write(lambda connection: queue.cancel(connection, job_id, author=visit.name, reason=body.reason))


@router.post("/{job_id}/rerun", response_model=JobOut)
def rerun_job(visit: CallsAsManager, job_id: shapes.RowId, body: ReasonIn) -> Job:
    """Do a job again from the beginning, after it failed, was cancelled or was done."""
    return visit.store.write(lambda connection: queue.rerun(connection, job_id, author=visit.name, reason=body.reason))
