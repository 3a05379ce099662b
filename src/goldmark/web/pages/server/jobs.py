"""Long work: how far each job is, with bars that move by themselves."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from goldmark.jobs import queue
from goldmark.web.api.server import jobs as calls
from goldmark.web.pages.forms import posts
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsManager
from goldmark.web.visits import Visit

router = Pages("/jobs")

MOST = 50


@router.get("")
def jobs(
    visit: ReadsAsManager,
    state: Annotated[str, Query(max_length=20)] = "",
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
) -> Response:
    return _page(visit, state=state if state in queue.STATES else "", before=before)


def _page(
    visit: Visit, *, job_id: int = 0, state: str = "", before: int | None = None, wrong: FailedForm = NOT_FAILED
) -> Response:
    states = (state,) if state else ()
    counts, found = visit.read(
        lambda connection: (
            queue.counts(connection),
            queue.listing(connection, states=states, before=before, most=MOST + 1),
        )
    )
    older = found[MOST - 1].id if len(found) > MOST else None
    return page(visit, "jobs.html", wrong=wrong, counts=counts, jobs=found[:MOST], older=older, state=state)


posts(router, "/{job_id}/cancel", calls.cancel_job, to="/jobs", done="job-cancelled", again=_page, form="jobs")
posts(router, "/{job_id}/rerun", calls.rerun_job, to="/jobs", done="job-rerun", again=_page, form="jobs")
