"""A campaign's annotators: invite, pause, renew their links."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pydantic import Field

from goldmark.campaigns.definition.settings import PersonName
from goldmark.people import annotators as people
from goldmark.people.account_annotators import annotator_numbered, invite_account
from goldmark.people.annotators import AnnotatorRow, some_annotators
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, In, Out, PageOut, ReasonIn, page_of
from goldmark.web.api.listing import Listed
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager
from goldmark.web.visits import Visit

router = Calls("/api/v1/campaigns/{name}/annotators", "annotators of a campaign")


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
    link: str | None = Field(
        description="The personal link; whoever has it works as this person. Managers only, not tokens that only read."
    )


class AnnotatorList(PageOut):
    annotators: list[AnnotatorOut]


class InvitedList(Out):
    annotators: list[AnnotatorOut]


class InviteIn(In):
    """Names get a personal link each; the same name gives the same link again. Accounts see it after signing in."""

    names: list[PersonName] = Field(default=[], max_length=1_000)
    accounts: list[PersonName] = Field(default=[], max_length=1_000)


def with_link(visit: Visit, row: AnnotatorRow) -> AnnotatorOut:
    return with_links(visit, [row])[0]


def with_links(visit: Visit, rows: Iterable[AnnotatorRow]) -> list[AnnotatorOut]:
    shown = visit.may("manager") and visit.may_act_for_others
    return [
        AnnotatorOut(
            **row._asdict(),
            link=f"{visit.base}/a/{visit.links.person(row.id, row.link_nonce)}" if shown else None,
        )
        for row in rows
    ]


def numbered(visit: Visit, name: str, annotator_id: int) -> AnnotatorRow:
    """Names may hold anything, so addresses use numbers."""
    return visit.look_into(name, annotator_numbered, annotator_id)


@router.get("")
def list_all(visit: CallsAsCurator, name: CampaignName, listed: Listed) -> AnnotatorList:
    """Everybody who takes part, with their progress and time."""
    found = visit.look_into(name, some_annotators, search=listed.search, page=listed.number)
    return AnnotatorList(**page_of(found), annotators=with_links(visit, found.items))


@router.post("", status_code=201)
def invite(visit: CallsAsManager, name: CampaignName, body: InviteIn) -> InvitedList:
    """Invite people by name or by account."""
    accounts = [visit.services.accounts.find(one) for one in body.accounts]
    rows = [people.invite(visit.store, visit.links, name, one, author=visit.name)[0] for one in body.names]
    rows += [invite_account(visit.store, visit.links, name, one, author=visit.name) for one in accounts]
    return InvitedList(annotators=with_links(visit, rows))


@router.get("/{annotator_id}")
def show(visit: CallsAsCurator, name: CampaignName, annotator_id: shapes.RowId) -> AnnotatorOut:
    """One annotator."""
    return with_link(visit, numbered(visit, name, annotator_id))


@router.post("/{annotator_id}/pause")
def pause(visit: CallsAsManager, name: CampaignName, annotator_id: shapes.RowId, body: ReasonIn) -> AnnotatorOut:
    """Hand this person no more units. What they hold and what they did stays theirs."""
    return _set_paused(visit, name, annotator_id, True, body.reason)


@router.post("/{annotator_id}/resume")
def resume(visit: CallsAsManager, name: CampaignName, annotator_id: shapes.RowId, body: ReasonIn) -> AnnotatorOut:
    """Hand this person units again."""
    return _set_paused(visit, name, annotator_id, False, body.reason)


def _set_paused(visit: Visit, name: str, annotator_id: int, paused: bool, reason: str) -> AnnotatorOut:
    person = numbered(visit, name, annotator_id)
    row = people.set_paused(visit.store, name, person.name, paused, author=visit.name, reason=reason)
    return with_link(visit, row)


@router.post("/{annotator_id}/link/renew")
def renew_link(visit: CallsAsManager, name: CampaignName, annotator_id: shapes.RowId, body: ReasonIn) -> AnnotatorOut:
    """A new personal link; the old one stops working."""
    person = numbered(visit, name, annotator_id)
    people.renew_link(visit.store, visit.links, name, person.name, author=visit.name, reason=body.reason)
    return show(visit, name, annotator_id)
