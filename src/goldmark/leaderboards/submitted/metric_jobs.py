"""Automatic metrics of a submission, as jobs: each by itself, so that one that fails fails alone and can be rerun."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select, update

from goldmark import jobs
from goldmark.errors import GoldmarkError, Kind
from goldmark.jobs import Running
from goldmark.jobs.queue import find_by_key, rerun
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, board_of_id, find_board, note
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.tasks import TASKS, AnswerTask, figure_of
from goldmark.leaderboards.scores.item_correlations import relate
from goldmark.leaderboards.submitted.submissions import find_submission, refuse_others
from goldmark.leaderboards.submitted.submit import METRIC_JOB, ask_for_metric, metric_key
from goldmark.metrics.plugins import Texts
from goldmark.store import Store
from goldmark.store.tables import board_item, board_metric, board_output, board_submission

if TYPE_CHECKING:
    from goldmark.metrics.scores import MetricScores

LONGEST_MESSAGE = 2_000


class UnknownBoardMetric(GoldmarkError):
    code = "SUBMISSION-10"
    kind = Kind.MISSING
    message = "the leaderboard {board!r} has no metric {metric!r}; it has {known}"


@jobs.register(METRIC_JOB)
def measure(running: Running) -> Mapping[str, Any]:
    """Compute one metric of one submission and keep it; what goes wrong is kept beside it, too."""
    from goldmark.metrics.plugins import Spec
    from goldmark.metrics.scores import score

    made: MetricScores
    submission, metric = int(running.arguments["submission"]), str(running.arguments["metric"])
    figure = figure_of(metric)
    try:
        if figure is not None:
            given = running.store.read(lambda connection: _answers(connection, submission))
            made = _task_scores(*given, metric, figure)
        else:
            texts = running.store.read(lambda connection: _texts(connection, submission))
            made = score(Spec.parse(metric), texts, pool=running.pool, progress=running.progress)
    except Exception as error:
        words = str(error) if isinstance(error, GoldmarkError) else f"{type(error).__name__}: {error}"
        failed = {"state": "failed", "message": words[:LONGEST_MESSAGE], "at": datetime.now(UTC)}
        running.write(lambda connection: _keep(connection, submission, metric, failed))
        raise
    interval = made.corpus.interval
    values = {
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
    running.write(lambda connection: _keep(connection, submission, metric, values))
    return {"metric": metric, "value": made.corpus.value}


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


def _task_scores(
    task: AnswerTask, items: Sequence[DatasetInput], kept: Sequence[str], metric: str, figure: str
) -> MetricScores:
    """A figure of the board's task, as a metric."""
    from goldmark.metrics.scores import MetricScores

    found = task.score(items, kept)
    segments = tuple(found.segments.get(figure, [None] * len(items)))
    return MetricScores(metric, found.signature, found.figures[figure], segments, top=1.0, higher_is_better=True)


def _keep(connection: Connection, submission: int, metric: str, values: Mapping[str, Any]) -> None:
    connection.execute(
        update(board_metric)
        .where(board_metric.c.submission_id == submission, board_metric.c.metric == metric)
        .values(**values)
    )
    if values["state"] == "done":
        relate(connection, [submission])


def measure_again(store: Store, board_name: str, submission_id: int, metric: str, *, who: Actor) -> None:
    """Have a metric computed again, whatever came of it the last time."""

    def ask(connection: Connection) -> None:
        row = find_board(connection, board_name, hold=True)
        found = find_submission(connection, row, submission_id)
        refuse_others(connection, row, found, who)
        if metric not in row.settings.metrics:
            raise UnknownBoardMetric(board=row.name, metric=metric, known=", ".join(row.settings.metrics) or "none")
        _keep(connection, found.id, metric, {"state": "waiting", "message": ""})
        _ask_again(connection, row, found.id, metric, author=who.name)
        facts = {"metric": metric, "version": found.version}
        note(connection, row, author=who.name, kind="metric rerun", subject=found.system, facts=facts)

    store.write(ask)


def _ask_again(connection: Connection, row: BoardRow, submission_id: int, metric: str, *, author: str) -> None:
    known = find_by_key(connection, metric_key(submission_id, metric))
    if known is None:
        ask_for_metric(connection, row, submission_id, metric, author=author)
    elif known.state not in ("waiting", "running"):
        rerun(connection, known.id, author=author)
