"""Reviewing: one finished response at a time, approved or returned, and what the reviews say so far."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.reviews import review
from goldmark.reviews.review import ReviewCase
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.api.reviews import reviews as calls
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.answers.answer_changes import changes
from goldmark.web.pages.answers.readable_answers import drawn_response
from goldmark.web.pages.forms import checked, number, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, Wrong, go, page, shown
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, SendsAsCurator
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/review")

MOST_COUNTED = 500  # "more than 500 wait" is all that anybody needs to know


@router.get("")
def next_one(visit: ReadsAsCurator, name: str, after: Annotated[int, Query(ge=0, le=2**53)] = 0) -> Response:
    """The response that waits longest, or the next one after that which was skipped."""

    def look(connection: Connection, row: CampaignRow) -> tuple[ReviewCase | None, int]:
        found = review.first_of_queue(connection, row, visit.name, after=after)
        waiting = sum(1 for _ in islice(review.queue(connection, row, visit.name), MOST_COUNTED + 1))
        return found and review.case_of(connection, row, found.id, visit.name), waiting

    row, (case, waiting) = visit.with_campaign(name, look)
    return _page(visit, row, case, waiting=waiting)


@router.get("/figures")
def figures(visit: ReadsAsCurator, name: str, with_excluded: WithExcluded = False) -> Response:
    found = calls.figures(visit, name, with_excluded)
    facts = {"tables": shown(found["tables"]), "as_of": found["as_of"], "with_excluded": with_excluded}
    return page(visit, "review_figures.html", campaign=visit.campaign(name), **facts)


@router.get("/{response_id}")
def one(visit: ReadsAsCurator, name: str, response_id: RowId, *, wrong: Wrong = NOT_FAILED) -> Response:
    row, case = visit.with_campaign(name, review.case_of, response_id, visit.name)
    return _page(visit, row, case, wrong=wrong)


@router.post("/{response_id}")
@refusable("review", one)
def judge(visit: SendsAsCurator, name: str, response_id: RowId) -> Response:
    verdict = {"revision": number(visit.given.get("revision", "")), "verdict": visit.given.get("verdict")}
    judged = calls.judge(visit, name, response_id, checked(calls.ReviewIn, {**verdict, **said(visit)}))
    done = "judged" if judged.reviewers_missing else {"done": "approved"}.get(judged.state, judged.state)
    if judged.disputed:
        done = "disputed"
    return go(f"/campaigns/{name}/review", done, after=response_id)


def said(visit: Visit) -> dict[str, Any]:
    """What a reviewer wrote, as a request says it.

    `where` and `said` come in pairs: a question, or after a slash a span of it or a part of that, and what is said.
    """
    remarks = []
    for place, words in _remarks(visit).items():
        question, _, part = place.partition("/")
        remarks.append({"where": question, "part": part, "comment": words})
    return {"comment": visit.given.get("comment", ""), "remarks": remarks}


def said_before(visit: Visit, wrong: FailedForm, case: ReviewCase | None) -> dict[str, Any]:
    """What stands in the fields: what was just sent, or one's own last word on this revision, to be changed."""
    if wrong.form:
        return {"comment": wrong.given.get("comment", ""), "said": _remarks(visit)}
    mine = case and case.mine
    if mine is None:
        return {"comment": "", "said": {}}
    places = {f"{one['where']}/{one['part']}" if one["part"] else one["where"]: one["comment"] for one in mine.remarks}
    return {"comment": mine.comment, "said": places}


def _remarks(visit: Visit) -> dict[str, str]:
    pairs = zip(visit.lines("where"), visit.lines("said"), strict=False)
    return {place: words for place, words in pairs if words.strip()}


def _page(
    visit: Visit,
    row: CampaignRow,
    case: ReviewCase | None,
    *,
    waiting: int | None = None,
    wrong: FailedForm = NOT_FAILED,
) -> Response:
    facts: dict[str, Any] = {"campaign": row, "case": case, "waiting": waiting, "most": MOST_COUNTED}
    if case is not None:
        facts |= drawn_response(visit.content, case.response, case.response.revisions[0])
        facts |= {"given": said_before(visit, wrong, case), "blind": row.settings.review.blind}
        if case.before is not None:
            earlier = drawn_response(visit.content, case.response, case.before)["answers"]
            facts["changed"] = changes(earlier, facts["answers"])
    return page(visit, "review.html", wrong=wrong, **facts)
