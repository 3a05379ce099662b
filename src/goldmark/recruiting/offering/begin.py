"""Starting a campaign that is on a crowd platform: it is put on offer with it, if its settings say so."""

from __future__ import annotations

from sqlalchemy import Connection

from goldmark.campaigns import lifecycle
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.recruiting.offering.postings import CLOSED, of_campaign
from goldmark.recruiting.offering.publish import start_with_campaign
from goldmark.recruiting.watching import scheduler
from goldmark.store import in_transaction


def move_in(connection: Connection, name: str, verb: str, *, author: str, reason: str = "") -> CampaignRow:
    """Start, pause or close a campaign, and have what it has on offer looked after."""
    row = lifecycle.move_in(connection, name, verb, author=author, reason=reason)
    if row.state == "running":
        start_with_campaign(connection, row, author=author)
    for found in of_campaign(connection, row):
        if found.state != CLOSED:
            scheduler.wake(connection, found.id, row)
    return row


move = in_transaction(move_in)
