"""Fair pay: what a unit takes and should cost, what is left to pay, and who was paid too little."""

from __future__ import annotations

from fastapi.responses import Response

from goldmark.campaigns.definition.settings import Pay
from goldmark.web.api.listing import FROM_THE_START, Listed, Listing
from goldmark.web.api.people import pay as calls
from goldmark.web.pages.campaigns.settings import keep
from goldmark.web.pages.forms import fields_of, filled, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/pay")


def _page(visit: Visit, name: str, listed: Listing = FROM_THE_START, *, wrong: FailedForm = NOT_FAILED) -> Response:
    made = calls.reported(visit, name)
    row, report = made.campaign, made.found
    given = wrong.fields("pay", fields_of(row.settings.pay))
    shown = {"report": report, "found": calls.earners(report, listed), "search": listed.search, "as_of": made.as_of}
    return page(visit, "pay.html", wrong=wrong, campaign=row, given=given, **shown)


@router.get("")
def pay(visit: ReadsAsManager, name: str, listed: Listed) -> Response:
    return _page(visit, name, listed)


@router.post("")
@refusable("pay", _page)
def change(visit: SendsAsManager, name: str) -> Response:
    row = visit.campaign(name)
    currency = visit.given.get("currency", "").upper() or "USD"
    changed = filled(Pay, {**visit.given, "currency": currency}, onto=row.settings.pay)
    keep(visit, name, row.settings.model_copy(update={"pay": changed}), title=row.title)
    return go(f"/campaigns/{name}/pay", "pay")


@router.get("/bonus.csv")
def bonus(visit: ReadsAsManager, name: str) -> Response:
    return calls.bonus(visit, name)
