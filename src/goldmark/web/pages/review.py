"""Reviewing: one finished response at a time, approved or returned, and what the reviews say so far."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection

from goldmark.analysis.campaign_tables import review_tables
from goldmark.campaigns import reviewing
from goldmark.campaigns.export import record_of
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.reviewing import Case, Remark
from goldmark.errors import GoldmarkError
from goldmark.records.units import context_to_json
from goldmark.reports.tables import reading
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.drawing import draw
from goldmark.web.pages.frame import NOT_FAILED, Failed, failed, page
from goldmark.web.pages.reading import marks_of, read_answers
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsCurator, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/review")

MOST_COUNTED = 500  # "more than 500 wait" is all that anybody needs to know
Said = Annotated[str, Form(max_length=10_000, pattern=r"^[^\x00]*$")]
Lines = Annotated[list[str], Form(max_length=2_000)]


@router.get("")
def next_one(
    name: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
) -> Response:
    """The response that waits longest, or the next one after that which was skipped."""

    def look(connection: Connection) -> tuple[CampaignRow, Case | None, int]:
        row = find_campaign(connection, name)
        found = reviewing.first_of_queue(connection, row, who.name, after=after)
        waiting = sum(1 for _ in islice(reviewing.queue(connection, row, who.name), MOST_COUNTED + 1))
        return row, found and reviewing.case_of(connection, row, found.id, who.name), waiting

    row, case, waiting = services.store.read(look)
    return _page(request, who, services, row, case, waiting=waiting)


@router.get("/figures")
def figures(
    name: str, request: Request, who: ReadsAsCurator, services: ServicesDep, with_excluded: WithExcluded = False
) -> Response:
    row = services.store.read(lambda connection: find_campaign(connection, name))
    tables = review_tables(record_of(services.store, name, with_excluded=with_excluded))
    read = [(table, reading(table)) for table in tables]
    return page(request, "review_figures.html", who, campaign=row, tables=read, with_excluded=with_excluded)


@router.get("/{response_id}")
def one(name: str, response_id: RowId, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    row, case = _case(name, response_id, who, services)
    return _page(request, who, services, row, case)


@router.post("/{response_id}")
def judge(
    name: str,
    response_id: RowId,
    request: Request,
    who: SendsAsCurator,
    services: ServicesDep,
    revision: Annotated[int, Form(ge=0, le=2**31 - 1)] = 0,
    verdict: Annotated[str, Form(max_length=20)] = "",
    comment: Said = "",
    where: Lines = [],  # noqa: B006 - FastAPI copies it
    said: Lines = [],  # noqa: B006
) -> Response:
    """`where` and `said` come in pairs: a question, or a question and a span after a slash, and what is said of it."""
    told = {place: words for place, words in zip(where, said, strict=False) if words.strip()}
    try:
        judged = reviewing.judge(
            services.store,
            services.library,
            name,
            response_id,
            revision=revision,
            verdict="approved" if verdict == "approved" else "returned",
            comment=comment,
            remarks=[remark_at(place, words) for place, words in told.items()],
            reviewer=who.name,
        )
    except GoldmarkError as error:
        row, case = _case(name, response_id, who, services)
        wrong = failed("review", error)
        return _page(request, who, services, row, case, wrong=wrong, given={"comment": comment, "said": told})
    done = "judged" if judged.reviewers_missing else {"done": "approved"}.get(judged.state, judged.state)
    return RedirectResponse(
        f"/campaigns/{name}/review?{urlencode({'after': response_id, 'done': done})}", status_code=303
    )


def remark_at(place: str, words: str) -> Remark:
    """A remark on a place of the page: a question, or after a slash a span of it, or a part of that span."""
    question, _, span = place.partition("/")
    return Remark(question, span, words)


def _case(name: str, response_id: int, who: Visitor, services: Services) -> tuple[CampaignRow, Case]:
    def look(connection: Connection) -> tuple[CampaignRow, Case]:
        row = find_campaign(connection, name)
        return row, reviewing.case_of(connection, row, response_id, who.name)

    return services.store.read(look)


def _page(
    request: Request,
    who: Visitor,
    services: Services,
    row: CampaignRow,
    case: Case | None,
    *,
    waiting: int | None = None,
    wrong: Failed = NOT_FAILED,
    given: dict[str, Any] | None = None,
) -> Response:
    facts: dict[str, Any] = {"campaign": row, "case": case, "waiting": waiting, "most": MOST_COUNTED}
    if case is not None:
        newest, shown = case.response.revisions[0], case.response.shown
        protocol = services.library.protocol(newest.protocol_id)
        marks = marks_of(protocol, newest.answers, shown)
        facts |= {
            "texts": {role: draw(text, marks[role]) for role, text in shown.texts.items()},
            "order": services.library.order(newest.protocol_id, case.response.shown_first),
            "answers": read_answers(protocol, newest.answers, shown),
            "context": [context_to_json(item) for item in shown.context],
            "given": given or _as_said(case),
            "blind": row.settings.review.blind,
        }
    return page(request, "review.html", who, wrong=wrong, **facts)


def _as_said(case: Case) -> dict[str, Any]:
    """One's own last word on this revision, to be changed; nothing if there is none."""
    mine = case.mine
    if mine is None:
        return {"comment": "", "said": {}}
    places = {f"{one['where']}/{one['part']}" if one["part"] else one["where"]: one["comment"] for one in mine.remarks}
    return {"comment": mine.comment, "said": places}
