"""Whether a campaign is on offer: pause, resume, extend, close."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.errors import Conflict
from goldmark.recruiting.offering.postings import CLOSED, OPEN, PAUSED, PLANNED, Posting, change, find, newest
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.watching import scheduler
from goldmark.store import events, in_transaction

Change = Literal["pause", "resume", "extend", "close"]
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
    for waiting in orders.of_posting(connection, found.id, orders.ASKED):
        if verb == "close" and waiting.verb in ("publish", "start", "resume", "extend", "pause"):
            orders.drop(connection, waiting, "closed before it was sent")
    parts = orders.parts_of(connection, found.id)
    # What has expired is not brought back by extending it: its places are no longer reserved.
    expired = {one for one in parts if ledger.was_entered(connection, found.id, "released", one)}
    for part in parts:
        if verb == "close" or part not in expired:
            orders.ask(connection, found.id, verb, author=author, part=part, days=days)
    if not parts and verb == "close":
        change(connection, found.id, state=CLOSED)
