"""A campaign's annotators: invite, look at their work, pause, renew their links."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns import people
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.membership import annotator_numbered, invite_account
from goldmark.campaigns.people import AnnotatorRow, list_annotators
from goldmark.errors import GoldmarkError
from goldmark.web.api.inputs import base_of
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.campaigns import names_in
from goldmark.web.pages.frame import NOT_FAILED, Failed, Prose, Word, failed, go, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/annotators")


@router.get("")
def annotators(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _page(name, request, who, services)


@router.post("")
def invite(
    name: str, request: Request, who: SendsAsManager, services: ServicesDep, names: Prose = "", account: Word = ""
) -> Response:
    """Personal links for everybody named; an account finds the campaign on its first page."""
    try:
        if account:
            invite_account(services.store, services.links, name, services.accounts.find(account), author=who.name)
        for one in names_in(names):
            people.invite(services.store, services.links, name, one, author=who.name)
    except GoldmarkError as error:
        return _page(name, request, who, services, wrong=failed("invite", error), names=names)
    return go(f"/campaigns/{name}/annotators", "invited" if account or names.strip() else "")


@router.post("/{annotator_id}/pause")
def pause(name: str, annotator_id: RowId, who: SendsAsManager, services: ServicesDep, reason: Word = "") -> Response:
    person = _find(services, name, annotator_id)
    people.set_paused(services.store, name, person.name, True, author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/annotators", "person-paused")


@router.post("/{annotator_id}/resume")
def resume(name: str, annotator_id: RowId, who: SendsAsManager, services: ServicesDep, reason: Word = "") -> Response:
    person = _find(services, name, annotator_id)
    people.set_paused(services.store, name, person.name, False, author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/annotators", "person-resumed")


@router.post("/{annotator_id}/link")
def renew_link(
    name: str, annotator_id: RowId, who: SendsAsManager, services: ServicesDep, reason: Word = ""
) -> Response:
    person = _find(services, name, annotator_id)
    people.renew_link(services.store, services.links, name, person.name, author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/annotators", "link-renewed")


def _find(services: Services, name: str, annotator_id: int) -> AnnotatorRow:
    return services.store.read(
        lambda connection: annotator_numbered(connection, find_campaign(connection, name), annotator_id)
    )


def _page(
    name: str, request: Request, who: Visitor, services: Services, *, wrong: Failed = NOT_FAILED, names: str = ""
) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, list[AnnotatorRow]]:
        row = find_campaign(connection, name)
        return row, list_annotators(connection, row)

    row, rows = services.store.read(look)
    base = base_of(request)
    listed: list[dict[str, Any]] = [
        {"person": one, "link": f"{base}/a/{services.links.person(one.id, one.link_nonce)}"} for one in rows
    ]
    accounts = [one for one in services.accounts.accounts() if one.disabled_at is None] if who.may("manager") else []
    facts = {"campaign": row, "people": listed, "accounts": accounts, "names": names}
    return page(request, "annotators.html", who, wrong=wrong, **facts)
