"""Campaigns: list, create, start, pause, close, settings, history."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import File, UploadFile
from pydantic import Field

from goldmark.campaigns import settings_change
from goldmark.campaigns.definition import uploads
from goldmark.campaigns.definition.protocols import is_builtin, list_protocols
from goldmark.campaigns.definition.settings import (
    Batch,
    Join,
    Minutes,
    Name,
    Order,
    Recruit,
    Review,
    Settings,
    Subset,
    TestQuestions,
    Whole,
    YesNo,
)
from goldmark.campaigns.lifecycle import CampaignRow, list_campaigns
from goldmark.campaigns.progress import CampaignProgress
from goldmark.people import annotators
from goldmark.people.invitations import with_invitations
from goldmark.protocols import present
from goldmark.records.units import Sign
from goldmark.recruiting.offering import begin
from goldmark.recruiting.offering.offers import mistakes_of
from goldmark.store import events
from goldmark.store.events import Decision
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, In, Out, ReasonIn, Words
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager
from goldmark.web.visits import Visit, received

router = Calls("/api/v1/campaigns", "campaigns")

MOST_ROWS = 100_000


class CampaignOut(Out):
    name: str
    title: str
    state: Literal["draft", "running", "paused", "closed"]
    protocol: str
    created_at: datetime
    settings: Settings
    open_link: str | None = Field(
        description="Anyone with it can join; only managers see it, not tokens that only read."
    )


class CampaignWithProgress(CampaignOut):
    progress: CampaignProgress


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


class CampaignHead(In):
    """The keys of a campaign file, without its texts."""

    campaign: Name = Field(examples=["summaries-2026"])
    title: str = Field(default="", max_length=500, pattern=r"^[^\x00]*$")
    protocol: str | dict[str, Any] = Field(
        description="A built-in protocol's name, one that was saved here, such as mine/2, or a whole one as an object.",
        examples=["accuracy"],
    )
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
    recruit: Recruit | None = None

    def as_file(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude={"texts", "protocol"}, exclude_none=True)


class CampaignIn(CampaignHead):
    """The keys of a campaign file, with the texts in place of their path."""

    texts: TextsIn


class SettingsIn(In):
    title: str = Field(min_length=1, max_length=500, pattern=r"^[^\x00]*$")
    settings: Settings
    reason: Words = ""


class Events(Out):
    events: list[Decision]


class OpenLink(Out):
    open_link: str


def campaign_out(visit: Visit, row: CampaignRow) -> dict[str, Any]:
    shows_link = row.settings.join.open and visit.may("manager") and visit.may_act_for_others
    link = f"{visit.base}/join/{visit.links.invite(row.id, row.invite_nonce)}" if shows_link else None
    return {**row._asdict(), "open_link": link}


@router.get("", response_model=CampaignList)
def list_all(visit: CallsAsCurator) -> dict[str, Any]:
    """All campaigns and how far they are."""
    rows = visit.read(list_campaigns)
    return {"campaigns": [{**campaign_out(visit, row), "progress": visit.progress(row.name).found} for row in rows]}


@router.post("", status_code=201, response_model=Created)
def create(visit: CallsAsManager, body: CampaignIn) -> dict[str, Any]:
    """Create a campaign with all its units, or say everything that is wrong. It still has to be started."""
    settings = {**body.as_file(), "texts": {"tokeniser": body.texts.tokeniser, "sentences": body.texts.sentences}}
    named = {"protocol": body.protocol} if isinstance(body.protocol, str) else {}
    own = own_protocol(visit, body)
    settings = {**settings, **named}
    made: dict[str, Any] = {"rows": body.texts.rows, "protocol": own, "also": mistakes_of, "author": visit.name}
    return created(visit, uploads.create_from_parts(visit.store, settings, **made))


def own_protocol(visit: Visit, head: CampaignHead) -> dict[str, Any] | str | None:
    """The protocol of a request that is not built in: as it came, or as it was saved here."""
    if isinstance(head.protocol, dict) or is_builtin(head.protocol):
        return head.protocol if isinstance(head.protocol, dict) else None
    found = visit.read(lambda connection: [one for one in list_protocols(connection) if head.protocol == one.id])
    return found[0].protocol.source if found else None


@router.post("/upload", status_code=201, response_model=Created)
def create_from_files(
    visit: CallsAsManager,
    files: Annotated[list[UploadFile], File(description="campaign.yaml, its texts, its protocol if it has its own.")],
) -> dict[str, Any]:
    """Create a campaign from its file and the files that it names."""
    return created(visit, uploads.create_from_files(visit.store, received(files), mistakes_of, author=visit.name))


def created(visit: Visit, row: CampaignRow) -> dict[str, Any]:
    opened = with_invitations(visit.store, visit.links, row, author=visit.name)
    links = annotators.addresses(opened.people, visit.base)
    return {**campaign_out(visit, opened.campaign), "links": links}


@router.get("/{name}", response_model=CampaignOut)
def show(visit: CallsAsCurator, name: CampaignName) -> dict[str, Any]:
    """A campaign and its settings."""
    return campaign_out(visit, visit.campaign(name))


@router.get("/{name}/progress")
def progress(visit: CallsAsCurator, name: CampaignName) -> CampaignProgress:
    """How far a campaign is. Of a large one, as it was some minutes ago at most; decisions are in it at once."""
    return visit.progress(name).found


@router.get("/{name}/protocol")
def protocol(visit: CallsAsCurator, name: CampaignName) -> dict[str, Any]:
    """The campaign's protocol the way annotators' pages receive it."""
    return present(visit.content.protocol(visit.campaign(name).protocol_id))


@router.post("/{name}/start", response_model=CampaignOut)
def start(visit: CallsAsManager, name: CampaignName, body: ReasonIn) -> dict[str, Any]:
    """Start a campaign, or start it again after a pause or after closing."""
    return move(visit, name, "started", body)


@router.post("/{name}/pause", response_model=CampaignOut)
def pause(visit: CallsAsManager, name: CampaignName, body: ReasonIn) -> dict[str, Any]:
    """Hand out nothing for a while. Work that people hold is still accepted."""
    return move(visit, name, "paused", body)


@router.post("/{name}/close", response_model=CampaignOut)
def close(visit: CallsAsManager, name: CampaignName, body: ReasonIn) -> dict[str, Any]:
    """End a campaign. Nothing is thrown away, and it can be started again."""
    return move(visit, name, "closed", body)


def move(visit: Visit, name: str, verb: str, body: ReasonIn) -> dict[str, Any]:
    row = begin.move(visit.store, name, verb, author=visit.name, reason=body.reason)
    return campaign_out(visit, row)


@router.put("/{name}/settings", response_model=CampaignOut)
def change_settings(visit: CallsAsManager, name: CampaignName, body: SettingsIn) -> dict[str, Any]:
    """New settings for what comes. Labels per unit can grow, and shrink down to what is taken already."""
    row = settings_change.change_settings(
        visit.store, name, body.settings, title=body.title, author=visit.name, reason=body.reason
    )
    return campaign_out(visit, row)


@router.post("/{name}/open-link/renew")
def renew_open_link(visit: CallsAsManager, name: CampaignName, body: ReasonIn) -> OpenLink:
    """A new open link; the old one stops working. People who joined keep their personal links."""
    token = annotators.renew_invite(visit.store, visit.links, name, author=visit.name, reason=body.reason)
    return OpenLink(open_link=f"{visit.base}/join/{token}")


@router.get("/{name}/events")
def history(visit: CallsAsCurator, name: CampaignName) -> Events:
    """What people decided, when and why; the newest 200."""
    found = visit.look_into(name, lambda connection, row: events.history(connection, row.id))
    return Events(events=found)
