"""A campaign's own page, and the page on which a new one is made."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from goldmark.campaigns import lifecycle
from goldmark.campaigns.definition import uploads
from goldmark.campaigns.definition.protocols import list_protocols
from goldmark.campaigns.definition.uploads import units_from_rows
from goldmark.campaigns.progress import progress_of
from goldmark.campaigns.unit_overview import unit_dots
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.recruiting.offering.offers import mistakes_of
from goldmark.store import events
from goldmark.texts.readers.sheets.columns import ROLES, UploadedSheet, guessed, mapped
from goldmark.texts.segmentation.sentences import SPLITTERS
from goldmark.texts.segmentation.tokens import TOKENISERS
from goldmark.web.api.campaigns import campaigns as calls
from goldmark.web.api.campaigns.units import more_texts
from goldmark.web.api.inputs import ReasonIn
from goldmark.web.pages.forms import filled, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, go, page
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = APIRouter(include_in_schema=False, prefix="/campaigns")

MOST_DOTS = 600
FIRST_TEXTS = 3
WAYS = {"tokeniser": "rules", "sentences": "rules"}
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


def _new_page(visit: Visit, *, wrong: FailedForm = NOT_FAILED) -> Response:
    wanted = visit.request.query_params.get("protocol", "") or BLANK["protocol"]
    given = wrong.fields("form", {**BLANK, "protocol": wanted})
    return page(visit, "new.html", wrong=wrong, given=given, protocols=visit.read(list_protocols))


@router.get("/new")
def new(visit: ReadsAsManager) -> Response:
    return _new_page(visit)


@router.post("/new")
@refusable("files", _new_page)
def create_from_files(visit: SendsAsManager) -> Response:
    made = calls.created(visit, uploads.plan_from_files(visit.uploads, mistakes_of))
    return go(f"/campaigns/{made['name']}", "created")


@router.post("/new/form")
@refusable("form", _new_page)
def create_from_form(visit: SendsAsManager) -> Response:
    head = filled(calls.CampaignHead, visit.given)
    settings = {**head.as_file(), "protocol": head.protocol, "texts": _cut(visit)}
    own, roles = calls.own_protocol(visit, head), _roles(visit)
    sheet = uploads.uploaded_sheet(visit.uploads) if any(roles.values()) else None
    if sheet is None:
        plan = uploads.plan_from_parts(settings, visit.uploads, protocol=own, also=mistakes_of)
    else:
        rows = mapped(sheet, roles, visit.lines("context"))
        plan = uploads.plan_from_parts(settings, rows=rows, protocol=own, also=mistakes_of)
    made = calls.created(visit, plan)
    return go(f"/campaigns/{made['name']}", "created")


def _roles(visit: Visit) -> dict[str, str]:
    """Which column of a table is what, as the form says."""
    return {role: visit.given.get(f"column.{role}", "") for role in ROLES}


def _cut(visit: Visit) -> dict[str, str]:
    """How texts are cut into tokens and sentences."""
    return {one: given for one in ("tokeniser", "sentences") if (given := visit.given.get(one, ""))}


@router.post("/new/look")
def look_at_texts(visit: SendsAsManager) -> Response:
    """A part of the form: what is in the chosen file, which column is what, and how the first texts are cut."""
    facts: dict[str, Any] = {"sheet": None, "roles": {}, "context": [], "problem": "", "first": []}
    try:
        sheet = uploads.uploaded_sheet(visit.uploads)
        if sheet is not None:
            asked = any(f"column.{role}" in visit.given for role in ROLES)
            roles = _roles(visit) if asked else guessed(sheet.columns)
            known = {role: column for role, column in roles.items() if column in sheet.columns}
            context = [one for one in visit.lines("context") if one in sheet.columns]
            facts |= {"sheet": sheet, "roles": known, "context": context}
            few = UploadedSheet(sheet.columns, sheet.rows[:FIRST_TEXTS])
            facts["first"] = units_from_rows(mapped(few, known, context), **{**WAYS, **_cut(visit)})
    except ProblemsFound as error:
        facts["problem"] = "; ".join(str(one.what) for one in error.problems[:5])
    except GoldmarkError as error:
        facts["problem"] = str(error)
    tokenisers, splitters = sorted(TOKENISERS.usable()), sorted(SPLITTERS.usable())
    ways = {**WAYS, **_cut(visit)}
    return page(visit, "new_columns.html", **facts, tokenisers=tokenisers, splitters=splitters, ways=ways)


def _campaign_page(visit: Visit, name: str, *, wrong: FailedForm = NOT_FAILED) -> Response:
    row, (progress, dots, decisions) = visit.with_campaign(
        name,
        lambda connection, row: (
            progress_of(connection, row),
            unit_dots(connection, row, most=MOST_DOTS),
            events.history(connection, row.id, most=MOST_EVENTS),
        ),
    )
    return page(
        visit,
        "campaign.html",
        wrong=wrong,
        campaign=row,
        progress=progress,
        dots=dots,
        decisions=decisions,
        open_link=calls.campaign_out(visit, row)["open_link"],
        verbs=[verb for verb, word in MOVES.items() if row.state in lifecycle.MOVES[word][0]],
    )


@router.get("/{name}")
def show(visit: ReadsAsCurator, name: str) -> Response:
    return _campaign_page(visit, name)


@router.post("/{name}/move")
@refusable("move", _campaign_page)
def move(visit: SendsAsManager, name: str) -> Response:
    """Start, pause or close."""
    verb = MOVES.get(visit.given.get("verb", ""), "started")
    calls.move(visit, name, verb, filled(ReasonIn, visit.given))
    return go(f"/campaigns/{name}", verb)


@router.post("/{name}/texts")
@refusable("texts", _campaign_page)
def add_texts(visit: SendsAsManager, name: str) -> Response:
    roles, cut = _roles(visit), {**WAYS, **_cut(visit)}
    sheet = uploads.uploaded_sheet(visit.uploads) if any(roles.values()) else None
    files = visit.uploads if sheet is None else []
    rows = [] if sheet is None else mapped(sheet, roles, visit.lines("context"))
    more_texts(visit, name, files, rows=rows, tokeniser=cut["tokeniser"], sentences=cut["sentences"])
    return go(f"/campaigns/{name}", "texts")
