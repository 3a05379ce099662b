"""People across campaigns: who came from where, known again without being named.

What a crowd platform calls somebody stands in the table of participants and nowhere else: no answer, no event and no
export holds it. Campaigns know people by pseudonym. A keyed hash of the id is enough to know someone again, so that
nobody takes part twice in a family of campaigns; the id itself can be erased at any time, and the answers stay.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, or_, select, update

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.definition.settings import settings_from
from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.campaigns.pages import PAGE_SIZE, Page, one_page
from goldmark.errors import Forbidden, GoldmarkError, Missing
from goldmark.languages import later
from goldmark.people.connector import ACCOUNT, BROWSER, INVITED, sender
from goldmark.store import Store, events
from goldmark.store.once import insert_once
from goldmark.store.pieces import InPieces
from goldmark.store.tables import annotator, campaign, participant

LONGEST_ID = 200


class TookPartBefore(Forbidden):
    code = "JOIN-06"
    message = later(
        "you have already taken part in this study or in another of its family; each person can take part once"
    )


class AccountTookPartBefore(TookPartBefore):
    """The same, told to whoever invites them."""

    message = (
        "{name!r} has already taken part in this study or in another of its family; each person can take part once"
    )


class NotIdentified(Forbidden):
    code = "JOIN-07"
    message = later("this study can only be joined through the platform that offers it; please open it from there")


class PlatformIdNotUsable(GoldmarkError):
    code = "JOIN-08"
    message = later("a participant's id has 1 to {longest} characters and no line breaks")


class PlatformNotUsable(GoldmarkError):
    code = "JOIN-10"
    message = later("{platform!r} is not a platform that people can come from; give its own name, such as prolific")


class NotProven(Forbidden):
    code = "JOIN-12"
    message = later(
        "somebody with this id takes part already, and an id in an address proves nothing: go on with the personal "
        "address that you were given, or in the browser in which you joined"
    )


class NothingToErase(Missing):
    code = "JOIN-09"
    message = "nothing is known of {name!r} in campaign {campaign!r} that could be erased"


class Arrival(NamedTuple):
    """Somebody at the door, as the platform that sent them calls them."""

    platform: str
    platform_id: str
    proven: bool = False  # the platform vouches for it; else anybody may have typed it

    @property
    def is_claimed(self) -> bool:
        """Whether it is only an id in an address: enough to join, and not to see what somebody did."""
        return self.is_named and not self.proven

    @property
    def is_named(self) -> bool:
        """Whether a platform says who this is, or only a browser that was here before."""
        return self.platform != BROWSER

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Arrival | None:
        """From the parameters of a link, as the connectors read them."""
        found = sender(parameters)
        return None if found is None else cls.from_outside(*found)

    @classmethod
    def from_outside(cls, platform: str, platform_id: str) -> Arrival:
        """What a link or a program says. Browsers and accounts are known from here, never from what somebody says."""
        if platform in (BROWSER, ACCOUNT, INVITED):
            raise PlatformNotUsable(platform=platform)
        if not 0 < len(platform_id) <= LONGEST_ID or any(character < " " for character in platform_id):
            raise PlatformIdNotUsable(longest=LONGEST_ID)
        return cls(platform, platform_id)

    @classmethod
    def browser(cls, kept: str | None) -> Arrival:
        """Nobody named them; a random number that their browser keeps is all there is to know them by."""
        return cls(BROWSER, kept if kept and len(kept) <= LONGEST_ID else secrets.token_urlsafe(18))


def know(connection: Connection, links: SignedLinks, arrival: Arrival) -> int:
    """The number of this person, new or known; held until the transaction ends, so that nobody joins twice at once."""
    mark = links.fingerprint(arrival.platform, arrival.platform_id)
    new = {
        "platform": arrival.platform,
        # A browser's number says nothing about a person, so its hash is enough.
        "platform_id": None if arrival.platform == BROWSER else arrival.platform_id,
        "fingerprint": mark,
        "created_at": datetime.now(UTC),
    }
    connection.execute(insert_once(connection, participant, new, by="fingerprint"))
    query = select(participant.c.id).where(participant.c.fingerprint == mark).with_for_update(key_share=True)
    return int(connection.execute(query).scalar_one())


def place_of(connection: Connection, row: CampaignRow, participant_id: int) -> int | None:
    """The annotator that this person already is in this campaign."""
    query = select(annotator.c.id).where(
        annotator.c.campaign_id == row.id, annotator.c.participant_id == participant_id
    )
    found = connection.execute(query.order_by(annotator.c.id)).scalar()
    return None if found is None else int(found)


def refuse_if_in_family(connection: Connection, row: CampaignRow, participant_id: int) -> None:
    """One campaign of a family for each person, whatever became of their work in it."""
    pool = row.settings.join.pool
    if not pool:
        return
    others = connection.execute(
        select(campaign.c.settings)
        .join(annotator, annotator.c.campaign_id == campaign.c.id)
        .where(annotator.c.participant_id == participant_id, campaign.c.id != row.id)
    ).scalars()
    if any(settings_from(stored).join.pool == pool for stored in others):
        raise TookPartBefore


def token_of(store: Store, links: SignedLinks, campaign_id: int, arrival: Arrival, kept: str = "") -> str | None:
    """The personal token of somebody who is in the campaign already, so that they need not join again.

    Who only says who they are gets none, unless their browser has `kept` that very token.
    """

    def look(connection: Connection) -> str | None:
        found = connection.execute(
            select(annotator.c.id, annotator.c.link_nonce)
            .join(participant, participant.c.id == annotator.c.participant_id)
            .where(
                annotator.c.campaign_id == campaign_id,
                participant.c.fingerprint == links.fingerprint(arrival.platform, arrival.platform_id),
            )
            .order_by(annotator.c.id)
        ).first()
        return links.person(found.id, found.link_nonce) if found else None

    token = store.read(look)
    return None if token is None or (arrival.is_claimed and not is_kept(token, kept)) else token


def is_kept(token: str, kept: str) -> bool:
    """Whether a browser has kept this very token."""
    return secrets.compare_digest(token.encode(), kept.encode())


@dataclass(frozen=True, slots=True)
class PlatformId:
    """What a manager needs to pay somebody, or to answer them."""

    annotator: str
    platform: str
    platform_id: str | None
    erased_at: datetime | None


def platform_ids(connection: Connection, row: CampaignRow) -> list[PlatformId]:
    """Who came from which platform. Only for managers, and never part of an export."""
    rows = connection.execute(_from_platforms(row).order_by(annotator.c.id))
    return [PlatformId(*found) for found in rows]


def some_platform_ids(
    connection: Connection, row: CampaignRow, *, search: str = "", page: int = 1, size: int = PAGE_SIZE
) -> tuple[Page[PlatformId], int]:
    """One page of them; `search` looks at the names under which people are known here. And how many have an id left."""
    all_of_them = _from_platforms(row)
    query = all_of_them.where(annotator.c.name.icontains(search, autoescape=True)) if search else all_of_them
    ordered = query.order_by(annotator.c.id)
    found = one_page(connection, ordered, page, lambda one: PlatformId(*one), counting=query, size=size)
    left = all_of_them.where(participant.c.platform_id.is_not(None))
    return found, int(connection.execute(left.with_only_columns(func.count())).scalar_one())


def _from_platforms(row: CampaignRow) -> Select[Any]:
    return (
        select(annotator.c.name, participant.c.platform, participant.c.platform_id, participant.c.erased_at)
        .join(participant, participant.c.id == annotator.c.participant_id)
        .where(annotator.c.campaign_id == row.id, participant.c.platform != INVITED)
    )


@dataclass(frozen=True)
class ErasedIds:
    people: int
    # False: a long reading or writing was in the way of overwriting their places in the database's files.
    gone_from_files: bool


def erase(
    store: Store, campaign_name: str, names: Iterable[str] | None, *, forget: bool = False, author: str, reason: str
) -> ErasedIds:
    """Erase the platform ids of these annotators, or of all. What they answered stays, under their pseudonyms.

    The keyed hash stays, so that nobody takes part twice; with `forget` it goes as well, and with it the last trace:
    then the same person would be taken for a new one. Nobody left to erase is no mistake: then only the files are
    seen to, if that was not possible at the first time.
    """
    wanted = None if names is None else list(dict.fromkeys(names))
    traces = [participant.c.platform_id, *([participant.c.fingerprint] if forget else [])]
    left = or_(*(one.is_not(None) for one in traces))

    def look(connection: Connection, row: CampaignRow) -> tuple[int, list[tuple[str, int]]]:
        known = (
            select(annotator.c.name, participant.c.id, left.label("left"))
            .join(participant, participant.c.id == annotator.c.participant_id)
            .where(annotator.c.campaign_id == row.id)
        )
        people = {one.name: one for one in connection.execute(known)}
        for name in wanted or ():
            if name not in people:
                raise NothingToErase(name=name, campaign=row.name)
        asked = people if wanted is None else wanted
        return row.id, [(name, people[name].id) for name in asked if people[name].left]

    def piece(connection: Connection, some: Sequence[tuple[str, int]]) -> int:
        erased = 0
        for name, number in some:
            gone = {"erased_at": datetime.now(UTC), **{one.name: None for one in traces}}
            if connection.execute(update(participant).where(participant.c.id == number, left).values(gone)).rowcount:
                kind = "participant forgotten" if forget else "platform id erased"
                events.record(connection, campaign_id, author=author, kind=kind, subject=name, reason=reason)
                erased += 1
        return erased

    campaign_id, people = look_into(store, campaign_name, look)
    # Of many, some at a time: nobody waits for all of them, and if that breaks off, once more erases the rest.
    count = sum(InPieces(store).gathered(people, piece))
    return ErasedIds(count, store.scrub(participant))
