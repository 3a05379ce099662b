"""Making a campaign of another one's answers, and the results of a verification campaign."""

from __future__ import annotations

from fastapi.responses import Response

from goldmark.curation.verification.followup import FOLLOW_UPS
from goldmark.errors import GoldmarkError
from goldmark.web.api.campaigns import follow_up as calls
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.computing import computed
from goldmark.web.files import saved
from goldmark.web.pages.forms import posts
from goldmark.web.pages.frame import NOT_FAILED, Wrong, page, shown
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager

router = Pages("/campaigns/{name}")

BLANK = {"kind": "verification", "title": "", "labels_per_unit": "", "question": "", "seed": ""}


@router.get("/follow-up")
def form(visit: ReadsAsManager, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    given = wrong.fields("follow-up", {**BLANK, "campaign": f"{name}-follow-up"[:63]})
    row = visit.campaign(name)
    return page(
        visit,
        "follow_up.html",
        wrong=wrong,
        campaign=row,
        questions=list(visit.content.protocol(row.protocol_id).questions()),
        given=given,
        kinds=list(FOLLOW_UPS.values()),
    )


posts(router, "/follow-up", calls.make, to="/campaigns/{campaign}", done="created", again=form, form="follow-up")


@router.get("/verified")
def verified(visit: ReadsAsCurator, name: str, with_excluded: WithExcluded = False) -> Response:
    """The results of a verification campaign; of any other, what to do to get one."""
    row = visit.campaign(name)
    try:
        look = calls.verified(visit, name, with_excluded)
    except GoldmarkError as error:
        return page(visit, "verified.html", campaign=row, look=None, why=str(error), tables=[])
    facts = {"tables": shown(look["tables"]), "as_of": look["as_of"], "with_excluded": with_excluded}
    return page(visit, "verified.html", campaign=row, look=look, why="", **facts)


@router.get("/coded")
def coded(visit: ReadsAsCurator, name: str) -> Response:
    """The results of a coding campaign; of any other, why there are none."""
    row = visit.campaign(name)
    try:
        found = calls.coded(visit, name)
    except GoldmarkError as error:
        return page(visit, "coded.html", campaign=row, why=str(error), tables=[])
    return page(visit, "coded.html", campaign=row, why="", tables=shown(found["tables"]), as_of=found["as_of"])


@router.get("/verified/gold.csv")
def verified_list(visit: ReadsAsCurator, name: str) -> Response:
    """The verified gold list to download."""
    return saved(visit.services.computing.apart(name, computed.verified_list), f"{name}-verified.csv")
