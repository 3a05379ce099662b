"""Annotators of a campaign: joining by the open link, personal invitations, pausing."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from math import ceil
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from goldmark.accounts.links import LinkNotValid, SignedLinks, new_nonce
from goldmark.campaigns.definition import conditions
from goldmark.campaigns.definition.admission import first_stage
from goldmark.campaigns.definition.units import unit_order
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, list_campaigns, next_position
from goldmark.campaigns.pages import PAGE_SIZE, Page, one_page
from goldmark.errors import Conflict, Forbidden, GoldmarkError, Missing
from goldmark.jobs import owed
from goldmark.languages import later, ngettext
from goldmark.people.crowds import ExcludedBefore, invited, is_excluded
from goldmark.people.participants import (
    Arrival,
    NotIdentified,
    NotProven,
    is_kept,
    know,
    place_of,
    refuse_if_in_family,
)
from goldmark.records.annotators import EXCLUDED, LONGEST_ANNOTATOR_NAME, is_annotator_name
from goldmark.store import Store, events, in_transaction
from goldmark.store.tables import annotator, campaign

# The kind of job by which the texts of a study that is another now come into their strata: nobody joins meanwhile.
PLACING = "texts of a study placed"


class JoinClosed(Forbidden):
    code = "JOIN-01"
    message = later("{title!r} is not open to join: {why}")


class NameTaken(Conflict):
    code = "JOIN-02"
    message = later(
        "someone called {name!r} takes part already; if that is you, go on by your own link, else choose another name"
    )


class UnknownAnnotator(Missing):
    code = "JOIN-03"
    message = "there is no annotator {name!r} in campaign {campaign!r}"


class NameNotUsable(GoldmarkError):
    code = "JOIN-04"
    message = later("a name has 1 to {longest} characters and no line breaks")


class PersonExcluded(Conflict):
    code = "JOIN-05"
    message = "{name!r} is excluded; undo the exclusion before they are paused or resumed"


class AnnotatorRow(NamedTuple):
    """An annotator as managers see one."""

    id: int
    name: str
    state: str  # active, paused, excluded
    joined_at: datetime
    consented_at: datetime | None
    done: int
    batch: int
    batch_done: int
    seconds_active: float
    link_nonce: str


_columns = tuple(annotator.c[name] for name in AnnotatorRow._fields)


def campaign_of_invite(connection: Connection, links: SignedLinks, token: str) -> CampaignRow:
    """Which campaign an open link leads to."""
    parts = links.read_invite(token)
    name = connection.execute(select(campaign.c.name).where(campaign.c.id == parts.id)).scalar()
    if name is None:
        raise LinkNotValid
    row = find_campaign(connection, name)
    if not secrets.compare_digest(row.invite_nonce, parts.nonce):
        raise LinkNotValid
    return row


@in_transaction
def join(
    connection: Connection,
    links: SignedLinks,
    invite: str,
    name: str = "",
    arrival: Arrival | None = None,
    *,
    kept: str = "",
    beside: str = "",
) -> str:
    """Someone joins by the open link; returns their personal token. Without a name they get a pseudonym.

    Who comes with an id of a platform is known again: in this campaign they get the token they had, if the platform
    vouches for them or their browser has `kept` it; in another one of the same family they are refused. Who says to be
    somebody else than `beside`, who joined in the same browser, may join, and the history says so; but as nobody can
    tell, no two people of one browser are given the same unit.
    """
    found = campaign_of_invite(connection, links, invite)
    row = find_campaign(connection, found.name, hold=True)
    if arrival is None:
        person = _enter_unknown(connection, row, name, beside)
    else:
        person, before = _enter_known(connection, row, name, know(connection, links, arrival), arrival)
        if before and arrival.is_claimed and not is_kept(links.person(person.id, person.link_nonce), kept):
            raise NotProven
    return links.person(person.id, person.link_nonce)


def _enter_unknown(connection: Connection, row: CampaignRow, name: str, beside: str) -> AnnotatorRow:
    refuse_if_closed(connection, row)
    if row.settings.join.identified:
        raise NotIdentified
    facts = {"same browser as": beside} if beside else {}
    made = add(connection, row, name, kind="annotator joined", author=name or "open link", facts=facts)
    if beside:
        _share_browser(connection, find_annotator(connection, row, beside).id, made.id)
    return made


def _share_browser(connection: Connection, first: int, second: int) -> None:
    """From here on these two, and whoever joined in their browser, get no unit in common."""
    before = connection.execute(select(annotator.c.same_browser).where(annotator.c.id == first)).scalar_one()
    both = update(annotator).where(annotator.c.id.in_((first, second)))
    connection.execute(both.values(same_browser=before or first))


def _enter_known(
    connection: Connection, row: CampaignRow, name: str, participant_id: int, arrival: Arrival
) -> tuple[AnnotatorRow, bool]:
    """Who they are in the campaign, and whether they were before."""
    before = place_of(connection, row, participant_id)
    if before is not None:
        return AnnotatorRow(*connection.execute(select(*_columns).where(annotator.c.id == before)).one()), True
    refuse_if_closed(connection, row)
    if row.settings.join.identified and not arrival.is_named:
        raise NotIdentified
    refuse_if_in_family(connection, row, participant_id)
    if is_excluded(connection, row, participant_id):
        raise ExcludedBefore
    # Whom a platform named is known to the campaign by a pseudonym only.
    name = "" if arrival.is_named else name
    kind, author = "annotator joined", name or "open link"
    return add(connection, row, name, kind=kind, author=author, participant_id=participant_id), False


def refuse_reason(connection: Connection, row: CampaignRow, *, by_posting: bool = False) -> str:
    """Why nobody can join this campaign right now, by its open link or from a platform; or nothing."""
    if not row.settings.join.open and not by_posting:
        return later("it takes invited people only; use the personal link you were sent")
    if row.state == "closed":
        return later("it has ended")
    if row.state == "draft":
        return later("it has not started yet")
    limit = row.settings.join.at_most
    if limit is not None and not by_posting:
        people = connection.execute(select(func.count()).where(annotator.c.campaign_id == row.id)).scalar_one()
        if people >= limit:
            return later("all places are taken")
    if conditions.is_full(connection, row):
        return _all_taken(connection, row)
    return ""


def _all_taken(connection: Connection, row: CampaignRow) -> str:
    """Why nobody can join now, and when it is worth another try."""
    again = conditions.free_again(connection, row)
    if again is None:
        return later("all places are taken")
    return ngettext(
        "all places are taken at the moment; try again in about {count} minute, when one may have become free",
        "all places are taken at the moment; try again in about {count} minutes, when one may have become free",
        max(1, ceil((again - datetime.now(UTC)).total_seconds() / 60)),
    )


def refuse_if_closed(connection: Connection, row: CampaignRow, *, by_posting: bool = False) -> None:
    why = refuse_reason(connection, row, by_posting=by_posting)
    if why:
        raise JoinClosed(title=row.title, why=why)


def invite(store: Store, links: SignedLinks, campaign_name: str, name: str, *, author: str) -> tuple[AnnotatorRow, str]:
    """A personal link for someone; inviting the same name again gives the same link."""

    def enter(connection: Connection) -> AnnotatorRow:
        row = find_campaign(connection, campaign_name, hold=True)
        known = connection.execute(
            select(*_columns).where(annotator.c.campaign_id == row.id, annotator.c.name == name.strip())
        ).first()
        if known is not None:
            return AnnotatorRow(*known)
        return invite_now(connection, row, name, author=author)

    person = store.write(enter)
    return person, links.person(person.id, person.link_nonce)


def invite_now(connection: Connection, row: CampaignRow, name: str, *, author: str) -> AnnotatorRow:
    """Somebody new by name, inside a transaction that holds the campaign.

    Who is excluded from another campaign of the crowd is excluded here as well, and a manager sees them so.
    """
    known = invited(connection, row.settings.quality.crowd, name)
    made = add(connection, row, name, kind="annotator invited", author=author, participant_id=known)
    return as_in_crowd(connection, row, made, known, author=author)


def as_in_crowd(
    connection: Connection, row: CampaignRow, made: AnnotatorRow, participant_id: int | None, *, author: str
) -> AnnotatorRow:
    """Somebody who has just been invited, excluded if they are so in another campaign of the crowd."""
    if not is_excluded(connection, row, participant_id):
        return made
    connection.execute(update(annotator).where(annotator.c.id == made.id).values(state="excluded"))
    reason = f"excluded from another campaign of the crowd {row.settings.quality.crowd}"
    events.record(connection, row.id, author=author, kind=EXCLUDED, subject=made.name, reason=reason)
    return made._replace(state="excluded")


def invite_all(
    store: Store, links: SignedLinks, campaign_name: str, names: Iterable[str], *, author: str
) -> dict[str, str]:
    """A personal token for everyone named."""
    return {name: invite(store, links, campaign_name, name, author=author)[1] for name in names}


def addresses(tokens: Mapping[str, str], base: str) -> dict[str, str]:
    """Where everyone's work is, by their personal tokens."""
    return {name: f"{base}/a/{token}" for name, token in tokens.items()}


def add(
    connection: Connection,
    row: CampaignRow,
    name: str,
    *,
    kind: str,
    author: str,
    participant_id: int | None = None,
    facts: Mapping[str, str] = MappingProxyType({}),
) -> AnnotatorRow:
    """A new annotator, randomised to one of the campaign's conditions. The caller holds the campaign."""
    name = name.strip() or _pseudonym(connection, row)
    if not is_annotator_name(name):
        raise NameNotUsable(longest=LONGEST_ANNOTATOR_NAME)
    if connection.execute(
        select(annotator.c.id).where(annotator.c.campaign_id == row.id, annotator.c.name == name)
    ).first():
        raise NameTaken(name=name)
    places = next_position(connection, row.id)
    condition = _condition(connection, row)
    connection.execute(
        insert(annotator).values(
            campaign_id=row.id,
            name=name,
            state="active",
            condition=condition,
            stage=first_stage(connection, row.protocol_id, row.settings, condition, participant_id),
            participant_id=participant_id,
            link_nonce=new_nonce(),
            joined_at=datetime.now(UTC),
            # One before the starting place: the next unit is looked for after the cursor.
            cursor=unit_order.starting_place(row.settings.order.seed, name, places) - 1,
            done=0,
            batch=1,
            batch_done=0,
            seconds_active=0.0,
        )
    )
    events.record(connection, row.id, author=author, kind=kind, subject=name, facts=facts)
    return find_annotator(connection, row, name)


def _condition(connection: Connection, row: CampaignRow) -> str | None:
    if row.settings.conditions and owed.is_open(connection, PLACING, row.id):
        raise JoinClosed(title=row.title, why=later("it has not started yet"))
    drawn = conditions.draw(connection, row)
    if drawn is None and row.settings.conditions:
        raise JoinClosed(title=row.title, why=_all_taken(connection, row))
    return drawn


def _pseudonym(connection: Connection, row: CampaignRow) -> str:
    """`annotator-1`, `annotator-2`, ...: nothing about the person."""
    here = annotator.c.campaign_id == row.id
    number = connection.execute(select(func.count()).where(here)).scalar_one() + 1
    while connection.execute(select(annotator.c.id).where(here, annotator.c.name == f"annotator-{number}")).first():
        number += 1
    return f"annotator-{number}"


def find_annotator(connection: Connection, row: CampaignRow, name: str, *, hold: bool = False) -> AnnotatorRow:
    """The annotator of this name; with `hold`, nobody else decides about them until the end."""
    query = select(*_columns).where(annotator.c.campaign_id == row.id, annotator.c.name == name)
    found = connection.execute(query.with_for_update(key_share=True, of=annotator) if hold else query).first()
    if found is None:
        raise UnknownAnnotator(name=name, campaign=row.name)
    return AnnotatorRow(*found)


def list_annotators(connection: Connection, row: CampaignRow) -> list[AnnotatorRow]:
    query = select(*_columns).where(annotator.c.campaign_id == row.id).order_by(annotator.c.id)
    return [AnnotatorRow(*found) for found in connection.execute(query)]


def some_annotators(
    connection: Connection, row: CampaignRow, *, search: str = "", page: int = 1, size: int = PAGE_SIZE
) -> Page[AnnotatorRow]:
    """One page of them; `search` looks at their names."""
    query = select(*_columns).where(annotator.c.campaign_id == row.id)
    if search:
        query = query.where(annotator.c.name.icontains(search, autoescape=True))
    ordered = query.order_by(annotator.c.id)
    return one_page(connection, ordered, page, AnnotatorRow._make, counting=query, size=size)


@in_transaction
def set_paused(
    connection: Connection, campaign_name: str, name: str, paused: bool, *, author: str, reason: str = ""
) -> AnnotatorRow:
    """Stop handing units to someone, or go on. What they hold and what they did stays theirs."""
    row = find_campaign(connection, campaign_name, hold=True)
    person = find_annotator(connection, row, name, hold=True)
    state = "paused" if paused else "active"
    if person.state == "excluded":
        raise PersonExcluded(name=name)
    if person.state != state:
        connection.execute(update(annotator).where(annotator.c.id == person.id).values(state=state))
        kind = "annotator paused" if paused else "annotator resumed"
        events.record(connection, row.id, author=author, kind=kind, subject=name, reason=reason)
    return person._replace(state=state)


@in_transaction
def renew_link(
    connection: Connection, links: SignedLinks, campaign_name: str, name: str, *, author: str, reason: str = ""
) -> str:
    """A new personal link; the old one stops working."""
    row = find_campaign(connection, campaign_name, hold=True)
    person = find_annotator(connection, row, name)
    nonce = new_nonce()
    connection.execute(update(annotator).where(annotator.c.id == person.id).values(link_nonce=nonce))
    events.record(connection, row.id, author=author, kind="annotator link renewed", subject=name, reason=reason)
    return links.person(person.id, nonce)


@in_transaction
def renew_invite(
    connection: Connection, links: SignedLinks, campaign_name: str, *, author: str, reason: str = ""
) -> str:
    """A new open link; the old one stops working."""
    row = find_campaign(connection, campaign_name, hold=True)
    nonce = new_nonce()
    connection.execute(update(campaign).where(campaign.c.id == row.id).values(invite_nonce=nonce))
    events.record(connection, row.id, author=author, kind="open link renewed", subject=row.name, reason=reason)
    return links.invite(row.id, nonce)


def work_of_account(connection: Connection, links: SignedLinks, account_id: int) -> list[tuple[CampaignRow, str]]:
    """The campaigns an account takes part in as annotator, each with its personal token."""
    mine: dict[int, Any] = {
        row.campaign_id: row
        for row in connection.execute(select(annotator).where(annotator.c.account_id == account_id))
    }
    return [
        (row, links.person(mine[row.id].id, mine[row.id].link_nonce))
        for row in list_campaigns(connection)
        if row.id in mine
    ]
