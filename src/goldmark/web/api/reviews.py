"""Reviewing finished responses: what waits, one response to judge, the word on it, and the figures."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import Connection

from goldmark.analysis.campaign_tables import review_tables
from goldmark.campaigns import reviewing
from goldmark.campaigns.export import record_of
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.reviewing import Case, Judged, Remark, Waiting
from goldmark.protocols import present
from goldmark.reports.tables import to_json
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, In, Out, WithExcluded
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsCurator

router = APIRouter(prefix="/api/v1/campaigns/{name}/reviews", tags=["reviews"], responses=shapes.FAILURES)

LONGEST = 50

Said = Annotated[str, Field(max_length=10_000, pattern=r"^[^\x00]*$")]
Id = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]
After = Annotated[int, Query(ge=0, le=2**53, description="Leave out everything up to this response.")]


class WaitingOut(Out):
    """A response to review; whose it is and of which unit is not told where reviews are blind."""

    id: int
    revision: int
    submitted_at: datetime
    amended: bool
    unit: str | None
    annotator: str | None


class Queue(Out):
    blind: bool
    waiting: list[WaitingOut] = Field(description="The first 50 after `after`, oldest first.")


class RemarkIn(In):
    """A comment on one question (`where`), on one span of it (`part`: e1), or on a part of that (e1.correction)."""

    where: Id
    part: Id = ""
    comment: Said


class RemarkOut(Out):
    where: str
    part: str
    comment: str


class WordOut(Out):
    revision: int
    verdict: Literal["approved", "returned"]
    comment: str
    remarks: list[RemarkOut]
    reviewer: str
    at: datetime


class CaseOut(WaitingOut):
    state: str
    shown: dict[str, Any] = Field(description="The unit, its texts in their own roles.")
    shown_first: str | None = Field(
        description="Of a comparison: the role of the text that was shown first; null: as given."
    )
    answers: dict[str, Any]
    protocol: dict[str, Any] = Field(description="What was asked, the way annotators receive it.")
    words: list[WordOut] = Field(description="What reviewers said of earlier revisions; of this one after your word.")


class ReviewIn(In):
    revision: int = Field(ge=1, le=2**31 - 1, strict=True, description="The revision that you have read.")
    verdict: Literal["approved", "returned"]
    comment: Said = ""
    remarks: list[RemarkIn] = Field(default=[], max_length=1_000)


class JudgedOut(Out):
    id: int
    revision: int
    state: str
    reviewers_missing: int = Field(description="More than 0: it is decided when another reviewer has judged it too.")


class Figures(Out):
    tables: list[dict[str, Any]]


@router.get("")
def waiting(name: CampaignName, who: CallsAsCurator, services: ServicesDep, after: After = 0) -> Queue:
    """What waits for your review, oldest first."""

    def look(connection: Connection) -> tuple[CampaignRow, list[Waiting]]:
        row = find_campaign(connection, name)
        return row, list(islice(reviewing.queue(connection, row, who.name, after=after), LONGEST))

    row, found = services.store.read(look)
    blind = row.settings.review.blind
    return Queue(blind=blind, waiting=[WaitingOut(**_named(one._asdict(), blind)) for one in found])


@router.get("/figures")
def figures(
    name: CampaignName, who: CallsAsCurator, services: ServicesDep, with_excluded: WithExcluded = False
) -> Figures:
    """Accuracy of first versions by question and annotator, and how far reviewers agree."""
    tables = review_tables(record_of(services.store, name, with_excluded=with_excluded))
    return Figures(tables=[to_json(table) for table in tables])


@router.get("/{response_id}")
def case(name: CampaignName, response_id: shapes.RowId, who: CallsAsCurator, services: ServicesDep) -> CaseOut:
    """One response to judge."""

    def look(connection: Connection) -> tuple[CampaignRow, Case]:
        row = find_campaign(connection, name)
        return row, reviewing.case_of(connection, row, response_id, who.name)

    row, found = services.store.read(look)
    newest = found.response.revisions[0]
    about = {
        "id": found.response.id,
        "revision": newest.number,
        "submitted_at": newest.server_time,
        "amended": any(one.revision < newest.number for one in found.words),
        "unit": found.response.unit,
        "annotator": found.response.annotator,
    }
    return CaseOut(
        **_named(about, row.settings.review.blind),
        state=found.response.state,
        shown=found.response.shown.to_json(),
        shown_first=found.response.shown_first,
        answers=dict(newest.answers),
        protocol=present(services.library.protocol(newest.protocol_id)),
        words=[WordOut.model_validate(one._asdict()) for one in found.words],
    )


@router.post("/{response_id}")
def judge(
    name: CampaignName, response_id: shapes.RowId, body: ReviewIn, who: CallsAsCurator, services: ServicesDep
) -> JudgedOut:
    """Approve a revision, or return it with what is to be amended."""
    judged: Judged = reviewing.judge(
        services.store,
        services.library,
        name,
        response_id,
        revision=body.revision,
        verdict=body.verdict,
        comment=body.comment,
        remarks=[Remark(one.where, one.part, one.comment) for one in body.remarks],
        reviewer=who.name,
    )
    return JudgedOut.model_validate(judged)


def _named(facts: dict[str, Any], blind: bool) -> dict[str, Any]:
    facts.pop("unit_id", None)
    return {**facts, **({"unit": None, "annotator": None} if blind else {})}
