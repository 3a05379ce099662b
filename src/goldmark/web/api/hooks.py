"""Web hooks of crowd platforms: something has changed there. What it is, the platform is asked."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.errors import Forbidden
from goldmark.people.connector import CONNECTORS
from goldmark.recruiting.offering.postings import campaign_name, find, unfinished
from goldmark.recruiting.watching.scheduler import wake
from goldmark.web.api.calls import Calls
from goldmark.web.services import Services, ServicesDep

router = Calls("/api/v1/hooks", "crowd platforms")


class HookNotGenuine(Forbidden):
    code = "CROWD-90"
    message = "this is not signed by {platform} with the secret that this server knows"


@router.post("/{platform}", status_code=204, response_class=Response)
async def hear(
    platform: Annotated[str, Path(pattern=r"^[a-z][a-z0-9-]{0,29}$")], request: Request, services: ServicesDep
) -> Response:
    """A platform says that something has changed. Its signature is checked, and what it says is not believed."""
    body = await request.body()
    headers = {name.lower(): value for name, value in request.headers.items()}
    connector = CONNECTORS.find(platform)
    if connector.hears is None or not connector.hears(headers, body):
        raise HookNotGenuine(platform=platform)
    await run_in_threadpool(look_soon, services, platform)
    return Response(status_code=204)


def look_soon(services: Services, platform: str) -> None:
    """Have every posting there looked after; the same in the same second is one look."""

    def ask(connection: Connection) -> None:
        for number in unfinished(connection):
            found = find(connection, number)
            if found.platform == platform:
                wake(connection, number, find_campaign(connection, campaign_name(connection, found.campaign_id)))

    services.store.write(ask)
