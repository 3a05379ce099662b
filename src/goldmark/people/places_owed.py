"""Whether places in a campaign are still to be given back, taken again or made: what says how much is done may change.

Each is a job that is owed (`goldmark.jobs.owed`). Who is excluded from one campaign of a crowd is so in all of them,
and what is owed for that stands in the campaign where it was decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from goldmark.campaigns.settings_change import FOLLOW
from goldmark.jobs.owed import STILL_OWED
from goldmark.people.crowds import elsewhere
from goldmark.people.exclusions import GIVE_BACK, UNDO
from goldmark.store.tables import annotator, campaign, job


def places_owed(connection: Connection, campaign_id: int) -> bool:
    """Whether somebody still has to do this, or is at it."""
    open_still = select(job.c.kind, job.c.campaign_id, job.c.arguments).where(
        job.c.kind.in_((GIVE_BACK, UNDO, FOLLOW)), STILL_OWED
    )
    return any(
        one.campaign_id == campaign_id or campaign_id in _campaigns(connection, one.kind, one.arguments)
        for one in connection.execute(open_still).all()
    )


def _campaigns(connection: Connection, kind: str, arguments: Mapping[str, Any]) -> set[int]:
    """The campaigns in which the people work whom such a job is about."""
    if kind == GIVE_BACK:
        theirs = select(annotator.c.campaign_id).where(annotator.c.id.in_(arguments["people"]))
        return set(connection.execute(theirs).scalars())
    if kind == UNDO:
        where = (campaign.c.name == arguments["campaign"], annotator.c.name == arguments["person"])
        person = select(annotator.c.id).join(campaign, campaign.c.id == annotator.c.campaign_id).where(*where)
        people = connection.execute(person).scalars().all()
        return {one.campaign_id for number in people for one in elsewhere(connection, number)}
    return set()
