"""Reviewing finished responses: what waits, one response to judge, the word on it, and the figures."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from goldmark.protocols import present
from goldmark.reviews import review
from goldmark.reviews.disputes import Dispute
from goldmark.reviews.review import ReviewRemark, ReviewResult, ReviewVerdict
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import Tables, tables_of
from goldmark.web.api.inputs import CampaignName, In, Out, WithExcluded
from goldmark.web.computing import computed
from goldmark.web.sign_in import CallsAsCurator

router = Calls("/api/v1/campaigns/{name}/reviews", "reviews")

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
    dispute: Dispute | None = Field(description="Its annotator answered a return with a reason: where that stands.")
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

    def remark(self) -> ReviewRemark:
        return ReviewRemark(self.where, self.part, self.comment)


class RevisionBefore(Out):
    revision: int
    answers: dict[str, Any]


class CaseOut(WaitingOut):
    state: str
    shown: dict[str, Any] = Field(description="The unit, its texts in their own roles.")
    shown_first: shapes.ShownFirst
    answers: dict[str, Any]
    protocol: dict[str, Any] = Field(description="What was asked, the way annotators receive it.")
    words: list[ReviewVerdict] = Field(
        description="What reviewers said of earlier revisions; of this one after your word, or where it is in dispute."
    )
    reply: str = Field(description="What its annotator answered to the reviewer who returned it.")
    before: RevisionBefore | None = Field(description="The revision that was returned, where this one answers it.")
    decides: bool = Field(description="Whether your word decides a dispute.")


class ReviewIn(In):
    revision: int = Field(ge=1, le=2**31 - 1, strict=True, description="The revision that you have read.")
    verdict: Literal["approved", "returned"]
    comment: Said = ""
    remarks: list[RemarkIn] = Field(default=[], max_length=1_000)


@router.get("", response_model=Queue)
def waiting(visit: CallsAsCurator, name: CampaignName, after: After = 0) -> dict[str, Any]:
    """What waits for your review, oldest first."""
    row, found = visit.with_campaign(
        name, lambda connection, row: list(islice(review.queue(connection, row, visit.name, after=after), LONGEST))
    )
    blind = row.settings.review.blind
    return {"blind": blind, "waiting": [_named(one._asdict(), blind) for one in found]}


@router.get("/figures", response_model=Tables)
def figures(visit: CallsAsCurator, name: CampaignName, with_excluded: WithExcluded = False) -> dict[str, Any]:
    """Accuracy of first versions by question and annotator, and how far reviewers agree."""
    return tables_of(visit.services.computing.of(name, computed.review_figures, with_excluded))


@router.get("/{response_id}", response_model=CaseOut)
def case(visit: CallsAsCurator, name: CampaignName, response_id: shapes.RowId) -> dict[str, Any]:
    """One response to judge."""
    row, found = visit.with_campaign(name, review.case_of, response_id, visit.name)
    response, newest = found.response, found.response.revisions[0]
    about = {
        "id": response.id,
        "revision": newest.number,
        "submitted_at": newest.server_time,
        "amended": any(one.revision < newest.number for one in found.words),
        "unit": response.unit,
        "annotator": response.annotator,
        "state": response.state,
        "shown": response.shown.to_json(),
        "shown_first": response.shown_first,
        "answers": newest.answers,
        "protocol": present(visit.content.protocol(newest.protocol_id)),
        "words": found.words,
        "dispute": found.dispute,
        "reply": newest.reply,
        "before": found.before and {"revision": found.before.number, "answers": found.before.answers},
        "decides": found.decides,
    }
    return _named(about, row.settings.review.blind)


@router.post("/{response_id}")
def judge(visit: CallsAsCurator, name: CampaignName, response_id: shapes.RowId, body: ReviewIn) -> ReviewResult:
    """Approve a revision, or return it with what is to be amended."""
    return review.judge(
        visit.store,
        visit.content,
        name,
        response_id,
        revision=body.revision,
        verdict=body.verdict,
        comment=body.comment,
        remarks=[one.remark() for one in body.remarks],
        reviewer=visit.name,
    )


def _named(facts: dict[str, Any], blind: bool) -> dict[str, Any]:
    return {**facts, "unit": None, "annotator": None} if blind else facts
