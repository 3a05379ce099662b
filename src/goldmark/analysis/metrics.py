"""How automatic metrics correlate with people, output by output, within items, and system by system (SPEC 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.analysis.settings import counted, with_interval
from goldmark.errors import GoldmarkError
from goldmark.records.columns import Column, Columns, Frame
from goldmark.records.figures import Interval, Signature, Undefined
from goldmark.records.tables import Cell, Table
from goldmark.stats import correlation as c
from goldmark.stats.bootstrap import bootstrap_units
from goldmark.stats.ranking import encode, item_means
from goldmark.stats.tests import Outcome, holm, no_test

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Level = Literal["segment", "item", "system"]
ROWS = 5_000_000  # outputs that rank correlations may touch in all resamples together before fewer are drawn
FEWEST = 200


class NoMetric(GoldmarkError):
    code = "METRIC-01"
    message = "{source} has no column of numbers to compare with {human!r}; name metrics with --metric COLUMN"


@dataclass(frozen=True)
class MetricOptions:
    """How to correlate."""

    levels: Sequence[Level] = ("segment", "system")
    methods: Sequence[c.Method] = ("pearson", "spearman", "kendall")
    interval: Literal["bootstrap", "fisher", "none"] = "bootstrap"
    test: Literal["permutation", "williams", "none"] = "permutation"
    resamples: int = 1000
    permutations: int = 1000
    level: float = 0.95
    alpha: float = 0.05
    seed: int = 17


class _Scores(NamedTuple):
    """Rows where both the human and the metric's score are known."""

    item: Codes
    system: Codes | None
    human: Floats
    metrics: Floats  # rows x metrics


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
    columns = Columns(
        Column("human", "number", empty=True),
        Column("item", optional=True),
        Column("system", optional="system" not in options.levels),
        *(Column(f"metric {name}", "number", empty=True) for name in metrics),
    )
    checked = columns.check(frame, {**(names or {}), **{f"metric {name}": name for name in metrics}})
    human = _array(checked.numbers("human"))
    scores = np.stack([_array(checked.numbers(f"metric {name}")) for name in metrics], axis=1)
    items = encode(checked.texts("item"))[1] if "item" in checked else np.arange(len(human))
    systems = encode(checked.texts("system"))[1] if "system" in checked else None
    rng = np.random.default_rng(options.seed)
    rows: list[dict[str, Cell]] = []
    pairs: list[dict[str, Cell]] = []
    for level in options.levels:
        for method in options.methods:
            for place, name in enumerate(metrics):
                part = _complete(items, systems, human, scores[:, [place]])
                rows.append(
                    {"level": level, "method": method, "metric": name, **_row(part, level, method, options, rng)}
                )
            if options.test != "none" and level != "item":
                compared = [
                    (
                        first,
                        second,
                        _test(
                            _complete(items, systems, human, scores[:, [first, second]]), level, method, options, rng
                        ),
                    )
                    for first, second in combinations(range(len(metrics)), 2)
                ]
                adjusted = holm([outcome.p for _, _, (_, outcome) in compared])
                for (first, second, (gap, outcome)), p in zip(compared, adjusted, strict=True):
                    pairs.append(
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
                    )
    notes = _notes(human, scores, metrics)
    drawn = affordable(options.resamples, len(human), "kendall")
    if drawn < options.resamples and "segment" in options.levels:
        notes += (f"rank correlations of so many outputs: {drawn:,} resamples and at most as many permutations",)
    signature = _signature(options, resampled="items" if "item" in checked else "outputs")
    tables = [Table.of("Correlation with people", rows, notes=notes, signature=signature)]
    if pairs:
        tables.append(
            Table.of("Differences between metrics", pairs, signature=signature, labels={"p_holm": "p (Holm)"})
        )
    return tables


def _array(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _complete(items: Codes, systems: Codes | None, human: Floats, metrics: Floats) -> _Scores:
    known = ~np.isnan(human) & ~np.isnan(metrics).any(axis=1)
    item = np.unique(items[known], return_inverse=True)[1].astype(np.int64)
    system = None if systems is None else np.unique(systems[known], return_inverse=True)[1].astype(np.int64)
    return _Scores(item, system, human[known], metrics[known])


def _row(
    part: _Scores, level: Level, method: c.Method, options: MetricOptions, rng: np.random.Generator
) -> dict[str, Cell]:
    found = _correlation(part, level, method)
    interval: Interval | Undefined | None = None
    if found.value is not None and options.interval == "fisher" and level != "item":
        interval = c.fisher_interval(found.value, found.n, options.level, method)
    elif found.value is not None and options.interval == "bootstrap":
        interval = _bootstrap(part, level, method, options, rng)
    reason = found.reason or (interval.reason if isinstance(interval, Undefined) else "")
    return {**with_interval("correlation", found.value, interval), "n": found.n, "reason": reason}


def _correlation(part: _Scores, level: Level, method: c.Method) -> c.Correlation:
    if level == "segment":
        return c.correlation(part.human, part.metrics[:, 0], method)
    if level == "item":
        return _within_items(part, method)
    human, metric = _system_means(part)
    return c.correlation(human, metric[:, 0], method)


def _within_items(part: _Scores, method: c.Method) -> c.Correlation:
    """The mean of the correlations within items, over items where there is one."""
    order = np.argsort(part.item, kind="stable")
    edges = np.flatnonzero(np.diff(part.item[order])) + 1
    values = []
    for rows in np.split(order, edges):
        found = c.correlation(part.human[rows], part.metrics[rows, 0], method)
        if found.value is not None:
            values.append(found.value)
    if not values:
        return c.Correlation(None, 0, "no item has two outputs whose scores differ")
    return c.Correlation(float(np.mean(values)), len(values))


def _system_means(part: _Scores) -> tuple[Floats, Floats]:
    """Mean over the items of each system, items counted alike."""
    if part.system is None or not len(part.system):
        return np.zeros(0), np.zeros((0, part.metrics.shape[1]))
    systems, items = int(part.system.max()) + 1, int(part.item.max()) + 1
    means = [
        np.nanmean(item_means(part.system, part.item, column, systems, items), axis=1)
        for column in (part.human, *part.metrics.T)
    ]
    return means[0], np.stack(means[1:], axis=1)


def _bootstrap(
    part: _Scores, level: Level, method: c.Method, options: MetricOptions, rng: np.random.Generator
) -> Interval | Undefined:
    """Items are drawn anew with all their outputs; systems stay, for they are what the question is about."""
    items = int(part.item.max()) + 1
    order = np.argsort(part.item, kind="stable")
    starts = np.searchsorted(part.item[order], np.arange(items + 1))

    def rows_of(drawn: Codes) -> tuple[Codes, Codes]:
        sizes = starts[drawn + 1] - starts[drawn]
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
        return order[np.repeat(starts[drawn], sizes) + within], np.repeat(np.arange(len(drawn)), sizes)

    statistic: Callable[[Codes], float]
    if level == "system":
        statistic = _system_statistic(part, method, items)
    elif level == "segment" and method != "pearson":
        # Ranked once: a resample needs only how often each of the ordered values was drawn.
        human, metric = c.dense(part.human), c.dense(part.metrics[:, 0])

        def statistic(drawn: Codes) -> float:
            rows, _ = rows_of(drawn)
            value = c.of_codes(human[rows], metric[rows], method)
            return np.nan if value is None else value

    else:

        def statistic(drawn: Codes) -> float:
            rows, copies = rows_of(drawn)
            sample = _Scores(copies, None, part.human[rows], part.metrics[rows])
            value = _correlation(sample, level, method).value
            return np.nan if value is None else value

    outputs = len(part.human) if level != "system" else 0
    resamples = affordable(options.resamples, outputs, method)
    return bootstrap_units(items, statistic, rng=rng, resamples=resamples, level=options.level)


def affordable(wanted: int, outputs: int, method: c.Method) -> int:
    """As many resamples as asked for, or fewer (never below 200) where ranking so many outputs would take long."""
    if method == "pearson" or not outputs:
        return wanted
    return min(wanted, max(FEWEST, ROWS // outputs))


def _system_statistic(part: _Scores, method: c.Method, items: int) -> Callable[[Codes], float]:
    if part.system is None:
        return lambda drawn: float("nan")
    systems = int(part.system.max()) + 1
    cells = [item_means(part.system, part.item, column, systems, items) for column in (part.human, part.metrics[:, 0])]
    present = ~np.isnan(cells[0])
    filled = [np.nan_to_num(cell) for cell in cells]

    def statistic(drawn: Codes) -> float:
        times = np.bincount(drawn, minlength=items).astype(np.float64)
        weight = present @ times
        if (weight == 0).any():
            return float("nan")
        value = c.correlation(filled[0] @ times / weight, filled[1] @ times / weight, method).value
        return np.nan if value is None else value

    return statistic


def _test(
    part: _Scores, level: Level, method: c.Method, options: MetricOptions, rng: np.random.Generator
) -> tuple[float | None, Outcome]:
    human, metrics = (part.human, part.metrics) if level == "segment" else _system_means(part)
    first, second = (c.correlation(human, column, method) for column in metrics.T)
    if first.value is None or second.value is None:
        return None, no_test(first.reason or second.reason)
    gap = first.value - second.value
    if options.test == "williams":
        if method != "pearson":
            return gap, no_test("Williams' test is for Pearson's correlation; use --test permutation")
        between = c.correlation(metrics[:, 0], metrics[:, 1], method).value or 0.0
        return gap, c.williams(first.value, second.value, between, len(human))
    permutations = affordable(options.permutations, len(human), method)
    outcome = c.permutation(human, metrics[:, 0], metrics[:, 1], method=method, permutations=permutations, rng=rng)
    return gap, outcome


def _notes(human: Floats, scores: Floats, metrics: Sequence[str]) -> tuple[str, ...]:
    notes = []
    missing = int(np.isnan(human).sum())
    if missing:
        notes.append(f"left out: {counted(missing, 'output')} of {len(human):,} without a human score")
    for place, name in enumerate(metrics):
        lost = int((np.isnan(scores[:, place]) & ~np.isnan(human)).sum())
        if lost:
            notes.append(f"left out for {name}: {counted(lost, 'output')} without its score")
    return tuple(notes)


def _signature(options: MetricOptions, resampled: str) -> str:
    return str(
        Signature.of(
            figure="correlation",
            kendall="tau-b",
            interval=options.interval,
            resampled=resampled,
            resamples=options.resamples,
            test=options.test,
            permutations=options.permutations,
            correction="holm",
            seed=options.seed,
        )
    )
