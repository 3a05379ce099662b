"""How each metric goes with people on a board: over systems, over all outputs, and within systems.

Made from one small row per system (`leaderboards.relations`), never from the outputs themselves, so the table is as
quick after two hundred systems and a new system costs its own row only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from goldmark.leaderboards.boards import BoardRow
from goldmark.leaderboards.standings import Standing
from goldmark.records.figures import Interval, Signature, Undefined
from goldmark.records.tables import Cell, Table
from goldmark.stats.bootstrap import percentile_interval, resampled_weights
from goldmark.stats.correlation import METHODS, Method, correlation, fisher_interval
from goldmark.store.tables import board_relation, board_submission

Floats = NDArray[np.float64]
ENOUGH = 5  # systems that a resample needs to say anything
RESAMPLES = 1000


class Point(NamedTuple):
    """A system in a plot of a metric against people."""

    system: str
    human: float
    metric: float


class _Related(NamedTuple):
    n: int
    sums: Sequence[float]
    kendall: float | None
    spearman: float | None


def points(rows: Sequence[Standing], axis: str, metric: str) -> list[Point]:
    """Every system of which both are known."""
    found = []
    for one in rows:
        human, cell = one.scores.get(axis), one.metrics.get(metric)
        if human is not None and human.value is not None and cell is not None and cell.value is not None:
            found.append(Point(one.submission.system, human.value, cell.value))
    return found


def correlations(connection: Connection, row: BoardRow, rows: Sequence[Standing], axis: str) -> Table:
    """One row per metric, level and method, with intervals where there are systems enough."""
    shown = [one.submission.id for one in rows]
    related = _related(connection, row, axis)
    seed = row.settings.scores.seed
    records: list[dict[str, Cell]] = []
    for metric in row.settings.metrics:
        pairs = points(rows, axis, metric)
        records += [_over_systems(metric, pairs, method) for method in METHODS if method != "kendall-c"]
        own = [found for submission in shown if (found := related.get((submission, metric))) is not None]
        records += _over_outputs(metric, own, np.random.default_rng(seed))
    notes = (
        "systems: one pair per system, Fisher's interval; outputs: all judged outputs together, and the mean of the "
        "correlations within systems, systems resampled",
        "a metric for which less is better correlates negatively with people",
    )
    signature = str(
        Signature.of(
            figure="correlation", axis=axis, kendall="tau-b", resampled="systems", resamples=RESAMPLES, seed=seed
        )
    )
    labels = {"level": "over", "n": "pairs"}
    return Table.of("Metrics and people", records, notes=notes, signature=signature, labels=labels)


def _related(connection: Connection, row: BoardRow, axis: str) -> Mapping[tuple[int, str], _Related]:
    query = (
        select(board_relation)
        .join(board_submission, board_submission.c.id == board_relation.c.submission_id)
        .where(board_submission.c.board_id == row.id, board_relation.c.axis == axis)
    )
    return {
        (one.submission_id, one.metric): _Related(one.n, one.sums, one.kendall, one.spearman)
        for one in connection.execute(query)
    }


def _over_systems(metric: str, pairs: Sequence[Point], method: Method) -> dict[str, Cell]:
    found = correlation([one.human for one in pairs], [one.metric for one in pairs], method)
    interval = None if found.value is None else fisher_interval(found.value, found.n, 0.95, method)
    reason = found.reason or ("" if interval else f"{found.n} systems; {ENOUGH} are needed for an interval")
    return _record(metric, "systems", method, found.value, interval, found.n, reason)


def _over_outputs(metric: str, own: Sequence[_Related], rng: np.random.Generator) -> list[dict[str, Cell]]:
    outputs = sum(one.n for one in own)
    counted = np.array([[one.n, *one.sums] for one in own], dtype=np.float64).reshape(len(own), 6)
    whole = pearson_of_sums(counted.sum(axis=0, keepdims=True))[0] if len(own) else np.nan
    weights = (
        np.concatenate(list(resampled_weights(len(own), resamples=RESAMPLES, rng=rng))) if len(own) >= ENOUGH else None
    )
    few = f"{len(own)} systems; {ENOUGH} are needed for an interval"
    value = None if np.isnan(whole) else float(whole)
    none = "fewer than two judged outputs, or scores that do not vary" if own else "no system has both"
    reason = "" if value is not None else none
    drawn = None if weights is None else percentile_interval(pearson_of_sums(weights @ counted))
    records = [_record(metric, "outputs", "pearson", value, drawn, outputs, reason or ("" if drawn else few))]
    for method in ("spearman", "kendall"):
        values = np.array([np.nan if (found := getattr(one, method)) is None else found for one in own])
        known = ~np.isnan(values)
        mean = float(values[known].mean()) if known.any() else None
        within = None
        if weights is not None and known.all():
            within = percentile_interval(weights @ values / len(own))
        none = "no system's scores vary" if own else "no system has both"
        why = none if mean is None else few if within is None else ""
        records.append(_record(metric, "outputs within systems", method, mean, within, int(known.sum()), why))
    return records


def pearson_of_sums(sums: Floats) -> Floats:
    """Pearson's correlation of each row of n, sum x, sum y, sum xx, sum yy, sum xy; NaN where there is none."""
    n, x, y, xx, yy, xy = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x, spread_y = n * xx - x**2, n * yy - y**2
        flat = (n < 2) | (spread_x <= 1e-12 * np.maximum(1, n * xx)) | (spread_y <= 1e-12 * np.maximum(1, n * yy))
        value: Floats = np.where(flat, np.nan, (n * xy - x * y) / np.sqrt(spread_x * spread_y))
    return value


def _record(
    metric: str,
    level: str,
    method: str,
    value: float | None,
    interval: Interval | Undefined | None,
    n: int,
    reason: str,
) -> dict[str, Cell]:
    known = interval if isinstance(interval, Interval) else None
    return {
        "metric": metric,
        "level": level,
        "method": method,
        "correlation": value,
        "correlation_low": known.low if known else None,
        "correlation_high": known.high if known else None,
        "n": n,
        "reason": reason or (interval.reason if isinstance(interval, Undefined) else ""),
    }
