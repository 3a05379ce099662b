"""Where a campaign's people come from, and erasing it."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from goldmark.people.connector import CONNECTORS
from goldmark.people.participants import platform_ids
from goldmark.web.api.people import participants as calls
from goldmark.web.pages.forms import posts
from goldmark.web.pages.frame import page
from goldmark.web.sign_in import ReadsAsManager

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/participants")

# One person, or everybody if nobody is named.
posts(router, "/erase", calls.erase_ids, to="/campaigns/{name}/participants", done="erased")


@router.get("")
def participants(visit: ReadsAsManager, name: str) -> Response:
    row, people = visit.with_campaign(name, platform_ids)
    left = sum(one.platform_id is not None for one in people)
    connectors = CONNECTORS.usable().values()
    return page(visit, "participants.html", campaign=row, people=people, left=left, connectors=connectors)
