"""A campaign's responses, and one response with all its revisions."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.pages import LAST_PAGE, Page
from goldmark.people.account_annotators import annotator_numbered
from goldmark.people.annotators import AnnotatorRow, some_annotators
from goldmark.reviews.responses import ResponseLine, find_response, list_responses
from goldmark.web.api.reviews import responses as calls
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.answers.readable_answers import drawn_response
from goldmark.web.pages.forms import posts
from goldmark.web.pages.frame import page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator

router = Pages("/campaigns/{name}/responses")

MOST_CHOICES = 200  # people to choose one from; among more, one looks for a name

posts(
    router,
    "/{response_id}/release",
    calls.release,
    to="/campaigns/{name}/responses/{response_id}",
    done="released",
)


@router.get("")
def responses(
    visit: ReadsAsCurator,
    name: str,
    annotator: Annotated[str, Query(max_length=20)] = "",
    who: Annotated[str, Query(max_length=200)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)] = 1,
) -> Response:
    chosen = int(annotator) if annotator.isdecimal() and annotator.isascii() and len(annotator) < 16 else None

    def look(connection: Connection, row: CampaignRow) -> tuple[Page[ResponseLine], Page[AnnotatorRow]]:
        if chosen is not None:
            annotator_numbered(connection, row, chosen)
        found = list_responses(connection, row, annotator_id=chosen, who=who, page=page_number)
        return found, some_annotators(connection, row, size=MOST_CHOICES)

    row, (found, people) = visit.with_campaign(name, look)
    return page(visit, "responses.html", campaign=row, found=found, people=people, annotator=chosen, who=who)


@router.get("/{response_id}")
def response(visit: ReadsAsCurator, name: str, response_id: RowId) -> Response:
    row, found = visit.with_campaign(name, find_response, response_id)
    revisions = [{"revision": one, **drawn_response(visit.content, found, one)} for one in found.revisions]
    order = revisions[0]["order"]
    return page(visit, "response.html", campaign=row, response=found, revisions=revisions, order=order)
