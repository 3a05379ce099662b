"""Automatic metrics of a submission, as jobs: each by itself, so that one that fails fails alone and can be rerun.

The figures of a task come from the same reading of the same answers, so one job makes them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select, update

from goldmark import jobs
from goldmark.errors import GoldmarkError, Missing
from goldmark.jobs import Running
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import board_of_id, find_board, note
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.tasks import TASKS, AnswerTask, figure_of, metric_of
from goldmark.leaderboards.scores.item_correlations import relate
from goldmark.leaderboards.submitted.submissions import find_submission, refuse_others
from goldmark.leaderboards.submitted.submit import METRIC_JOB, ask_for_metric
from goldmark.metrics.plugins import Texts
from goldmark.store import in_transaction
from goldmark.store.tables import board_item, board_metric, board_output, board_submission

if TYPE_CHECKING:
    from goldmark.metrics.scores import MetricScores

LONGEST_MESSAGE = 2_000


class UnknownBoardMetric(Missing):
    code = "SUBMISSION-10"
    message = "the leaderboard {board!r} has no metric {metric!r}; it has {known}"


@jobs.register(METRIC_JOB)
def measure(running: Running) -> Mapping[str, Any]:
    """Compute one metric of one submission, or all figures of its task, and keep them; what goes wrong is kept, too."""
    submission, metric = int(running.arguments["submission"]), str(running.arguments["metric"])
    whole = figure_of(metric) is not None
    try:
        made = _task_scores(running, submission) if whole else {metric: _score(running, submission, metric)}
    except Exception as error:
        words = str(error) if isinstance(error, GoldmarkError) else f"{type(error).__name__}: {error}"
        failed = {"state": "failed", "message": words[:LONGEST_MESSAGE], "at": datetime.now(UTC)}
        names = running.store.read(lambda connection: _figures(connection, submission)) if whole else [metric]
        running.write(lambda connection: _keep(connection, submission, dict.fromkeys(names, failed)))
        raise
    kept = {name: _values(one) for name, one in made.items()}
    running.write(lambda connection: _keep(connection, submission, kept))
    relate(running.store, [submission])
    return {"metric": metric, "value": made[metric].corpus.value} if metric in made else {"metric": metric}


def _score(running: Running, submission: int, metric: str) -> MetricScores:
    from goldmark.metrics.plugins import Spec
    from goldmark.metrics.scores import score

    texts = running.store.read(lambda connection: _texts(connection, submission))
    return score(Spec.parse(metric), texts, pool=running.pool, progress=running.progress)


def _values(made: MetricScores) -> dict[str, Any]:
    interval = made.corpus.interval
    return {
        "state": "done",
        "value": made.corpus.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "higher_is_better": made.higher_is_better,
        "signature": made.signature,
        "message": made.corpus.reason,
        "at": datetime.now(UTC),
        "segments": list(made.segments),
    }


def _outputs(connection: Connection, submission: int) -> tuple[list[DatasetInput], list[str]]:
    """Items and what was submitted for them, in the dataset's order."""
    rows = connection.execute(
        select(board_output.c.output, board_item.c.name, board_item.c.content)
        .join(board_item, board_item.c.id == board_output.c.item_id)
        .where(board_output.c.submission_id == submission)
        .order_by(board_item.c.position)
    ).all()
    return [DatasetInput.from_json(one.name, one.content) for one in rows], [one.output for one in rows]


def _texts(connection: Connection, submission: int) -> Texts:
    items, outputs = _outputs(connection, submission)
    return Texts(outputs, [one.references for one in items], [one.source for one in items])


def _answers(connection: Connection, submission: int) -> tuple[AnswerTask, list[DatasetInput], list[str]]:
    """The board's task, its items, and what was submitted for them."""
    of = select(board_submission.c.board_id).where(board_submission.c.id == submission)
    task = TASKS.find(board_of_id(connection, connection.execute(of).scalar_one()).data.task or "")
    return task, *_outputs(connection, submission)


def _task_scores(running: Running, submission: int) -> dict[str, MetricScores]:
    """Every figure of the board's task as a metric. The answers are read and scored once."""
    from goldmark.metrics.scores import MetricScores

    task, items, kept = running.store.read(lambda connection: _answers(connection, submission))
    found = task.score(items, kept)
    nothing = [None] * len(items)
    return {
        metric_of(name): MetricScores(
            metric_of(name),
            found.signature,
            figure,
            tuple(found.segments.get(name, nothing)),
            top=1.0,
            higher_is_better=True,
        )
        for name, figure in found.figures.items()
    }


def _figures(connection: Connection, submission: int) -> list[str]:
    """The figures of its task that a submission is to have."""
    query = select(board_metric.c.metric).where(board_metric.c.submission_id == submission)
    return [name for name in connection.execute(query).scalars() if figure_of(name) is not None]


def _keep(connection: Connection, submission: int, metrics: Mapping[str, Mapping[str, Any]]) -> None:
    """Metrics as they are now; one that the board does not ask for has no row and is left out."""
    for metric, values in metrics.items():
        connection.execute(
            update(board_metric)
            .where(board_metric.c.submission_id == submission, board_metric.c.metric == metric)
            .values(**values)
        )


@in_transaction
def measure_again(connection: Connection, board_name: str, submission_id: int, metric: str, *, who: Actor) -> None:
    """Have a metric computed again, whatever came of it the last time."""
    row = find_board(connection, board_name, hold=True)
    found = find_submission(connection, row, submission_id)
    refuse_others(connection, row, found, who)
    if metric not in row.settings.metrics:
        raise UnknownBoardMetric(board=row.name, metric=metric, known=", ".join(row.settings.metrics) or "none")
    _keep(connection, found.id, {metric: {"state": "waiting", "message": ""}})
    ask_for_metric(connection, row, found.id, metric, author=who.name)
    facts = {"metric": metric, "version": found.version}
    note(connection, row, author=who.name, kind="metric rerun", subject=found.system, facts=facts)
