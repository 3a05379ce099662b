"""The standings: every system with its scores, its metrics, and the ranks that remain possible.

All that is shown was computed when it arrived, but for the ranks, which are computed when a score has changed
(`board_ranks`). Opening the standings reads one short row per system, axis and metric, so it takes the same fraction of
a second after the two-hundredth system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from goldmark.leaderboards.definition.boards import BoardRow, chosen_names
from goldmark.leaderboards.definition.phases import withheld
from goldmark.leaderboards.definition.settings import PhaseName
from goldmark.leaderboards.human.readiness import outdated
from goldmark.leaderboards.scores.board_ranks import RankedScore, board_ranking
from goldmark.leaderboards.submitted.submissions import SubmissionRow, list_submissions
from goldmark.records.tables import Cell, Table
from goldmark.stats.ranks.rank_ranges import RankRange
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
BY_METRIC = "ranked by the first metric; systems whose intervals of 95 % overlap share ranks"


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
    missing: int = 0  # of the items that people judge, those on which this system has no label
    remark: str = ""  # why these scores are not the last word


class Standing(NamedTuple):
    """One row of the standings."""

    submission: SubmissionRow
    best: int | None  # the highest rank that remains possible; None without a score
    worst: int | None
    scores: Mapping[str, AxisScore]
    metrics: Mapping[str, MetricCell]
    judged: ScoreBasis | None

    @property
    def rank(self) -> str:
        return "" if self.best is None or self.worst is None else str(RankRange(self.best, self.worst))


def standings(
    connection: Connection, row: BoardRow, main: str, view: Viewer = PUBLIC, phase: PhaseName = "test"
) -> list[Standing]:
    """The rows this viewer sees, the best first; those that nobody has judged yet come last, the newest first.

    Published systems are ranked among themselves. A private one is ranked as if it were published. While the board
    keeps results until the test is over, only those who run it see any. In the development phase, and on a board
    without a protocol, nobody is asked and the first metric orders.
    """
    shown = _shown(list_submissions(connection, row, phase=phase), view)
    if phase == "test" and not view.everything and withheld(row, datetime.now(UTC)):
        return [Standing(one, None, None, {}, {}, None) for one in shown]
    if phase == "development" or not row.protocol:
        measured, first = _metrics(connection, row), row.settings.metrics[:1]
        rows = [Standing(one, None, None, {}, measured.get(one.id, {}), None) for one in shown]
        return sorted(_apart(rows, first) if phase == "test" else rows, key=lambda one: _by_metric(one, first))
    scores, judged = _scores(connection, row)
    metrics = _metrics(connection, row)
    rows = [
        Standing(one, None, None, scores.get(one.id, {}), metrics.get(one.id, {}), judged.get(one.id)) for one in shown
    ]
    return sorted(_ranked(connection, row, rows, main), key=lambda one: _order(one, main))


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


def _ranked(connection: Connection, row: BoardRow, rows: Sequence[Standing], main: str) -> list[Standing]:
    scores = {one.submission.id: score for one in rows if (score := ranked_score(one, main)) is not None}
    public = [scores[one.submission.id] for one in rows if one.submission.id in scores and _published(one)]
    places = _places(connection, row, main, public)
    for one in rows:
        if one.submission.id in scores and one.submission.id not in places:
            own = scores[one.submission.id]
            places[own.submission] = _places(connection, row, main, [*public, own])[own.submission]
    return [
        one._replace(best=places[one.submission.id].best, worst=places[one.submission.id].worst)
        if one.submission.id in places
        else one
        for one in rows
    ]


def _places(connection: Connection, row: BoardRow, main: str, scores: Sequence[RankedScore]) -> dict[int, RankRange]:
    if not scores:
        return {}
    ordered = sorted(scores, key=lambda one: (one.system, one.submission))
    found = board_ranking(connection, row, main, ordered).ranks
    return {one.submission: ranks for one, ranks in zip(ordered, found, strict=True) if ranks is not None}


def _published(one: Standing) -> bool:
    return one.submission.state == "published"


def ranked_score(one: Standing, main: str) -> RankedScore | None:
    score, judged = one.scores.get(main), one.judged
    if score is None or score.value is None or judged is None:
        return None
    return RankedScore(
        one.submission.id,
        one.submission.system,
        judged.round,
        score.value,
        score.low,
        score.high,
        score.error,
        judged.labels,
        judged.items,
        judged.annotators,
        score.reason,
    )


def board_pairs(connection: Connection, row: BoardRow, rows: Sequence[Standing], main: str) -> list[Table]:
    """Every two published systems that people have judged: as a list, and as a matrix."""
    from goldmark.results.rank_tables import matrix_table, pair_table

    scores = [score for one in rows if _published(one) and (score := ranked_score(one, main)) is not None]
    if len(scores) < 2:
        return []
    found = board_ranking(connection, row, main, scores, listed=True)
    given = row.settings.scores
    signature = found.signature(z=given.z, seed=given.seed, axis=main)
    return [pair_table(found, signature), matrix_table(found, signature)]


def _order(one: Standing, main: str) -> tuple[bool, float, int]:
    score = one.scores.get(main)
    value = None if score is None else score.value
    return value is None, -(value or 0.0), -one.submission.id


def _by_metric(one: Standing, first: Sequence[str]) -> tuple[bool, float, int]:
    cell = one.metrics.get(first[0]) if first else None
    if cell is None or cell.value is None:
        return True, 0.0, -one.submission.id
    return False, -cell.value if cell.higher_is_better else cell.value, -one.submission.id


def _apart(rows: Sequence[Standing], first: Sequence[str]) -> list[Standing]:
    """Ranks by the first metric: systems whose intervals overlap share them, private ones as if they were published."""
    cells = {one.submission.id: one.metrics[first[0]] for one in rows if first and first[0] in one.metrics}
    ends = {key: _ends(cell) for key, cell in cells.items() if cell.value is not None}
    public = {one.submission.id for one in rows if _published(one)} & ends.keys()

    def ranked(one: Standing) -> Standing:
        if one.submission.id not in ends:
            return one
        low, high = ends[one.submission.id]
        others = [ends[key] for key in public if key != one.submission.id]
        above, below = sum(other[0] > high for other in others), sum(other[1] < low for other in others)
        return one._replace(best=1 + above, worst=1 + len(others) - below)

    return [ranked(one) for one in rows]


def _ends(cell: MetricCell) -> tuple[float, float]:
    """The interval of a metric so that more is better."""
    value = cell.value or 0.0
    low, high = (value if cell.low is None else cell.low), (value if cell.high is None else cell.high)
    return (low, high) if cell.higher_is_better else (-high, -low)


def _scores(connection: Connection, row: BoardRow) -> tuple[dict[int, dict[str, AxisScore]], dict[int, ScoreBasis]]:
    """Of every submission the scores of the last round that judged it."""
    columns = [column for column in board_score.c if column.name not in ("segments", "shared")]
    query = (
        select(*columns, board_round.c.number, board_round.c.scored_at)
        .join(board_round, board_round.c.id == board_score.c.round_id)
        .where(board_round.c.board_id == row.id)
        .order_by(board_round.c.number)
    )
    wanted = len(chosen_names(connection, row))
    late = _being_replaced(connection, row)
    scores: dict[int, dict[str, AxisScore]] = {}
    judged: dict[int, ScoreBasis] = {}
    for one in connection.execute(query):
        if one.submission_id in judged and judged[one.submission_id].round < one.number:
            scores[one.submission_id] = {}
        scores.setdefault(one.submission_id, {})[one.axis] = AxisScore(
            one.value, one.low, one.high, one.error, one.reason, one.signature
        )
        judged[one.submission_id] = ScoreBasis(
            one.number,
            one.scored_at,
            one.labels,
            one.items,
            one.annotators,
            one.excluded,
            one.cost,
            wanted - one.items,
            _remark(wanted - one.items, wanted, one.round_id in late),
        )
    return scores, judged


def _being_replaced(connection: Connection, row: BoardRow) -> set[int]:
    """Rounds with scores that will change: somebody was excluded, or is no longer, since they were made."""
    rounds = connection.execute(select(board_round).where(board_round.c.board_id == row.id)).all()
    return outdated(connection, rounds) | {one.id for one in rounds if one.state == "open" and one.scored_at}


def _remark(missing: int, wanted: int, late: bool) -> str:
    told = [f"judged on {wanted - missing} of {wanted} items"] if missing else []
    told += ["an annotator was excluded, or is no longer, since this was scored: it will be scored again"] * late
    return "; ".join(told)


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
    order = [axis for axis in (main, *(axis for axis in axes if axis != main)) if axis]
    metrics = row.settings.metrics
    records = [_record(one, order, metrics) for one in rows]
    level = row.settings.scores.level
    if not row.protocol:
        notes = [BY_METRIC] if metrics else []
        made = next((one.metrics[metrics[0]].signature for one in rows if metrics and metrics[0] in one.metrics), "")
        return Table.of(row.title, records, notes=tuple(notes), signature=made)
    notes = [
        f"intervals of {level:.0%}; ranks come from paired differences and hold for all systems at once in {level:.0%}",
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
        "remark": judged.remark if judged else "",
    }


def _three(name: str, cell: Any) -> dict[str, Cell]:
    if cell is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: cell.value, f"{name}_low": cell.low, f"{name}_high": cell.high}
