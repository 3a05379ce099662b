"""A campaign's annotators: invite, pause, renew their links."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns import people
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.membership import annotator_numbered, invite_account
from goldmark.campaigns.people import AnnotatorRow, list_annotators
from goldmark.campaigns.settings import PersonName
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, In, Out, ReasonIn, base_of
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsCurator, CallsAsManager, Visitor

router = APIRouter(
    prefix="/api/v1/campaigns/{name}/annotators", tags=["annotators of a campaign"], responses=shapes.FAILURES
)


class AnnotatorOut(Out):
    id: int
    name: str
    state: str
    joined_at: datetime
    consented_at: datetime | None
    done: int
    batch: int
    batch_done: int
    seconds_active: float
    link: str | None = Field(description="The personal link; whoever has it works as this person. Managers only.")


class AnnotatorList(Out):
    annotators: list[AnnotatorOut]


class InviteIn(In):
    """Names get a personal link each; the same name gives the same link again. Accounts see it after signing in."""

    names: list[PersonName] = Field(default=[], max_length=1_000)
    accounts: list[PersonName] = Field(default=[], max_length=1_000)


def annotator_out(row: AnnotatorRow, services: Services, who: Visitor, base: str) -> AnnotatorOut:
    link = f"{base}/a/{services.links.person(row.id, row.link_nonce)}" if who.may("manager") else None
    return AnnotatorOut(**row._asdict(), link=link)


@router.get("")
def list_all(name: CampaignName, request: Request, who: CallsAsCurator, services: ServicesDep) -> AnnotatorList:
    """Everybody who takes part, with their progress and time."""

    def look(connection: Connection) -> list[AnnotatorRow]:
        return list_annotators(connection, find_campaign(connection, name))

    base = base_of(request)
    return AnnotatorList(annotators=[annotator_out(row, services, who, base) for row in services.store.read(look)])


@router.post("", status_code=201)
def invite(
    name: CampaignName, body: InviteIn, request: Request, who: CallsAsManager, services: ServicesDep
) -> AnnotatorList:
    """Invite people by name or by account."""
    accounts = [services.accounts.find(one) for one in body.accounts]
    rows = [people.invite(services.store, services.links, name, one, author=who.name)[0] for one in body.names]
    rows += [invite_account(services.store, services.links, name, one, author=who.name) for one in accounts]
    base = base_of(request)
    return AnnotatorList(annotators=[annotator_out(row, services, who, base) for row in rows])


def _numbered(services: Services, name: str, annotator_id: int) -> tuple[CampaignRow, AnnotatorRow]:
    def look(connection: Connection) -> tuple[CampaignRow, AnnotatorRow]:
        row = find_campaign(connection, name)
        return row, annotator_numbered(connection, row, annotator_id)

    return services.store.read(look)


@router.get("/{annotator_id}")
def show(
    name: CampaignName, annotator_id: shapes.RowId, request: Request, who: CallsAsCurator, services: ServicesDep
) -> AnnotatorOut:
    """One annotator."""
    return annotator_out(_numbered(services, name, annotator_id)[1], services, who, base_of(request))


@router.post("/{annotator_id}/pause")
def pause(
    name: CampaignName,
    annotator_id: shapes.RowId,
    body: ReasonIn,
    request: Request,
    who: CallsAsManager,
    services: ServicesDep,
) -> AnnotatorOut:
    """Hand this person no more units. What they hold and what they did stays theirs."""
    return _set_paused(name, annotator_id, True, body.reason, request, who, services)


@router.post("/{annotator_id}/resume")
def resume(
    name: CampaignName,
    annotator_id: shapes.RowId,
    body: ReasonIn,
    request: Request,
    who: CallsAsManager,
    services: ServicesDep,
) -> AnnotatorOut:
    """Hand this person units again."""
    return _set_paused(name, annotator_id, False, body.reason, request, who, services)


def _set_paused(
    name: str, annotator_id: int, paused: bool, reason: str, request: Request, who: Visitor, services: Services
) -> AnnotatorOut:
    person = _numbered(services, name, annotator_id)[1]
    row = people.set_paused(services.store, name, person.name, paused, author=who.name, reason=reason)
    return annotator_out(row, services, who, base_of(request))


@router.post("/{annotator_id}/link/renew")
def renew_link(
    name: CampaignName,
    annotator_id: shapes.RowId,
    body: ReasonIn,
    request: Request,
    who: CallsAsManager,
    services: ServicesDep,
) -> AnnotatorOut:
    """A new personal link; the old one stops working."""
    person = _numbered(services, name, annotator_id)[1]
    people.renew_link(services.store, services.links, name, person.name, author=who.name, reason=body.reason)
    return annotator_out(_numbered(services, name, annotator_id)[1], services, who, base_of(request))
