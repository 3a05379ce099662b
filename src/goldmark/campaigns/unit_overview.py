"""Units as managers and curators see them: with their hidden facts, their state and everybody's labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

import orjson
from sqlalchemy import ColumnElement, Connection, ScalarSelect, Text, case, func, or_, select, type_coerce

from goldmark.campaigns.assignments.content_cache import beginning
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.pages import Page, one_page
from goldmark.errors import Missing
from goldmark.records.units import ShownUnit
from goldmark.store.states import ANSWERED
from goldmark.store.tables import annotator, assignment, protocol, response, unit, unit_secret

UnitState = Literal["untouched", "begun", "finished", "test"]
UNIT_STATES: tuple[UnitState, ...] = get_args(UnitState)


class UnknownUnit(Missing):
    code = "UNIT-06"
    message = "there is no unit {id} in campaign {campaign!r}"


@dataclass(frozen=True, slots=True)
class UnitLine:
    """A unit in a list. One that does not count is a test question: it is never finished and wants no labels."""

    id: int
    name: str
    state: UnitState
    wanted: int
    done: int
    in_progress: int
    waiting: int  # submitted, and counts once a reviewer approves it
    returned: int  # back with its annotator, to be amended
    preview: str
    hidden: Mapping[str, Any]
    counts: bool


class UnitLabel(NamedTuple):
    """What one person last answered on a unit, or that they hold it."""

    assignment_id: int
    annotator_id: int
    annotator: str
    state: str  # see `store.states`
    revision: int
    answers: Mapping[str, Any] | None
    protocol_id: int
    protocol: str
    server_time: datetime | None
    seconds_active: float | None
    shown_first: str | None  # of a comparison: the role of the text that they saw first; None: as given


class UnitFile(NamedTuple):
    """Everything known about one unit."""

    line: UnitLine
    shown: ShownUnit
    tokeniser: str
    labels: tuple[UnitLabel, ...]
    before: int | None  # the neighbours in the order in which units are handed out
    after: int | None


class UnitDot(NamedTuple):
    """A unit in a picture of the whole campaign."""

    id: int
    name: str
    wanted: int
    done: int
    in_progress: int


# While much work of an excluded person is set aside, or brought back, all of it reads as set aside.
STATE_SEEN: ColumnElement[str] = case(
    ((annotator.c.state == "excluded") & assignment.c.state.in_(ANSWERED), "excluded"), else_=assignment.c.state
)

_IN_STATE: Mapping[str, ColumnElement[bool]] = {
    "untouched": unit.c.counts & (unit.c.taken == 0),
    "begun": unit.c.counts & (unit.c.taken > 0) & (unit.c.done < unit.c.wanted),
    "finished": unit.c.counts & (unit.c.done >= unit.c.wanted),
    "test": ~unit.c.counts,
}


def _labels_that_are(state: str) -> ScalarSelect[int]:
    held = select(func.count()).where(assignment.c.unit_id == unit.c.id, assignment.c.state == state)
    return held.correlate(unit).scalar_subquery()


_lines = select(
    unit.c.id,
    unit.c.name,
    unit.c.wanted,
    unit.c.done,
    unit.c.taken,
    unit.c.shown,
    unit_secret.c.facts,
    unit.c.counts,
    _labels_that_are("waiting").label("waiting"),
    _labels_that_are("returned").label("returned"),
).join(unit_secret, unit_secret.c.unit_id == unit.c.id)


def list_units(
    connection: Connection, row: CampaignRow, *, search: str = "", state: str = "", page: int = 1
) -> Page[UnitLine]:
    """Units in the order in which they are handed out; `search` looks at their names and hidden facts."""
    wanted = [unit.c.campaign_id == row.id]
    counting = select(unit.c.id)
    if state:
        wanted.append(_IN_STATE[state])
    if search:
        # Facts are searched as they are stored, in JSON; the name of a system reads the same there.
        facts = type_coerce(unit_secret.c.facts, Text).icontains(search, autoescape=True)
        wanted.append(or_(unit.c.name.icontains(search, autoescape=True), facts))
        counting = counting.join(unit_secret, unit_secret.c.unit_id == unit.c.id)
    query = _lines.where(*wanted).order_by(unit.c.position)
    return one_page(connection, query, page, _line, counting=counting.where(*wanted))


def find_unit(connection: Connection, row: CampaignRow, unit_id: int) -> UnitFile:
    """One unit with all its labels side by side."""
    found = find_units(connection, row, [unit_id])
    if not found:
        raise UnknownUnit(id=unit_id, campaign=row.name)
    place = select(unit.c.position).where(unit.c.id == unit_id).scalar_subquery()
    neighbour = select(unit.c.id).where(unit.c.campaign_id == row.id).limit(1)
    before = neighbour.where(unit.c.position < place).order_by(unit.c.position.desc())
    after = neighbour.where(unit.c.position > place).order_by(unit.c.position)
    return found[0]._replace(before=connection.execute(before).scalar(), after=connection.execute(after).scalar())


def find_units(connection: Connection, row: CampaignRow, ids: Sequence[int]) -> list[UnitFile]:
    """The same for many, without their neighbours, in the order in which they are handed out."""
    query = _lines.add_columns(unit_secret.c.tokenisers).where(unit.c.campaign_id == row.id, unit.c.id.in_(ids))
    labels = _labels(connection, ids)
    return [
        UnitFile(
            _line(found),
            ShownUnit.from_json(orjson.loads(found.shown), id=found.name),
            ", ".join(sorted(set(found.tokenisers.values()))),
            tuple(labels.get(found.id, ())),
            None,
            None,
        )
        for found in connection.execute(query.order_by(unit.c.position))
    ]


def _labels(connection: Connection, ids: Sequence[int]) -> dict[int, list[UnitLabel]]:
    rows = connection.execute(
        select(
            assignment.c.unit_id,
            assignment.c.id,
            annotator.c.id.label("annotator_id"),
            annotator.c.name.label("annotator"),
            STATE_SEEN.label("state"),
            assignment.c.revision,
            response.c.answers,
            assignment.c.protocol_id,
            protocol.c.name.label("protocol_name"),
            protocol.c.version,
            response.c.server_time,
            response.c.seconds_active,
            assignment.c.shown_first,
        )
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .join(protocol, protocol.c.id == assignment.c.protocol_id)
        .outerjoin(
            response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision)
        )
        .where(assignment.c.unit_id.in_(ids))
        .order_by(assignment.c.id)
    )
    labels: dict[int, list[UnitLabel]] = {}
    for row in rows:
        label = UnitLabel(
            row.id,
            row.annotator_id,
            row.annotator,
            row.state,
            row.revision,
            row.answers,
            row.protocol_id,
            f"{row.protocol_name}/{row.version}",
            row.server_time,
            row.seconds_active,
            row.shown_first,
        )
        labels.setdefault(row.unit_id, []).append(label)
    return labels


def unit_dots(connection: Connection, row: CampaignRow, *, most: int) -> list[UnitDot] | None:
    """Every unit that counts for a small picture, in order; None if there are more than such a picture can show."""
    rows = connection.execute(
        select(unit.c.id, unit.c.name, unit.c.wanted, unit.c.done, unit.c.taken)
        .where(unit.c.campaign_id == row.id, unit.c.counts)
        .order_by(unit.c.position)
        .limit(most + 1)
    ).all()
    if len(rows) > most:
        return None
    return [UnitDot(row.id, row.name, row.wanted, row.done, row.taken - row.done) for row in rows]


def _line(found: Any) -> UnitLine:
    return UnitLine(
        id=found.id,
        name=found.name,
        state=_state(found),
        wanted=found.wanted if found.counts else 0,
        done=found.done,
        in_progress=found.taken - found.done - found.waiting - found.returned,
        waiting=found.waiting,
        returned=found.returned,
        preview=preview(found.shown),
        hidden=found.facts,
        counts=found.counts,
    )


def _state(found: Any) -> UnitState:
    if not found.counts:
        return "test"
    if found.done >= found.wanted:
        return "finished"
    return "begun" if found.taken else "untouched"


def preview(shown: str) -> str:
    """The first words of a stored unit."""
    texts: Mapping[str, Any] = orjson.loads(shown)["texts"]
    return beginning(str(next(iter(texts.values()))["characters"]))
