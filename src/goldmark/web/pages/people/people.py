"""A campaign's annotators: invite, look at their work, pause, renew their links."""

from __future__ import annotations

from fastapi.responses import Response

from goldmark.people.annotators import some_annotators
from goldmark.web.api.listing import FROM_THE_START, Listed, Listing
from goldmark.web.api.people import annotators as calls
from goldmark.web.pages.forms import filled, posts, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/annotators")

HERE = "/campaigns/{name}/annotators"
PEOPLE_AT_ONCE = 25  # each with a link and forms of their own


@router.get("")
def annotators(visit: ReadsAsCurator, name: str, listed: Listed) -> Response:
    return _page(visit, name, listed)


def _page(visit: Visit, name: str, listed: Listing = FROM_THE_START, *, wrong: FailedForm = NOT_FAILED) -> Response:
    row, found = visit.with_campaign(
        name, some_annotators, search=listed.search, page=listed.number, size=PEOPLE_AT_ONCE
    )
    accounts = visit.services.accounts.accounts() if visit.may("manager") else []
    return page(
        visit,
        "annotators.html",
        wrong=wrong,
        campaign=row,
        found=found,
        search=listed.search,
        people=[calls.with_link(visit, one) for one in found.items],
        accounts=[one for one in accounts if one.disabled_at is None],
        names=wrong.given.get("names", ""),
    )


@router.post("")
@refusable("invite", _page)
def invite(visit: SendsAsManager, name: str) -> Response:
    """Personal links for everybody named; an account finds the campaign on its first page."""
    invited = calls.invite(visit, name, filled(calls.InviteIn, visit.given)).annotators
    return go(HERE.format(name=name), "invited" if invited else "")


posts(router, "/{annotator_id}/pause", calls.pause, to=HERE, done="person-paused")
posts(router, "/{annotator_id}/resume", calls.resume, to=HERE, done="person-resumed")
posts(router, "/{annotator_id}/link", calls.renew_link, to=HERE, done="link-renewed")
