"""Undoing an exclusion: whatever place is still free is taken again, and what was filled meanwhile is kept as extra.

Where somebody has answered much, places are taken again some at a time before their row says that their work counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, update

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.jobs import Running, owed, register
from goldmark.people import set_aside
from goldmark.people.annotators import AnnotatorRow
from goldmark.people.crowds import SamePerson, elsewhere, hold_everywhere
from goldmark.people.exclusions import UNDO, UNDONE, NoLongerExcluded, decided_since, find, hold, large, numbers
from goldmark.records.annotators import EXCLUDED
from goldmark.store import Store, events
from goldmark.store.pieces import InPieces
from goldmark.store.tables import annotator, notice
from goldmark.store.transactions import prepared_beside


@dataclass(frozen=True, slots=True)
class Restored:
    """What undoing an exclusion did."""

    annotator: str
    changed: bool  # False: they were not excluded
    labels: int  # answers that count again, or wait again
    extra: int  # kept without counting: others have filled their units meanwhile


class ComingBack(NamedTuple):
    """Somebody with many answers, of whom an exclusion is being undone: see `come_back`."""

    campaign: str
    person: str
    author: str
    reason: str
    since: int  # the number of the newest decision, when this one was taken
    here: bool = False  # in the other campaigns of the crowd it stays


def take_back(
    connection: Connection, row: CampaignRow, annotator_id: int, *, author: str, reason: str
) -> ComingBack | None:
    """Somebody has a place again, or had not given it back after all: in this campaign only, they are no longer gone.

    With few answers at once. With many, whoever called this brings them back, or else a worker a minute later.
    """
    person = hold(connection, annotator_id)
    if not person.withdrew:
        return None
    if not large(connection, [annotator_id]):
        _undo_here(connection, row, annotator_id, author=author, reason=reason)
        return None
    coming = ComingBack(row.name, person.name, author, reason, events.last(connection), here=True)
    _owe(connection, row, coming, [annotator_id])
    return coming


def _owe(connection: Connection, row: CampaignRow, coming: ComingBack, people: Sequence[int]) -> None:
    asked = {**coming._asdict(), "people": list(people)}
    owed.owe(connection, UNDO, asked, author=coming.author, subject=coming.person, campaign_id=row.id)


def come_back(store: Store, coming: ComingBack | None) -> None:
    """Places first; they can go on when all are there. Nobody else has to wait for that."""
    if coming is not None:
        _undo_in_pieces(store, coming)


def undo(store: Store, campaign_name: str, name: str, *, author: str, reason: str = "") -> Restored:
    """Let an excluded person's work count again wherever its place is still free, and let them work as before."""
    before = store.read(lambda connection: _before(connection, *find(connection, campaign_name, name)))

    def act(connection: Connection) -> Restored | ComingBack:
        row, found = find(connection, campaign_name, name)
        hold_everywhere(connection, found.id)
        person = hold(connection, found.id)
        people = [person.id, *(one.annotator_id for one in _for_their_work(connection, person.id))]
        if person.state != "excluded" or not large(connection, people):
            return _undo_everywhere(connection, row, person.id, before, author=author, reason=reason)
        coming = ComingBack(campaign_name, name, author, reason, events.last(connection))
        _owe(connection, row, coming, people)
        return coming

    done = store.write(act)
    return done if isinstance(done, Restored) else _undo_in_pieces(store, done)


class Before(NamedTuple):
    """What was decided about somebody, so that only what came since has to be looked for."""

    since: int
    state: str  # that they had when they were excluded last


def _before(connection: Connection, row: CampaignRow, person: AnnotatorRow) -> dict[int, Before]:
    """Of somebody in all campaigns of the crowd. It walks over decisions: not in the writer."""
    here = [(row.id, person.id, person.name)]
    there = [(one.campaign_id, one.annotator_id, one.name) for one in elsewhere(connection, person.id)]
    found = {}
    since = events.mark(connection)
    for campaign_id, number, name in here + there:
        excluded = events.newest(connection, campaign_id, EXCLUDED, subject=name)
        found[number] = Before(since, _state_before(excluded))
    return found


def _undo_in_pieces(store: Store, coming: ComingBack) -> Restored:
    """Places first, as long as nothing else was decided since. Who is excluded no longer has nothing to be undone."""
    row, person = store.read(lambda connection: find(connection, coming.campaign, coming.person))
    before = store.read(lambda connection: _before(connection, row, person))
    extra: Counter[int] = Counter()
    others = _nowhere if coming.here else _for_their_work

    def look(connection: Connection) -> dict[tuple[str, int], tuple[Any, ...]]:
        hold_everywhere(connection, person.id)
        theirs = [(row.name, person.id), *((one.campaign, one.annotator_id) for one in others(connection, person.id))]
        return {(there, one): set_aside.as_it_is(connection, one) for there, one in theirs}

    def bring_back(seen: Mapping[tuple[str, int], Any]) -> dict[int, int]:
        labels = {}
        for there, one in seen:
            if one not in before:
                continue  # they have come into another campaign meanwhile, where they have done nothing yet
            campaign = store.read(partial(find_campaign, name=there))
            first = partial(_undoing_goes_on, annotator_id=one, since=coming.since)
            work = partial(set_aside.bring_back, approval=campaign.settings.review.required)
            with suppress(NoLongerExcluded):
                extra[one] += sum(InPieces(store, first).gathered(numbers(store, set_aside.aside(one)), work))
            labels[one] = store.read(partial(set_aside.labels_of, annotator_id=one, campaign_id=campaign.id))
        return labels

    def finish(connection: Connection, _: Any, labels: Mapping[int, int]) -> Restored:
        with suppress(NoLongerExcluded):
            _undoing_goes_on(connection, person.id, coming.since)
            back = {one: (many, extra[one]) for one, many in labels.items()}
            about = {"author": coming.author, "reason": coming.reason}
            return _undo_everywhere(connection, row, person.id, before, **about, back=back, others=others)
        owed.forget(connection, UNDO, row.id, person.name)
        return Restored(person.name, False, 0, 0)

    return prepared_beside(store, look, bring_back, finish)


@register(UNDO)
def _go_on_undoing(running: Running) -> None:
    asked = {key: value for key, value in running.arguments.items() if key in ComingBack._fields}
    # An earlier version asked for it without: then what was decided until now counts.
    _undo_in_pieces(running.store, ComingBack(**{"since": running.store.read(events.last), **asked}))


def _undoing_goes_on(connection: Connection, annotator_id: int, since: int) -> None:
    """They are still excluded, and not by now once more."""
    person = hold(connection, annotator_id)
    if person.state != "excluded" or decided_since(connection, person, since):
        raise NoLongerExcluded


def _for_their_work(connection: Connection, annotator_id: int) -> list[SamePerson]:
    """The same person in other campaigns, but not where they are excluded because they gave their place back."""
    return [one for one in elsewhere(connection, annotator_id) if not hold(connection, one.annotator_id).withdrew]


def _nowhere(connection: Connection, annotator_id: int) -> list[SamePerson]:
    return []


Back = Mapping[int, tuple[int, int]]  # by the number of the annotator: labels that count again, and what is extra


def _undo_everywhere(
    connection: Connection,
    row: CampaignRow,
    annotator_id: int,
    before: Mapping[int, Before],
    *,
    author: str,
    reason: str,
    back: Back = MappingProxyType({}),
    others: Callable[[Connection, int], list[SamePerson]] = _for_their_work,
) -> Restored:
    """In all campaigns of the crowd; whose answers are `back` have been brought back already."""
    told = {"author": author, "reason": reason}
    done = _undo_here(connection, row, annotator_id, before.get(annotator_id), **told, back=back)
    for other in others(connection, annotator_id) if done.changed else ():
        there = find_campaign(connection, other.campaign)
        _undo_here(connection, there, other.annotator_id, before.get(other.annotator_id), **told, back=back)
    return done


def _undo_here(
    connection: Connection,
    row: CampaignRow,
    annotator_id: int,
    known: Before | None = None,
    *,
    author: str,
    reason: str,
    back: Back = MappingProxyType({}),
) -> Restored:
    person = hold(connection, annotator_id)
    owed.forget(connection, UNDO, row.id, person.name)  # also what another of its kind would go on with
    if person.state != "excluded":
        return Restored(person.name, False, 0, 0)
    if annotator_id in back:
        labels, extra = back[annotator_id]
    else:
        left = connection.execute(set_aside.aside(annotator_id)).scalars().all()
        extra = set_aside.bring_back(connection, left, approval=row.settings.review.required)
        labels = set_aside.labels_of(connection, annotator_id, row.id)
    since = known.since if known else 0
    excluded = events.newest(connection, row.id, EXCLUDED, subject=person.name, since=since)
    before = _state_before(excluded) if excluded or not known else known.state
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


def _state_before(excluded: Any) -> str:
    """That somebody had when this was decided."""
    return "paused" if excluded is not None and excluded.facts.get("before") == "paused" else "active"
