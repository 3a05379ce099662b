"""How a metric goes with people's scores at each level: over outputs, within items or systems, and over systems.

The one definition of each figure, for tables of outputs (`goldmark metrics correlate`) and for leaderboards, which keep
no more of a system than its `Related`. A figure depends on its own data, method and generator only, and on no order of
rows: systems and items are in order of their names, the outputs of a system in order of their scores.

- **segment**: over all outputs. Pearson's r is made from sums per system.
- **item**: within each item across systems, then the mean over items that have one.
- **within-system**: within each system across its items, then the mean over systems.
- **system**: over the means of systems, taken over the outputs of which both scores are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldmark.records.figures import Figure, Interval, Undefined, counted
from goldmark.stats.correlations.correlation import (
    NO_VARIATION,
    Method,
    correlation,
    dense,
    fisher_interval,
    jackknife_interval,
    of_codes,
    too_few_pairs,
)
from goldmark.stats.inference.bootstrap import ratio, too_few
from goldmark.stats.inference.jackknife import jackknife, parts_of, student_interval

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Level = Literal["segment", "item", "within-system", "system"]
Way = Literal["systems", "items", "outputs", "fisher", "none"]  # what is left out in turn, or Fisher's z

ENOUGH_SYSTEMS = 5  # fewer cannot stand for the systems that there might have been
ENOUGH_FOR_RANKS = 20
ENOUGH_ITEMS = 100  # over which means of systems are correlated
ROWS = 5_000_000  # outputs that rank correlations may touch in all resamples together before fewer are drawn
FEWEST = 200
HARDLY = 1e-8  # a spread below this share of the squares is lost in the rounding of sums


class OutputSums(NamedTuple):
    """What sums over a system's outputs say: how many there are, and of human and metric scores x and y."""

    n: int
    x: float
    y: float
    xx: float
    yy: float
    xy: float


class Related(NamedTuple):
    """How a metric goes with people's scores within one system: all that a board needs of its outputs."""

    sums: OutputSums
    spearman: float | None
    kendall: float | None


class ScoredOutputs(NamedTuple):
    """Outputs with both scores. Codes count from 0, in the order of names; None where a table does not tell."""

    human: Floats
    metric: Floats
    system: Codes | None
    item: Codes | None

    @classmethod
    def of(cls, human: Floats, metric: Floats, system: Codes | None, item: Codes | None) -> ScoredOutputs:
        """In an order of their own, so that no digit depends on the order of rows."""
        order = np.lexsort([metric, human, *(codes for codes in (item, system) if codes is not None)])
        in_order = (None if codes is None else codes[order] for codes in (system, item))
        return cls(human[order], metric[order], *in_order)


@dataclass(frozen=True)
class Draws:
    """How intervals are made. Every figure starts from the seed, so that it is the same whatever else is asked for."""

    resamples: int
    level: float
    seed: int

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


def relate(human: ArrayLike, metric: ArrayLike) -> Related:
    """Sums over the outputs where both scores are known, and the correlations of ranks, which no sums can give."""
    x, y = _in_order(np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64))
    return Related(_sums(x, y), correlation(x, y, "spearman").value, correlation(x, y, "kendall").value)


def _sums(x: Floats, y: Floats) -> OutputSums:
    """Of scores in order, so that the last digit depends on no order of rows."""
    return OutputSums(len(x), *(float(one.sum()) for one in (x, y, x * x, y * y, x * y)))


def _in_order(human: Floats, metric: Floats) -> tuple[Floats, Floats]:
    known = ~np.isnan(human) & ~np.isnan(metric)
    x, y = human[known], metric[known]
    order = np.lexsort((y, x))
    return x[order], y[order]


def pearson_of_sums(sums: Floats) -> Floats:
    """Pearson's correlation of each row of n, sum x, sum y, sum xx, sum yy, sum xy; NaN where there is none."""
    n, x, y, xx, yy, xy = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x, spread_y = n * xx - x**2, n * yy - y**2
        flat = (n < 2) | (spread_x <= 1e-12 * n * xx) | (spread_y <= 1e-12 * n * yy)
        value: Floats = np.where(flat, np.nan, (n * xy - x * y) / np.sqrt(spread_x * spread_y))
    return value


# --- from what is kept of systems -------------------------------------------------------------------------------------


def over_outputs(systems: Sequence[OutputSums], draws: Draws) -> Figure:
    """Pearson's r of all outputs together; systems are left out in turn for its interval."""
    if not systems:
        return Figure(None, reason="no system has both scores", used=0)
    table = np.array(systems, dtype=np.float64)
    outputs = int(table[:, 0].sum())
    whole = float(pearson_of_sums(table.sum(axis=0, keepdims=True))[0])
    if np.isnan(whole):
        return Figure(None, reason=too_few_pairs(outputs) or NO_VARIATION, used=outputs)
    if len(systems) < ENOUGH_SYSTEMS:
        return Figure(whole, reason=_few(len(systems), "system"), used=outputs)
    return _figure(whole, jackknife_interval(whole, _without(table), draws.level), outputs)


def mean_within(values: Sequence[float | None], of: Literal["system", "item"], draws: Draws) -> Figure:
    """The mean of the correlations within systems (or items) that have one; Student's interval over these."""
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    if not len(known):
        why = f"no {of} has two outputs whose scores differ" if len(values) else f"no {of} has both scores"
        return Figure(None, reason=why, used=0)
    mean = float(known.mean())
    if of == "system" and len(known) < ENOUGH_SYSTEMS:
        return Figure(mean, reason=_few(len(known), of), used=len(known))
    if len(known) < 2:
        return _figure(mean, too_few(len(known)), len(known))
    spread = jackknife((known.sum() - known) / (len(known) - 1), of)
    if isinstance(spread, Undefined) or spread.variance == 0:
        same = f"the correlations within {of}s are all the same"
        return Figure(mean, reason=spread.reason if isinstance(spread, Undefined) else same, used=len(known))
    low, high, _ = student_interval(mean, spread, draws.level)
    return Figure(mean, Interval(max(-1.0, low), min(1.0, high), draws.level), used=len(known))


def over_systems(human: ArrayLike, metric: ArrayLike, method: Method, level: float) -> Figure:
    """One pair of scores for each system, with Fisher's interval."""
    found = correlation(human, metric, method)
    if found.value is None:
        return Figure(None, reason=found.reason, used=found.n)
    return _fisher(found.value, found.n, method, level, "system")


def _fisher(value: float, n: int, method: Method, level: float, of: str) -> Figure:
    interval = fisher_interval(value, n, level, method)
    why = "on a straight line nothing is left to tell how far it might be off" if n >= ENOUGH_SYSTEMS else _few(n, of)
    return Figure(value, interval, "" if interval else why, used=n)


def _few(count: int, what: str) -> str:
    return f"{counted(count, what)}; {ENOUGH_SYSTEMS} are needed for an interval"


def _figure(value: float, interval: Interval | Undefined, used: int) -> Figure:
    if isinstance(interval, Interval):
        return Figure(value, interval, used=used)
    return Figure(value, reason=interval.reason, used=used)


# --- from a table of outputs ------------------------------------------------------------------------------------------


def usual_way(level: Level, outputs: ScoredOutputs) -> Way:
    """What an interval is made from unless somebody asks for another: what the question takes to be a sample."""
    if level == "system":
        return "fisher"
    if level == "item":
        return "items"
    if outputs.system is not None or level == "within-system":
        return "systems"
    return "items" if outputs.item is not None else "outputs"


def correlate(outputs: ScoredOutputs, level: Level, method: Method, way: Way, draws: Draws) -> Figure:
    """One figure of one metric: the correlation at a level, with its interval."""
    if level == "item":
        return _in_groups(outputs, outputs.item, "item", method, way, draws)
    if level == "within-system":
        return _in_groups(outputs, outputs.system, "system", method, way, draws)
    if level == "system":
        return _of_systems(outputs, method, way, draws)
    return _of_outputs(outputs, method, way, draws)


def system_means(outputs: ScoredOutputs) -> tuple[Floats, Floats]:
    """The mean of people's scores and of the metric's, of each system."""
    sums = [_sums(*_in_order(*pair)) for pair in _split(outputs, outputs.system)]
    return np.array([one.x / one.n for one in sums]), np.array([one.y / one.n for one in sums])


def affordable(wanted: int, outputs: int, method: Method) -> int:
    """As many resamples as asked for, or fewer (never below 200) where ranking so many outputs would take long."""
    if method == "pearson" or not outputs:
        return wanted
    return min(wanted, max(FEWEST, ROWS // outputs))


def _split(outputs: ScoredOutputs, groups: Codes | None) -> list[tuple[Floats, Floats]]:
    """Both scores of each group, in the order of groups."""
    if groups is None or not len(groups):
        return []
    order = np.argsort(groups, kind="stable")
    edges = np.flatnonzero(np.diff(groups[order])) + 1
    return [(outputs.human[rows], outputs.metric[rows]) for rows in np.split(order, edges)]


def _in_groups(
    outputs: ScoredOutputs, groups: Codes | None, of: Literal["system", "item"], method: Method, way: Way, draws: Draws
) -> Figure:
    values = [correlation(*_in_order(*pair), method).value for pair in _split(outputs, groups)]
    figure = mean_within(values, of, draws)
    return figure if way == f"{of}s" else _without_interval(figure, way)


def _of_systems(outputs: ScoredOutputs, method: Method, way: Way, draws: Draws) -> Figure:
    human, metric = system_means(outputs)
    figure = over_systems(human, metric, method, draws.level)
    if figure.value is None or way == "fisher":
        return figure
    if way == "systems":
        if len(human) < ENOUGH_SYSTEMS:
            return Figure(figure.value, reason=_few(len(human), "system"), used=figure.used)

        each = np.arange(len(human))
        left = [_or_nan(correlation(human[each != one], metric[each != one], method).value) for one in each]
        return _figure(figure.value, jackknife_interval(figure.value, left, draws.level), len(human))
    if way == "items" and outputs.item is not None and outputs.system is not None:
        if method != "pearson":
            why = "no interval: ranks of systems jump, and leaving items out does not show how far; leave out systems"
            return Figure(figure.value, reason=why, used=figure.used)
        return _items_left_out(figure, outputs, outputs.system, outputs.item, draws.level)
    return _without_interval(figure, way)


def _items_left_out(figure: Figure, outputs: ScoredOutputs, system: Codes, item: Codes, level: float) -> Figure:
    """The systems stay, for they are what the question is about; items are left out with all their outputs."""
    systems, items = int(system.max()) + 1, int(item.max()) + 1
    cell, size = system * items + item, systems * items
    columns = (np.ones(len(cell)), outputs.human, outputs.metric)
    count, human, metric = (np.bincount(cell, weights=one, minlength=size).reshape(systems, items).T for one in columns)
    below = count.sum(axis=0) - count
    left = [
        np.nan if np.isnan(x).any() else _or_nan(correlation(x, y, "pearson").value)
        for x, y in zip(ratio(human.sum(axis=0) - human, below), ratio(metric.sum(axis=0) - metric, below), strict=True)
    ]
    value = figure.value or 0.0
    found = _figure(value, jackknife_interval(value, left, level, attenuated=True), systems)
    if found.interval is None or items >= ENOUGH_ITEMS:
        return found
    few = f"{counted(items, 'item')}: with fewer than {ENOUGH_ITEMS} means of systems are too noisy for this interval"
    return replace(found, reason=few)


def _of_outputs(outputs: ScoredOutputs, method: Method, way: Way, draws: Draws) -> Figure:
    x, y = outputs.human, outputs.metric
    n = len(x)
    if method == "pearson" and outputs.system is not None and _sums_will_do(x) and _sums_will_do(y):
        figure = over_outputs([_sums(*_in_order(*pair)) for pair in _split(outputs, outputs.system)], draws)
        if figure.value is None or way == "systems":
            return figure
        value = figure.value
    else:
        found = correlation(*_in_order(x, y), method)
        if found.value is None:
            return Figure(None, reason=found.reason, used=n)
        value = found.value
    if way == "fisher":
        return _fisher(value, n, method, draws.level, "output")
    clusters = {"systems": outputs.system, "items": outputs.item, "outputs": np.arange(n)}.get(way)
    if clusters is None:
        return _without_interval(Figure(value, used=n), way)
    if way == "systems" and (systems := int(clusters.max()) + 1) < ENOUGH_SYSTEMS:
        return Figure(value, reason=_few(systems, "system"), used=n)
    figure = _figure(value, _clusters_left_out(value, x, y, clusters, method, draws), n)
    parts = int(clusters.max()) + 1
    if figure.interval is not None and method != "pearson" and parts < ENOUGH_FOR_RANKS:
        return replace(
            figure, reason=f"{parts} {way}: with fewer than {ENOUGH_FOR_RANKS} ranks give too wide an interval"
        )
    return figure


def _sums_will_do(values: Floats) -> bool:
    """Whether the spread of scores survives in the rounding of sums of their squares; a far-off zero drowns it."""
    return len(values) > 0 and float(np.var(values)) > HARDLY * float(np.mean(values * values))


def _clusters_left_out(
    value: float, x: Floats, y: Floats, clusters: Codes, method: Method, draws: Draws
) -> Interval | Undefined:
    """Clusters of outputs (systems, items, or single outputs) are left out in turn with all that belongs to them."""
    units = int(clusters.max()) + 1
    if units < 2:
        return too_few(units)
    if method == "pearson":
        a, b = x - x.mean(), y - y.mean()
        columns = (np.ones(len(a)), a, b, a * a, b * b, a * b)
        table = np.stack([np.bincount(clusters, weights=one, minlength=units) for one in columns], axis=1)
        return jackknife_interval(value, _without(table), draws.level)
    # Ranked once: what is left out changes no order. Of very many outputs, parts of the clusters are left out.
    human, metric = dense(x), dense(y)
    part = parts_of(units, min(draws.resamples, affordable(draws.resamples, len(x), method)), draws.rng())[clusters]
    kept = (part != one for one in range(int(part.max()) + 1))
    left = [_or_nan(of_codes(human[rows], metric[rows], method)) for rows in kept]
    return jackknife_interval(value, left, draws.level)


def _without(table: NDArray[Any]) -> Floats:
    """Pearson's r of sums without each of their rows."""
    return pearson_of_sums(np.asarray(table.sum(axis=0) - table, dtype=np.float64))


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _without_interval(figure: Figure, way: Way) -> Figure:
    if figure.value is None:
        return figure
    reasons = {"none": "", "fisher": "Fisher's interval is for pairs of scores, not for a mean of correlations"}
    return Figure(figure.value, reason=reasons.get(way, f"there are no {way} to resample here"), used=figure.used)
