"""How each metric goes with people's scores, item by item within one submission.

Kept as sums, one row per submission, axis and metric. Every correlation of a board is made from these rows, so a new
system costs its own row, however many systems and items there are already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, insert, select

from goldmark import jobs
from goldmark.jobs import Running, owed
from goldmark.results.metrics.metric_correlations import floats
from goldmark.stats.correlations import correlation_levels
from goldmark.stats.correlations.correlation_levels import Related
from goldmark.store import Store
from goldmark.store.tables import board_item, board_metric, board_relation, board_round, board_score, board_submission
from goldmark.store.transactions import one_at_a_time, prepared_beside

RELATE_JOB = "leaderboard correlations"
Floats = NDArray[np.float64]


def owe_relations(connection: Connection, board_name: str, submissions: Sequence[int], *, author: str) -> int:
    """People or metrics said something new of these: who says so here calls `relate` at once."""
    return owed.owe(connection, RELATE_JOB, {"submissions": list(submissions)}, author=author, subject=board_name)


@jobs.register(RELATE_JOB)
def relate_again(running: Running) -> Mapping[str, Any]:
    relate(running.store, running.arguments["submissions"])
    return {}


def relate(store: Store, submissions: Sequence[int]) -> None:
    """Make the rows of these submissions anew, from their last human scores and their finished metrics."""
    for one in submissions:
        _relate(store, one)


def _relate(store: Store, submission: int) -> None:
    prepared_beside(
        store,
        lambda connection: _said(connection, submission),
        lambda _: store.snapshot(lambda connection: _relations(connection, submission)),
        lambda connection, _, rows: _keep(connection, submission, rows),
    )


def _said(connection: Connection, submission: int) -> tuple[list[Any], list[Any]]:
    """When metrics and people last said something of a submission. Nobody else makes its rows until the end."""
    one_at_a_time(connection, f"relations of {submission}")
    metrics = select(board_metric.c.metric, board_metric.c.at).where(
        board_metric.c.submission_id == submission, board_metric.c.state == "done"
    )
    rounds = (
        select(board_round.c.number, board_round.c.scored_at)
        .join(board_score, board_score.c.round_id == board_round.c.id)
        .where(board_score.c.submission_id == submission)
        .distinct()
    )
    return sorted(map(tuple, connection.execute(metrics))), sorted(map(tuple, connection.execute(rounds)))


def _relations(connection: Connection, submission: int) -> list[dict[str, Any]]:
    human = _human(connection, submission)
    if not human:
        return []
    chosen = _chosen(connection, submission)
    metrics = connection.execute(
        select(board_metric.c.metric, board_metric.c.segments).where(
            board_metric.c.submission_id == submission, board_metric.c.state == "done"
        )
    ).all()
    return [
        {
            "submission_id": submission,
            "axis": axis,
            "metric": metric,
            **_columns(correlation_levels.relate(scores, floats(segments)[chosen])),
        }
        for metric, segments in metrics
        if segments
        for axis, scores in human.items()
    ]


def _keep(connection: Connection, submission: int, rows: Sequence[Mapping[str, Any]]) -> None:
    connection.execute(delete(board_relation).where(board_relation.c.submission_id == submission))
    if rows:
        connection.execute(insert(board_relation), rows)


def _columns(found: Related) -> dict[str, Any]:
    n, *sums = found.sums
    return {"n": n, "sums": sums, "kendall": found.kendall, "spearman": found.spearman}


def _human(connection: Connection, submission: int) -> dict[str, Floats]:
    """The scores of the last round in which people judged it, by axis."""
    last = (
        select(func.max(board_round.c.number))
        .join(board_score, board_score.c.round_id == board_round.c.id)
        .where(board_score.c.submission_id == submission)
        .scalar_subquery()
    )
    rows = connection.execute(
        select(board_score.c.axis, board_score.c.segments)
        .join(board_round, board_round.c.id == board_score.c.round_id)
        .where(board_score.c.submission_id == submission, board_round.c.number == last)
        .order_by(board_score.c.axis)
    )
    return {one.axis: floats(one.segments) for one in rows}


def _chosen(connection: Connection, submission: int) -> NDArray[np.int64]:
    """The places, among all items, of those that people judge."""
    query = (
        select(board_item.c.position)
        .join(board_submission, board_submission.c.board_id == board_item.c.board_id)
        .where(board_submission.c.id == submission, board_item.c.chosen)
        .order_by(board_item.c.position)
    )
    return np.fromiter(connection.execute(query).scalars(), dtype=np.int64)
