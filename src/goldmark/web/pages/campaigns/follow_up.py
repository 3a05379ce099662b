"""Making a campaign of another one's answers, and the results of a verification campaign."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from goldmark.curation.gold_lists.files import write_gold
from goldmark.curation.verification.followup import FOLLOW_UPS, verified_gold
from goldmark.errors import GoldmarkError
from goldmark.results.campaign_tables import verification_tables
from goldmark.web.api.campaigns import follow_up as calls
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.files import saved
from goldmark.web.pages.forms import posts
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, page, shown
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager
from goldmark.web.visits import Visit

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}")

BLANK = {"kind": "verification", "title": "", "labels_per_unit": "", "question": "", "seed": ""}


def _form(visit: Visit, name: str, *, wrong: FailedForm = NOT_FAILED) -> Response:
    given = wrong.fields("follow-up", {**BLANK, "campaign": f"{name}-follow-up"[:63]})
    return page(
        visit,
        "follow_up.html",
        wrong=wrong,
        campaign=visit.campaign(name),
        given=given,
        kinds=list(FOLLOW_UPS.values()),
    )


@router.get("/follow-up")
def form(visit: ReadsAsManager, name: str) -> Response:
    return _form(visit, name)


posts(router, "/follow-up", calls.make, to="/campaigns/{campaign}", done="created", again=_form, form="follow-up")


@router.get("/verified")
def verified(visit: ReadsAsCurator, name: str, with_excluded: WithExcluded = False) -> Response:
    """The results of a verification campaign; of any other, what to do to get one."""
    row = visit.campaign(name)
    try:
        look = verified_gold(visit.store, name, with_excluded=with_excluded)
    except GoldmarkError as error:
        return page(visit, "verified.html", campaign=row, look=None, why=str(error), tables=[])
    tables = shown(verification_tables(look))
    return page(visit, "verified.html", campaign=row, look=look, why="", tables=tables, with_excluded=with_excluded)


@router.get("/coded")
def coded(visit: ReadsAsCurator, name: str) -> Response:
    """The results of a coding campaign; of any other, why there are none."""
    row = visit.campaign(name)
    try:
        tables, why = shown(calls.coded(visit, name)["tables"]), ""
    except GoldmarkError as error:
        tables, why = [], str(error)
    return page(visit, "coded.html", campaign=row, why=why, tables=tables)


@router.get("/verified/gold.csv")
def verified_list(visit: ReadsAsCurator, name: str) -> Response:
    """The verified gold list to download."""
    look = verified_gold(visit.store, name)
    return saved(write_gold(look.result.kept, look.basis.reports.texts), f"{name}-verified.csv")
