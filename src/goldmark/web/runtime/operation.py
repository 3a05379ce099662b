"""For those who run a server: whether it lives, whether it can work, and what it has done."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from goldmark.accounts.roles import Role, require
from goldmark.campaigns.arrival import VISIBLE
from goldmark.store import Store
from goldmark.store.engine import SqliteStore
from goldmark.store.migrate import NEWEST, version_of
from goldmark.store.tables import assignment, campaign, event, job, response
from goldmark.store.upkeep.kept_backups import MADE
from goldmark.web.host_check import LOOPBACK
from goldmark.web.runtime.telemetry import CountRequests, Telemetry
from goldmark.web.runtime.threads import READINESS
from goldmark.web.services import ServicesDep
from goldmark.web.sign_in import address_of, signed_in_program

UP = (
    "# HELP goldmark_database_up Whether the database answers; if not, nothing is told of what it holds.",
    "# TYPE goldmark_database_up gauge",
)
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


def install(app: FastAPI) -> None:
    telemetry, asked = Telemetry(), _Readiness()
    app.state.telemetry = telemetry

    @app.get("/healthz", include_in_schema=False)
    def healthy(opened: ServicesDep) -> Response:
        """The process answers and its database too."""
        try:
            opened.store.read(lambda connection: connection.exec_driver_sql("SELECT 1").scalar())
        except (SQLAlchemyError, OSError):
            return PlainTextResponse("the database does not answer\n", status_code=503)
        return PlainTextResponse("ok\n")

    @app.get("/readyz", include_in_schema=False)
    async def ready(opened: ServicesDep) -> Response:
        """Whether requests should come here: the tables are those of this version and can be written."""
        why = await READINESS.run(asked.of, opened.store)
        return PlainTextResponse(f"not ready: {why}\n" if why else "ready\n", status_code=503 if why else 200)

    @app.get("/metrics", include_in_schema=False)
    def metrics(request: Request, opened: ServicesDep) -> Response:
        """For Prometheus: on the machine itself, or with the API token of a manager."""
        lines = telemetry.everybody()
        try:
            if not _on_this_machine(request):
                require(signed_in_program(request, opened).account.role, Role.MANAGER)
            held = opened.store.read(lambda found: list(database_lines(found)))
            lines += [*UP, "goldmark_database_up 1", *held]
        except (SQLAlchemyError, OSError):
            if not _on_this_machine(request):  # nobody can tell whose token it is
                return PlainTextResponse("the database does not answer\n", status_code=503)
            lines += [*UP, "goldmark_database_up 0"]
        return Response("\n".join(lines) + "\n", media_type=PROMETHEUS)

    app.add_middleware(CountRequests, telemetry=telemetry)


class _Readiness:
    """Looked up at most once a second: anybody may ask, and it takes the writer."""

    def __init__(self) -> None:
        self._until, self._why = 0.0, ""

    def of(self, store: Store) -> str:
        if time.monotonic() >= self._until:
            self._why, self._until = not_ready(store), time.monotonic() + 1.0
        return self._why


def _on_this_machine(request: Request) -> bool:
    """Asked by a program here, and not by somebody for whom a proxy here asks."""
    return address_of(request) in LOOPBACK and "x-forwarded-for" not in request.headers


def not_ready(store: Store) -> str:
    """Why this server should not be asked now; empty if it can."""
    try:
        if store.read(version_of) != NEWEST:
            return "the tables are of another version"
        store.write(
            lambda connection: connection.execute(campaign.update().where(campaign.c.id == -1).values(title=""))
        )
        if isinstance(store, SqliteStore) and not os.access(store.path, os.W_OK):  # what changes no row writes nothing
            return "the database cannot be written"
        if not store.has_room():
            return "the disk is full"
    except (SQLAlchemyError, OSError):
        return "the database cannot be written"
    return ""


def database_lines(connection: Connection) -> Iterator[str]:
    """What the database holds; the same from every server process."""
    now = datetime.now(UTC)
    counted = select(campaign.c.state, func.count()).where(VISIBLE).group_by(campaign.c.state)
    yield "# HELP goldmark_campaigns Campaigns by state."
    yield "# TYPE goldmark_campaigns gauge"
    for state, count in connection.execute(counted):
        yield f'goldmark_campaigns{{state="{state}"}} {count}'
    yield "# HELP goldmark_responses_total Revisions of answers that were kept. Rises only; from the highest number."
    yield "# TYPE goldmark_responses_total counter"
    yield f"goldmark_responses_total {connection.scalar(select(func.max(response.c.id))) or 0}"
    held = select(func.count()).where(assignment.c.state == "active", assignment.c.lease_until > now)
    yield "# HELP goldmark_units_in_progress Units that somebody holds at this moment."
    yield "# TYPE goldmark_units_in_progress gauge"
    yield f"goldmark_units_in_progress {connection.scalar(held)}"
    yield "# HELP goldmark_jobs Jobs by state."
    yield "# TYPE goldmark_jobs gauge"
    for state, count in connection.execute(select(job.c.state, func.count()).group_by(job.c.state)):
        yield f'goldmark_jobs{{state="{state}"}} {count}'
    oldest = connection.scalar(select(func.min(job.c.due_at)).where(job.c.state == "waiting", job.c.due_at <= now))
    yield "# HELP goldmark_oldest_job_seconds How long the oldest job waits that could be done."
    yield "# TYPE goldmark_oldest_job_seconds gauge"
    yield f"goldmark_oldest_job_seconds {(now - oldest).total_seconds() if oldest else 0:.0f}"
    backup = connection.scalar(select(func.max(event.c.at)).where(event.c.kind == MADE, event.c.campaign_id.is_(None)))
    if backup is not None:
        yield "# HELP goldmark_backup_age_seconds Since the last backup by schedule that was tried."
        yield "# TYPE goldmark_backup_age_seconds gauge"
        yield f"goldmark_backup_age_seconds {(now - backup).total_seconds():.0f}"
