"""Where each text of a campaign stands, the figures of its quality protocol, and the final spot check."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.pages import LAST_PAGE
from goldmark.errors import GoldmarkError
from goldmark.protocols.answers import marking
from goldmark.protocols.stages import stages
from goldmark.reviews import final_spot_check
from goldmark.reviews.final_spot_check import FinalCheck
from goldmark.reviews.responses import ResponseFile
from goldmark.reviews.unit_status import MEANING, UNIT_STATUSES, UnitStatus
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.api.reviews import unit_status as calls
from goldmark.web.api.shapes import RowId
from goldmark.web.computing import computed
from goldmark.web.pages.answers.readable_answers import drawn_response
from goldmark.web.pages.forms import checked, posts, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, Wrong, failed, go, page, shown
from goldmark.web.pages.reviews.review import said, said_before
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, SendsAsCurator
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/status")

PageNumber = Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)]


@router.get("")
def status(visit: ReadsAsCurator, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    from goldmark.stats.inference.proportions import exact_interval

    made = visit.services.computing.of(name, computed.status)
    found = made.found
    row = found.campaign
    protocol = visit.content.protocol(row.protocol_id)
    shares = {(share.right, share.of) for one in found.candidates or () for share in one.shares if share.of}
    return page(
        visit,
        "unit_status.html",
        wrong=wrong,
        campaign=row,
        as_of=made.as_of,
        counts=found.counts,
        meaning=MEANING,
        hint=_hint(row, found.counts.statuses),
        calibration=shown([found.calibration])[0] if found.calibration else None,
        candidates=found.candidates,
        rule=row.settings.candidates,
        stages=stages(protocol),
        marks=bool(marking(protocol)),
        intervals={share: exact_interval(*share) for share in shares},
        check=found.check,
        check_table=shown([found.check_table])[0] if found.check_table else None,
    )


def _hint(row: CampaignRow, statuses: Any) -> str:
    """What to do next, in one sentence."""
    waiting = statuses["waiting"] + statuses["amended"] + statuses["disputed"]
    if waiting:
        return f"{waiting:,} wait for a reviewer."
    if statuses["answered"] and row.settings.review.required is False:
        return "Answers count at once here; reviewers may still look at them."
    if statuses["untouched"] and not statuses["in_progress"]:
        return "Invite annotators, or wait until they come."
    return ""


@router.get("/agreement")
def agreement(
    visit: ReadsAsCurator,
    name: str,
    by_condition: bool = False,
    first: bool = False,
    with_excluded: WithExcluded = False,
) -> Response:
    facts: dict[str, Any] = {"campaign": visit.campaign(name), "by_condition": by_condition, "first": first}
    try:
        found = calls.agreement(visit, name, by_condition, [], first, with_excluded)
    except GoldmarkError as error:
        return page(visit, "unit_status_agreement.html", wrong=failed("agreement", error), **facts)
    return page(visit, "unit_status_agreement.html", tables=shown(found["tables"]), as_of=found["as_of"], **facts)


posts(
    router,
    "/spot-check",
    calls.draw,
    to="/campaigns/{name}/status",
    done="drawn",
    again=status,
    form="draw",
)


@router.get("/spot-check")
def next_one(visit: ReadsAsCurator, name: str, after: Annotated[int, Query(ge=0, le=2**53)] = 0) -> Response:
    """The next answer of the spot check to judge."""
    found = visit.look_into(name, final_spot_check.next_to_check, visit.name, after=after)
    return _case(visit, name, found)


def _case(visit: Visit, name: str, response_id: int | None, *, wrong: FailedForm = NOT_FAILED) -> Response:
    """The page of a review, for one answer of the spot check; without one, that all are judged."""

    def look(connection: Connection, row: CampaignRow) -> tuple[FinalCheck | None, ResponseFile | None]:
        found = final_spot_check.drawn_response(connection, row, response_id)[0] if response_id else None
        return final_spot_check.final_check(connection, row), found

    row, (check, found) = visit.with_campaign(name, look)
    if check is None:
        return go(f"/campaigns/{name}/status")
    facts: dict[str, Any] = {"campaign": row, "check": check, "checking": True, "case": None}
    if found is not None:
        # Whose it is and what reviewers said of it is not told: the check is blind.
        case = {"response": found, "revision": found.revisions[0].number, "words": ()}
        facts |= drawn_response(visit.content, found, found.revisions[0])
        facts |= {"case": case, "given": said_before(visit, wrong, None), "blind": True}
    return page(visit, "review.html", wrong=wrong, **facts)


@router.get("/spot-check/{response_id}")
def one(visit: ReadsAsCurator, name: str, response_id: RowId) -> Response:
    return _case(visit, name, response_id)


@router.post("/spot-check/{response_id}")
@refusable("review", _case)
def say(visit: SendsAsCurator, name: str, response_id: RowId) -> Response:
    right = {"right": visit.given.get("verdict") == "approved"}
    calls.say(visit, name, response_id, checked(calls.WordIn, {**right, **said(visit)}))
    return go(f"/campaigns/{name}/status/spot-check", after=response_id)


@router.get("/{status}")
def texts(visit: ReadsAsCurator, name: str, status: str, page_number: PageNumber = 1) -> Response:
    """The texts that have one status; an address that is none leads to where each stands."""
    known: UnitStatus | None = next((one for one in UNIT_STATUSES if one == status), None)
    if known is None:
        return go(f"/campaigns/{name}/status")
    made = visit.services.computing.of(name, computed.texts_with, known, page_number)
    return page(
        visit,
        "unit_status_texts.html",
        campaign=made.campaign,
        found=made.found,
        as_of=made.as_of,
        words=MEANING[known],
    )
