"""Looking after a posting once: settle what was interrupted, see how things stand, decide by rule, send what is asked.

Everything here can be done again at any time, by anybody: a look that was killed is made up for by the next.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.errors import GoldmarkError
from goldmark.people.platform import Platform, PlatformBusy, PlatformSilent, Snapshot, waits
from goldmark.recruiting.offering.availability import ask_for_state
from goldmark.recruiting.offering.postings import (
    OPEN,
    PAUSED,
    PLANNED,
    HeldElsewhere,
    Posting,
    campaign_name,
    change,
    find,
    held,
    keep_holding,
    open_platform,
)
from goldmark.recruiting.offering.publish import complete
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.ordering.carry_out import send_all, settle
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.watching import rules
from goldmark.recruiting.watching.scheduler import EVERY, SELDOM
from goldmark.recruiting.watching.sync import take_over
from goldmark.store import Store
from goldmark.store.pieces import InPieces

Progress = Callable[[int, int | None, str], None]


class Look(NamedTuple):
    """What a look found."""

    campaign: str
    trouble: str  # why it does not go on, in words
    orders: int  # still to be sent or settled
    again: datetime | None  # when to look again; None: everything is settled


def look_after(
    store: Store,
    posting_id: int,
    *,
    now: datetime | None = None,
    links: SignedLinks | None = None,
    progress: Progress = lambda done, total, words: None,
) -> Look:
    """One look, or, if somebody else is at it, none."""
    moment = now or datetime.now(UTC)
    found = store.read(lambda connection: find(connection, posting_id))
    name = store.read(lambda connection: campaign_name(connection, found.campaign_id))
    signed = links or SignedLinks.of(store.url.render_as_string(hide_password=False))
    try:
        with held(store, posting_id):
            trouble = _look(store, signed, found, name, moment, progress)
    except HeldElsewhere:
        return Look(name, "", 0, moment + waits(EVERY))
    store.write(lambda connection: change(connection, posting_id, trouble=trouble))
    return store.read(lambda connection: _left(connection, name, posting_id, trouble, moment))


def _look(store: Store, links: SignedLinks, found: Posting, name: str, now: datetime, progress: Progress) -> str:
    try:
        platform = open_platform(found.platform, live=found.live)
        unknown = settle(store, found, platform)
        if found.publish_at <= now:
            complete(store, links, found, name, platform)
        found = store.read(lambda connection: find(connection, found.id))
        snapshot = take_over(store, links, found, platform, now)
        trouble = _follow_rules(store, found, name, snapshot, platform, now)
        if found.publish_at <= now:
            _send(store, found, platform, progress)
            _note_fees(store, found, platform)
    except HeldElsewhere:  # this look took so long that somebody else began one
        raise
    except (PlatformBusy, PlatformSilent) as error:
        return str(error)
    except GoldmarkError as error:
        return f"{error} [{error.code}]"
    refused = store.read(lambda connection: _refused(connection, found.id))
    doubtful = f"{unknown} orders whose answers were lost are not settled yet" if unknown else ""
    return "; ".join(one for one in (trouble, refused, doubtful) if one)


def _send(store: Store, found: Posting, platform: Platform, progress: Progress) -> None:
    waiting = store.read(lambda connection: len(orders.of_posting(connection, found.id, orders.ASKED)))
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done, waiting, "orders sent to the platform")

    send_all(store, found, platform, step)


def _note_fees(store: Store, found: Posting, platform: Platform) -> None:
    parts = store.read(lambda connection: orders.parts_of(connection, found.id))
    fees = platform.fees(parts) if parts else None
    store.write(lambda connection: rules.note_fees(connection, found, fees))


def _follow_rules(
    store: Store, found: Posting, name: str, snapshot: Snapshot, platform: Platform, now: datetime
) -> str:
    """What people are owed by rule, some of them at a time, and then what the posting as a whole needs."""
    row = store.read(lambda connection: find_campaign(connection, name))
    pieces = InPieces(store, partial(find_campaign, name=name, hold=True))  # managers decide about the same people
    due = store.read(lambda connection: rules.due(connection, found, row, now))
    pieces.each(due, partial(rules.approve, found=found))
    unlisted = store.read(lambda connection: rules.unlisted(connection, find(connection, found.id)))
    pieces.each(unlisted, partial(rules.put_on_lists, found=found))
    replaces = row.settings.recruit is not None and row.settings.recruit.replace
    missing = partial(rules.labels_missing, found=found, row=row, snapshot=snapshot)
    labels = store.snapshot(missing) if replaces else 0

    def decide(connection: Connection) -> str:
        row = find_campaign(connection, name, hold=True)
        keep_holding(connection, found.id)
        here = find(connection, found.id)
        if row.state == "closed" and here.state in (OPEN, PAUSED) and not _closing(connection, here):
            ask_for_state(connection, here, "close", author="recruiting")
        return rules.replace_missing(connection, here, name, row, snapshot, platform, now, labels=labels)

    return store.write(decide)


def _closing(connection: Connection, found: Posting) -> bool:
    return bool(orders.of_posting(connection, found.id, orders.ASKED, orders.SENT, verb="close"))


def _refused(connection: Connection, posting_id: int) -> str:
    """The newest order that the platform refused, if nothing of its kind was done since."""
    for one in reversed(orders.of_posting(connection, posting_id, orders.REFUSED, orders.DONE)):
        if one.state == orders.REFUSED and one.verb != "enlist":
            return f"order {one.id} ({one.verb.replace('_', ' ')}): {one.problem}"
        if one.state == orders.DONE and one.verb != "enlist":
            return ""
    return ""


def _left(connection: Connection, name: str, posting_id: int, trouble: str, now: datetime) -> Look:
    found = find(connection, posting_id)
    waiting = orders.of_posting(connection, posting_id, orders.ASKED, orders.SENT)
    people = [one for one in sessions.of_posting(connection, posting_id) if one.state in sessions.ALIVE]
    if found.state == PLANNED and found.publish_at > now:
        return Look(name, trouble, len(waiting), found.publish_at)
    if waiting or found.state == OPEN or any(one.state == "open" for one in people):
        return Look(name, trouble, len(waiting), now + waits(EVERY))
    if people or found.state in (PAUSED, PLANNED):
        return Look(name, trouble, 0, now + waits(SELDOM))
    return Look(name, trouble, 0, None)
