"""From a plan to a campaign with its invited people."""

from __future__ import annotations

from typing import NamedTuple

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.definition.file import CampaignPlan
from goldmark.campaigns.definition.needed_context import note_missing
from goldmark.campaigns.lifecycle import CampaignRow, Noted, create, move
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
    store: Store, links: SignedLinks, plan: CampaignPlan, *, author: str, noting: Noted | None = None
) -> OpenedCampaign:
    """Create the campaign and a personal link for everyone its file invites. It still has to be started."""
    row = create(
        store,
        name=plan.name,
        title=plan.title,
        protocol=plan.protocol,
        settings=plan.settings,
        units=plan.units,
        author=author,
        noting=noting,
    )
    note_missing(store, row.name, plan.protocol, plan.units, author=author)
    invited = people.invite_all(store, links, row.name, plan.settings.join.invite, author=author)
    invite = links.invite(row.id, row.invite_nonce) if plan.settings.join.open else None
    return OpenedCampaign(row, invite, invited)
