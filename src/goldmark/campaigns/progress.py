"""How far a campaign is, in numbers a manager can act on."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, case, func, literal_column, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.store.tables import annotator, assignment, response, review, unit

# As in its index, letter by letter: a bound parameter would keep SQLite from using it.
_answered: ColumnElement[bool] = literal_column("assignment.revision > 0")


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """Labels and units, done and to do. `extra` labels came after a unit was full; they are kept, not counted.

    `waiting` labels count once a reviewer approves them; `returned` ones are being amended; neither is done yet. Test
    questions are in none of these numbers; they take time like any unit, and are in the times.
    """

    units: int
    units_finished: int
    units_started: int
    labels_wanted: int
    labels_done: int
    labels_in_progress: int
    labels_extra: int
    labels_excluded: int  # of annotators who were excluded: kept, counted nowhere
    labels_waiting: int
    labels_returned: int
    labels_approved: int  # of those done, how many a reviewer has approved as they are now
    annotators: int
    annotators_working: int
    seconds_active: float
    median_seconds: float | None  # per label, idle time taken out
    share_done: float
    seconds_left: float | None  # working time that the missing labels will take at the median pace so far

    def __str__(self) -> str:
        labels = f"{self.labels_done:,} of {self.labels_wanted:,} labels ({self.share_done:.0%})"
        units = f"{self.units_finished:,} of {self.units:,} units finished"
        people = f"{self.annotators_working:,} of {self.annotators:,} annotators working"
        left = f"; about {self.seconds_left / 3600:.1f} hours of work left" if self.seconds_left else ""
        return f"{labels}, {units}, {people}{left}"


def progress_of(connection: Connection, row: CampaignRow) -> CampaignProgress:
    units = connection.execute(
        select(
            func.count(),
            func.coalesce(func.sum(case((unit.c.done >= unit.c.wanted, 1), else_=0)), 0),
            func.coalesce(func.sum(case((unit.c.taken > 0, 1), else_=0)), 0),
            func.coalesce(func.sum(unit.c.wanted), 0),
            func.coalesce(func.sum(unit.c.done), 0),
            func.coalesce(func.sum(unit.c.taken - unit.c.done), 0),
        ).where(unit.c.campaign_id == row.id, unit.c.counts)
    ).one()
    # Those that are done are counted with their units: only the few others are looked up among them.
    counting = (
        select(assignment.c.state, func.count())
        .join(unit, unit.c.id == assignment.c.unit_id)
        .where(assignment.c.campaign_id == row.id, _answered, assignment.c.state != "done", unit.c.counts)
    )
    states: dict[str, int] = {one[0]: one[1] for one in connection.execute(counting.group_by(assignment.c.state))}
    waiting, returned = states.get("waiting", 0), states.get("returned", 0)
    people = connection.execute(
        select(
            func.count(),
            func.coalesce(func.sum(case((annotator.c.done > 0, 1), else_=0)), 0),
            func.coalesce(func.sum(annotator.c.seconds_active), 0.0),
        ).where(annotator.c.campaign_id == row.id)
    ).one()
    wanted, done, median = int(units[3]), int(units[4]), median_seconds(connection, row)
    return CampaignProgress(
        units=int(units[0]),
        units_finished=int(units[1]),
        units_started=int(units[2]),
        labels_wanted=wanted,
        labels_done=done,
        labels_in_progress=int(units[5]) - waiting - returned,
        labels_extra=states.get("extra", 0),
        labels_excluded=states.get("excluded", 0),
        labels_waiting=waiting,
        labels_returned=returned,
        labels_approved=_approved(connection, row),
        annotators=int(people[0]),
        annotators_working=int(people[1]),
        seconds_active=float(people[2]),
        median_seconds=median,
        share_done=done / wanted if wanted else 0.0,
        seconds_left=None if median is None else (wanted - done) * median,
    )


def _approved(connection: Connection, row: CampaignRow) -> int:
    current = (assignment.c.id == review.c.assignment_id) & (assignment.c.revision == review.c.revision)
    return int(
        connection.execute(
            select(func.count(review.c.assignment_id.distinct()))
            .join(assignment, current)
            .where(review.c.campaign_id == row.id, review.c.verdict == "approved", assignment.c.state == "done")
        ).scalar_one()
    )


def median_seconds(connection: Connection, row: CampaignRow) -> float | None:
    """The median active time of the latest labels; a window, so that the cost does not grow with the campaign.

    A time of 0 is one that is not known, as of an answer that was made elsewhere.
    """
    recent = (
        select(response.c.seconds_active)
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .where(assignment.c.campaign_id == row.id, _answered, response.c.revision == 1, response.c.seconds_active > 0)
        .order_by(assignment.c.id.desc())
        .limit(1_000)
    )
    times = sorted(connection.execute(recent).scalars())
    if not times:
        return None
    middle = len(times) // 2
    return float(times[middle]) if len(times) % 2 else float(times[middle - 1] + times[middle]) / 2
