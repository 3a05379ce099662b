"""The standings: every system with its scores, its metrics, and the ranks that its interval leaves possible.

All that is shown was computed when it arrived. Opening the standings reads one short row per system, axis and metric
and compares intervals, so it takes the same fraction of a second after the two-hundredth system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from goldmark.leaderboards.definition.boards import BoardRow
from goldmark.leaderboards.submitted.submissions import SubmissionRow, list_submissions
from goldmark.records.tables import Cell, Table
from goldmark.stats.ranks import rank_ranges
from goldmark.stats.ranks.rank_ranges import Range, RankRange
from goldmark.store.tables import board_metric, board_round, board_score, board_submission


class Viewer(NamedTuple):
    """Whose eyes: those of everybody, of a team's member, or of those who run the board."""

    everything: bool = False
    team_id: int | None = None

    def sees(self, one: SubmissionRow) -> bool:
        if one.state == "published":
            return True
        return one.state == "private" and (
            self.everything or (self.team_id is not None and one.team_id == self.team_id)
        )


PUBLIC = Viewer()


class AxisScore(NamedTuple):
    """What people say of a system on one axis."""

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    reason: str
    signature: str


class MetricCell(NamedTuple):
    """What a metric says of a system, or how far it is."""

    state: str  # waiting, done, failed
    value: float | None
    low: float | None
    high: float | None
    higher_is_better: bool
    message: str
    signature: str


@dataclass(frozen=True, slots=True)
class ScoreBasis:
    """What a system's scores rest on."""

    round: int
    at: datetime | None
    labels: int
    items: int
    annotators: int
    excluded: int
    cost: float | None


class Standing(NamedTuple):
    """One row of the standings."""

    submission: SubmissionRow
    best: int | None  # the highest rank that its interval leaves possible; None without a score
    worst: int | None
    scores: Mapping[str, AxisScore]
    metrics: Mapping[str, MetricCell]
    judged: ScoreBasis | None

    @property
    def rank(self) -> str:
        return "" if self.best is None or self.worst is None else str(RankRange(self.best, self.worst))


def standings(connection: Connection, row: BoardRow, main: str, view: Viewer = PUBLIC) -> list[Standing]:
    """The rows this viewer sees, the best first; those that nobody has judged yet come last, the newest first.

    Published systems are ranked among themselves. A private one is ranked as if it were published.
    """
    shown = _shown(list_submissions(connection, row), view)
    scores, judged = _scores(connection, row)
    metrics = _metrics(connection, row)
    rows = [
        Standing(one, None, None, scores.get(one.id, {}), metrics.get(one.id, {}), judged.get(one.id)) for one in shown
    ]
    return sorted(_ranked(rows, main), key=lambda one: _order(one, main))


def _shown(submissions: Sequence[SubmissionRow], view: Viewer) -> list[SubmissionRow]:
    """Of every system the newest published version, and a newer private one for those who may see it."""
    newest: dict[tuple[int, str], SubmissionRow] = {}
    for one in submissions:  # the newest first
        if view.sees(one):
            newest.setdefault((one.system_id, one.state), one)
    return [
        one
        for (system, state), one in newest.items()
        if state == "published"
        or (system, "published") not in newest
        or one.version > newest[system, "published"].version
    ]


def _ranked(rows: Sequence[Standing], main: str) -> list[Standing]:
    ranges = {one.submission.id: known for one in rows if (known := _interval(one, main)) is not None}
    public = [one.submission.id for one in rows if one.submission.state == "published" and one.submission.id in ranges]
    among = [ranges[one] for one in public]
    places = dict(zip(public, rank_ranges.by_intervals(among), strict=True))
    places |= {one: rank_ranges.among(own, among) for one, own in ranges.items() if one not in places}
    return [
        one._replace(best=places[one.submission.id].best, worst=places[one.submission.id].worst)
        if one.submission.id in places
        else one
        for one in rows
    ]


def _interval(one: Standing, main: str) -> Range | None:
    score = one.scores.get(main)
    return None if score is None or score.value is None else Range.of(score.low, score.high)


def _order(one: Standing, main: str) -> tuple[bool, float, int]:
    score = one.scores.get(main)
    value = None if score is None else score.value
    return value is None, -(value or 0.0), -one.submission.id


def _scores(connection: Connection, row: BoardRow) -> tuple[dict[int, dict[str, AxisScore]], dict[int, ScoreBasis]]:
    """Of every submission the scores of the last round that judged it."""
    columns = [column for column in board_score.c if column.name != "segments"]
    query = (
        select(*columns, board_round.c.number, board_round.c.scored_at)
        .join(board_round, board_round.c.id == board_score.c.round_id)
        .where(board_round.c.board_id == row.id)
        .order_by(board_round.c.number)
    )
    scores: dict[int, dict[str, AxisScore]] = {}
    judged: dict[int, ScoreBasis] = {}
    for one in connection.execute(query):
        if one.submission_id in judged and judged[one.submission_id].round < one.number:
            scores[one.submission_id] = {}
        scores.setdefault(one.submission_id, {})[one.axis] = AxisScore(
            one.value, one.low, one.high, one.error, one.reason, one.signature
        )
        judged[one.submission_id] = ScoreBasis(
            one.number, one.scored_at, one.labels, one.items, one.annotators, one.excluded, one.cost
        )
    return scores, judged


def _metrics(connection: Connection, row: BoardRow) -> dict[int, dict[str, MetricCell]]:
    query = (
        select(board_metric.c.submission_id, *(board_metric.c[name] for name in ("metric", *MetricCell._fields)))
        .join(board_submission, board_submission.c.id == board_metric.c.submission_id)
        .where(board_submission.c.board_id == row.id)
    )
    found: dict[int, dict[str, MetricCell]] = {}
    for submission, metric, *cell in connection.execute(query):
        found.setdefault(submission, {})[metric] = MetricCell(*cell)
    return found


def standings_table(row: BoardRow, rows: Sequence[Standing], axes: Sequence[str], main: str) -> Table:
    """The standings as a table of figures, for CSV, LaTeX and JSON."""
    order = [main, *(axis for axis in axes if axis != main)]
    metrics = row.settings.metrics
    records = [_record(one, order, metrics) for one in rows]
    level = row.settings.scores.level
    notes = [
        f"intervals of {level:.0%}; ranks that an interval leaves possible, where intervals do not separate",
        *(["scores are standard deviations from each annotator's mean"] if row.settings.scores.z else []),
    ]
    signature = next((one.scores[main].signature for one in rows if main in one.scores), "")
    labels = {"excluded": "excluded annotators", "labels": "annotations", "judged_at": "judged"}
    return Table.of(row.title, records, notes=tuple(notes), signature=signature, labels=labels)


def _record(one: Standing, axes: Sequence[str], metrics: Sequence[str]) -> dict[str, Cell]:
    about, judged = one.submission, one.judged
    record: dict[str, Cell] = {
        "rank": one.rank,
        "system": about.system,
        "team": about.team,
        "version": about.version,
    }
    for axis in axes:
        record |= _three(axis, one.scores.get(axis))
    for metric in metrics:
        record |= _three(metric, one.metrics.get(metric))
    return record | {
        "submitted": about.submitted_at.date().isoformat(),
        "judged_at": judged.at.date().isoformat() if judged and judged.at else None,
        "labels": judged.labels if judged else None,
        "annotators": judged.annotators if judged else None,
        "excluded": judged.excluded if judged else None,
        "cost": judged.cost if judged else None,
    }


def _three(name: str, cell: Any) -> dict[str, Cell]:
    if cell is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: cell.value, f"{name}_low": cell.low, f"{name}_high": cell.high}
