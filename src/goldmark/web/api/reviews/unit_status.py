"""A campaign's quality protocol: where each text stands, reviewers, candidates, agreement, and the final spot check."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from goldmark.protocols import present
from goldmark.reviews import final_spot_check
from goldmark.reviews.final_spot_check import FinalCheck
from goldmark.reviews.unit_status import TextLine, UnitStatus
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import AsOf, TableOut, Tables, tables_of
from goldmark.web.api.inputs import CampaignName, In, Out, PageNumber, PageOut, ShortWords, WithExcluded, page_of
from goldmark.web.api.reviews.reviews import RemarkIn, Said
from goldmark.web.computing import computed
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager

router = Calls("/api/v1/campaigns/{name}/status", "reviews")

First = Annotated[bool, Query(description="Versions before any reviewer returned them.")]
Groups = Annotated[bool, Query(description="Compare people of two conditions, not every pair.")]
Between = Annotated[list[ShortWords], Query(max_length=2, description="Which two conditions; none: the only two.")]


class CandidateOut(Out):
    annotator: str
    outcome: Literal["passes", "does not pass", "too few yet"]
    reviewed: int


class CheckOut(Out):
    """A spot check; whose answers were drawn is no part of it."""

    size: int
    of: int
    seed: int
    author: str
    at: datetime
    judged: int


class CampaignStatusOut(Out):
    """How many texts stand where, and the figures of the quality protocol; null where there is nothing yet."""

    texts: int
    statuses: dict[UnitStatus, int]
    set_aside: dict[str, int] = Field(description="Of those set aside, how many by which answer.")
    calibration: TableOut | None = Field(description="How far reviewers agree, by stage.")
    candidates: list[CandidateOut] | None
    candidates_table: TableOut | None
    spot_check: CheckOut | None
    spot_check_table: TableOut | None
    as_of: AsOf


class TextList(PageOut):
    status: UnitStatus
    texts: list[TextLine]
    as_of: AsOf


class DrawIn(In):
    size: int = Field(
        ge=1, le=final_spot_check.MOST, strict=True, description="How many finished answers to draw at random."
    )
    seed: int = Field(default=0, ge=0, le=2**53, strict=True)
    replace: bool = Field(
        default=False, strict=True, description="Whether a check that somebody has begun to judge is set aside."
    )


class NextOut(Out):
    response: int | None = Field(description="The response to judge next; none: all are judged, or nothing was drawn.")


class DrawnOut(Out):
    """An answer of the spot check, as it was when it was drawn."""

    id: int
    revision: int
    shown: dict[str, Any]
    shown_first: shapes.ShownFirst
    answers: dict[str, Any]
    protocol: dict[str, Any]


class WordIn(In):
    right: bool = Field(strict=True)
    remarks: list[RemarkIn] = Field(default=[], max_length=1_000, description="What is wrong, and where.")
    comment: Said = ""


class WordKept(Out):
    id: int
    right: bool


@router.get("", response_model=CampaignStatusOut)
def status(visit: CallsAsCurator, name: CampaignName) -> dict[str, Any]:
    """Where each text stands, how far reviewers agree, which candidates pass, and what the spot check found."""
    made = visit.services.computing.of(name, computed.status)
    found = made.found
    checked = {"spot_check": found.check, "spot_check_table": found.check_table, "as_of": made.as_of}
    return {**found._asdict(), **found.counts._asdict(), **checked}


@router.get("/agreement", response_model=Tables)
def agreement(
    visit: CallsAsCurator,
    name: CampaignName,
    by_condition: Groups = False,
    between: Between = [],  # noqa: B006 - FastAPI copies it
    first: First = False,
    with_excluded: WithExcluded = False,
) -> dict[str, Any]:
    """How far people who read the same texts agree at each stage: detection, spans, types, corrections."""
    groups = tuple(between) if by_condition or between else None
    return tables_of(visit.services.computing.of(name, computed.agreement, groups, first, with_excluded))


@router.post("/spot-check", status_code=201, response_model=CheckOut)
def draw(visit: CallsAsManager, name: CampaignName, body: DrawIn) -> FinalCheck:
    """Draw finished answers at random: a new spot check begins."""
    how = {"author": visit.name, **body.model_dump()}
    return visit.services.computing.apart(name, computed.draw, how)


@router.get("/spot-check/next")
def next_one(visit: CallsAsCurator, name: CampaignName) -> NextOut:
    """Which answer of the spot check to judge next; never your own."""
    return NextOut(response=visit.look_into(name, final_spot_check.next_to_check, visit.name))


@router.get("/spot-check/{response_id}")
def drawn(visit: CallsAsCurator, name: CampaignName, response_id: shapes.RowId) -> DrawnOut:
    """One answer of the spot check, without whose it is and what reviewers said of it."""
    found, _ = visit.look_into(name, final_spot_check.drawn_response, response_id)
    revision = found.revisions[0]
    return DrawnOut(
        id=found.id,
        revision=revision.number,
        shown=found.shown.to_json(),
        shown_first=found.shown_first,
        answers=dict(revision.answers),
        protocol=present(visit.content.protocol(revision.protocol_id)),
    )


@router.post("/spot-check/{response_id}")
def say(visit: CallsAsCurator, name: CampaignName, response_id: shapes.RowId, body: WordIn) -> WordKept:
    """Your word on one answer of the spot check. It changes nothing but the figures."""
    final_spot_check.say(
        visit.store,
        visit.content,
        name,
        response_id,
        right=body.right,
        remarks=[one.remark() for one in body.remarks],
        comment=body.comment,
        checker=visit.name,
    )
    return WordKept(id=response_id, right=body.right)


@router.get("/{status}", response_model=TextList)
def texts(visit: CallsAsCurator, name: CampaignName, status: UnitStatus, page: PageNumber = 1) -> dict[str, Any]:
    """The texts that have one status."""
    made = visit.services.computing.of(name, computed.texts_with, status, page)
    return {**page_of(made.found), "status": status, "texts": made.found.items, "as_of": made.as_of}
