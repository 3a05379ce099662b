"""Looking for anything in a database that should never be."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, case, exists, func, select, text

from goldmark.store.engine import Store
from goldmark.store.migrate import NEWEST, version_of
from goldmark.store.states import ANSWERED, HOLD_A_PLACE, UNSEEN
from goldmark.store.tables import annotator, assignment, campaign, response, review, unit

WHOLE = select(campaign.c.id).where(campaign.c.state.not_in(UNSEEN))  # campaigns of which all is there


class Health(NamedTuple):
    """What `database check` found."""

    address: str
    version: str | None
    newest: str
    campaigns: int
    responses: int
    problems: tuple[str, ...]


def check(store: Store) -> Health:
    """Look for anything that should never be: damage, missing tables, counts that do not add up."""
    return store.snapshot(lambda connection: _check(connection, store.address))


def _check(connection: Connection, address: str) -> Health:
    version = version_of(connection)
    if version != NEWEST:
        problem = "the tables are missing" if version is None else f"the tables are at version {version}"
        newer = version is not None and version > NEWEST
        remedy = f"install a newer Goldmark than this ({NEWEST})" if newer else "run: goldmark database upgrade"
        return Health(address, version, NEWEST, 0, 0, (f"{problem}; {remedy}",))
    problems: list[str] = []
    if connection.dialect.name == "sqlite":
        problems += (row[0] for row in connection.execute(text("PRAGMA integrity_check")) if row[0] != "ok")
        problems += (
            f"table {row[0]}: a reference leads nowhere" for row in connection.execute(text("PRAGMA foreign_key_check"))
        )
    problems += _miscounted(connection)
    problems += _revisions_missing(connection)
    problems += _returned_without_reason(connection)
    return Health(
        address,
        version,
        NEWEST,
        connection.execute(select(func.count()).select_from(WHOLE.subquery())).scalar_one(),
        connection.execute(select(func.count()).select_from(response)).scalar_one(),
        tuple(problems),
    )


def _miscounted(connection: Connection) -> list[str]:
    """Units and people whose counts differ from the assignments that exist, in campaigns of which all is there."""
    counted = (
        select(
            assignment.c.unit_id,
            func.sum((assignment.c.state.in_(HOLD_A_PLACE)).cast(unit.c.taken.type)).label("taken"),
            func.sum((assignment.c.state == "done").cast(unit.c.taken.type)).label("done"),
        )
        .group_by(assignment.c.unit_id)
        .subquery()
    )
    taken, done = func.coalesce(counted.c.taken, 0), func.coalesce(counted.c.done, 0)
    units = connection.execute(
        select(unit.c.name, unit.c.taken, unit.c.done, counted.c.taken, counted.c.done)
        .outerjoin(counted, counted.c.unit_id == unit.c.id)
        .where(
            case(
                (unit.c.counts, (unit.c.taken != taken) | (unit.c.done != done)),
                else_=unit.c.taken > 0,  # a test question has no places
            ),
            unit.c.campaign_id.in_(WHOLE),
        )
        .limit(20)
    )
    finished = (
        select(assignment.c.annotator_id, func.count().label("done"))
        .where(assignment.c.state.in_(ANSWERED))
        .group_by(assignment.c.annotator_id)
        .subquery()
    )
    people = connection.execute(
        select(annotator.c.name, annotator.c.done, finished.c.done)
        .outerjoin(finished, finished.c.annotator_id == annotator.c.id)
        .where(annotator.c.done != func.coalesce(finished.c.done, 0), annotator.c.campaign_id.in_(WHOLE))
        .limit(20)
    )
    return [
        *(
            f"unit {name}: {taken} taken and {done} done are noted, {t or 0} and {d or 0} exist"
            for name, taken, done, t, d in units
        ),
        *(f"annotator {name}: {done} done are noted, {found or 0} exist" for name, done, found in people),
    ]


def _revisions_missing(connection: Connection) -> list[str]:
    """Assignments whose newest revision is not the number of their responses: an answer was lost or doubled."""
    kept = (
        select(response.c.assignment_id, func.count().label("count"), func.max(response.c.revision).label("newest"))
        .group_by(response.c.assignment_id)
        .subquery()
    )
    rows = connection.execute(
        select(assignment.c.id, assignment.c.revision, kept.c.count)
        .outerjoin(kept, kept.c.assignment_id == assignment.c.id)
        .where(
            (assignment.c.revision != func.coalesce(kept.c.newest, 0))
            | (assignment.c.revision != func.coalesce(kept.c.count, 0)),
            assignment.c.campaign_id.in_(WHOLE),
        )
        .limit(20)
    )
    return [f"assignment {id_}: revision {revision}, but {count or 0} responses" for id_, revision, count in rows]


def _returned_without_reason(connection: Connection) -> list[str]:
    """Answers that their annotators are to amend although no reviewer returned them."""
    said = review.c.assignment_id == assignment.c.id
    said &= (review.c.revision == assignment.c.revision) & (review.c.verdict == "returned")
    rows = connection.execute(
        select(assignment.c.id)
        .where(assignment.c.state == "returned", ~exists().where(said), assignment.c.campaign_id.in_(WHOLE))
        .limit(20)
    )
    return [f"assignment {id_}: returned to its annotator, but by nobody" for (id_,) in rows]
