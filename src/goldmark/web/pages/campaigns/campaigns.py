"""A campaign's own page, and the page on which a new one is made."""

from __future__ import annotations

from typing import Any

from fastapi.responses import Response

from goldmark.campaigns import lifecycle
from goldmark.campaigns.definition import uploads
from goldmark.campaigns.definition.protocols import list_protocols
from goldmark.campaigns.unit_overview import unit_dots
from goldmark.recruiting.offering.offers import mistakes_of
from goldmark.store import events
from goldmark.web.api.campaigns import campaigns as calls
from goldmark.web.api.campaigns.units import more_texts
from goldmark.web.api.inputs import ReasonIn
from goldmark.web.pages.campaigns import chosen_texts
from goldmark.web.pages.forms import filled, refusable
from goldmark.web.pages.frame import NOT_FAILED, Wrong, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager, SendsAsManager

router = Pages("/campaigns")

MOST_DOTS = 200
MOST_EVENTS = 50
MOVES = {"start": "started", "pause": "paused", "close": "closed"}
BLANK = {
    "campaign": "",
    "title": "",
    "protocol": "accuracy",
    "labels_per_unit": "1",
    "batch.size": "",
    "join.invite": "",
    "join.open": "yes",
    "consent": "",
}


@router.get("/new")
def new(visit: ReadsAsManager, *, wrong: Wrong = NOT_FAILED) -> Response:
    wanted = visit.request.query_params.get("protocol", "") or BLANK["protocol"]
    given = wrong.fields("form", {**BLANK, "protocol": wanted})
    return page(visit, "new.html", wrong=wrong, given=given, protocols=visit.read(list_protocols))


@router.post("/new")
@refusable("files", new)
def create_from_files(visit: SendsAsManager) -> Response:
    row = uploads.create_from_files(visit.store, visit.uploads, mistakes_of, author=visit.name)
    made = calls.created(visit, row)
    return go(f"/campaigns/{made['name']}", "created")


@router.post("/new/form")
@refusable("form", new)
def create_from_form(visit: SendsAsManager) -> Response:
    head = filled(calls.CampaignHead, visit.given)
    settings = {**head.as_file(), "protocol": head.protocol, "texts": chosen_texts.cut(visit)}
    how: dict[str, Any] = {"protocol": calls.own_protocol(visit, head), "also": mistakes_of, "author": visit.name}
    how["suggestions"] = next(iter(visit.uploads_as("suggestions")), None)
    with chosen_texts.chosen(visit) as files:
        made = calls.created(visit, uploads.create_from_parts(visit.store, settings, files, **how))
    return go(f"/campaigns/{made['name']}", "created")


@router.post("/new/look")
def look_at_texts(visit: SendsAsManager) -> Response:
    """A part of the form: what is in the chosen file, which column is what, and how the first texts are cut."""
    return page(visit, "texts_look.html", **chosen_texts.look(visit))


@router.get("/{name}")
def show(visit: ReadsAsCurator, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    counted = visit.progress(name)
    row, (dots, decisions) = visit.with_campaign(
        name,
        lambda connection, row: (
            unit_dots(connection, row, most=MOST_DOTS),
            events.history(connection, row.id, most=MOST_EVENTS),
        ),
    )
    return page(
        visit,
        "campaign.html",
        wrong=wrong,
        campaign=row,
        progress=counted.found,
        as_of=counted.as_of,
        dots=dots,
        decisions=decisions,
        open_link=calls.campaign_out(visit, row)["open_link"],
        verbs=[verb for verb, word in MOVES.items() if row.state in lifecycle.MOVES[word][0]],
    )


@router.post("/{name}/move")
@refusable("move", show)
def move(visit: SendsAsManager, name: str) -> Response:
    """Start, pause or close."""
    verb = MOVES.get(visit.given.get("verb", ""), "started")
    calls.move(visit, name, verb, filled(ReasonIn, visit.given))
    return go(f"/campaigns/{name}", verb)


@router.post("/{name}/texts")
@refusable("texts", show)
def add_texts(visit: SendsAsManager, name: str) -> Response:
    ways: dict[str, Any] = {**chosen_texts.WAYS, **chosen_texts.cut(visit)}
    with chosen_texts.chosen(visit) as files:
        more_texts(visit, name, files, **ways)
    return go(f"/campaigns/{name}", "texts")
