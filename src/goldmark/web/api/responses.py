"""A campaign's responses with all their revisions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns import review, reviewing
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.paging import Page
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, Out, PageNumber, PageOut, ReasonIn
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsCurator, CallsAsManager

router = APIRouter(prefix="/api/v1/campaigns/{name}/responses", tags=["responses"], responses=shapes.FAILURES)

Id = Annotated[int | None, Query(ge=1, le=2**53)]


class ResponseLine(Out):
    id: int
    unit_id: int
    unit: str
    annotator_id: int
    annotator: str
    state: str
    revision: int
    finished_at: datetime | None
    seconds_active: float
    preview: str
    counts: bool = Field(description="False: an answer to a test question, never a result.")


class ResponseList(PageOut):
    responses: list[ResponseLine]


class Revision(Out):
    number: int
    answers: dict[str, Any]
    protocol: str
    client_time: datetime | None
    server_time: datetime
    seconds_active: float


class ResponseOut(Out):
    id: int
    unit_id: int
    unit: str
    annotator_id: int
    annotator: str
    state: str
    claimed_at: datetime
    finished_at: datetime | None
    has_draft: bool
    shown_first: str | None = Field(
        description="Of a comparison: the role of the text that was shown first; null: as given."
    )
    revisions: list[Revision]


@router.get("")
def list_responses(
    name: CampaignName,
    who: CallsAsCurator,
    services: ServicesDep,
    annotator: Id = None,
    unit: Id = None,
    page: PageNumber = 1,
) -> ResponseList:
    """Responses, the newest assignment first."""

    def look(connection: Connection) -> Page[review.ResponseLine]:
        row = find_campaign(connection, name)
        return review.list_responses(connection, row, annotator_id=annotator, unit_id=unit, page=page)

    found = services.store.read(look)
    return ResponseList(
        responses=[ResponseLine.model_validate(one) for one in found.items],
        number=found.number,
        size=found.size,
        total=found.total,
        pages=found.pages,
    )


@router.post("/{response_id}/release")
def release(
    name: CampaignName, response_id: shapes.RowId, body: ReasonIn, who: CallsAsManager, services: ServicesDep
) -> ResponseOut:
    """Give the place of a returned response to others, because its annotator does not come back to amend it."""
    reviewing.release(services.store, name, response_id, author=who.name, reason=body.reason.strip())
    return show(name, response_id, who, services)


@router.get("/{response_id}")
def show(name: CampaignName, response_id: shapes.RowId, who: CallsAsCurator, services: ServicesDep) -> ResponseOut:
    """One person's answer to one unit: every revision, newest first."""
    found = services.store.read(
        lambda connection: review.find_response(connection, find_campaign(connection, name), response_id)
    )
    return ResponseOut.model_validate(found)
