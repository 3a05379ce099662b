"""Whether people judge today as they did before: systems that several rounds judged, compared round by round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, select

from goldmark.leaderboards.definition.boards import BoardRow
from goldmark.leaderboards.definition.phases import withheld
from goldmark.leaderboards.scores.standings import PUBLIC, Viewer
from goldmark.leaderboards.submitted.submissions import list_submissions
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.inference.student import student_quantile
from goldmark.store.tables import board_round, board_score, board_submission, board_system


def drift(connection: Connection, row: BoardRow, axis: str, view: Viewer = PUBLIC) -> Table:
    """Each system that was judged again: its score then and now, and the difference with its interval.

    The two rounds have other people and other days but the same items, so the interval, made from both standard
    errors as if the items had been drawn anew as well, is wide rather than narrow.
    """
    level = row.settings.scores.level
    query = (
        select(
            board_score.c.submission_id,
            board_system.c.name,
            board_round.c.number,
            board_round.c.scored_at,
            board_score.c.value,
            board_score.c.error,
            board_score.c.annotators,
        )
        .join(board_round, board_round.c.id == board_score.c.round_id)
        .join(board_submission, board_submission.c.id == board_score.c.submission_id)
        .join(board_system, board_system.c.id == board_submission.c.system_id)
        .where(board_round.c.board_id == row.id, board_score.c.axis == axis)
        .order_by(board_score.c.submission_id, board_round.c.number)
    )
    hidden = not view.everything and withheld(row, datetime.now(UTC))
    shown = set() if hidden else {one.id for one in list_submissions(connection, row) if view.sees(one)}
    before = None
    records: list[dict[str, Cell]] = []
    for one in connection.execute(query):
        if one.submission_id not in shown:
            continue
        same = before is not None and before.submission_id == one.submission_id
        if same and before is not None and None not in (before.value, one.value):
            gap = one.value - before.value
            rounds = [(before.error, before.annotators), (one.error, one.annotators)]
            reach = reach_of_difference(rounds, level) if None not in (before.error, one.error) else None
            records.append(
                {
                    "system": one.name,
                    "from_round": before.number,
                    "to_round": one.number,
                    "before": before.value,
                    "after": one.value,
                    "difference": gap,
                    "difference_low": None if reach is None else gap - reach,
                    "difference_high": None if reach is None else gap + reach,
                    "drifted": None if reach is None else abs(gap) > reach,
                    "reason": ONE_PERSON if reach is None else "",
                }
            )
        before = one
    notes = ("differences between rounds: other days, other people, the same items",)
    signature = str(Signature.of(figure="difference", axis=axis, interval="welch-annotators", level=level))
    labels = {"from_round": "from round", "to_round": "to round"}
    return Table.of("Drift between rounds", records, notes=notes, signature=signature, labels=labels)


ONE_PERSON = "one annotator in a round says nothing of how people differ"


def reach_of_difference(rounds: Sequence[tuple[float, int]], level: float) -> float | None:
    """How far the interval of a difference of two rounds reaches: Student's t with Welch's degrees of freedom.

    Each round has a standard error and so many annotators, who are what its error is least sure of.
    """
    if any(people < 2 for _, people in rounds):
        return None
    variance = sum(error**2 for error, _ in rounds)
    below = sum(error**4 / (people - 1) for error, people in rounds)
    freedom = variance**2 / below if below > 0 else 1.0
    return student_quantile((1 + level) / 2, freedom) * math.sqrt(variance)
