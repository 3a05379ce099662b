"""What a platform says of its places, taken over: who handed in, who gave their place back, whose work it was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, insert, select, update

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.people.exclusions import SeenBefore, count_before, withdraw
from goldmark.people.participants import Arrival, know
from goldmark.people.platform import PartReport, Platform, SessionReport, SessionState, Snapshot, waits
from goldmark.people.undo_exclusion import ComingBack, come_back, take_back
from goldmark.recruiting.offering.postings import OPEN, Posting, campaign_name, change, find
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.ordering.carry_out import enter_reward
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.paying.ledger import PLATFORM
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.visiting.leaving import outcome_of
from goldmark.recruiting.visiting.sessions import GONE, HANDED_IN, TAKEN, Session
from goldmark.store import Store
from goldmark.store.pieces import InPieces
from goldmark.store.tables import annotator, assignment, participant, posting_session

GRACE = timedelta(minutes=5)  # after the time that people have, before we take them to be gone
SETTLE = timedelta(minutes=2)  # without a sign of somebody, before we believe that they have left


def take_over(store: Store, links: SignedLinks, found: Posting, platform: Platform, now: datetime) -> Snapshot:
    """Ask the platform how things stand and note what we did not know, some of it at a time."""
    parts = store.read(lambda connection: orders.parts_of(connection, found.id))
    if not parts:
        return Snapshot((), ())
    snapshot = platform.sync(parts)
    note_snapshot(store, links, found.id, snapshot, platform, now)
    return snapshot


def note_snapshot(
    store: Store,
    links: SignedLinks,
    posting_id: int,
    snapshot: Snapshot,
    platform: Platform,
    now: datetime,
    *,
    newcomer: str = "",
) -> None:
    """Note what a snapshot says. Snapshots may come late or twice: each says how things are, not what changed.

    `newcomer` names a part at which somebody stands whom we do not count yet.
    """
    known = store.read(lambda connection: {one.reference: one for one in sessions.of_posting(connection, posting_id)})
    news = [one for one in snapshot.sessions if _is_news(known.get(one.reference), one)]
    going = [known[one.reference].annotator_id for one in news if one.state in GONE and one.reference in known]
    taking = _Taking(links, posting_id, platform, now, count_before(store, filter(None, going)))
    pieces = InPieces(store)
    for back in pieces.gathered(news, taking.sessions):
        for one in back:
            come_back(store, one)
    left = store.read(partial(taking.left, snapshot=snapshot, newcomer=newcomer))
    taking = taking._replace(seen=count_before(store, (one.annotator_id for one, _ in left if one.annotator_id)))
    pieces.each(left, taking.gone)
    store.write(partial(taking.parts, snapshot=snapshot))


class _Taking(NamedTuple):
    """A snapshot that is being noted."""

    links: SignedLinks
    posting_id: int
    platform: Platform
    now: datetime
    seen: SeenBefore  # of who leaves, counted before

    def sessions(self, connection: Connection, some: Sequence[SessionReport]) -> list[ComingBack]:
        """Of these people; who comes back with many answers gets them by pieces of their own."""
        found, row = self._hold(connection)
        back = []
        for report in some:
            held = sessions.by_reference(connection, found.id, report.reference, hold=True)
            if held is None:
                held = _first_seen(connection, found, report, self.now)
            back.append(_note(connection, self.links, found, row, held, report, self.platform, self.now, self.seen))
        return [one for one in back if one is not None]

    def left(self, connection: Connection, snapshot: Snapshot, newcomer: str) -> list[tuple[Session, SessionState]]:
        """Who has left without being told of, and how."""
        found = find(connection, self.posting_id)
        told = {one.reference for one in snapshot.sessions}
        people: dict[str, list[Session]] = {}
        for one in sessions.of_posting(connection, found.id, "open"):
            if one.reference not in told:
                people.setdefault(one.part, []).append(one)
        return [
            one
            for part in snapshot.parts
            for one in _left_unreported(
                connection, people.get(part.reference, []), part, found, self.now, int(part.reference == newcomer)
            )
        ]

    def gone(self, connection: Connection, some: Sequence[tuple[Session, SessionState]]) -> None:
        """These have left, unless they were told of, or handed in, meanwhile."""
        found, row = self._hold(connection)
        for one, state in some:
            held = sessions.by_reference(connection, found.id, one.reference, hold=True)
            if held is not None and held.state == "open":
                _move(connection, found, row, held, state, self.now, self.seen)

    def parts(self, connection: Connection, snapshot: Snapshot) -> None:
        found, _ = self._hold(connection)
        _release(connection, found, snapshot.parts)
        change(connection, found.id, synced_at=self.now)

    def _hold(self, connection: Connection) -> tuple[Posting, CampaignRow]:
        found = find(connection, self.posting_id)
        return found, find_campaign(connection, campaign_name(connection, found.campaign_id), hold=True)


def _is_news(held: Session | None, report: SessionReport) -> bool:
    """Whether a report says anything that we do not know: of most people a platform says the same as the last time."""
    if held is None or report.state != held.state:
        return True
    return held.annotator_id is not None and report.state in HANDED_IN and not (held.proven and held.outcome)


def _first_seen(connection: Connection, found: Posting, report: SessionReport, now: datetime) -> Session:
    """Somebody has a place there and has not come here, or not yet."""
    connection.execute(
        insert(posting_session).values(
            posting_id=found.id,
            reference=report.reference,
            part=report.part,
            state="open",
            proven=True,
            outcome="",
            note="",
            arrived_at=now,
        )
    )
    held = sessions.by_reference(connection, found.id, report.reference)
    assert held is not None  # noqa: S101 - just made
    ledger.enter(
        connection, found.id, "taken", author=PLATFORM, session_id=held.id, places=1, reference=report.reference
    )
    return held


def _note(
    connection: Connection,
    links: SignedLinks,
    found: Posting,
    row: CampaignRow,
    held: Session,
    report: SessionReport,
    platform: Platform,
    now: datetime,
    seen: SeenBefore,
) -> ComingBack | None:
    if held.annotator_id is not None and not held.proven and report.state in HANDED_IN:
        _prove(connection, links, found, row, held, report)
        held = sessions.by_id(connection, held.id)
    if held.annotator_id is not None and not held.outcome and report.state in HANDED_IN:
        outcome = outcome_of(connection, held.annotator_id)
        if outcome is not None:
            sessions.change(connection, held.id, outcome=outcome)
    if report.state == held.state:
        return None
    if held.state in ("approved", "rejected") and report.state in ("open", "submitted"):
        return None  # an older picture than ours
    # A platform's clock may be ahead of ours; nobody waits longer for their pay because of that.
    back = _move(connection, found, row, held, report.state, min(report.at or now, now), seen)
    if report.state == "approved" or report.paid is not None:
        enter_reward(connection, found, held, platform, author=PLATFORM, amount=report.paid)
    return back


def _move(
    connection: Connection,
    found: Posting,
    row: CampaignRow,
    held: Session,
    state: SessionState,
    at: datetime,
    seen: SeenBefore,
) -> ComingBack | None:
    values: dict[str, object] = {"state": state}
    if state == "submitted" or (state in HANDED_IN and held.submitted_at is None):
        values["submitted_at"] = at
    if state not in sessions.ALIVE:
        values["ended_at"] = at
    sessions.change(connection, held.id, **values)
    if state in ("submitted", "returned", "timed out", "rejected", "screened out"):
        ledger.enter(
            connection, found.id, state, author=PLATFORM, session_id=held.id, places=1, reference=held.reference
        )
    if held.annotator_id is None:
        return None
    if state in GONE:
        reason = f"their place on {found.platform} was {state}"
        withdraw(connection, row.id, held.annotator_id, author="recruiting", reason=reason, seen=seen)
    elif held.state in GONE and not held.note:
        reason = f"their place on {found.platform} was {state} after all"
        return take_back(connection, row, held.annotator_id, author="recruiting", reason=reason)
    return None


def _prove(
    connection: Connection, links: SignedLinks, found: Posting, row: CampaignRow, held: Session, report: SessionReport
) -> None:
    """The platform says whose session it was. Was it another's than they said, their work is set aside."""
    mark = links.fingerprint(found.platform, report.person)
    claimed = connection.execute(
        select(participant.c.fingerprint)
        .join(annotator, annotator.c.participant_id == participant.c.id)
        .where(annotator.c.id == held.annotator_id)
    ).scalar()
    if claimed == mark:
        sessions.change(connection, held.id, proven=True)
        return
    really = know(connection, links, Arrival.from_outside(found.platform, report.person))
    connection.execute(update(annotator).where(annotator.c.id == held.annotator_id).values(participant_id=really))
    note = f"{found.platform} says that this place is another person's than the address said"
    sessions.change(connection, held.id, proven=True, note=note)
    withdraw(connection, row.id, held.annotator_id or 0, author="recruiting", reason=note)


def _left_unreported(
    connection: Connection, silent: list[Session], part: PartReport, found: Posting, now: datetime, more: int
) -> list[tuple[Session, SessionState]]:
    """Who has left, where the platform says only how many people are at work: those of whom there was no sign longest.

    Should it be somebody who is still there, they come back by loading the page again, or by handing in.
    """
    if part.at_work is None:
        return []
    late = timedelta(minutes=found.offer.minutes_allowed) + waits(GRACE)
    gone: list[tuple[Session, SessionState]] = [(one, "timed out") for one in silent if now > one.arrived_at + late]
    rest = [one for one in silent if now <= one.arrived_at + late]
    too_many = len(rest) + more - part.at_work
    if too_many <= 0:
        return gone
    seen = _last_seen(connection, rest)
    quiet = sorted((one for one in rest if now > seen[one.id] + waits(SETTLE)), key=lambda one: seen[one.id])
    return gone + [(one, "returned") for one in quiet[:too_many]]


def _last_seen(connection: Connection, people: list[Session]) -> dict[int, datetime]:
    """When each of them last came, took a unit, saved a draft or answered."""
    query = select(
        assignment.c.annotator_id, assignment.c.claimed_at, assignment.c.draft_at, assignment.c.finished_at
    ).where(assignment.c.annotator_id.in_([one.annotator_id for one in people]))
    signs: dict[int, list[datetime]] = {}
    for number, *moments in connection.execute(query):
        signs.setdefault(number, []).extend(one for one in moments if one is not None)
    return {one.id: max([one.arrived_at, *signs.get(one.annotator_id or 0, [])]) for one in people}


def _release(connection: Connection, found: Posting, parts: Sequence[PartReport]) -> None:
    """Places of a part that is no longer on offer will not be used, and no longer have to be paid."""
    over = [one for one in parts if not one.on_offer and not one.at_work] if found.state == OPEN else []
    if not over:
        return
    before, used = ledger.released_parts(connection, found.id), sessions.count(connection, found.id, TAKEN)
    made = [
        ledger.NewEntry("released", places=free, reference=one.reference, reason="no longer on offer")
        for one in over
        if one.reference not in before and (free := one.places - used.get(one.reference, 0)) > 0
    ]
    ledger.enter_all(connection, found.id, made, author=PLATFORM)
