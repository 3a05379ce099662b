"""What can be changed of a campaign that exists, each change with its reason: in fields, or all of it as YAML."""

from __future__ import annotations

from typing import Any

from fastapi.responses import Response

from goldmark.campaigns.definition.protocols import is_builtin
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.definition.settings_text import campaign_text, read_settings, settings_text
from goldmark.web.api.campaigns import campaigns as calls
from goldmark.web.computing import computed
from goldmark.web.files import saved
from goldmark.web.pages.forms import checked, fields_of, filled, number, pairs, posts, refusable, said_pairs, share
from goldmark.web.pages.frame import NOT_FAILED, Wrong, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/settings")

CONDITION = ("name", "places", "training", "factors", "mix")


@router.get("")
def settings(visit: ReadsAsCurator, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    row = visit.campaign(name)
    return page(
        visit,
        "settings.html",
        wrong=wrong,
        campaign=row,
        given=wrong.fields("settings", {"title": row.title, "reason": "", **fields_of(row.settings)}),
        start=wrong.fields("start", _start(row.settings)),
        whole=wrong.fields("whole", {"text": settings_text(row.settings) or "{}\n", "reason": ""}),
        conditions=[*_conditions(row.settings), dict.fromkeys(CONDITION, "")],
        protocol=visit.content.protocol(row.protocol_id),
    )


def _start(settings: Settings) -> dict[str, str]:
    """What stands in the fields about how people begin."""
    tried = settings.candidates
    return {
        "reason": "",
        "training": settings.training or "",
        "qualification": "yes" if settings.qualification else "no",
        "candidates": "yes" if tried else "no",
        "above": f"{100 * tried.above:g}" if tried else "90",
        "after": str(tried.after) if tried else "20",
    }


def _conditions(settings: Settings) -> list[dict[str, str]]:
    return [
        {
            "name": one.name,
            "places": str(one.places or ""),
            "training": one.training or "",
            "factors": said_pairs(one.factors),
            "mix": said_pairs(one.mix),
        }
        for one in settings.conditions
    ]


@router.post("")
@refusable("settings", settings)
def change(visit: SendsAsManager, name: str) -> Response:
    """What the form does not ask stays as it was."""
    row, given = visit.campaign(name), visit.given
    changed = filled(Settings, given, onto=row.settings)
    keep(visit, name, changed, title=given.get("title", "").strip() or row.title)
    return go(f"/campaigns/{name}/settings", "settings")


@router.post("/start")
@refusable("start", settings)
def change_start(visit: SendsAsManager, name: str) -> Response:
    """How people begin: what they learn, whether they must qualify or are candidates, and to which group they come."""
    row, given = visit.campaign(name), visit.given
    columns = (visit.lines(f"condition.{key}") for key in CONDITION)
    rows = [dict(zip(CONDITION, one, strict=True)) for one in zip(*columns, strict=False)]
    values = row.settings.model_dump(mode="json") | {
        "training": given.get("training") or None,
        "qualification": given.get("qualification") != "no",
        "candidates": (
            {"above": share(given.get("above", "")), "after": number(given.get("after", ""))}
            if given.get("candidates") == "yes"
            else None
        ),
        "conditions": [_condition(one) for one in rows if one["name"].strip()],
    }
    keep(visit, name, checked(Settings, values), title=row.title)
    return go(f"/campaigns/{name}/settings", "settings")


def _condition(given: dict[str, str]) -> dict[str, Any]:
    return {
        "name": given["name"].strip(),
        "places": number(given["places"]) if given["places"].strip() else None,
        "training": given["training"] or None,
        "factors": pairs(given["factors"], "what sets it apart"),
        "mix": {key: number(value) for key, value in pairs(given["mix"], "mix").items()},
    }


@router.post("/whole")
@refusable("whole", settings)
def change_whole(visit: SendsAsManager, name: str) -> Response:
    """Everything as in the file; what is left out is as it is by default."""
    row = visit.campaign(name)
    keep(visit, name, read_settings(row, visit.given.get("text", "")), title=row.title)
    return go(f"/campaigns/{name}/settings", "settings")


@router.get("/campaign.yaml")
def for_next_time(visit: ReadsAsManager, name: str) -> Response:
    """The campaign file that makes such a campaign again."""
    row, suggestions = visit.campaign(name), visit.services.computing.apart(name, computed.any_suggestion)
    text = campaign_text(row, own_protocol=not is_builtin(row.protocol), suggestions=suggestions)
    return saved(text, "campaign.yaml", "text/yaml")


def keep(visit: Visit, name: str, settings: Settings, *, title: str) -> None:
    """New settings, with the reason that the form gives."""
    values = {"title": title, "settings": settings, "reason": visit.given.get("reason", "").strip()}
    calls.change_settings(visit, name, checked(calls.SettingsIn, values))


posts(router, "/open-link", calls.renew_open_link, to="/campaigns/{name}", done="link-renewed")
