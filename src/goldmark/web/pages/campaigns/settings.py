"""What can be changed of a campaign that exists, each change with its reason."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from goldmark.campaigns.definition.settings import Settings
from goldmark.web.api.campaigns import campaigns as calls
from goldmark.web.pages.forms import checked, fields_of, filled, posts, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, go, page
from goldmark.web.sign_in import ReadsAsCurator, SendsAsManager
from goldmark.web.visits import Visit

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/settings")


def _page(visit: Visit, name: str, *, wrong: FailedForm = NOT_FAILED) -> Response:
    row = visit.campaign(name)
    given = wrong.fields("settings", {"title": row.title, "reason": "", **fields_of(row.settings)})
    return page(visit, "settings.html", wrong=wrong, campaign=row, given=given)


@router.get("")
def settings(visit: ReadsAsCurator, name: str) -> Response:
    return _page(visit, name)


@router.post("")
@refusable("settings", _page)
def change(visit: SendsAsManager, name: str) -> Response:
    """What the form does not ask stays as it was."""
    row, given = visit.campaign(name), visit.given
    changed = filled(Settings, given, onto=row.settings)
    keep(visit, name, changed, title=given.get("title", "").strip() or row.title)
    return go(f"/campaigns/{name}/settings", "settings")


def keep(visit: Visit, name: str, settings: Settings, *, title: str) -> None:
    """New settings, with the reason that the form gives."""
    values = {"title": title, "settings": settings, "reason": visit.given.get("reason", "").strip()}
    calls.change_settings(visit, name, checked(calls.SettingsIn, values))


posts(router, "/open-link", calls.renew_open_link, to="/campaigns/{name}", done="link-renewed")
