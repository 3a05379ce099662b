"""One system in full: its versions, what each round said of it, and its outputs item by item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from goldmark.errors import Missing
from goldmark.leaderboards.definition.boards import BoardRow
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.scores.standings import Viewer
from goldmark.leaderboards.submitted.submissions import SubmissionRow, versions_of
from goldmark.store.tables import (
    board_entry,
    board_item,
    board_metric,
    board_output,
    board_round,
    board_score,
    board_system,
)

PAGE = 20


class UnknownSystem(Missing):
    code = "SUBMISSION-11"
    message = "there is no system {id} on the leaderboard {board!r}"


@dataclass(frozen=True, slots=True)
class RoundScore:
    """What one round said of one version on one axis."""

    submission_id: int
    round: int
    at: datetime | None
    axis: str
    value: float | None
    low: float | None
    high: float | None
    labels: int
    annotators: int
    excluded: int
    signature: str
    reason: str


class Example(NamedTuple):
    """An output with its input, and what people and metrics said of it."""

    item: DatasetInput
    judged: bool | None  # whether people judge this item; None where that is not told
    output: str
    scores: Mapping[str, float | None]
    metrics: Mapping[str, float | None]


class SystemFile(NamedTuple):
    name: str
    kind: str
    team: str | None
    versions: tuple[SubmissionRow, ...]  # those this viewer sees, the newest first
    rounds: tuple[RoundScore, ...]
    being_judged: bool = False  # its outputs are in a round, and kept from this viewer until it is scored


class Examples(NamedTuple):
    examples: tuple[Example, ...]
    number: int
    pages: int
    total: int


def system_of(connection: Connection, row: BoardRow, system_id: int, view: Viewer) -> SystemFile:
    """A system as this viewer may see it; one of which they see nothing is not there."""
    known = connection.execute(
        select(board_system.c.name, board_system.c.kind).where(
            board_system.c.board_id == row.id, board_system.c.id == system_id
        )
    ).first()
    versions = versions_of(connection, system_id) if known else []
    own = [one for one in versions if view.everything or (view.team_id is not None and one.team_id == view.team_id)]
    seen = own or [one for one in versions if view.sees(one)]
    if known is None or not seen:
        raise UnknownSystem(id=system_id, board=row.name)
    return SystemFile(
        known.name, known.kind, seen[0].team, tuple(seen), tuple(_rounds(connection, [one.id for one in seen]))
    )


def _rounds(connection: Connection, submissions: Sequence[int]) -> list[RoundScore]:
    score = board_score.c
    query = (
        select(
            score.submission_id,
            board_round.c.number,
            board_round.c.scored_at,
            score.axis,
            score.value,
            score.low,
            score.high,
            score.labels,
            score.annotators,
            score.excluded,
            score.signature,
            score.reason,
        )
        .join(board_round, board_round.c.id == score.round_id)
        .where(score.submission_id.in_(submissions))
        .order_by(board_round.c.number.desc(), score.axis)
    )
    return [RoundScore(*tuple(found)) for found in connection.execute(query)]


def is_being_judged(connection: Connection, versions: Iterable[SubmissionRow]) -> bool:
    """Whether people judge outputs of a system just now."""
    entered = select(board_entry.c.submission_id).join(board_round, board_round.c.id == board_entry.c.round_id)
    these = board_entry.c.submission_id.in_([one.id for one in versions])
    return connection.execute(entered.where(these, board_round.c.state == "open").limit(1)).first() is not None


def examples_of(connection: Connection, row: BoardRow, submission_id: int, page: int = 1) -> Examples:
    """Outputs in the dataset's order, a page at a time."""
    counting = select(func.count()).where(board_output.c.submission_id == submission_id)
    total = int(connection.execute(counting).scalar_one())
    found = connection.execute(
        select(board_item, board_output.c.output)
        .join(board_output, board_output.c.item_id == board_item.c.id)
        .where(board_output.c.submission_id == submission_id)
        .order_by(board_item.c.position)
        .limit(PAGE)
        .offset((page - 1) * PAGE)
    ).all()
    places = _places(connection, row)
    human, metrics = _segments(connection, submission_id)
    first = _first_position(connection, submission_id)
    examples = tuple(
        Example(
            DatasetInput.from_json(one.name, one.content),
            one.chosen,
            one.output,
            {axis: values[places[one.position]] for axis, values in human.items() if one.position in places},
            {metric: values[one.position - first] for metric, values in metrics.items()},
        )
        for one in found
    )
    return Examples(examples, page, max(1, -(-total // PAGE)), total)


def _first_position(connection: Connection, submission_id: int) -> int:
    """Where the items of the submission's phase begin."""
    query = (
        select(func.min(board_item.c.position))
        .join(board_output, board_output.c.item_id == board_item.c.id)
        .where(board_output.c.submission_id == submission_id)
    )
    return int(connection.execute(query).scalar() or 0)


def _places(connection: Connection, row: BoardRow) -> dict[int, int]:
    """The place of every judged item among the judged ones, by its place in the dataset."""
    chosen = select(board_item.c.position).where(board_item.c.board_id == row.id, board_item.c.chosen)
    ordered = connection.execute(chosen.order_by(board_item.c.position)).scalars()
    return {position: place for place, position in enumerate(ordered)}


def _segments(
    connection: Connection, submission_id: int
) -> tuple[dict[str, list[float | None]], dict[str, list[float | None]]]:
    rounds = connection.execute(
        select(board_score.c.axis, board_score.c.segments)
        .join(board_round, board_round.c.id == board_score.c.round_id)
        .where(board_score.c.submission_id == submission_id)
        .order_by(board_round.c.number)
    )
    human = {one.axis: one.segments for one in rounds}  # the last round's stay
    metrics = connection.execute(
        select(board_metric.c.metric, board_metric.c.segments).where(
            board_metric.c.submission_id == submission_id, board_metric.c.state == "done"
        )
    )
    return human, {one.metric: one.segments for one in metrics if one.segments}
