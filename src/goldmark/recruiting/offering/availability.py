"""Whether a campaign is on offer: pause, resume, extend, close."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.errors import Conflict
from goldmark.people.platform import Verb
from goldmark.recruiting.offering.postings import CLOSED, OPEN, PAUSED, PLANNED, Posting, change, find, newest
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.watching import scheduler
from goldmark.store import events, in_transaction

Change = Literal["pause", "resume", "extend", "close"]
BEFORE_CLOSING: tuple[Verb, ...] = ("publish", "start", "resume", "extend", "pause")
ALLOWED: dict[Change, tuple[str, ...]] = {
    "pause": (OPEN,),
    "resume": (PAUSED,),
    "extend": (OPEN, PAUSED),
    "close": (PLANNED, OPEN, PAUSED),
}


class PostingStateNotPossible(Conflict):
    code = "CROWD-66"
    message = "what campaign {name!r} has on offer is {state}; {verb} needs it {allowed}"


@in_transaction
def set_state(
    connection: Connection, name: str, verb: Change, *, author: str, days: int = 0, reason: str = ""
) -> Posting:
    """Pause, resume, extend or close what a campaign has on offer."""
    row = find_campaign(connection, name, hold=True)
    found = newest(connection, row)
    if found.state not in ALLOWED[verb]:
        raise PostingStateNotPossible(name=name, state=found.state, verb=verb, allowed=" or ".join(ALLOWED[verb]))
    ask_for_state(connection, found, verb, author=author, days=days)
    events.record(connection, row.id, author=author, kind=f"posting: {verb}", subject=name, reason=reason)
    scheduler.wake(connection, found.id, row)
    return find(connection, found.id)


def ask_for_state(connection: Connection, found: Posting, verb: Change, *, author: str, days: int = 0) -> None:
    """Orders for every part that is still on offer; a posting of which nothing was published yet is simply dropped."""
    if verb == "close":
        orders.drop_all(connection, found.id, BEFORE_CLOSING, "closed before it was sent")
    parts = orders.parts_of(connection, found.id)
    # What has expired is not brought back by extending it: its places are no longer reserved.
    expired = set() if verb == "close" else ledger.released_parts(connection, found.id)
    wanted = [orders.WantedOrder(part=part, facts={"days": days}) for part in parts if part not in expired]
    orders.ask_all(connection, found.id, verb, wanted, author=author)
    if not parts and verb == "close":
        change(connection, found.id, state=CLOSED)
