"""Excluding an annotator: their work is kept and marked, counts nowhere, and its places are free for others.

Who is excluded from one campaign of a crowd is excluded from all of them, and so is undoing it: what somebody's work is
worth does not hang on which of its texts they read.

Who gives their place on a crowd platform back has their work set aside in the same way, but in that campaign only: it
says nothing about them.

Excluding is a decision with an author, a reason and, if a rule made it or was followed, the rule and its evidence. It
can be undone: whatever place is still free is taken back, and what was filled meanwhile is kept as extra. Both hold the
person's row, as every claim, answer and review of theirs does, so nothing of theirs changes at the same time.

The state of the person's row says whether their work counts, so nobody ever sees half of an exclusion. Where they have
answered much, that is written first and their places are given back some at a time; and when it is undone, places are
taken again some at a time before it is written (`people.set_aside`). So no unit ever gets more labels than it wants.
What is left of that is owed (`goldmark.jobs.owed`): if the server is killed, a worker goes on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Select, and_, case, func, select, tuple_, update

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.jobs import Running, owed, register
from goldmark.people import set_aside
from goldmark.people.annotators import AnnotatorRow, PersonExcluded, find_annotator
from goldmark.people.crowds import elsewhere, hold_everywhere
from goldmark.records.annotators import EXCLUDED
from goldmark.records.campaigns import ExclusionRecord
from goldmark.store import Store, events, in_transaction
from goldmark.store.pieces import InPieces
from goldmark.store.states import HOLD_A_PLACE
from goldmark.store.tables import annotator, assignment, event, unit
from goldmark.store.transactions import prepared_beside

Result = TypeVar("Result")

UNDONE = "exclusion undone"
GIVEN_BACK = "place given back"  # the rule by which the work of somebody who withdrew is set aside
GIVE_BACK, UNDO = "places given back", "exclusion undone"  # kinds of jobs
KEPT = "annotator kept"  # a manager looked at somebody who is flagged, and lets their work count


@dataclass(frozen=True, slots=True)
class Excluded:
    """What excluding someone did."""

    annotator: str
    changed: bool  # False: they were excluded already
    labels: int  # answers that counted, or waited to, and no longer do
    places: int  # free for others again; more than `labels` if they held a unit
    reopened: int  # units that had all their labels in progress or done and now want more


class ExclusionCost(NamedTuple):
    """What excluding someone would take from a campaign. Test questions are not in it: they never count."""

    labels: int
    reopened: int


def exclude(
    store: Store,
    campaign_name: str,
    name: str,
    *,
    author: str,
    reason: str = "",
    rule: str = "",
    evidence: Mapping[str, Any] | None = None,
) -> Excluded:
    """Set all work of one person aside and hand them nothing more. Said twice, it is done once."""

    row, person = store.read(lambda connection: find(connection, campaign_name, name))

    def act(connection: Connection, counted: Counted) -> tuple[Excluded, Owing | None]:
        given = {"author": author, "reason": reason, "rule": rule, "evidence": evidence or {}}
        return _exclude_everywhere(connection, row.id, person.id, counted, **given)

    done, owing = counted_beside(store, person.id, act)
    settle(store, owing)
    return done


Counted = Mapping[int, set_aside.Holding]  # by the number of the annotator, of those who hold much
NOTHING_COUNTED: Counted = MappingProxyType({})


def counted_beside(store: Store, annotator_id: int, act: Callable[[Connection, Counted], Result]) -> Result:
    """Act on somebody in all campaigns of the crowd. What they hold is counted while others write, and still right."""

    def look(connection: Connection) -> dict[int, tuple[Any, ...]]:
        people = _everywhere(connection, annotator_id)
        return {one: set_aside.as_it_is(connection, one) for one in large(connection, people)}

    def count(seen: Mapping[int, tuple[Any, ...]]) -> Counted:
        return {one: store.read(partial(set_aside.what_goes, annotator_id=one)) for one in seen}

    return prepared_beside(store, look, count, lambda connection, _, counted: act(connection, counted))


def find(connection: Connection, campaign_name: str, name: str) -> tuple[CampaignRow, AnnotatorRow]:
    row = find_campaign(connection, campaign_name)
    return row, find_annotator(connection, row, name)


def _everywhere(connection: Connection, annotator_id: int) -> list[int]:
    hold_everywhere(connection, annotator_id)
    return [annotator_id, *(one.annotator_id for one in elsewhere(connection, annotator_id))]


def large(connection: Connection, people: Sequence[int]) -> list[int]:
    """Who of them has so much that the writer would be held for long; all of them, if they have it together."""
    given = [set_aside.given(connection, one) for one in people]
    return list(people) if sum(given) > set_aside.FEW else []


def settle(store: Store, owing: Owing | None) -> None:
    """Give places back that are still to be given back."""
    if owing is not None:
        _set_aside_in_pieces(store, owing.people)
        store.write(lambda connection: owed.done(connection, owing.job))


def exclude_now(
    connection: Connection,
    campaign_id: int,
    annotator_id: int,
    *,
    author: str,
    reason: str,
    rule: str = "",
    evidence: Mapping[str, Any],
    counted: Counted = NOTHING_COUNTED,
    **told: Any,
) -> Owing | None:
    """The same inside a transaction, as when a rule acts on what somebody answered. The caller settles what is owed."""
    given = {"author": author, "reason": reason, "rule": rule, "evidence": evidence}
    return _exclude_everywhere(connection, campaign_id, annotator_id, counted, **given, **told)[1]


class Owing(NamedTuple):
    """A job that is owed, and the people whose places it is about."""

    job: int
    people: list[int]


def _exclude_everywhere(
    connection: Connection, campaign_id: int, annotator_id: int, counted: Counted, **given: Any
) -> tuple[Excluded, Owing | None]:
    """In all campaigns of the crowd, also where they are just coming back: this is what was decided last."""
    hold_everywhere(connection, annotator_id)
    done = _exclude_here(connection, campaign_id, annotator_id, counted, **given)
    if not done.changed:
        return done, None
    others = elsewhere(connection, annotator_id)
    for other in others:
        _exclude_here(connection, other.campaign_id, other.annotator_id, counted, **given)
    # Only now: by what is owed it is known who comes back.
    for there, name in ((campaign_id, done.annotator), *((one.campaign_id, one.name) for one in others)):
        owed.forget(connection, UNDO, there, name)
    people = [annotator_id, *(one.annotator_id for one in others)]
    return done, _give_places_back(connection, campaign_id, done.annotator, people, given["author"])


def _exclude_here(
    connection: Connection,
    campaign_id: int,
    annotator_id: int,
    counted: Counted = NOTHING_COUNTED,
    *,
    author: str,
    reason: str,
    rule: str,
    evidence: Mapping[str, Any],
    **told: Any,
) -> Excluded:
    """The decision alone."""
    person = hold(connection, annotator_id)
    if person.state == "excluded" and not (person.withdrew or _comes_back(connection, person)):
        return Excluded(person.name, False, 0, 0, 0)
    goes = counted.get(annotator_id) or set_aside.what_goes(connection, annotator_id)
    found = Excluded(person.name, True, *goes)
    values = {"state": "excluded", "withdrew": rule == GIVEN_BACK}
    connection.execute(update(annotator).where(annotator.c.id == annotator_id).values(**values))
    facts = {"rule": rule, **told, "evidence": dict(evidence), "before": _before(connection, person), **asdict(found)}
    events.record(
        connection, campaign_id, author=author, kind=EXCLUDED, subject=person.name, reason=reason, facts=facts
    )
    return found


def _before(connection: Connection, person: Any) -> str:
    """The state to which undoing it will bring them back: who is excluded already had another one before that."""
    if person.state != "excluded":
        return str(person.state)
    said = events.newest(connection, person.campaign_id, EXCLUDED, subject=person.name)
    return str(said.facts.get("before", "active")) if said else "active"


def _give_places_back(
    connection: Connection, campaign_id: int, subject: str, people: Sequence[int], author: str
) -> Owing | None:
    """Those of a few answers at once; those of many are owed."""
    many = large(connection, people)
    for one in people:
        if one not in many:
            set_aside.set_aside(connection, connection.execute(set_aside.still_there(one)).scalars().all())
    if not many:
        return None
    what = {"people": many}
    return Owing(owed.owe(connection, GIVE_BACK, what, author=author, subject=subject, campaign_id=campaign_id), many)


def _set_aside_in_pieces(store: Store, people: Sequence[int]) -> None:
    for one in people:
        pieces = InPieces(store, partial(_still_excluded, annotator_id=one))
        with suppress(NoLongerExcluded):
            pieces.each(numbers(store, set_aside.still_there(one)), set_aside.set_aside)


@register(GIVE_BACK)
def _go_on_giving_back(running: Running) -> None:
    _set_aside_in_pieces(running.store, running.arguments["people"])


SeenBefore = Mapping[int, tuple[tuple[Any, ...], set_aside.Holding]]  # as it was when it was counted
NOTHING_SEEN: SeenBefore = MappingProxyType({})


def count_before(store: Store, people: Iterable[int]) -> SeenBefore:
    """What those of these people hold who hold much, for `withdraw`: others write while it is counted."""

    def look(connection: Connection) -> SeenBefore:
        much = [one for one in people if large(connection, [one])]
        return {one: (set_aside.as_it_is(connection, one), set_aside.what_goes(connection, one)) for one in much}

    return store.read(look)


def withdraw(
    connection: Connection,
    campaign_id: int,
    annotator_id: int,
    *,
    author: str,
    reason: str,
    seen: SeenBefore = NOTHING_SEEN,
) -> Excluded:
    """Set aside the work of somebody who gave their place back, in this campaign only. Who is excluded stays so."""
    person = hold(connection, annotator_id)
    if person.state == "excluded":
        if not (person.withdrew and _comes_back(connection, person)):
            return Excluded("", False, 0, 0, 0)
        owed.forget(connection, UNDO, campaign_id, person.name)  # they had come back, and have gone again
    counted = NOTHING_COUNTED
    if annotator_id in seen:
        as_it_was, holding = seen[annotator_id]
        if set_aside.as_it_is(connection, annotator_id) == as_it_was:
            counted = {annotator_id: holding}
    about = {"author": author, "reason": reason, "rule": GIVEN_BACK}
    done = _exclude_here(connection, campaign_id, annotator_id, counted, **about, evidence={})
    _give_places_back(connection, campaign_id, done.annotator, [annotator_id], author)
    return done


class NoLongerExcluded(Exception):
    """Somebody has undone it meanwhile."""


def _still_excluded(connection: Connection, annotator_id: int) -> None:
    """And nobody is undoing it: what has come back would be set aside once more."""
    person = hold(connection, annotator_id)
    if person.state != "excluded" or _comes_back(connection, person):
        raise NoLongerExcluded


def _comes_back(connection: Connection, person: Any) -> bool:
    """Whether somebody is undoing what was decided last, or was when their process ended."""
    return any(
        person.id in asked.get("people", ())
        and not ("since" in asked and decided_since(connection, person, asked["since"]))  # an earlier version had none
        for asked in owed.open_of(connection, UNDO)
    )


def decided_since(connection: Connection, person: Any, since: int) -> bool:
    """Whether somebody, whose row is held, was excluded, or that was undone, after this number of the decisions."""
    return events.newest(connection, person.campaign_id, EXCLUDED, UNDONE, subject=person.name, since=since) is not None


def numbers(store: Store, query: Select[int]) -> Sequence[int]:
    return store.read(lambda connection: connection.execute(query).scalars().all())


@in_transaction
def keep(connection: Connection, campaign_name: str, name: str, *, author: str, reason: str = "") -> None:
    """Decide that somebody who is flagged is not excluded: a round of a leaderboard need not wait for them."""
    row = find_campaign(connection, campaign_name)
    person = find_annotator(connection, row, name, hold=True)
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
    # Whether or not it was set aside already: of many answers, some are before the others.
    counting = and_(func.coalesce(assignment.c.state_before, assignment.c.state).in_(("done", "extra")), unit.c.counts)
    people = connection.execute(
        select(annotator.c.name, func.sum(case((counting, 1), else_=0)).label("responses"))
        .outerjoin(assignment, assignment.c.annotator_id == annotator.c.id)
        .outerjoin(unit, unit.c.id == assignment.c.unit_id)
        .where(annotator.c.campaign_id == row.id, annotator.c.state == "excluded")
        .group_by(annotator.c.id, annotator.c.name)
        .order_by(annotator.c.id)
    )
    return tuple(ExclusionRecord.told(one.name, said.get(one.name), int(one.responses)) for one in people)


def hold(connection: Connection, annotator_id: int) -> Any:
    return connection.execute(
        select(*(annotator.c[name] for name in ("id", "campaign_id", "name", "state", "withdrew")))
        .where(annotator.c.id == annotator_id)
        .with_for_update(key_share=True, of=annotator)
    ).one()
