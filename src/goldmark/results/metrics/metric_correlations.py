"""How automatic metrics correlate with people: over outputs, within items or systems, and over systems (SPEC 8).

The figures are those of `stats.correlations.correlation_levels`, the same that a leaderboard shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from goldmark.errors import GoldmarkError
from goldmark.records.figures import Figure, Signature, counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Column, Columns, Frame
from goldmark.results.metrics.metric_scores import (
    Floats,
    Measure,
    MetricOptions,
    MetricTable,
    is_accuracy,
    system_tables,
)
from goldmark.results.metrics.metric_tests import metric_pairs
from goldmark.results.options import with_interval
from goldmark.stats.correlations import correlation_levels as levels
from goldmark.stats.correlations import pairwise_accuracy as pairwise
from goldmark.stats.correlations.correlation import Method
from goldmark.stats.correlations.correlation_levels import Draws, Level, ScoredOutputs, Way
from goldmark.stats.ranks.judgements import by_name


class NoMetric(GoldmarkError):
    code = "METRIC-01"
    message = "{source} has no column of numbers to compare with {human!r}; name metrics with --metric COLUMN"


def metric_columns(frame: Frame, human: str, roles: Sequence[str]) -> list[str]:
    """All columns that hold nothing but numbers (or nothing), besides the human score and the names of things."""
    found = []
    for name in frame.cells:
        if name in (human, *roles):
            continue
        values = [cell.strip() for cell in frame.cells[name] if cell.strip()]
        if values and all(_is_number(value) for value in values):
            found.append(name)
    if not found:
        raise NoMetric(source=frame.source, human=human)
    return found


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def correlate(
    frame: Frame, metrics: Sequence[str], options: MetricOptions, names: Mapping[str, str] | None = None
) -> list[Table]:
    """Correlation of each metric with the human score at each level, and tests between every two metrics."""
    by_system = {"system", "within-system"} & set(options.levels)
    columns = Columns(
        Column("human", "number", empty=True),
        Column("item", optional="item" not in options.levels),
        Column("system", optional=not by_system),
        *(Column(f"metric {name}", "number", empty=True) for name in metrics),
    )
    checked = columns.check(frame, {**(names or {}), **{f"metric {name}": name for name in metrics}})
    table = MetricTable(
        floats(checked.numbers("human")),
        np.stack([floats(checked.numbers(f"metric {name}")) for name in metrics], axis=1),
        by_name(checked.texts("system"))[1] if "system" in checked else None,
        by_name(checked.texts("item"))[1] if "item" in checked else None,
    )
    measured = [table.outputs(place, table.known(place)) for place in range(len(metrics))]
    draws = Draws(options.resamples, options.level, options.seed)
    rows: list[dict[str, Cell]] = []
    pairs: list[dict[str, Cell]] = []
    ways: dict[Level, Way] = {}
    calibrated = any(one == "pairwise" for one in options.methods) and "item" in options.levels
    for level in options.levels:
        for method in options.methods:
            for name, outputs in zip(metrics, measured, strict=True):
                way = ways[level] = (
                    levels.usual_way(level, outputs) if options.interval == "usual" else options.interval
                )
                figure, threshold = _figure(outputs, level, method, way, draws)
                found = with_interval("correlation", figure.value, figure.interval)
                about: dict[str, Cell] = {"level": level, "method": method, "metric": name}
                more: dict[str, Cell] = {"threshold": threshold} if calibrated else {}
                rows.append({**about, **found, **more, "n": figure.used, "reason": figure.reason})
            if options.test != "none" and _tested(level, method):
                pairs += metric_pairs(table, metrics, level, method, options)
    notes = _notes(table, metrics)
    drawn = levels.affordable(options.resamples, len(frame), "kendall")
    if drawn < options.resamples and "segment" in options.levels:
        notes += (f"rank correlations of so many outputs: {drawn:,} parts left out and at most as many permutations",)
    if options.test == "perm-both":
        notes += (PERM_BOTH,)
    signature = _signature(options, ways)
    tables = [Table.of("Correlation with people", rows, notes=notes, signature=signature)]
    if pairs:
        labels = {"p_corrected": f"p ({options.correction})"}
        tables.append(Table.of("Differences between metrics", pairs, signature=signature, labels=labels))
    return tables


PERM_BOTH = (
    "perm-both swaps single outputs and takes them as independent; where items are hard for all, it errs too often"
)


def _figure(
    outputs: ScoredOutputs, level: Level, method: Measure, way: Way, draws: Draws
) -> tuple[Figure, float | None]:
    """One figure of one metric, and the threshold up to which scores count as equal, where there is one."""
    if method == "pairwise" and level == "item" and outputs.item is not None:
        found = pairwise.within_items(outputs.human, outputs.metric, outputs.item, draws.level)
        return _wanted(found.accuracy, way, "items"), found.threshold
    if method == "pairwise" and level == "system":
        return _wanted(pairwise.over_systems(*levels.system_means(outputs), draws.level), way, "systems"), None
    if method == "soft-pairwise" and level == "system":
        both = system_tables(outputs)
        return _wanted(pairwise.softly_over_systems(*both, seed=draws.seed, level=draws.level), way, "systems"), None
    if is_accuracy(method):
        where = "over systems" if method == "soft-pairwise" else "within items and over systems"
        return Figure(None, reason=f"{method} accuracy is {where} only", used=0), None
    return levels.correlate(outputs, level, cast("Method", method), way, draws), None


def _wanted(figure: Figure, way: Way, own: str) -> Figure:
    """An accuracy has one interval; Fisher's, which a level usually has, is none for it."""
    if figure.interval is None or way in (own, "fisher"):
        return figure
    why = "" if way == "none" else f"this accuracy has its interval over {own}"
    return Figure(figure.value, reason=why, used=figure.used)


def _tested(level: Level, method: Measure) -> bool:
    """Whether two metrics can be compared in this."""
    if is_accuracy(method):
        return level == "system" or (level == "item" and method == "pairwise")
    return level in ("segment", "system")


def floats(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _notes(table: MetricTable, metrics: Sequence[str]) -> tuple[str, ...]:
    notes = []
    unknown = np.isnan(table.human)
    if unknown.any():
        notes.append(f"left out: {counted(int(unknown.sum()), 'output')} of {len(unknown):,} without a human score")
    for place, name in enumerate(metrics):
        lost = int((np.isnan(table.metrics[:, place]) & ~unknown).sum())
        if lost:
            notes.append(f"left out for {name}: {counted(lost, 'output')} without its score")
    return tuple(notes)


def _signature(options: MetricOptions, ways: Mapping[Level, Way]) -> str:
    made = Signature.of(
        figure="correlation",
        kendall="tau-b",
        interval=",".join(f"{level}={way}" for level, way in ways.items()),
        resamples=options.resamples,
        level=options.level,
        test=options.test,
        permutations=options.permutations,
        swapped="outputs" if options.test == "perm-both" else "items-systems-or-outputs",
        correction=options.correction,
        seed=options.seed,
    )
    return str(made)
