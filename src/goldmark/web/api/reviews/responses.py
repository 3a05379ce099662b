"""A campaign's responses with all their revisions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from goldmark.campaigns.pages import Page
from goldmark.reviews import responses as review
from goldmark.reviews import review as reviewing
from goldmark.reviews.responses import ResponseFile, ResponseLine
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, Out, PageNumber, PageOut, ReasonIn
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager

router = Calls("/api/v1/campaigns/{name}/responses", "responses")

Id = Annotated[int | None, Query(ge=1, le=2**53)]


class ResponseList(PageOut):
    responses: list[ResponseLine] = Field(validation_alias="items")


class RevisionOut(Out):
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
    shown_first: shapes.ShownFirst
    revisions: list[RevisionOut]


@router.get("", response_model=ResponseList)
def list_responses(
    visit: CallsAsCurator, name: CampaignName, annotator: Id = None, unit: Id = None, page: PageNumber = 1
) -> Page[ResponseLine]:
    """Responses, the newest assignment first."""
    return visit.look_into(name, review.list_responses, annotator_id=annotator, unit_id=unit, page=page)


@router.post("/{response_id}/release", response_model=ResponseOut)
def release(visit: CallsAsManager, name: CampaignName, response_id: shapes.RowId, body: ReasonIn) -> ResponseFile:
    """Give the place of a returned response to others, because its annotator does not come back to amend it."""
    reviewing.release(visit.store, name, response_id, author=visit.name, reason=body.reason.strip())
    return show(visit, name, response_id)


@router.get("/{response_id}", response_model=ResponseOut)
def show(visit: CallsAsCurator, name: CampaignName, response_id: shapes.RowId) -> ResponseFile:
    """One person's answer to one unit: every revision, newest first."""
    return visit.look_into(name, review.find_response, response_id)
