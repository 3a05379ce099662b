"""How each metric goes with people on a board: over systems, over all outputs, and within systems.

Made from one small row per system (`leaderboards.scores.item_correlations`), never from the outputs themselves, so the
table is as quick after two hundred systems and a new system costs its own row only. The figures are those of
`stats.correlations.correlation_levels`, to the last digit those of `goldmark metrics correlate` on the same outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select

from goldmark.leaderboards.definition.boards import BoardRow, find_board
from goldmark.leaderboards.definition.file import axes_of, main_axis
from goldmark.leaderboards.definition.phases import phase_named
from goldmark.leaderboards.definition.settings import PhaseName
from goldmark.leaderboards.human.open_round import protocol_of
from goldmark.leaderboards.scores.standings import Standing, Viewer, board_pairs, standings, standings_table
from goldmark.records.figures import Figure, Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.correlations.correlation import Method
from goldmark.stats.correlations.correlation_levels import (
    Draws,
    OutputSums,
    Related,
    mean_within,
    over_outputs,
    over_systems,
)
from goldmark.store.tables import board_relation, board_submission

METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall")
RESAMPLES = 1000
LEVEL = 0.95


class Point(NamedTuple):
    """A system in a plot of a metric against people."""

    system: str
    human: float
    metric: float


def points(rows: Sequence[Standing], axis: str, metric: str) -> list[Point]:
    """Every system of which both are known, as the standings show them."""
    found = []
    for one in rows:
        human, cell = one.scores.get(axis), one.metrics.get(metric)
        if human is not None and human.value is not None and cell is not None and cell.value is not None:
            found.append(Point(one.submission.system, human.value, cell.value))
    return found


def board_tables(
    connection: Connection,
    name: str,
    view: Viewer,
    *,
    correlated: bool,
    pairs: bool = False,
    phase: PhaseName = "test",
) -> list[Table]:
    """A board's standings and, if asked for, every two systems compared and how each metric goes with people."""
    row = find_board(connection, name)
    protocol = protocol_of(connection, row)
    main = main_axis(protocol, row.settings)
    rows = standings(connection, row, main, view, phase_named(row, phase).name)
    table = standings_table(row, rows, axes_of(protocol), main)
    compared = board_pairs(connection, row, rows, main) if pairs else []
    return [table, *compared, *([correlations(connection, row, rows, main)] if correlated else [])]


def correlations(connection: Connection, row: BoardRow, rows: Sequence[Standing], axis: str) -> Table:
    """One row per metric, level and method, with intervals where there are systems enough."""
    # By name, as a table of the same outputs would have them, so that the same systems are drawn.
    ordered = sorted(rows, key=lambda one: (one.submission.system, one.submission.version))
    related = _related(connection, row, axis)
    draws = Draws(RESAMPLES, LEVEL, row.settings.scores.seed)
    records: list[dict[str, Cell]] = []
    for metric in row.settings.metrics:
        both = (related.get((one.submission.id, metric)) for one in ordered)
        own = [one for one in both if one is not None and one.sums.n]
        records += [_record(metric, *one) for one in _figures(own, points(ordered, axis, metric), draws)]
    notes = (
        "system: means over the judged outputs; corpus: scores as the standings have them; segment: all judged outputs "
        "together; within-system: the mean of the correlations within systems",
        "a metric for which less is better correlates negatively with people",
    )
    made = Signature.of(
        figure="correlation",
        axis=axis,
        kendall="tau-b",
        interval="system=fisher,corpus=fisher,segment=systems,within-system=systems",
        resamples=draws.resamples,
        level=draws.level,
        seed=draws.seed,
    )
    labels = {"n": "pairs"}
    return Table.of("Metrics and people", records, notes=notes, signature=str(made), labels=labels)


def _figures(own: Sequence[Related], shown: Sequence[Point], draws: Draws) -> Iterator[tuple[str, Method, Figure]]:
    """Every level of one metric."""
    sums = [one.sums for one in own]
    for method in METHODS:
        yield "system", method, over_systems([s.x / s.n for s in sums], [s.y / s.n for s in sums], method, LEVEL)
    for method in METHODS:
        pairs = [one.human for one in shown], [one.metric for one in shown]
        yield "corpus", method, over_systems(*pairs, method, LEVEL)
    yield "segment", "pearson", over_outputs(sums, draws)
    yield "within-system", "spearman", mean_within([one.spearman for one in own], "system", draws)
    yield "within-system", "kendall", mean_within([one.kendall for one in own], "system", draws)


def _related(connection: Connection, row: BoardRow, axis: str) -> Mapping[tuple[int, str], Related]:
    query = (
        select(board_relation)
        .join(board_submission, board_submission.c.id == board_relation.c.submission_id)
        .where(board_submission.c.board_id == row.id, board_relation.c.axis == axis)
    )
    return {
        (one.submission_id, one.metric): Related(OutputSums(one.n, *one.sums), one.spearman, one.kendall)
        for one in connection.execute(query)
    }


def _record(metric: str, level: str, method: str, figure: Figure) -> dict[str, Cell]:
    return {
        "metric": metric,
        "level": level,
        "method": method,
        "correlation": figure.value,
        "correlation_low": figure.interval.low if figure.interval else None,
        "correlation_high": figure.interval.high if figure.interval else None,
        "n": figure.used,
        "reason": figure.reason,
    }
