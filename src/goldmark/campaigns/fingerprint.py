"""Whether anything that counts has changed in a campaign, told without reading its answers."""

from __future__ import annotations

from collections.abc import Hashable

from sqlalchemy import Connection, func, literal_column, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.store.tables import annotator, assignment, event, response, review, unit

LATELY = 5_000  # answers of all campaigns, among which an amendment is looked for


def fingerprint(connection: Connection, row: CampaignRow) -> Hashable:
    """The same as long as no answer, decision, person or text was added or changed.

    Every page that shows figures asks for it, so it costs about the same for a campaign of any size: a count on an
    index, a few newest numbers, and the people. A new answer is one more that is answered. An amended one adds to its
    person's time, and is among the newest. Whatever people decide is a review or an event, or moves a person to another
    state. Texts are only ever added, behind the last.
    """
    people = connection.execute(
        select(
            annotator.c.state,
            annotator.c.condition,
            func.count(),
            func.sum(annotator.c.done),
            func.sum(annotator.c.seconds_active),
        )
        .where(annotator.c.campaign_id == row.id)
        .group_by(annotator.c.state, annotator.c.condition)
    )
    newest = connection.scalar(select(func.max(response.c.id))) or 0
    amended = (
        select(func.max(response.c.id))
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .where(response.c.id > newest - LATELY, assignment.c.campaign_id == row.id)
    )
    # As in its index, letter by letter: a bound parameter would keep SQLite from using it.
    answered = select(func.count()).where(assignment.c.campaign_id == row.id, literal_column("assignment.revision > 0"))
    numbers = (
        answered.select_from(assignment),
        amended,
        *(select(func.max(table.c.id)).where(table.c.campaign_id == row.id) for table in (event, review)),
        select(func.max(unit.c.position)).where(unit.c.campaign_id == row.id),
    )
    return (
        row.id,
        row.title,
        row.protocol_id,
        frozenset(map(tuple, people)),
        *(connection.scalar(query) for query in numbers),
    )
