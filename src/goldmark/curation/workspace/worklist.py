"""Which units of a campaign are curated, which are begun, and which wait for a curator or for annotators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, case, func, literal, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.pages import Page, one_page
from goldmark.campaigns.unit_overview import preview
from goldmark.store.tables import curation_step, gold_version, unit

CurationState = Literal["waiting", "ready", "begun", "finished"]
CURATION_STATES: tuple[CurationState, ...] = ("waiting", "ready", "begun", "finished")


@dataclass(frozen=True, slots=True)
class CurationLine:
    """A unit in the list of a campaign's curation."""

    id: int
    name: str
    state: CurationState
    done: int  # answers there are, of
    wanted: int
    steps: int
    version: int  # of its gold list; 0 if it was never finished
    preview: str
    undecided: int | None = None  # proposed marks that are to be decided; None: nobody has answered
    agreement: float | None = None  # mean F1 of marked tokens over pairs of people; None: undefined


class CurationProgress(NamedTuple):
    finished: int
    begun: int
    ready: int
    units: int


_last = select(curation_step.c.unit_id, func.max(curation_step.c.number).label("steps")).group_by(
    curation_step.c.unit_id
)
_frozen = select(
    gold_version.c.unit_id,
    func.max(gold_version.c.version).label("version"),
    func.max(gold_version.c.steps).label("frozen_at"),
).group_by(gold_version.c.unit_id)


def _units(row: CampaignRow, question: str) -> tuple[Select[Any], ColumnElement[str]]:
    last = _last.where(curation_step.c.campaign_id == row.id, curation_step.c.question == question).subquery()
    frozen = _frozen.where(gold_version.c.campaign_id == row.id, gold_version.c.question == question).subquery()
    # Finishing is a step: a text is finished while no step came after the one that froze its list.
    state: ColumnElement[str] = case(
        (frozen.c.frozen_at == last.c.steps, literal("finished")),
        (last.c.steps.is_not(None), literal("begun")),
        (unit.c.done >= unit.c.wanted, literal("ready")),
        else_=literal("waiting"),
    )
    query = (
        select(
            unit.c.id,
            unit.c.name,
            unit.c.done,
            unit.c.wanted,
            unit.c.shown,
            func.coalesce(last.c.steps, 0).label("steps"),
            func.coalesce(frozen.c.version, 0).label("version"),
            state.label("state"),
        )
        .outerjoin(last, last.c.unit_id == unit.c.id)
        .outerjoin(frozen, frozen.c.unit_id == unit.c.id)
        .where(unit.c.campaign_id == row.id, unit.c.counts)  # what is right in a test question is known
    )
    return query, state


def list_curation(
    connection: Connection,
    row: CampaignRow,
    question: str,
    *,
    search: str = "",
    state: str = "",
    page: int = 1,
    ids: Sequence[int] | None = None,
) -> Page[CurationLine]:
    """Units in the order in which they are handed out, with how far their curation is; or just those with these ids."""
    query, expression = _units(row, question)
    if state:
        query = query.where(expression == state)
    if search:
        query = query.where(unit.c.name.icontains(search, autoescape=True))
    if ids is not None:
        query = query.where(unit.c.id.in_(ids))
    return one_page(connection, query.order_by(unit.c.position), page, _line, counting=query)


def _line(found: Any) -> CurationLine:
    return CurationLine(
        found.id,
        found.name,
        found.state,
        found.done,
        found.wanted,
        found.steps,
        found.version,
        preview(found.shown),
    )


def curation_progress(connection: Connection, row: CampaignRow, question: str) -> CurationProgress:
    """How many units are curated."""
    query, state = _units(row, question)
    rows = connection.execute(query.with_only_columns(state.label("state"), func.count()).group_by(state)).all()
    found = {name: int(count) for name, count in rows}
    return CurationProgress(found.get("finished", 0), found.get("begun", 0), found.get("ready", 0), sum(found.values()))


def units_that_are(
    connection: Connection, row: CampaignRow, question: str, states: Sequence[str], search: str = ""
) -> list[int]:
    """The ids of all units in one of these states, in the order in which they are handed out."""
    query, state = _units(row, question)
    if search:
        query = query.where(unit.c.name.icontains(search, autoescape=True))
    ids = connection.execute(query.with_only_columns(unit.c.id).where(state.in_(states)).order_by(unit.c.position))
    return [int(one) for one in ids.scalars()]


def neighbours(connection: Connection, row: CampaignRow, unit_id: int) -> tuple[int | None, int | None]:
    """The units before and after this one in the order in which they are handed out, test questions passed over."""
    place = select(unit.c.position).where(unit.c.id == unit_id).scalar_subquery()
    others = select(unit.c.id).where(unit.c.campaign_id == row.id, unit.c.counts).limit(1)
    before = others.where(unit.c.position < place).order_by(unit.c.position.desc())
    after = others.where(unit.c.position > place).order_by(unit.c.position)
    return connection.execute(before).scalar(), connection.execute(after).scalar()


def next_to_curate(connection: Connection, row: CampaignRow, question: str, after: int) -> int | None:
    """The next unit that has all its answers and is not finished, from this one on and then from the start."""
    # Of each unit on the way only its own steps are looked at, and none beyond the one that is found.
    newest = select(func.max(curation_step.c.number)).where(
        curation_step.c.unit_id == unit.c.id, curation_step.c.question == question
    )
    frozen = select(func.max(gold_version.c.steps)).where(
        gold_version.c.unit_id == unit.c.id, gold_version.c.question == question
    )
    steps, at = newest.correlate(unit).scalar_subquery(), frozen.correlate(unit).scalar_subquery()
    is_open = case((steps.is_not(None), func.coalesce(at, 0) != steps), else_=unit.c.done >= unit.c.wanted)
    here = unit.c.campaign_id == row.id
    query = select(unit.c.id).where(here, unit.c.counts, is_open).order_by(unit.c.position).limit(1)
    place = connection.scalar(select(unit.c.position).where(here, unit.c.id == after))
    if place is None:
        return connection.scalar(query)
    behind = connection.scalar(query.where(unit.c.position > place))
    return behind if behind is not None else connection.scalar(query.where(unit.c.position < place))
