"""Whether a round may be scored: nobody flagged is undecided, no unit of an excluded annotator waits to be filled, and
no places are still on their way from or to people of whom it was decided.

Before a round is scored, rules look at everybody once more. What was decided about people is an event of the round's
campaign, and a round keeps the number of the last that its scores know of, so that a later one is noticed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.leaderboards.human.scheduling.jobs import CLOCK
from goldmark.people.annotators import list_annotators
from goldmark.people.exclusions import UNDONE, decided_to_keep
from goldmark.people.places_owed import places_owed
from goldmark.quality.quality_check import QualityCheck
from goldmark.records.annotators import EXCLUDED
from goldmark.store import Store
from goldmark.store.states import HOLD_A_PLACE
from goldmark.store.tables import assignment, event, unit

CLOSED = "campaign closed"
LAST_DECISION = "last decision"  # the key among a round's facts


class Unready(NamedTuple):
    """What a round waits for."""

    undecided: tuple[str, ...]  # people who are flagged, and nobody has decided on
    reopened: int  # units of excluded annotators that want labels again
    owed: bool  # places are still given back or taken again: which units want labels is not known yet
    decided: int  # the last decision that this takes into account

    @property
    def words(self) -> str:
        told = []
        if self.undecided:
            who = ", ".join(self.undecided[:5]) + (" and others" if len(self.undecided) > 5 else "")
            told.append(f"{who}: flagged as noisy, and nobody has decided to exclude or keep them")
        if self.reopened:
            told.append(f"{self.reopened} units of excluded annotators wait for new labels")
        if self.owed:
            told.append("answers still leave their places, or take them again")
        return "; ".join(told)

    def __bool__(self) -> bool:
        return bool(self.undecided or self.reopened or self.owed)


def look_once_more(store: Store, row: CampaignRow) -> Unready:
    """Grade what is not graded, let rules look at everybody, and say what the round still waits for."""
    look = QualityCheck(store, ContentCache(store))

    look.everybody(row.id)
    return store.snapshot(lambda connection: wanting(connection, row.id, undecided(connection, row, look)))


def wanting(connection: Connection, campaign_id: int, undecided: Iterable[str] = ()) -> Unready:
    """What of a round's labels is to be replaced, or is not known yet."""
    owed = places_owed(connection, campaign_id)
    # How many are wanted is known when all places were given back; till then it would be said anew at every look.
    reopened = 0 if owed else reopened_units(connection, campaign_id)
    return Unready(tuple(undecided), reopened, owed, last_decision(connection, campaign_id))


def undecided(connection: Connection, row: CampaignRow, look: QualityCheck) -> list[str]:
    """People who are flagged and still count, and nobody has said that they should."""
    found = []
    for person in list_annotators(connection, row):
        if person.state == "excluded":
            continue
        status = look.watching.status(connection, row.id, person.id, row.settings.quality)
        flagged = status is not None and status.judgement.flagged
        if flagged and not decided_to_keep(connection, row.id, person.id, person.name):
            found.append(person.name)
    return found


def reopened_units(connection: Connection, campaign_id: int) -> int:
    """Units that want labels since somebody was excluded; none where the campaign was closed after that.

    Who closes a campaign before it is complete has decided to go without the rest.
    """
    if not excluded_since_closed(connection, campaign_id):
        return 0
    set_aside = (
        select(assignment.c.id)
        .where(
            assignment.c.unit_id == unit.c.id,
            assignment.c.state == "excluded",
            assignment.c.state_before.in_(HOLD_A_PLACE),
        )
        .exists()
    )
    query = select(func.count()).where(
        unit.c.campaign_id == campaign_id, unit.c.counts, unit.c.done < unit.c.wanted, set_aside
    )
    return int(connection.execute(query).scalar_one())


def excluded_since_closed(connection: Connection, campaign_id: int) -> bool:
    """Whether work was set aside after somebody last closed the campaign, or ever, if nobody did.

    The clock decides nothing by closing what is complete: somebody may be excluded at that very moment.
    """
    closed = select(func.max(event.c.id)).where(
        event.c.campaign_id == campaign_id, event.c.kind == CLOSED, event.c.author != CLOCK
    )
    last = connection.execute(closed).scalar() or 0
    return any(one.kind == EXCLUDED and one.id > last for one in _decisions(connection, [campaign_id]))


def last_decision(connection: Connection, campaign_id: int) -> int:
    """The number of the last decision that changed whose labels count; 0 if there was none."""
    return max((one.id for one in _decisions(connection, [campaign_id])), default=0)


def outdated(connection: Connection, rounds: Iterable[Any]) -> set[int]:
    """Of rounds that were scored (id, campaign_id, scored_at, facts), those whose scores do not know the last decision.

    Rounds that were scored before decisions were counted are told by the time.
    """
    scored = {one.campaign_id: one for one in rounds if one.campaign_id is not None and one.scored_at is not None}
    found = set()
    for one in _decisions(connection, scored):
        of = scored[one.campaign_id]
        known = of.facts.get(LAST_DECISION)
        if one.at > of.scored_at if known is None else one.id > known:
            found.add(of.id)
    return found


def _decisions(connection: Connection, campaigns: Iterable[int]) -> list[Any]:
    """Exclusions, and their undoing, that concern labels."""
    query = select(event.c.campaign_id, event.c.id, event.c.kind, event.c.at, event.c.facts).where(
        event.c.campaign_id.in_(list(campaigns)), event.c.kind.in_((EXCLUDED, UNDONE))
    )
    found = connection.execute(query.order_by(event.c.id)).all()
    return [one for one in found if one.facts.get("labels") or one.facts.get("extra")]
