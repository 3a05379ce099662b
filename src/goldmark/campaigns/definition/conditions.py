"""Which condition a new participant gets: at random, balanced at every moment, and never told to them.

The condition with the largest share of its places still to fill is taken; among equals a seeded draw decides. With
nobody dropping out this is a random permutation of the conditions, again and again, so that after any number of people
the conditions differ by at most one. Who was excluded, failed the qualification or stopped coming leaves their place to
the next person, so the conditions stay balanced in those who count. The draw is a hash of the seed, the campaign, how
many have joined and the condition: whoever has the seed and the order of events can draw it again, an annotator cannot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, case, func, null, select, type_coerce

from goldmark.campaigns.assignments.strata import WORK
from goldmark.campaigns.definition.settings import ConditionPart, Settings
from goldmark.campaigns.definition.units.unit_order import rank
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import Problem
from goldmark.store.tables import annotator, assignment
from goldmark.store.types import UtcTime

GONE = ("excluded",)


class ParticipantProgress(NamedTuple):
    """How far one participant is, as far as their place depends on it."""

    condition: str | None
    state: str
    stage: str
    done: int
    batch: int
    batch_done: int
    alive_until: datetime


def is_finished(person: ParticipantProgress, settings: Settings) -> bool:
    size = settings.batch.size
    return person.batch > 1 or (person.done > 0 if size is None else person.batch_done >= size)


def counts(person: ParticipantProgress, settings: Settings, now: datetime) -> bool:
    """Whether this person fills a place: they finished, or they are still at it."""
    if person.state in GONE or person.stage == "failed":
        return False
    return is_finished(person, settings) or person.alive_until > now


def _has_finished(settings: Settings) -> ColumnElement[bool]:
    """The same as a condition of the database."""
    size = settings.batch.size
    return (annotator.c.batch > 1) | (annotator.c.done > 0 if size is None else annotator.c.batch_done >= size)


def progress_of_participants(
    connection: Connection, row: CampaignRow, *, at_it: bool = False
) -> list[ParticipantProgress]:
    """Everybody in the campaign, or those who have not finished and are not gone.

    Alive is whose page, unit or joining was heard of less than a lease ago. Everyone who joins waits for this, so units
    are looked at only of those whose place depends on it.
    """
    lease = timedelta(minutes=row.settings.lease_minutes)
    settled = _has_finished(row.settings) | annotator.c.state.in_(GONE)
    held = select(func.max(assignment.c.lease_until)).where(assignment.c.annotator_id == annotator.c.id)
    until = case((settled, null()), else_=held.correlate(annotator).scalar_subquery())
    query = select(annotator, type_coerce(until, UtcTime).label("until")).where(annotator.c.campaign_id == row.id)
    rows = connection.execute((query.where(~settled) if at_it else query).order_by(annotator.c.id))
    return [
        ParticipantProgress(
            found.condition,
            found.state,
            found.stage,
            found.done,
            found.batch,
            found.batch_done,
            max((found.seen_at or found.joined_at) + lease, found.until or found.joined_at),
        )
        for found in rows
    ]


def filled(connection: Connection, row: CampaignRow) -> Counter[str]:
    """How many people fill a place in each condition."""
    finished = (_has_finished(row.settings), annotator.c.state.not_in(GONE), annotator.c.stage != "failed")
    counted = select(annotator.c.condition, func.count()).where(annotator.c.campaign_id == row.id, *finished)
    found = Counter({name: many for name, many in connection.execute(counted.group_by(annotator.c.condition)) if name})
    now, others = datetime.now(UTC), progress_of_participants(connection, row, at_it=True)
    return found + Counter(one.condition for one in others if one.condition and counts(one, row.settings, now))


def choose(conditions: Sequence[ConditionPart], taken: Mapping[str, int], *, seed: int, draw: str) -> str | None:
    """The next condition, or None if every place is taken."""
    free = [one for one in conditions if one.places is None or taken.get(one.name, 0) < one.places]
    if not free:
        return None

    def key(one: ConditionPart) -> tuple[float, bytes]:
        count = taken.get(one.name, 0)
        # Conditions without a number of places are alike; with one, the emptier in proportion comes first.
        return (count if one.places is None else count / one.places, rank(seed, "condition", f"{draw}\x1f{one.name}"))

    return min(free, key=key).name


def draw(connection: Connection, row: CampaignRow) -> str | None:
    """The condition of somebody who joins now. The caller holds the campaign, so joins are drawn one by one."""
    settings = row.settings
    if not settings.conditions:
        return None
    people = connection.execute(select(func.count()).where(annotator.c.campaign_id == row.id)).scalar_one()
    taken = filled(connection, row)
    return choose(settings.conditions, taken, seed=settings.order.seed, draw=f"{row.name}\x1f{people}")


def is_full(connection: Connection, row: CampaignRow) -> bool:
    """Whether all conditions have all the people they need."""
    return bool(row.settings.conditions) and draw(connection, row) is None


def free_again(connection: Connection, row: CampaignRow) -> datetime | None:
    """When the place of the first who has not finished comes back, if they are gone; None if all have finished."""
    settings, now = row.settings, datetime.now(UTC)
    people = progress_of_participants(connection, row, at_it=True)
    return min((one.alive_until for one in people if counts(one, settings, now)), default=None)


def places(connection: Connection, row: CampaignRow) -> list[tuple[ConditionPart, int]]:
    """Each condition with how many people fill a place in it now."""
    if not row.settings.conditions:
        return []  # and nobody is looked at
    taken = filled(connection, row)
    return [(one, taken[one.name]) for one in row.settings.conditions]


def stratum_problems(settings: Settings, known: Collection[str], where: str) -> list[Problem]:
    """Strata that a condition mixes from and in which no text lies; `known` are those of the texts."""
    wanted = {stratum: one.name for one in settings.conditions for stratum in one.mix or {WORK: 1}}
    return [
        Problem(
            where,
            f'no text lies in the stratum "{stratum}", from which condition {name} gets its texts',
            f"the strata are {', '.join(sorted(known)) or 'none'}; a row says where it lies under `stratum`",
            "conditions",
        )
        for stratum, name in wanted.items()
        if stratum not in known
    ]
