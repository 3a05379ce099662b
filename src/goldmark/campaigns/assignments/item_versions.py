"""Which assignment holds an item, where nobody meets two versions of one (`one_version_per_item`).

A claim writes the item by itself (`allocation`); here it is written into assignments that came in another way.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Select, exists, func, select, update

from goldmark.store.tables import assignment, unit

_earlier = assignment.alias()


def without_item(campaign_id: int) -> Select[int]:
    """The assignments that could name an item and do not, in the order in which they were given."""
    of_item = (assignment.c.campaign_id == campaign_id) & unit.c.item.is_not(None) & assignment.c.item.is_(None)
    return (
        select(assignment.c.id).join(unit, unit.c.id == assignment.c.unit_id).where(of_item).order_by(assignment.c.id)
    )


def hold_items(connection: Connection, which: ColumnElement[bool]) -> None:
    """Write the item into assignments that came otherwise than by a claim: restored, imported, older than the rule.

    Of two versions that somebody met all the same the first holds the item.
    """
    held = exists().where(_earlier.c.annotator_id == assignment.c.annotator_id, _earlier.c.item == unit.c.item)
    first = (
        select(func.min(assignment.c.id))
        .join(unit, unit.c.id == assignment.c.unit_id)
        .where(which, unit.c.item.is_not(None), ~held)
        .group_by(assignment.c.annotator_id, unit.c.item)
    )
    item = select(unit.c.item).where(unit.c.id == assignment.c.unit_id).scalar_subquery()
    connection.execute(update(assignment).where(assignment.c.id.in_(first)).values(item=item))
