"""Where a campaign's people come from, and erasing it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.participants import PlatformId, erase, platform_ids
from goldmark.connectors.connector import CONNECTORS
from goldmark.web.pages.frame import Word, go, page
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import ReadsAsManager, SendsAsManager

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/participants")


@router.get("")
def participants(name: str, request: Request, who: ReadsAsManager, services: ServicesDep) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, list[PlatformId]]:
        row = find_campaign(connection, name)
        return row, platform_ids(connection, row)

    row, people = services.store.read(look)
    left = sum(one.platform_id is not None for one in people)
    connectors = CONNECTORS.usable().values()
    return page(request, "participants.html", who, campaign=row, people=people, left=left, connectors=connectors)


@router.post("/erase")
def erase_ids(
    name: str, who: SendsAsManager, services: ServicesDep, annotator: Word = "", forget: Word = "", reason: Word = ""
) -> Response:
    """One person, or everybody if nobody is named."""
    chosen = [annotator] if annotator else None
    erase(services.store, name, chosen, forget=bool(forget), author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/participants", "erased")
