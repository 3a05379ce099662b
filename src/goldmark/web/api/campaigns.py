"""Campaigns: list, create, start, pause, close, settings, history."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Request, UploadFile
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns import lifecycle, opening, people, uploads
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, list_campaigns
from goldmark.campaigns.progress import CampaignProgress, progress_of
from goldmark.campaigns.settings import (
    Batch,
    Join,
    Minutes,
    Name,
    Order,
    Review,
    Settings,
    Subset,
    TestQuestions,
    Whole,
    YesNo,
)
from goldmark.protocols import present
from goldmark.records.units import Sign
from goldmark.store import events
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, In, Out, ReasonIn, Words, base_of
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsCurator, CallsAsManager, Visitor

router = APIRouter(prefix="/api/v1/campaigns", tags=["campaigns"], responses=shapes.FAILURES)

MOST_ROWS = 100_000


class CampaignOut(Out):
    name: str
    title: str
    state: Literal["draft", "running", "paused", "closed"]
    protocol: str
    created_at: datetime
    settings: Settings
    open_link: str | None = Field(description="Anyone with it can join; only managers see it.")


class ProgressOut(Out):
    """`extra` labels came after their unit was full: kept, not counted. Times are active seconds.

    `waiting` labels count once a reviewer approves them; `returned` ones are with their annotators to be amended.
    """

    units: int
    units_finished: int
    units_started: int
    labels_wanted: int
    labels_done: int
    labels_in_hand: int
    labels_extra: int
    labels_excluded: int
    labels_waiting: int
    labels_returned: int
    labels_approved: int
    annotators: int
    annotators_working: int
    seconds_active: float
    median_seconds: float | None
    share_done: float
    seconds_left: float | None


class CampaignWithProgress(CampaignOut):
    progress: ProgressOut


class CampaignList(Out):
    campaigns: list[CampaignWithProgress]


class Created(CampaignOut):
    links: dict[str, str] = Field(description="A personal link for everyone whom the campaign invites by name.")


class TextsIn(In):
    """Texts inside the request: each row is what a line of a JSONL file of texts may be."""

    rows: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=MOST_ROWS,
        examples=[[{"id": "g1-alder", "text": "The Foxes won by seven.", "system": "alder"}]],
    )
    tokeniser: str = Field(default="rules", max_length=40)
    sentences: str = Field(default="rules", max_length=40)


class TestsWanted(TestQuestions):
    """How often test questions come, and of what they are made; rows of the texts may also say `test` themselves."""

    gold: str | None = Field(
        default=None, max_length=200, description="The column of the texts that holds a gold output."
    )
    expected: dict[Sign, dict[str, Any]] = Field(default={}, description="What is right in those that do not say.")


class CampaignIn(In):
    """The keys of a campaign file, with the texts in place of their path."""

    campaign: Name = Field(examples=["summaries-2026"])
    title: str = Field(default="", max_length=500, pattern=r"^[^\x00]*$")
    protocol: str | dict[str, Any] = Field(
        description="A built-in protocol's name, or a whole protocol as an object.", examples=["accuracy"]
    )
    texts: TextsIn
    labels_per_unit: Whole = Field(default=1, ge=1, le=1000)
    batch: Batch = Batch()
    order: Order = Order()
    lease_minutes: Minutes = Field(default=60, gt=0, le=60 * 24 * 60)
    subset: Subset | None = None
    consent: str = Field(default="", max_length=50_000, pattern=r"^[^\x00]*$")
    join: Join = Join()
    editing: YesNo = True
    review: Review = Review()
    test_questions: TestsWanted = TestsWanted()


class SettingsIn(In):
    title: str = Field(min_length=1, max_length=500, pattern=r"^[^\x00]*$")
    settings: Settings
    reason: Words = ""


class EventOut(Out):
    author: str
    kind: str
    subject: str
    reason: str
    facts: dict[str, Any]
    at: datetime


class Events(Out):
    events: list[EventOut]


class OpenLink(Out):
    open_link: str


def campaign_fields(row: CampaignRow, services: ServicesDep, who: Visitor, base: str) -> dict[str, Any]:
    shows_link = row.settings.join.open and who.may("manager")
    link = f"{base}/join/{services.links.invite(row.id, row.invite_nonce)}" if shows_link else None
    return {**row._asdict(), "open_link": link}


@router.get("")
def list_all(request: Request, who: CallsAsCurator, services: ServicesDep) -> CampaignList:
    """All campaigns and how far they are."""

    def look(connection: Connection) -> list[tuple[CampaignRow, CampaignProgress]]:
        return [(row, progress_of(connection, row)) for row in list_campaigns(connection)]

    return CampaignList(
        campaigns=[
            CampaignWithProgress(
                **campaign_fields(row, services, who, base_of(request)), progress=ProgressOut.model_validate(progress)
            )
            for row, progress in services.store.read(look)
        ]
    )


@router.post("", status_code=201)
def create(body: CampaignIn, request: Request, who: CallsAsManager, services: ServicesDep) -> Created:
    """Create a campaign with all its units, or say everything that is wrong. It still has to be started."""
    settings = body.model_dump(mode="json", exclude={"texts", "protocol"}, exclude_none=True)
    settings["texts"] = {"tokeniser": body.texts.tokeniser, "sentences": body.texts.sentences}
    own = body.protocol if isinstance(body.protocol, dict) else None
    if isinstance(body.protocol, str):
        settings["protocol"] = body.protocol
    plan = uploads.plan_from_parts(settings, rows=body.texts.rows, protocol=own)
    return _created(
        opening.open_campaign(services.store, services.links, plan, author=who.name), request, who, services
    )


@router.post("/upload", status_code=201)
def create_from_files(
    files: Annotated[list[UploadFile], File(description="campaign.yaml, its texts, its protocol if it has its own.")],
    request: Request,
    who: CallsAsManager,
    services: ServicesDep,
) -> Created:
    """Create a campaign from its file and the files that it names."""
    plan = uploads.plan_from_files(received(files))
    return _created(
        opening.open_campaign(services.store, services.links, plan, author=who.name), request, who, services
    )


def received(files: list[UploadFile]) -> list[uploads.Uploaded]:
    """Files that were really chosen; a form without any sends one without a name."""
    return [uploads.Uploaded(file.filename, file.file) for file in files if file.filename]


def _created(opened: opening.Opened, request: Request, who: Visitor, services: ServicesDep) -> Created:
    base = base_of(request)
    links = people.addresses(opened.people, base)
    return Created(**campaign_fields(opened.campaign, services, who, base), links=links)


@router.get("/{name}")
def show(name: CampaignName, request: Request, who: CallsAsCurator, services: ServicesDep) -> CampaignOut:
    """A campaign and its settings."""
    row = services.store.read(lambda connection: find_campaign(connection, name))
    return CampaignOut(**campaign_fields(row, services, who, base_of(request)))


@router.get("/{name}/progress")
def progress(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> ProgressOut:
    """How far a campaign is."""
    figures = services.store.read(lambda connection: progress_of(connection, find_campaign(connection, name)))
    return ProgressOut.model_validate(figures)


@router.get("/{name}/protocol")
def protocol(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> dict[str, Any]:
    """The campaign's protocol the way annotators' pages receive it."""
    row = services.store.read(lambda connection: find_campaign(connection, name))
    return present(services.library.protocol(row.protocol_id))


@router.post("/{name}/start")
def start(
    name: CampaignName, body: ReasonIn, request: Request, who: CallsAsManager, services: ServicesDep
) -> CampaignOut:
    """Start a campaign, or start it again after a pause or after closing."""
    return _move(name, "started", body, request, who, services)


@router.post("/{name}/pause")
def pause(
    name: CampaignName, body: ReasonIn, request: Request, who: CallsAsManager, services: ServicesDep
) -> CampaignOut:
    """Hand out nothing for a while. Work that people hold is still accepted."""
    return _move(name, "paused", body, request, who, services)


@router.post("/{name}/close")
def close(
    name: CampaignName, body: ReasonIn, request: Request, who: CallsAsManager, services: ServicesDep
) -> CampaignOut:
    """End a campaign. Nothing is thrown away, and it can be started again."""
    return _move(name, "closed", body, request, who, services)


def _move(name: str, verb: str, body: ReasonIn, request: Request, who: Visitor, services: ServicesDep) -> CampaignOut:
    row = lifecycle.move(services.store, name, verb, author=who.name, reason=body.reason)
    return CampaignOut(**campaign_fields(row, services, who, base_of(request)))


@router.put("/{name}/settings")
def change_settings(
    name: CampaignName, body: SettingsIn, request: Request, who: CallsAsManager, services: ServicesDep
) -> CampaignOut:
    """New settings for what comes. Labels per unit can grow, and shrink down to what is taken already."""
    row = lifecycle.change_settings(
        services.store, name, body.settings, title=body.title, author=who.name, reason=body.reason
    )
    return CampaignOut(**campaign_fields(row, services, who, base_of(request)))


@router.post("/{name}/open-link/renew")
def renew_open_link(
    name: CampaignName, body: ReasonIn, request: Request, who: CallsAsManager, services: ServicesDep
) -> OpenLink:
    """A new open link; the old one stops working. People who joined keep their personal links."""
    token = people.renew_invite(services.store, services.links, name, author=who.name, reason=body.reason)
    return OpenLink(open_link=f"{base_of(request)}/join/{token}")


@router.get("/{name}/events")
def history(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> Events:
    """What people decided, when and why; the newest 200."""
    found = services.store.read(lambda connection: events.history(connection, find_campaign(connection, name).id))
    return Events(events=[EventOut.model_validate(one) for one in found])
