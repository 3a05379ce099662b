"""The same people in several campaigns: campaigns of one crowd share what is known of its people.

A campaign names its crowd in its settings (`quality.crowd`); the rounds of a leaderboard are of one crowd by
themselves. Somebody is known again by the account, the platform or the browser they come with, and who is invited by
name by that name, which counts within the crowd only.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Connection, Subquery, bindparam, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import Forbidden
from goldmark.languages import later
from goldmark.people.connector import INVITED
from goldmark.store.once import insert_once
from goldmark.store.tables import annotator, campaign, participant


class ExcludedBefore(Forbidden):
    code = "JOIN-11"
    message = later("you cannot take part: your work in an earlier part of this study could not be used")


class SamePerson(NamedTuple):
    """Somebody as one campaign of the crowd knows them."""

    annotator_id: int
    name: str
    state: str
    campaign_id: int
    campaign: str


def invited(connection: Connection, crowd: str, name: str) -> int | None:
    """The number of somebody who is invited by name into a campaign of this crowd, new or known; None without one.

    Held until the transaction ends, so that nobody excludes them meanwhile.
    """
    if not crowd:
        return None
    # The name is no secret: the campaign holds it. So its hash needs no key.
    mark = hashlib.sha256(f"invited\x00{crowd}\x00{name.strip()}".encode()).hexdigest()
    new = {"platform": INVITED, "platform_id": None, "fingerprint": mark, "created_at": datetime.now(UTC)}
    connection.execute(insert_once(connection, participant, new, by="fingerprint"))
    query = select(participant.c.id).where(participant.c.fingerprint == mark).with_for_update(key_share=True)
    return int(connection.execute(query).scalar_one())


def is_excluded(connection: Connection, row: CampaignRow, participant_id: int | None) -> bool:
    """Whether this person is excluded from another campaign of the same crowd."""
    if not row.settings.quality.crowd or participant_id is None:
        return False
    query = (
        select(annotator.c.id)
        .join(campaign, campaign.c.id == annotator.c.campaign_id)
        .where(
            annotator.c.participant_id == participant_id,
            annotator.c.state == "excluded",
            ~annotator.c.withdrew,  # which says nothing about their work
            campaign.c.crowd == row.settings.quality.crowd,
            campaign.c.id != row.id,
        )
    )
    return connection.execute(query.limit(1)).first() is not None


_ME, _MINE = annotator.alias(), campaign.alias()
_ELSEWHERE = (  # asked after every few answers, so it is written once
    select(annotator.c.id, annotator.c.name, annotator.c.state, campaign.c.id, campaign.c.name)
    .select_from(_ME)
    .join(_MINE, _MINE.c.id == _ME.c.campaign_id)
    .join(annotator, annotator.c.participant_id == _ME.c.participant_id)
    .join(campaign, (campaign.c.id == annotator.c.campaign_id) & (campaign.c.crowd == _MINE.c.crowd))
    .where(_ME.c.id == bindparam("person"), _MINE.c.crowd != "", annotator.c.id != bindparam("person"))
    .order_by(annotator.c.id)
)


def elsewhere(connection: Connection, annotator_id: int) -> list[SamePerson]:
    """The same person in the other campaigns of the crowd, the earliest first."""
    return [SamePerson(*found) for found in connection.execute(_ELSEWHERE, {"person": annotator_id})]


def hold_everywhere(connection: Connection, annotator_id: int) -> None:
    """Somebody comes into no other campaign until the transaction ends. To be asked for before any row of theirs."""
    whose = select(annotator.c.participant_id).where(annotator.c.id == annotator_id).scalar_subquery()
    connection.execute(select(participant.c.id).where(participant.c.id == whose).with_for_update(key_share=True))


def campaigns_of_crowd(campaign_id: int) -> Subquery:
    """The ids of the campaigns that share what is known of people with this one; it is among them."""
    this = select(campaign.c.crowd).where(campaign.c.id == campaign_id).scalar_subquery()
    same = (campaign.c.id == campaign_id) | ((campaign.c.crowd != "") & (campaign.c.crowd == this))
    return select(campaign.c.id).where(same).subquery()
