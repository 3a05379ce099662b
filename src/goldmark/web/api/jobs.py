"""Long work: which jobs there are, how far each is, cancel one, have one done again."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import Connection

from goldmark.jobs import Job, queue
from goldmark.web.api import shapes
from goldmark.web.api.inputs import Out, ReasonIn
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsManager

router = APIRouter(prefix="/api/v1/jobs", tags=["jobs"], responses=shapes.FAILURES)

State = Literal["waiting", "running", "done", "failed", "cancelled"]
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


@router.get("")
def list_jobs(
    who: CallsAsManager,
    services: ServicesDep,
    state: State | None = None,
    kind: Name = None,
    subject: Name = None,
    before: Before = None,
) -> JobList:
    """The newest jobs first, and how many there are in each state."""

    def look(connection: Connection) -> tuple[dict[queue.State, int], list[Job]]:
        states = (state,) if state else ()
        found = queue.listing(connection, states=states, kind=kind, subject=subject, before=before)
        return queue.counts(connection), found

    counts, found = services.store.read(look)
    return JobList(counts=counts, jobs=[JobOut.model_validate(one) for one in found])


@router.get("/{job_id}")
def show_job(job_id: shapes.RowId, who: CallsAsManager, services: ServicesDep) -> WholeJob:
    """One job with what it was asked and what it made."""
    return WholeJob.model_validate(services.store.read(lambda connection: queue.find(connection, job_id)))


@router.post("/{job_id}/cancel")
def cancel_job(job_id: shapes.RowId, body: ReasonIn, who: CallsAsManager, services: ServicesDep) -> JobOut:
    """Do not begin a job, or stop it where it is."""

    def decide(connection: Connection) -> Job:
        return queue.cancel(connection, job_id, author=who.name, reason=body.reason)

    return JobOut.model_validate(services.store.write(decide))


@router.post("/{job_id}/rerun")
def rerun_job(job_id: shapes.RowId, body: ReasonIn, who: CallsAsManager, services: ServicesDep) -> JobOut:
    """Do a job again from the beginning, after it failed, was cancelled or was done."""

    def decide(connection: Connection) -> Job:
        return queue.rerun(connection, job_id, author=who.name, reason=body.reason)

    return JobOut.model_validate(services.store.write(decide))
