"""How automatic metrics correlate with people: over outputs, within items or systems, and over systems (SPEC 8).

The figures are those of `stats.inference.correlation_levels`, the same that a leaderboard shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError
from goldmark.records.columns import Column, Columns, Frame
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.results.options import counted, with_interval
from goldmark.stats.inference import correlation as c
from goldmark.stats.inference import correlation_levels as levels
from goldmark.stats.inference.correlation_levels import Draws, Level, ScoredOutputs, Way
from goldmark.stats.inference.tests import SignificanceTest, holm, no_test
from goldmark.stats.ranks.judgements import by_name

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Interval = Literal["usual", "systems", "items", "fisher", "none"]


class NoMetric(GoldmarkError):
    code = "METRIC-01"
    message = "{source} has no column of numbers to compare with {human!r}; name metrics with --metric COLUMN"


@dataclass(frozen=True)
class MetricOptions:
    """How to correlate."""

    levels: Sequence[Level] = ("segment", "system")
    methods: Sequence[c.Method] = ("pearson", "spearman", "kendall")
    interval: Interval = "usual"  # what is drawn anew: for each level what its question takes to be a sample
    test: Literal["permutation", "williams", "none"] = "permutation"
    resamples: int = 1000
    permutations: int = 1000
    level: float = 0.95
    alpha: float = 0.05
    seed: int = 17


@dataclass(frozen=True)
class _Table:
    """The columns of a table of outputs; rows with both scores are picked for each metric, or pair of metrics."""

    human: Floats
    metrics: Floats  # rows x metrics
    system: Codes | None
    item: Codes | None

    def known(self, *metrics: int) -> NDArray[np.bool_]:
        missing: NDArray[np.bool_] = np.isnan(self.human) | np.isnan(self.metrics[:, metrics]).any(axis=1)
        return ~missing

    def outputs(self, metric: int, known: NDArray[np.bool_]) -> ScoredOutputs:
        def without_gaps(codes: Codes | None) -> Codes | None:
            return None if codes is None else np.unique(codes[known], return_inverse=True)[1].astype(np.int64)

        system, item = without_gaps(self.system), without_gaps(self.item)
        return ScoredOutputs.of(self.human[known], self.metrics[known, metric], system, item)


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
    table = _Table(
        _array(checked.numbers("human")),
        np.stack([_array(checked.numbers(f"metric {name}")) for name in metrics], axis=1),
        by_name(checked.texts("system"))[1] if "system" in checked else None,
        by_name(checked.texts("item"))[1] if "item" in checked else None,
    )
    measured = [table.outputs(place, table.known(place)) for place in range(len(metrics))]
    draws = Draws(options.resamples, options.level, options.seed)
    rows: list[dict[str, Cell]] = []
    pairs: list[dict[str, Cell]] = []
    ways: dict[Level, Way] = {}
    for level in options.levels:
        for method in options.methods:
            for name, outputs in zip(metrics, measured, strict=True):
                way = ways[level] = (
                    levels.usual_way(level, outputs) if options.interval == "usual" else options.interval
                )
                figure = levels.correlate(outputs, level, method, way, draws)
                found = with_interval("correlation", figure.value, figure.interval)
                about: dict[str, Cell] = {"level": level, "method": method, "metric": name}
                rows.append({**about, **found, "n": figure.used, "reason": figure.reason})
            if options.test != "none" and level in ("segment", "system"):
                pairs += _pairs(table, metrics, level, method, options)
    notes = _notes(table, metrics)
    drawn = levels.affordable(options.resamples, len(frame), "kendall")
    if drawn < options.resamples and "segment" in options.levels:
        notes += (f"rank correlations of so many outputs: {drawn:,} resamples and at most as many permutations",)
    signature = _signature(options, ways)
    tables = [Table.of("Correlation with people", rows, notes=notes, signature=signature)]
    if pairs:
        tables.append(
            Table.of("Differences between metrics", pairs, signature=signature, labels={"p_holm": "p (Holm)"})
        )
    return tables


def _array(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _pairs(
    table: _Table, metrics: Sequence[str], level: Level, method: c.Method, options: MetricOptions
) -> list[dict[str, Cell]]:
    compared = [
        (first, second, *_test(table, first, second, level, method, options))
        for first, second in combinations(range(len(metrics)), 2)
    ]
    adjusted = holm([outcome.p for *_, outcome in compared])
    return [
        {
            "level": level,
            "method": method,
            "first": metrics[first],
            "second": metrics[second],
            "difference": gap,
            "p": outcome.p,
            "p_holm": p,
            "significant": None if p is None else p < options.alpha,
            "reason": outcome.reason,
        }
        for (first, second, gap, outcome), p in zip(compared, adjusted, strict=True)
    ]


def _test(
    table: _Table, first: int, second: int, level: Level, method: c.Method, options: MetricOptions
) -> tuple[float | None, SignificanceTest]:
    """The difference of two metrics' correlations on the outputs that have both, and whether it is more than chance."""
    known = table.known(first, second)
    human, a, b = table.human[known], table.metrics[known, first], table.metrics[known, second]
    items = table.item[known] if table.item is not None and level == "segment" else None
    if level == "system":
        (human, a), (_, b) = (levels.system_means(table.outputs(place, known)) for place in (first, second))
    # What is swapped depends on items and scores, not on the order of rows.
    order = np.lexsort((b, a, human) if items is None else (b, a, human, items))
    human, a, b = human[order], a[order], b[order]
    r_first, r_second = (c.correlation(human, column, method) for column in (a, b))
    if r_first.value is None or r_second.value is None:
        return None, no_test(r_first.reason or r_second.reason)
    gap = r_first.value - r_second.value
    if options.test == "williams":
        if method != "pearson":
            return gap, no_test("Williams' test is for Pearson's correlation; use --test permutation")
        between = c.correlation(a, b, method).value or 0.0
        return gap, c.williams(r_first.value, r_second.value, between, len(human))
    permutations = levels.affordable(options.permutations, len(human), method)
    rng = np.random.default_rng(options.seed)
    whole = None if items is None else items[order]
    return gap, c.permutation(human, a, b, method=method, permutations=permutations, rng=rng, items=whole)


def _notes(table: _Table, metrics: Sequence[str]) -> tuple[str, ...]:
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
        swapped="items-or-outputs",
        correction="holm",
        seed=options.seed,
    )
    return str(made)
