"""Where a campaign's people come from: their ids on crowd platforms, to pay them and to erase them."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.participants import PlatformId, erase, platform_ids
from goldmark.campaigns.settings import PersonName
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, In, Out, Words
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsManager

router = APIRouter(
    prefix="/api/v1/campaigns/{name}/participants", tags=["annotators of a campaign"], responses=shapes.FAILURES
)


class ParticipantOut(Out):
    annotator: str = Field(description="The name by which the campaign knows this person.")
    platform: str
    platform_id: str | None = Field(description="What the platform calls them; null if erased or never given.")
    erased_at: datetime | None


class ParticipantList(Out):
    participants: list[ParticipantOut]


class EraseIn(In):
    """Whose platform ids go. What they answered stays."""

    annotators: list[PersonName] | None = Field(default=None, max_length=100_000, description="Nobody named: all.")
    forget: bool = Field(
        default=False, description="Also the keyed hash by which they would be known again if they came back."
    )
    reason: Words = ""


class Erased(Out):
    erased: int


@router.get("")
def list_all(name: CampaignName, who: CallsAsManager, services: ServicesDep) -> ParticipantList:
    """Who came from which platform. This is the only place that says so."""

    def look(connection: Connection) -> list[PlatformId]:
        return platform_ids(connection, find_campaign(connection, name))

    return ParticipantList(
        participants=[ParticipantOut.model_validate(one) for one in services.store.read(look)],
    )


@router.post("/erase")
def erase_ids(name: CampaignName, body: EraseIn, who: CallsAsManager, services: ServicesDep) -> Erased:
    """Erase platform ids of some or all. Their answers stay, under their pseudonyms."""
    erased = erase(
        services.store, name, body.annotators, forget=body.forget, author=who.name, reason=body.reason.strip()
    )
    return Erased(erased=erased)
