"""A plan for a board, from what it knows: its price, its test questions, and how far annotations have varied so far."""

from __future__ import annotations

from sqlalchemy import Connection

from goldmark.records.tables import Table
from goldmark.web.boards import Seen


def board_plan(
    connection: Connection,
    seen: Seen,
    *,
    annotations: int | None,
    error: float | None,
    difference: float | None,
    mean: float,
    systems: int,
) -> Table:
    """Measured variation counts where the board has any; before that, the largest there can be."""
    from goldmark.leaderboards.planning import Wanted, measured_deviation, plan_annotations

    human = seen.board.settings.human
    measured = None if seen.board.settings.scores.z else measured_deviation(connection, seen.board, seen.main)
    if annotations is None and error is None and difference is None:
        subset = seen.board.settings.subset
        annotations = max(2, subset.size if subset else 300)
    return plan_annotations(
        Wanted(
            annotations=annotations,
            error=error,
            mean=mean,
            deviation=min(measured, 0.5) if measured else None,
            price=human.price,
            tests=human.test_questions.positive + human.test_questions.negative,
            systems=systems,
            difference=difference,
        )
    )
