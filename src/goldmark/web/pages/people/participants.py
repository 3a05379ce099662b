"""Where a campaign's people come from, and erasing it."""

from __future__ import annotations

from fastapi.responses import Response

from goldmark.people.connector import CONNECTORS
from goldmark.people.participants import some_platform_ids
from goldmark.web.api.listing import Listed
from goldmark.web.api.people import participants as calls
from goldmark.web.pages.forms import posts
from goldmark.web.pages.frame import page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsManager

router = Pages("/campaigns/{name}/participants")

PEOPLE_AT_ONCE = 25  # each with forms of their own

# One person, or everybody if nobody is named.
posts(
    router,
    "/erase",
    calls.erase_ids,
    to="/campaigns/{name}/participants",
    done=lambda reply: "erased" if reply.gone_from_files else "erased-not-in-files",
)


@router.get("")
def participants(visit: ReadsAsManager, name: str, listed: Listed) -> Response:
    row, (found, left) = visit.with_campaign(
        name, some_platform_ids, search=listed.search, page=listed.number, size=PEOPLE_AT_ONCE
    )
    visit.note_ids_seen(name)
    return page(
        visit,
        "participants.html",
        campaign=row,
        found=found,
        left=left,
        search=listed.search,
        connectors=CONNECTORS.usable().values(),
    )
