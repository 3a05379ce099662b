"""Excluding an annotator: their work is kept and marked, counts nowhere, and its places are free for others.

Who is excluded from one campaign of a crowd is excluded from all of them, and so is undoing it: what somebody's work is
worth does not hang on which of its texts they read.

Who gives their place on a crowd platform back has their work set aside in the same way, but in that campaign only: it
says nothing about them.

Excluding is a decision with an author, a reason and, if a rule made it or was followed, the rule and its evidence. It
can be undone: whatever place is still free is taken back, and what was filled meanwhile is kept as extra. Both hold the
person's row, as every claim, answer and review of theirs does, so nothing of theirs changes at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, bindparam, case, func, select, tuple_, update

from goldmark.campaigns.assignments import allocation
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.people.annotators import PersonExcluded, find_annotator
from goldmark.people.crowds import elsewhere
from goldmark.records.annotators import EXCLUDED
from goldmark.records.campaigns import ExclusionRecord
from goldmark.store import events, in_transaction
from goldmark.store.prepared import Prepared, values_of
from goldmark.store.states import ANSWERED, HOLD_A_PLACE, NOT_FINAL
from goldmark.store.tables import annotator, assignment, event, notice, unit

UNDONE = "exclusion undone"
GIVEN_BACK = "place given back"  # the rule by which the work of somebody who withdrew is set aside
KEPT = "annotator kept"  # a manager looked at somebody who is flagged, and lets their work count


@dataclass(frozen=True, slots=True)
class Excluded:
    """What excluding someone did."""

    annotator: str
    changed: bool  # False: they were excluded already
    labels: int  # answers that counted, or waited to, and no longer do
    places: int  # free for others again; more than `labels` if they held a unit
    reopened: int  # units that had all their labels in progress or done and now want more


@dataclass(frozen=True, slots=True)
class Restored:
    """What undoing an exclusion did."""

    annotator: str
    changed: bool  # False: they were not excluded
    labels: int  # answers that count again, or wait again
    extra: int  # kept without counting: others have filled their units meanwhile


class ExclusionCost(NamedTuple):
    """What excluding someone would take from a campaign. Test questions are not in it: they never count."""

    labels: int
    reopened: int


@in_transaction
def exclude(
    connection: Connection,
    campaign_name: str,
    name: str,
    *,
    author: str,
    reason: str = "",
    rule: str = "",
    evidence: Mapping[str, Any] | None = None,
) -> Excluded:
    """Set all work of one person aside and hand them nothing more. Said twice, it is done once."""
    row = find_campaign(connection, campaign_name)
    person = find_annotator(connection, row, name)
    return exclude_now(connection, row.id, person.id, author=author, reason=reason, rule=rule, evidence=evidence or {})


def exclude_now(
    connection: Connection,
    campaign_id: int,
    annotator_id: int,
    *,
    author: str,
    reason: str,
    rule: str = "",
    evidence: Mapping[str, Any],
    **told: Any,
) -> Excluded:
    """The same inside a transaction, as when a rule acts on what somebody answered; in all campaigns of the crowd."""
    done = _exclude_here(
        connection, campaign_id, annotator_id, author=author, reason=reason, rule=rule, evidence=evidence, **told
    )
    for other in elsewhere(connection, annotator_id) if done.changed else ():
        _exclude_here(
            connection,
            other.campaign_id,
            other.annotator_id,
            author=author,
            reason=reason,
            rule=rule,
            evidence=evidence,
            **told,
        )
    return done


def _exclude_here(
    connection: Connection,
    campaign_id: int,
    annotator_id: int,
    *,
    author: str,
    reason: str,
    rule: str,
    evidence: Mapping[str, Any],
    **told: Any,
) -> Excluded:
    person = _hold(connection, annotator_id)
    if person.state == "excluded" and not person.withdrew:
        return Excluded(person.name, False, 0, 0, 0)
    labels = places = reopened = 0
    for held in _work_of(connection, annotator_id):
        if held.state in HOLD_A_PLACE:
            was_full = allocation.leave(connection, held.unit_id, held.state)
            if held.counts:  # a test question has no places
                places += 1
                reopened += was_full
                labels += held.state != "active"
        if held.state == "excluded":  # set aside before, when they gave their place back
            continue
        # What was in their hands stays theirs, with its draft, like anything whose lease ran out.
        answered = held.state in ANSWERED
        state, before = ("excluded", held.state) if answered else ("lapsed", None)
        _set_state(connection, held.id, state, before)
    values = {"state": "excluded", "withdrew": rule == GIVEN_BACK}
    connection.execute(update(annotator).where(annotator.c.id == annotator_id).values(**values))
    found = Excluded(person.name, True, labels, places, reopened)
    facts = {"rule": rule, **told, "evidence": dict(evidence), "before": person.state, **asdict(found)}
    events.record(
        connection, campaign_id, author=author, kind=EXCLUDED, subject=person.name, reason=reason, facts=facts
    )
    return found


def withdraw(connection: Connection, campaign_id: int, annotator_id: int, *, author: str, reason: str) -> Excluded:
    """Set aside the work of somebody who gave their place back, in this campaign only. Who is excluded stays so."""
    if _hold(connection, annotator_id).state == "excluded":
        return Excluded("", False, 0, 0, 0)
    return _exclude_here(
        connection, campaign_id, annotator_id, author=author, reason=reason, rule=GIVEN_BACK, evidence={}
    )


def take_back(connection: Connection, row: CampaignRow, annotator_id: int, *, author: str, reason: str) -> Restored:
    """Undo that: they have a place again, or had not given it back after all."""
    person = _hold(connection, annotator_id)
    if not person.withdrew:
        return Restored(person.name, False, 0, 0)
    return _undo_here(connection, row, annotator_id, author=author, reason=reason)


@in_transaction
def undo(connection: Connection, campaign_name: str, name: str, *, author: str, reason: str = "") -> Restored:
    """Let an excluded person's work count again wherever its place is still free, and let them work as before."""
    row = find_campaign(connection, campaign_name)
    person = find_annotator(connection, row, name)
    done = _undo_here(connection, row, person.id, author=author, reason=reason)
    for other in elsewhere(connection, person.id) if done.changed else ():
        if _hold(connection, other.annotator_id).withdrew:
            continue
        there = find_campaign(connection, other.campaign)
        _undo_here(connection, there, other.annotator_id, author=author, reason=reason)
    return done


def _undo_here(connection: Connection, row: CampaignRow, annotator_id: int, *, author: str, reason: str) -> Restored:
    person = _hold(connection, annotator_id)
    if person.state != "excluded":
        return Restored(person.name, False, 0, 0)
    labels = extra = 0
    for held in _work_of(connection, person.id):
        if held.state == "excluded":
            state = _state_again(connection, row, held)
            _set_state(connection, held.id, state, None)
            held_one = held.counts and held.state_before in HOLD_A_PLACE
            labels += held_one and state != "extra"
            extra += held_one and state == "extra"
    before = _state_before_exclusion(connection, row, person.name)
    connection.execute(update(annotator).where(annotator.c.id == person.id).values(state=before, withdrew=False))
    connection.execute(  # whoever comes back is not told that it has ended
        update(notice)
        .where(notice.c.annotator_id == person.id, notice.c.kind == "exclusion", notice.c.read_at.is_(None))
        .values(read_at=datetime.now(UTC))
    )
    found = Restored(person.name, True, labels, extra)
    facts = asdict(found)
    events.record(connection, row.id, author=author, kind=UNDONE, subject=person.name, reason=reason, facts=facts)
    return found


@in_transaction
def keep(connection: Connection, campaign_name: str, name: str, *, author: str, reason: str = "") -> None:
    """Decide that somebody who is flagged is not excluded: a round of a leaderboard need not wait for them."""
    row = find_campaign(connection, campaign_name)
    person = find_annotator(connection, row, name)
    if person.state == "excluded":
        raise PersonExcluded(name=name)
    events.record(connection, row.id, author=author, kind=KEPT, subject=name, reason=reason)


def decided_to_keep(connection: Connection, campaign_id: int, annotator_id: int, name: str) -> bool:
    """Whether somebody's last decision about this person, in any campaign of the crowd, lets their work count."""
    known = [(campaign_id, name), *((one.campaign_id, one.name) for one in elsewhere(connection, annotator_id))]
    last = connection.execute(
        select(event.c.kind)
        .where(tuple_(event.c.campaign_id, event.c.subject).in_(known), event.c.kind.in_((EXCLUDED, UNDONE, KEPT)))
        .order_by(event.c.id.desc())
        .limit(1)
    ).scalar()
    return last in (UNDONE, KEPT)


def costs(connection: Connection, row: CampaignRow) -> dict[int, ExclusionCost]:
    """What excluding each annotator who holds labels would cost, by their number."""
    held = and_(assignment.c.state.in_(HOLD_A_PLACE), assignment.c.state != "active", unit.c.counts)
    full = and_(assignment.c.state.in_(HOLD_A_PLACE), unit.c.counts, unit.c.taken >= unit.c.wanted)
    rows = connection.execute(
        select(
            assignment.c.annotator_id,
            func.sum(case((held, 1), else_=0)),
            func.sum(case((full, 1), else_=0)),
        )
        .join(unit, unit.c.id == assignment.c.unit_id)
        .where(assignment.c.campaign_id == row.id)
        .group_by(assignment.c.annotator_id)
    )
    return {number: ExclusionCost(int(labels), int(reopened)) for number, labels, reopened in rows}


def excluded_people(connection: Connection, row: CampaignRow) -> tuple[ExclusionRecord, ...]:
    """Who is excluded from a campaign now, by which rule and whose decision, and how much work of theirs that is."""
    said = {
        one.subject: one
        for one in connection.execute(
            select(event).where(event.c.campaign_id == row.id, event.c.kind == EXCLUDED).order_by(event.c.id)
        )
    }
    counting = and_(assignment.c.state == "excluded", assignment.c.state_before.not_in(NOT_FINAL), unit.c.counts)
    people = connection.execute(
        select(annotator.c.name, func.sum(case((counting, 1), else_=0)).label("responses"))
        .outerjoin(assignment, assignment.c.annotator_id == annotator.c.id)
        .outerjoin(unit, unit.c.id == assignment.c.unit_id)
        .where(annotator.c.campaign_id == row.id, annotator.c.state == "excluded")
        .group_by(annotator.c.id, annotator.c.name)
        .order_by(annotator.c.id)
    )
    return tuple(ExclusionRecord.told(one.name, said.get(one.name), int(one.responses)) for one in people)


def _hold(connection: Connection, annotator_id: int) -> Any:
    return connection.execute(
        select(annotator.c.id, annotator.c.name, annotator.c.state, annotator.c.withdrew)
        .where(annotator.c.id == annotator_id)
        .with_for_update(of=annotator)
    ).one()


def _work_of(connection: Connection, annotator_id: int) -> list[Any]:
    """All assignments of a person whose row is held, in the order of units, so that two who exclude never cross."""
    return list(
        connection.execute(
            select(
                assignment.c.id,
                assignment.c.unit_id,
                assignment.c.state,
                assignment.c.state_before,
                unit.c.counts,
            )
            .join(unit, unit.c.id == assignment.c.unit_id)
            .where(assignment.c.annotator_id == annotator_id, assignment.c.state != "lapsed")
            .order_by(assignment.c.unit_id)
            .with_for_update(of=assignment)
        )
    )


_into_state = Prepared(  # run for everything that somebody has answered
    update(assignment)
    .where(assignment.c.id == bindparam("assignment_id"))
    .values(**values_of(assignment, "state", "state_before"))
)


def _set_state(connection: Connection, assignment_id: int, state: str, before: str | None) -> None:
    _into_state.run(connection, assignment_id=assignment_id, state=state, state_before=before)


def _state_again(connection: Connection, row: CampaignRow, held: Any) -> str:
    """What a set-aside answer becomes: what it was, if its unit still has a place for it."""
    if held.state_before not in HOLD_A_PLACE:  # it came too late, or was released: it held none before either
        return str(held.state_before)
    if not allocation.retake(connection, held.unit_id):
        return "extra"
    # Approval may no longer be asked for.
    waits = held.state_before == "waiting" and not row.settings.review.required
    state = "done" if waits else str(held.state_before)
    allocation.count_done(connection, held.unit_id, "excluded", state)
    return state


def _state_before_exclusion(connection: Connection, row: CampaignRow, name: str) -> str:
    facts = connection.execute(
        select(event.c.facts)
        .where(event.c.campaign_id == row.id, event.c.kind == EXCLUDED, event.c.subject == name)
        .order_by(event.c.id.desc())
        .limit(1)
    ).scalar()
    return "paused" if facts and facts.get("before") == "paused" else "active"
