"""Where each text of a campaign stands, the figures of its quality protocol, and the final spot check."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection

from goldmark.analysis.campaign_tables import agreement_tables, quality_protocol
from goldmark.campaigns import final_checks
from goldmark.campaigns.final_checks import FinalCheck
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.paging import LAST_PAGE, Page
from goldmark.campaigns.review import ResponseFile
from goldmark.campaigns.standing import MEANING, PLACES, Place, TextLine, texts_at
from goldmark.errors import GoldmarkError
from goldmark.protocols.stages import stages
from goldmark.records.units import context_to_json
from goldmark.reports.tables import reading
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.drawing import draw as draw_text
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, go, number, page
from goldmark.web.pages.reading import marks_of, read_answers
from goldmark.web.pages.review import Lines, Said, remark_at
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsCurator, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/standing")

PageNumber = Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)]


@router.get("")
def standing(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _standing(name, request, who, services)


def _standing(name: str, request: Request, who: Visitor, services: Services, wrong: Failed = NOT_FAILED) -> Response:
    from goldmark.stats.shares import exact_interval

    found = quality_protocol(services.store, services.library, name)
    shares = {(share.right, share.of) for one in found.candidates or () for share in one.shares if share.of}
    facts: dict[str, Any] = {
        "campaign": found.campaign,
        "standing": found.standing,
        "meaning": MEANING,
        "hint": _hint(found.campaign, found.standing.places),
        "calibration": found.calibration and (found.calibration, reading(found.calibration)),
        "candidates": found.candidates,
        "rule": found.campaign.settings.candidates,
        "stages": stages(services.library.protocol(found.campaign.protocol_id)),
        "intervals": {share: exact_interval(*share) for share in shares},
        "check": found.check,
        "check_table": found.check_table and (found.check_table, reading(found.check_table)),
    }
    return page(request, "standing.html", who, wrong=wrong, **facts)


def _hint(row: CampaignRow, places: Any) -> str:
    """What to do next, in one sentence."""
    waiting = places["waiting"] + places["amended"]
    if waiting:
        return f"{waiting:,} wait for a reviewer."
    if places["answered"] and row.settings.review.required is False:
        return "Answers count at once here; reviewers may still look at them."
    if places["untouched"] and not places["in_hand"]:
        return "Invite annotators, or wait until they come."
    return ""


@router.get("/agreement")
def agreement(
    name: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    by_condition: bool = False,
    first: bool = False,
    with_excluded: WithExcluded = False,
) -> Response:
    row = services.store.read(lambda connection: find_campaign(connection, name))
    groups: list[str] | None = [] if by_condition else None
    facts: dict[str, Any] = {"campaign": row, "by_condition": by_condition, "first": first}
    try:
        tables = agreement_tables(services.store, name, groups=groups, first=first, with_excluded=with_excluded)
    except GoldmarkError as error:
        return page(request, "standing_agreement.html", who, wrong=failed("agreement", error), **facts)
    read = [(table, reading(table)) for table in tables]
    return page(request, "standing_agreement.html", who, tables=read, **facts)


@router.post("/spot-check")
def draw(
    name: str, request: Request, who: SendsAsManager, services: ServicesDep, size: Word = "", seed: Word = ""
) -> Response:
    """Draw finished answers by lot."""
    many, lot = number(size), number(seed)
    try:
        if not isinstance(many, int) or not isinstance(lot, int):
            raise final_checks.DrawNotPossible(most=final_checks.MOST)
        final_checks.draw(services.store, name, size=many, seed=lot, author=who.name)
    except GoldmarkError as error:
        return _standing(name, request, who, services, failed("draw", error))
    return go(f"/campaigns/{name}/standing", "drawn")


@router.get("/spot-check")
def next_one(
    name: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
) -> Response:
    """The next answer of the spot check to judge."""

    def look(connection: Connection) -> int | None:
        return final_checks.next_to_check(connection, find_campaign(connection, name), who.name, after=after)

    return _case(name, services.store.read(look), request, who, services)


@router.get("/spot-check/{response_id}")
def one(name: str, response_id: RowId, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _case(name, response_id, request, who, services)


@router.post("/spot-check/{response_id}")
def say(
    name: str,
    response_id: RowId,
    request: Request,
    who: SendsAsCurator,
    services: ServicesDep,
    verdict: Annotated[str, Form(max_length=20)] = "",
    comment: Said = "",
    where: Lines = [],  # noqa: B006 - FastAPI copies it
    said: Lines = [],  # noqa: B006
) -> Response:
    told = {place: words for place, words in zip(where, said, strict=False) if words.strip()}
    try:
        final_checks.say(
            services.store,
            services.library,
            name,
            response_id,
            right=verdict == "approved",
            remarks=[remark_at(place, words) for place, words in told.items()],
            comment=comment,
            checker=who.name,
        )
    except GoldmarkError as error:
        given = {"comment": comment, "said": told}
        return _case(name, response_id, request, who, services, wrong=failed("review", error), given=given)
    return RedirectResponse(
        f"/campaigns/{name}/standing/spot-check?{urlencode({'after': response_id})}", status_code=303
    )


def _case(
    name: str,
    response_id: int | None,
    request: Request,
    who: Visitor,
    services: Services,
    *,
    wrong: Failed = NOT_FAILED,
    given: dict[str, Any] | None = None,
) -> Response:
    """The page of a review, for one answer of the spot check; without one, that all are judged."""

    def look(connection: Connection) -> tuple[CampaignRow, FinalCheck | None, ResponseFile | None]:
        row = find_campaign(connection, name)
        found = final_checks.drawn_response(connection, row, response_id)[0] if response_id else None
        return row, final_checks.final_check(connection, row), found

    row, check, found = services.store.read(look)
    if check is None:
        return go(f"/campaigns/{name}/standing")
    facts: dict[str, Any] = {"campaign": row, "check": check, "checking": True, "case": None}
    if found is not None:
        newest = found.revisions[0]
        protocol = services.library.protocol(newest.protocol_id)
        marks = marks_of(protocol, newest.answers, found.shown)
        facts |= {
            # Whose it is and what reviewers said of it is not told: the check is blind.
            "case": {"response": found, "revision": newest.number, "words": ()},
            "texts": {role: draw_text(text, marks[role]) for role, text in found.shown.texts.items()},
            "order": services.library.order(newest.protocol_id, found.shown_first),
            "answers": read_answers(protocol, newest.answers, found.shown),
            "context": [context_to_json(item) for item in found.shown.context],
            "given": given or {"comment": "", "said": {}},
            "blind": True,
        }
    return page(request, "review.html", who, wrong=wrong, **facts)


@router.get("/{place}")
def texts(
    name: str, place: str, request: Request, who: ReadsAsCurator, services: ServicesDep, page_number: PageNumber = 1
) -> Response:
    """The texts that stand at one place; an address that is none leads to where each stands."""
    known: Place | None = next((one for one in PLACES if one == place), None)
    if known is None:
        return go(f"/campaigns/{name}/standing")

    def look(connection: Connection) -> tuple[CampaignRow, Page[TextLine]]:
        row = find_campaign(connection, name)
        protocol = services.library.protocol(row.protocol_id)
        return row, texts_at(connection, row, protocol, known, page=page_number)

    row, found = services.store.read(look)
    return page(request, "standing_texts.html", who, campaign=row, found=found, words=MEANING[known])
