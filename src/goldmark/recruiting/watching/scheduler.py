"""What goes on as time goes on: every minute or so a posting is looked after, by whoever does jobs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, select

from goldmark import jobs
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.jobs import Running
from goldmark.store.tables import job

KIND = "crowd platform"
EVERY = timedelta(minutes=1)
SELDOM = timedelta(minutes=15)  # paused, or only waiting for people to be decided on


def wake(connection: Connection, posting_id: int, row: CampaignRow, *, at: datetime | None = None) -> None:
    """Have a posting looked after at this moment, or as soon as somebody does the jobs after it.

    However often it is asked for before that, it is one look.
    """
    due = at or datetime.now(UTC)
    before = select(job.c.arguments).where(
        job.c.kind == KIND, job.c.state == "waiting", job.c.campaign_id == row.id, job.c.due_at <= due
    )
    if any(one["posting"] == posting_id for one in connection.execute(before).scalars()):
        return
    arguments = {"posting": posting_id}
    jobs.enqueue(connection, KIND, arguments, author="recruiting", subject=row.name, campaign_id=row.id, due_at=due)


def _later(connection: Connection, posting_id: int, failed: jobs.Job) -> None:
    """After a look that broke off; of those before it, the failed ones need not be kept."""
    before = (job.c.kind == KIND) & (job.c.state == "failed") & (job.c.campaign_id == failed.campaign_id)
    connection.execute(delete(job).where(before))
    wake(connection, posting_id, find_campaign(connection, failed.subject), at=datetime.now(UTC) + SELDOM)


@jobs.register(KIND)
def look(running: Running) -> Mapping[str, Any]:
    """Look after one posting, and ask to be woken again while there is something to look after."""
    from goldmark.recruiting.watching.look_after import look_after

    number = int(running.arguments["posting"])
    try:
        result = look_after(running.store, number, progress=running.progress)
    except Exception:
        # Whatever is wrong, people wait to be paid: the next look comes all the same.
        running.store.write(lambda connection: _later(connection, number, running.job))
        raise

    def go_on(connection: Connection) -> None:
        connection.execute(delete(job).where(job.c.kind == KIND, job.c.state == "done", job.c.id != running.job.id))
        if result.again is not None:
            wake(connection, number, find_campaign(connection, result.campaign), at=result.again)

    running.write(go_on)
    return {"trouble": result.trouble, "orders": result.orders}
