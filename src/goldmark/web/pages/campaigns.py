"""A campaign's own page, and the page on which a new one is made."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Request, UploadFile
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns import lifecycle, opening, uploads
from goldmark.campaigns.file import CampaignPlan
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.overview import UnitDot, unit_dots
from goldmark.campaigns.progress import CampaignProgress, progress_of
from goldmark.errors import GoldmarkError
from goldmark.protocols import builtin_names, load
from goldmark.store import events
from goldmark.store.events import Decision
from goldmark.web.api.campaigns import received
from goldmark.web.api.inputs import base_of
from goldmark.web.pages.frame import NOT_FAILED, Failed, Prose, Word, failed, go, number, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, ReadsAsManager, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns")

MOST_DOTS = 600
MOST_EVENTS = 50
Files = Annotated[list[UploadFile], File()]

MOVES = {"start": "started", "pause": "paused", "close": "closed"}


@router.get("/new")
def new(request: Request, who: ReadsAsManager) -> Response:
    return _new_page(request, who)


@router.post("/new")
def create_from_files(request: Request, who: SendsAsManager, services: ServicesDep, files: Files) -> Response:
    try:
        return _open(uploads.plan_from_files(received(files)), who, services)
    except GoldmarkError as error:
        return _new_page(request, who, wrong=failed("files", error))


@router.post("/new/form")
def create_from_form(
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    files: Files,
    campaign: Word = "",
    title: Word = "",
    protocol: Word = "",
    labels_per_unit: Word = "1",
    batch: Word = "",
    people: Prose = "",
    consent: Prose = "",
    anyone: Word = "",
) -> Response:
    given = {
        "campaign": campaign,
        "title": title,
        "protocol": protocol,
        "labels_per_unit": labels_per_unit,
        "batch": batch,
        "people": people,
        "consent": consent,
        "anyone": anyone,
    }
    try:
        return _open(uploads.plan_from_parts(_as_settings(given), received(files)), who, services)
    except GoldmarkError as error:
        return _new_page(request, who, given=given, wrong=failed("form", error))


def _as_settings(given: dict[str, str]) -> dict[str, Any]:
    """The form as the keys of a campaign file. What is no number stays as it is, to be told beside its field."""
    settings: dict[str, Any] = {
        "campaign": given["campaign"].strip(),
        "title": given["title"].strip(),
        "protocol": given["protocol"],
        "labels_per_unit": number(given["labels_per_unit"]),
        "consent": given["consent"].strip(),
        "join": {"open": bool(given["anyone"]), "invite": names_in(given["people"])},
    }
    if given["batch"].strip():
        settings["batch"] = {"size": number(given["batch"])}
    return settings


def names_in(given: str) -> list[str]:
    """Names from a field, one on each line; said twice, meant once."""
    return list(dict.fromkeys(name for line in given.splitlines() if (name := line.strip())))


def _open(plan: CampaignPlan, who: Visitor, services: Services) -> Response:
    opened = opening.open_campaign(services.store, services.links, plan, author=who.name)
    return go(f"/campaigns/{opened.campaign.name}", "created")


def _new_page(
    request: Request, who: Visitor, *, given: dict[str, str] | None = None, wrong: Failed = NOT_FAILED
) -> Response:
    newest = sorted({name.partition("/")[0] for name in builtin_names()})
    protocols = [load(name) for name in newest]
    blank = {"campaign": "", "title": "", "protocol": "accuracy", "labels_per_unit": "1", "batch": "", "anyone": "yes"}
    facts = {"given": given or {**blank, "people": "", "consent": ""}, "protocols": protocols}
    return page(request, "new.html", who, wrong=wrong, **facts)


@router.get("/{name}")
def show(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _campaign_page(name, request, who, services)


@router.post("/{name}/move")
def move(
    name: str, request: Request, who: SendsAsManager, services: ServicesDep, verb: Word = "", reason: Word = ""
) -> Response:
    """Start, pause or close."""
    try:
        lifecycle.move(services.store, name, MOVES.get(verb, "started"), author=who.name, reason=reason.strip())
    except GoldmarkError as error:
        return _campaign_page(name, request, who, services, wrong=failed("move", error))
    return go(f"/campaigns/{name}", MOVES.get(verb, ""))


@router.post("/{name}/texts")
def add_texts(name: str, request: Request, who: SendsAsManager, services: ServicesDep, files: Files) -> Response:
    try:
        uploads.add_uploaded(
            services.store, name, received(files), tokeniser="rules", sentences="rules", author=who.name
        )
    except GoldmarkError as error:
        return _campaign_page(name, request, who, services, wrong=failed("texts", error))
    return go(f"/campaigns/{name}", "texts")


def _campaign_page(
    name: str, request: Request, who: Visitor, services: Services, *, wrong: Failed = NOT_FAILED
) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, CampaignProgress, list[UnitDot] | None, list[Decision]]:
        row = find_campaign(connection, name)
        return (
            row,
            progress_of(connection, row),
            unit_dots(connection, row, most=MOST_DOTS),
            events.history(connection, row.id, most=MOST_EVENTS),
        )

    row, progress, dots, decisions = services.store.read(look)
    open_link = f"{base_of(request)}/join/{services.links.invite(row.id, row.invite_nonce)}"
    return page(
        request,
        "campaign.html",
        who,
        wrong=wrong,
        campaign=row,
        progress=progress,
        dots=dots,
        decisions=decisions,
        open_link=open_link if row.settings.join.open and who.may("manager") else "",
        verbs=[verb for verb, word in MOVES.items() if row.state in lifecycle.MOVES[word][0]],
    )
