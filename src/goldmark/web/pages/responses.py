"""A campaign's responses, and one response with all its revisions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns import reviewing
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.membership import annotator_numbered
from goldmark.campaigns.paging import LAST_PAGE, Page
from goldmark.campaigns.people import AnnotatorRow, list_annotators
from goldmark.campaigns.review import ResponseFile, ResponseLine, find_response, list_responses
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.drawing import draw
from goldmark.web.pages.frame import Word, go, page
from goldmark.web.pages.reading import marks_of, read_answers
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsManager

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/responses")


@router.get("")
def responses(
    name: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    annotator: Annotated[str, Query(max_length=20)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)] = 1,
) -> Response:
    chosen = int(annotator) if annotator.isdecimal() and annotator.isascii() and len(annotator) < 16 else None

    def look(connection: Connection) -> tuple[CampaignRow, Page[ResponseLine], list[AnnotatorRow]]:
        row = find_campaign(connection, name)
        if chosen is not None:
            annotator_numbered(connection, row, chosen)
        found = list_responses(connection, row, annotator_id=chosen, page=page_number)
        return row, found, list_annotators(connection, row)

    row, found, people = services.store.read(look)
    return page(request, "responses.html", who, campaign=row, found=found, people=people, annotator=chosen)


@router.post("/{response_id}/release")
def release(name: str, response_id: RowId, who: SendsAsManager, services: ServicesDep, reason: Word = "") -> Response:
    """A returned response whose annotator does not come back: its place is given to others."""
    reviewing.release(services.store, name, response_id, author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/responses/{response_id}", "released")


@router.get("/{response_id}")
def response(name: str, response_id: RowId, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, ResponseFile]:
        row = find_campaign(connection, name)
        return row, find_response(connection, row, response_id)

    row, found = services.store.read(look)
    revisions = []
    for revision in found.revisions:
        protocol = services.library.protocol(revision.protocol_id)
        marks = marks_of(protocol, revision.answers, found.shown)
        texts = {role: draw(shown, marks[role]) for role, shown in found.shown.texts.items()}
        answers = read_answers(protocol, revision.answers, found.shown)
        revisions.append({"revision": revision, "texts": texts, "answers": answers})
    order = services.library.order(found.revisions[0].protocol_id, found.shown_first)
    return page(request, "response.html", who, campaign=row, response=found, revisions=revisions, order=order)
