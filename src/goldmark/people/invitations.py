"""From a plan to a campaign with its invited people."""

from __future__ import annotations

from typing import NamedTuple

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.definition.file import CampaignPlan, create_planned
from goldmark.campaigns.lifecycle import CampaignRow, Noted, move, nothing_noted
from goldmark.campaigns.told import Tell, told_to_nobody
from goldmark.people import annotators as people
from goldmark.store import Store


class OpenedCampaign(NamedTuple):
    """A new campaign and the ways into it: tokens for the open link and for each invited person."""

    campaign: CampaignRow
    invite: str | None
    people: dict[str, str]

    def links(self, base: str) -> dict[str, str]:
        """The addresses of both kinds at a server, by who may use them."""
        open_link = {"anyone": f"{base}/join/{self.invite}"} if self.invite else {}
        return {**open_link, **people.addresses(self.people, base)}

    def started(self, store: Store, *, author: str) -> OpenedCampaign:
        return self._replace(campaign=move(store, self.campaign.name, "started", author=author))


def open_campaign(
    store: Store,
    links: SignedLinks,
    plan: CampaignPlan,
    *,
    author: str,
    tell: Tell = told_to_nobody,
    noting: Noted = nothing_noted,
) -> OpenedCampaign:
    """Create the campaign and a personal link for everyone its file invites. It still has to be started."""
    row = create_planned(store, plan, author=author, tell=tell, noting=noting)
    return with_invitations(store, links, row, author=author)


def with_invitations(store: Store, links: SignedLinks, row: CampaignRow, *, author: str) -> OpenedCampaign:
    """A new campaign with the links into it."""
    invited = people.invite_all(store, links, row.name, row.settings.join.invite, author=author)
    invite = links.invite(row.id, row.invite_nonce) if row.settings.join.open else None
    return OpenedCampaign(row, invite, invited)
