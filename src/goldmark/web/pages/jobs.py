"""Long work: how far each job is, with bars that move by themselves."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.errors import GoldmarkError
from goldmark.jobs import Job, queue
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, go, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsManager, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/jobs")

MOST = 50


@router.get("")
def jobs(
    request: Request,
    who: ReadsAsManager,
    services: ServicesDep,
    state: Annotated[str, Query(max_length=20)] = "",
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
) -> Response:
    return _page(request, who, services, state=state, before=before)


@router.post("/{job_id}/cancel")
def cancel(job_id: RowId, request: Request, who: SendsAsManager, services: ServicesDep, reason: Word = "") -> Response:
    def decide(connection: Connection) -> Job:
        return queue.cancel(connection, job_id, author=who.name, reason=reason.strip())

    try:
        services.store.write(decide)
    except GoldmarkError as error:
        return _page(request, who, services, wrong=failed("jobs", error))
    return go("/jobs", "job-cancelled")


@router.post("/{job_id}/rerun")
def rerun(job_id: RowId, request: Request, who: SendsAsManager, services: ServicesDep, reason: Word = "") -> Response:
    def decide(connection: Connection) -> Job:
        return queue.rerun(connection, job_id, author=who.name, reason=reason.strip())

    try:
        services.store.write(decide)
    except GoldmarkError as error:
        return _page(request, who, services, wrong=failed("jobs", error))
    return go("/jobs", "job-rerun")


def _page(
    request: Request,
    who: Visitor,
    services: Services,
    *,
    state: str = "",
    before: int | None = None,
    wrong: Failed = NOT_FAILED,
) -> Response:
    state = state if state in queue.STATES else ""

    def look(connection: Connection) -> tuple[dict[queue.State, int], list[Job]]:
        states = (state,) if state else ()
        return queue.counts(connection), queue.listing(connection, states=states, before=before, most=MOST + 1)

    counts, found = services.store.read(look)
    return page(
        request,
        "jobs.html",
        who,
        wrong=wrong,
        counts=counts,
        jobs=found[:MOST],
        older=found[MOST - 1].id if len(found) > MOST else None,
        state=state,
    )
