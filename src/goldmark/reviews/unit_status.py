"""Where each text of a campaign stands on its way: from untouched to approved, or set aside.

One query over units and the assignments that hold a place in them; nothing is loaded, so it costs little in a campaign
of 50,000 texts. A text with several labels stands where the label stands that needs attention most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import ColumnElement, Connection, Text, and_, case, func, literal, or_, select, type_coerce
from sqlalchemy.sql.selectable import Subquery

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.pages import Page, one_page
from goldmark.campaigns.unit_overview import preview
from goldmark.protocols import Protocol
from goldmark.store.tables import annotator, assignment, response, review, unit

UnitStatus = Literal[
    "untouched", "in_progress", "waiting", "returned", "disputed", "amended", "answered", "approved", "discarded"
]
UNIT_STATUSES: tuple[UnitStatus, ...] = get_args(UnitStatus)
MEANING: Mapping[UnitStatus, str] = {
    "untouched": "not begun",
    "in_progress": "in progress",
    "waiting": "waiting for review",
    "returned": "returned to be amended",
    "disputed": "disputed, waiting for a decision",
    "amended": "amended, waiting again",
    "answered": "answered, not reviewed",
    "approved": "approved",
    "discarded": "set aside",
}


@dataclass(frozen=True, slots=True)
class TextLine:
    """A text in a list of those that have the same status."""

    id: int
    name: str
    preview: str
    annotators: tuple[str, ...]
    returned: int  # how often reviewers sent it back
    since: datetime | None  # when its newest answer came


class StatusCounts(NamedTuple):
    """How many texts stand where; of those set aside, how many by which answer."""

    texts: int
    statuses: Mapping[UnitStatus, int]
    set_aside: Mapping[str, int]


def status_counts(connection: Connection, row: CampaignRow, protocol: Protocol) -> StatusCounts:
    units = _with_status(row, protocol)
    query = select(units.c.status, units.c.set_aside, func.count()).group_by(units.c.status, units.c.set_aside)
    statuses: dict[UnitStatus, int] = dict.fromkeys(UNIT_STATUSES, 0)
    reasons: dict[str, int] = {}
    for status, why, count in connection.execute(query):
        statuses[status] += count
        if status == "discarded":
            reasons[why] = reasons.get(why, 0) + count
    return StatusCounts(sum(statuses.values()), statuses, {why: reasons[why] for why in sorted(reasons)})


def texts_with(
    connection: Connection, row: CampaignRow, protocol: Protocol, status: UnitStatus, *, page: int = 1
) -> Page[TextLine]:
    """The texts that have one status, in the order in which units are handed out."""
    units = _with_status(row, protocol)
    here = units.c.status == status
    query = (
        select(units.c.id, unit.c.name, unit.c.shown)
        .join(unit, unit.c.id == units.c.id)
        .where(here)
        .order_by(unit.c.position)
    )
    found = one_page(connection, query, page, _line, counting=select(units.c.id).where(here))
    facts = _facts(connection, [one.id for one in found.items])
    lines = tuple(replace(one, **facts.get(one.id, {})) for one in found.items)
    return Page(lines, found.number, found.size, found.total)


def _line(found: Any) -> TextLine:
    return TextLine(found.id, found.name, preview(found.shown), (), 0, None)


def _facts(connection: Connection, units: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Who holds or answered each of these units, how often it came back, and when it was last answered."""
    returns = (
        select(func.count())
        .where(review.c.assignment_id == assignment.c.id, review.c.verdict == "returned")
        .correlate(assignment)
        .scalar_subquery()
    )
    rows = connection.execute(
        select(assignment.c.unit_id, annotator.c.name, returns.label("returns"), response.c.server_time)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .outerjoin(
            response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision)
        )
        .where(assignment.c.unit_id.in_(list(units)), assignment.c.state.in_(_HOLDING))
        .order_by(assignment.c.id)
    )
    found: dict[int, dict[str, Any]] = {}
    for row in rows:
        facts = found.setdefault(row.unit_id, {"annotators": (), "returned": 0, "since": None})
        facts["annotators"] += (row.name,)
        facts["returned"] += row.returns
        facts["since"] = max(filter(None, (facts["since"], row.server_time)), default=None)
    return found


_HOLDING = ("active", "waiting", "returned", "done")


def _with_status(row: CampaignRow, protocol: Protocol) -> Subquery:
    """Every unit that counts with its status and, if it is set aside, the answer that said so."""
    said = (
        select(
            review.c.assignment_id,
            func.min(review.c.revision).label("first"),
            func.max(review.c.revision).label("judged"),
            func.max(case((review.c.verdict == "approved", review.c.revision), else_=0)).label("approved"),
        )
        .where(review.c.campaign_id == row.id)
        .group_by(review.c.assignment_id)
        .subquery()
    )
    state, revision = assignment.c.state, assignment.c.revision
    amended = func.coalesce(said.c.first, revision) < revision
    # Without `required`, an answer counts at once; amended work waits for its reviewer all the same.
    disputed = and_(state == "waiting", response.c.reply != "")
    again = and_(or_(state == "waiting", state == "done"), amended, said.c.judged < revision, ~disputed)
    aside = _set_aside(protocol)
    held = (
        select(
            unit.c.id,
            unit.c.taken,
            unit.c.done,
            unit.c.wanted,
            _count(state == "returned").label("returned"),
            _count(disputed).label("disputed"),
            _count(again).label("amended"),
            _count(and_(state == "waiting", ~amended)).label("waiting"),
            _count(and_(state == "done", said.c.approved == revision)).label("approved"),
            _count(and_(state == "done", aside.is_not(None))).label("aside"),
            func.min(case((state == "done", aside), else_=None)).label("set_aside"),
        )
        .outerjoin(assignment, and_(assignment.c.unit_id == unit.c.id, state.in_(_HOLDING)))
        .outerjoin(response, and_(response.c.assignment_id == assignment.c.id, response.c.revision == revision))
        .outerjoin(said, said.c.assignment_id == assignment.c.id)
        .where(unit.c.campaign_id == row.id, unit.c.counts)
        .group_by(unit.c.id)  # the others follow from it
        .subquery()
    )
    status = case(
        (held.c.taken == 0, "untouched"),
        (held.c.returned > 0, "returned"),
        (held.c.disputed > 0, "disputed"),
        (held.c.amended > 0, "amended"),
        (held.c.waiting > 0, "waiting"),
        (held.c.done < held.c.wanted, "in_progress"),
        (held.c.aside >= held.c.done, "discarded"),
        (held.c.approved >= held.c.done, "approved"),
        else_="answered",
    )
    return select(held.c.id, status.label("status"), held.c.set_aside).subquery()


def _count(holds: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((holds, 1), else_=0)), 0)


def _set_aside(protocol: Protocol) -> ColumnElement[Any]:
    """The answer that set a text aside, or NULL, read from the answers as they are stored.

    We write them without spaces, and inside a person's own words every quotation mark is escaped: `"verdict":"fine"`
    stands nowhere but where a question was answered so.
    """
    stored = type_coerce(response.c.answers, Text)
    found = [
        (stored.contains(f'"{question}":"{option}"', autoescape=True), literal(option))
        for question, options in protocol.set_aside.items()
        for option in sorted(options)
    ]
    return case(*found, else_=None) if found else literal(None, Text)
