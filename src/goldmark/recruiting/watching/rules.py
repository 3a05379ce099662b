"""What happens by itself: work is approved after its delay, lists are kept, places of excluded people are replaced."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import Connection, select

from goldmark.campaigns.definition import conditions
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.people.pay import labels_left
from goldmark.people.platform import Platform, Snapshot
from goldmark.recruiting.offering.offers import EXCLUDED, TOOK_PART, labels_of_a_place
from goldmark.recruiting.offering.postings import OPEN, Posting
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import budget, ledger
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.visiting.sessions import Session
from goldmark.store.tables import annotator, posting_session, qualification

APPROVAL, LISTS, REPLACEMENT = "the approval rule", "the lists of people", "the replacement of places"
REST = timedelta(hours=1)  # before something that was refused is tried once more
DECIDED = ("approve", "reject", "ask_return")


def due(connection: Connection, found: Posting, row: CampaignRow, now: datetime) -> list[int]:
    """Sessions of those who completed their batch and have waited long enough. Everybody else waits for a manager."""
    given = row.settings.recruit
    if given is None or given.approve.rule != "completed":
        return []
    decided = _decided(connection, found) | _refused_lately(connection, found, "approve", now)
    return [
        one.id
        for one in sessions.of_posting(connection, found.id)
        if one.state == "submitted"
        and one.outcome == "completed"
        and not one.note
        and one.id not in decided
        and (one.submitted_at or now) + timedelta(hours=given.approve.after_hours) <= now
    ]


def approve(connection: Connection, some: Sequence[int], *, found: Posting) -> None:
    """Orders to approve these, but for those on whom somebody has decided meanwhile."""
    for one in some:
        held = sessions.by_id(connection, one)
        decided = any(orders.standing(connection, one, verb) for verb in DECIDED)
        if held.state == "submitted" and not held.note and not decided:
            orders.ask(connection, found.id, "approve", session_id=one, author=APPROVAL)


def waiting_for_manager(connection: Connection, found: Posting, row: CampaignRow) -> list[Session]:
    """Handed in, and no rule decides: not completed, not who they said, or approval is by hand."""
    given = row.settings.recruit
    by_rule = given is not None and given.approve.rule == "completed"
    decided = _decided(connection, found)
    return [
        one
        for one in sessions.of_posting(connection, found.id)
        if one.state == "submitted"
        and one.id not in decided
        and not (by_rule and one.outcome == "completed" and not one.note)
    ]


def _decided(connection: Connection, found: Posting) -> set[int]:
    return set().union(*(orders.with_standing(connection, found.id, verb) for verb in DECIDED))


def _refused_lately(connection: Connection, found: Posting, verb: str, now: datetime) -> set[int]:
    """What the platform refused is not asked again every minute."""
    refused = orders.of_posting(connection, found.id, orders.REFUSED, verb=verb)
    return {one.session_id or 0 for one in refused if one.ended_at and one.ended_at > now - REST}


def unlisted(connection: Connection, found: Posting) -> list[tuple[int, str]]:
    """Who belongs on the lists that decide who may come (took part, passed, excluded) and is not on them yet."""
    if not found.offer.lists:
        return []
    listed = {
        (one.session_id, one.facts.get("list"))
        for one in orders.of_posting(connection, found.id, *orders.STANDING, orders.REFUSED, verb="enlist")
    }
    query = (
        select(
            posting_session.c.id,
            posting_session.c.state,
            annotator.c.state.label("person"),
            annotator.c.withdrew,
            qualification.c.name.label("passed"),
        )
        .join(annotator, annotator.c.id == posting_session.c.annotator_id)
        .outerjoin(
            qualification,
            (qualification.c.participant_id == annotator.c.participant_id) & qualification.c.revoked_at.is_(None),
        )
        .where(posting_session.c.posting_id == found.id)
        .order_by(posting_session.c.id)
    )
    wanted: dict[tuple[int, str], None] = {}
    for one in connection.execute(query):
        if one.state in sessions.HANDED_IN:
            wanted[one.id, TOOK_PART] = None
        if one.person == "excluded" and not one.withdrew:
            wanted[one.id, EXCLUDED] = None
        if one.passed in found.offer.lists:
            wanted[one.id, one.passed] = None
    return [one for one in wanted if one not in listed]


def put_on_lists(connection: Connection, some: Sequence[tuple[int, str]], *, found: Posting) -> None:
    """Orders for these. Only who looks after the posting asks for them, one at a time."""
    for session_id, name in some:
        orders.ask(connection, found.id, "enlist", session_id=session_id, author=LISTS, list=name)


def labels_missing(connection: Connection, found: Posting, row: CampaignRow, snapshot: Snapshot) -> float:
    """How many labels are left that nobody who is at work will give.

    It walks over all texts, so it is read beside the writer, and all at one moment: an answer that came in between
    would be missed here and counted there, and a place too many would be paid.
    """
    size = row.settings.batch.size or 1
    held = sessions.of_posting(connection, found.id, "open")
    here = [one for one in held if one.annotator_id is not None]
    work = select(annotator.c.id, annotator.c.batch_done).where(annotator.c.id.in_([one.annotator_id for one in here]))
    done: dict[int, int] = {one.id: one.batch_done for one in connection.execute(work)}
    each = labels_of_a_place(row.settings)
    coming = sum(max(0, size - done.get(one.annotator_id or 0, 0)) / size * each for one in here)
    return labels_left(connection, row)[0] - coming - _not_here_yet(held, snapshot) * each


def places_missing(connection: Connection, found: Posting, row: CampaignRow, snapshot: Snapshot, labels: float) -> int:
    """How many more places the plan needs than are on offer or taken by people who are at work.

    `labels` are missing, as `labels_missing` counted a moment before.
    """
    free = sum(one.free for one in snapshot.parts) + orders.places_of(connection, found.id, orders.ASKED, orders.SENT)
    filled = conditions.places(connection, row)
    if filled and all(one.places is not None for one, _ in filled):
        held = sessions.of_posting(connection, found.id, "open")
        wanted = sum(max(0, (one.places or 0) - taken) for one, taken in filled)
        return max(0, wanted - free - _not_here_yet(held, snapshot))
    return max(0, ceil(round(labels / labels_of_a_place(row.settings), 6)) - free)


def _not_here_yet(held: Sequence[Session], snapshot: Snapshot) -> int:
    """People who have taken a place on the platform and not come to our pages."""
    count = 0
    for part in snapshot.parts:
        own = [one for one in held if one.part == part.reference]
        here = sum(one.annotator_id is not None for one in own)
        count += len(own) - here if part.at_work is None else max(0, part.at_work - here)
    return count


def replace_missing(
    connection: Connection,
    found: Posting,
    name: str,
    row: CampaignRow,
    snapshot: Snapshot,
    platform: Platform,
    now: datetime,
    *,
    labels: float,
) -> str:
    """Put on offer what the plan still needs, as far as the budget goes; what stands in the way, in words."""
    given = row.settings.recruit
    if given is None or not given.replace or found.state != OPEN or row.state != "running" or not snapshot.parts:
        return ""
    if _refused_lately(connection, found, "publish", now):
        return ""
    fee = found.offer.fee
    missing = places_missing(connection, found, row, snapshot, labels)
    unit = found.offer.reward + fee
    possible = min(missing, max(0, budget.left(connection, row, found)) // unit if unit else missing)
    sizes = platform.sizes(possible) if possible else ()
    budget.ask_for_places(connection, found, name, sizes, found.offer.reward, fee, author=REPLACEMENT)
    if missing > possible:
        return f"{missing - possible} more places are needed than the budget of {found.budget / 100:.2f} allows"
    return ""


def note_fees(connection: Connection, found: Posting, fees: int | None) -> None:
    """Where the platform tells its fees all together, enter what came to them."""
    if fees is None:
        return
    more = fees - ledger.spent(connection, found.id).fees
    if more:
        ledger.enter(
            connection,
            found.id,
            "fee",
            author=ledger.PLATFORM,
            amount=more,
            reference=found.offer.name,
            reason="as the platform states it",
        )
