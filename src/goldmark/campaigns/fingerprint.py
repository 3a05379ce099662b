"""Whether anything that counts has changed in a campaign, told without reading its answers."""

from __future__ import annotations

from collections.abc import Hashable

from sqlalchemy import Connection, func, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.store.tables import annotator, assignment, event, unit


def fingerprint(connection: Connection, row: CampaignRow) -> Hashable:
    """The same as long as no answer, decision, person or text was added or changed.

    A new or amended answer raises a revision; whatever people decide is an event or moves an assignment or a person to
    another state. Of whatever could still be the same by chance, the number of the newest event is not.
    """
    states = connection.execute(
        select(assignment.c.state, assignment.c.state_before, func.count(), func.sum(assignment.c.revision))
        .where(assignment.c.campaign_id == row.id)
        .group_by(assignment.c.state, assignment.c.state_before)
    )
    people = connection.execute(
        select(annotator.c.state, annotator.c.condition, func.count())
        .where(annotator.c.campaign_id == row.id)
        .group_by(annotator.c.state, annotator.c.condition)
    )
    return (
        row.id,
        row.title,
        row.protocol_id,
        frozenset(map(tuple, states)),
        frozenset(map(tuple, people)),
        connection.scalar(select(func.max(event.c.id)).where(event.c.campaign_id == row.id)),
        connection.scalar(select(func.count()).where(unit.c.campaign_id == row.id)),
    )
