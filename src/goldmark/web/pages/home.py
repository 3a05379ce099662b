"""The first page: all campaigns for those who run them, one's own work for those who do it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, list_campaigns
from goldmark.campaigns.people import work_of_account
from goldmark.campaigns.progress import CampaignProgress, progress_of
from goldmark.web.pages.frame import page
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import ReadsAsAnyone

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(request: Request, who: ReadsAsAnyone, services: ServicesDep) -> Response:
    def look(
        connection: Connection,
    ) -> tuple[list[tuple[CampaignRow, CampaignProgress]], list[tuple[CampaignRow, str]]]:
        rows = list_campaigns(connection) if who.may("curator") else []
        mine = work_of_account(connection, services.links, who.account.id)
        return [(row, progress_of(connection, row)) for row in reversed(rows)], mine

    campaigns, mine = services.store.read(look)
    return page(request, "home.html", who, campaigns=campaigns, mine=mine)
