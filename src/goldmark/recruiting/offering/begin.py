"""Starting a campaign that is on a crowd platform: it is put on offer with it, if its settings say so."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from sqlalchemy import Connection

from goldmark.campaigns import lifecycle
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.recruiting.offering.postings import CLOSED, of_campaign
from goldmark.recruiting.offering.publish import NotReady, Ready, ready_to_start, start_with_campaign
from goldmark.recruiting.watching import scheduler
from goldmark.store import Store


def move_in(
    connection: Connection, name: str, verb: str, *, author: str, reason: str = "", ready: Ready | None = None
) -> CampaignRow:
    """Start, pause or close a campaign, and have what it has on offer looked after. Starting may have to be `ready`."""
    row = lifecycle.move_in(connection, name, verb, author=author, reason=reason)
    if row.state == "running":
        start_with_campaign(connection, row, ready, author=author)
    for found in of_campaign(connection, row):
        if found.state != CLOSED:
            scheduler.wake(connection, found.id, row)
    return row


def move(store: Store, name: str, verb: str, *, author: str, reason: str = "") -> CampaignRow:
    """The same, with what it has to be ready for found out beside the writer."""
    while True:
        ready = store.read(partial(ready_to_start, name=name)) if verb == "started" else None
        with suppress(NotReady):
            return store.write(partial(move_in, name=name, verb=verb, author=author, reason=reason, ready=ready))
