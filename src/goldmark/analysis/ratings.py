"""Rank systems by people's scores: means with their uncertainty, pairwise tests, rank ranges (GENIE 6, WMT)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.analysis.settings import counted, with_interval
from goldmark.errors import GoldmarkError
from goldmark.records.columns import Checked, Column, Columns, Frame
from goldmark.records.figures import Interval, Signature, Undefined
from goldmark.records.tables import Cell, Table
from goldmark.stats import ranking, tests
from goldmark.stats.bootstrap import bootstrap_mean, percentile_interval
from goldmark.stats.pairs import Compared, Test, compare_all

Floats = NDArray[np.float64]
Weigh = Literal["items", "judgements"]

RATINGS = Columns(
    Column("system", about="whose output was judged"),
    Column("item", about="which test item; items are shared between systems"),
    Column("annotator", about="who judged; without it only items are resampled", optional=True),
    Column("score", "number", about="the score; empty where there is none", empty=True),
)

MOST_FLIPS = 50_000  # more permutations than this take longer than another test is worth


class NoScores(GoldmarkError):
    code = "RANK-01"
    message = "{source} leaves no scores to rank: {why}"


class ScoreOutsideScale(GoldmarkError):
    code = "RANK-02"
    message = "scores run from {low:g} to {high:g}, outside the scale {minimum:g} to {maximum:g} that was given"


@dataclass(frozen=True)
class RankOptions:
    """How to rank; the defaults are what a leaderboard would want."""

    z: bool = False
    weigh: Weigh = "items"
    test: Test = "permutation"
    minimum: float | None = None
    maximum: float | None = None
    resamples: int = 2000
    permutations: int = 10_000
    level: float = 0.95
    alpha: float = 0.05
    seed: int = 17
    keep: Mapping[str, Sequence[str]] = field(default_factory=dict)  # only rows with one of these values


class Ranking(NamedTuple):
    systems: Table
    pairs: Table


class _Scores(NamedTuple):
    names: list[str]
    system: ranking.Codes
    item: ranking.Codes
    annotator: ranking.Codes | None
    score: Floats
    notes: list[str]


def rank(frame: Frame, options: RankOptions, names: Mapping[str, str] | None = None) -> Ranking:
    """Standings and pairwise comparisons of the systems of a table of scores."""
    rng = np.random.default_rng(options.seed)
    checked = RATINGS.check(frame, names, options=True)
    scores = _scores(frame, checked, options)
    systems, items = len(scores.names), int(scores.item.max()) + 1
    cells = ranking.item_means(scores.system, scores.item, scores.score, systems, items)
    weight = _weights(scores, options.weigh, systems, items)
    total = np.bincount(scores.system, weights=weight, minlength=systems)
    mean = np.bincount(scores.system, weights=weight * scores.score, minlength=systems) / total
    notes = scores.notes
    intervals = _intervals(scores, cells, weight, options, rng, notes)
    pairs = compare_all(
        cells,
        options.test,
        resamples=options.resamples,
        permutations=_flips(systems, options, notes),
        level=options.level,
        rng=rng,
    )
    adjusted = tests.holm([pair.p for pair in pairs])
    better = np.zeros((systems, systems), dtype=bool)
    for pair, p in zip(pairs, adjusted, strict=True):
        if p is not None and p < options.alpha and pair.difference:
            winner, loser = (pair.first, pair.second) if pair.difference > 0 else (pair.second, pair.first)
            better[winner, loser] = True
    signature = _signature(options, scores)
    standings = _standings(scores, cells, mean, intervals, better, options, notes)
    return Ranking(
        Table.of("Systems by score", standings, notes=tuple(notes), signature=signature, labels=STANDING_LABELS),
        _pair_table(scores.names, mean, pairs, adjusted, options, signature),
    )


STANDING_LABELS = {"standard_error": "s.e.", "bound": "s.e. at most", "mean": "score [95 %]"}


def _scores(frame: Frame, checked: Checked, options: RankOptions) -> _Scores:
    notes: list[str] = []
    keep = np.ones(len(frame), dtype=bool)
    for column, wanted in options.keep.items():
        Columns(column).check(frame)
        keep &= np.isin(np.array([cell.strip() for cell in frame.cells[column]]), list(wanted))
    if not keep.all():
        told = ", ".join(f"{column} = {' or '.join(wanted)}" for column, wanted in options.keep.items())
        notes.append(f"left out: {int((~keep).sum()):,} of {counted(len(frame), 'judgement')}; kept only {told}")
    score = np.array([np.nan if value is None else value for value in checked.numbers("score")])
    empty = np.isnan(score)
    if (empty & keep).any():
        notes.append(f"left out: {counted(int((empty & keep).sum()), 'judgement')} without a score")
    people = ranking.encode(checked.texts("annotator"))[1] if "annotator" in checked else None
    if options.z:
        if people is None:
            raise NoScores(source=frame.source, why="z-scores need a column that says who judged")
        score[~empty] = ranking.standardise(people[~empty], score[~empty])
        lost = np.isnan(score) & ~empty
        if lost.any():
            count = len(np.unique(people[lost]))
            notes.append(
                f"left out: {counted(int(lost.sum()), 'judgement')} of {counted(count, 'annotator')} "
                "whose scores never vary and so have no z-scores"
            )
    keep &= ~np.isnan(score)
    if not keep.any():
        raise NoScores(source=frame.source, why="; ".join(notes) or "it is empty")
    rows = np.flatnonzero(keep)
    systems, items = checked.texts("system"), checked.texts("item")
    names, system = ranking.encode([systems[row] for row in rows])
    _, item = ranking.encode([items[row] for row in rows])
    annotator = None if people is None else np.unique(people[rows], return_inverse=True)[1].astype(np.int64)
    return _Scores(names, system, item, annotator, score[rows], notes)


def _people(scores: _Scores) -> int:
    return 0 if scores.annotator is None else int(scores.annotator.max()) + 1


def _weights(scores: _Scores, weigh: Weigh, systems: int, items: int) -> Floats:
    """So that each item counts alike in a system's mean, however often it was judged; or each judgement."""
    if weigh == "judgements":
        return np.ones(len(scores.score))
    cell = scores.system * items + scores.item
    weights: Floats = 1 / np.bincount(cell, minlength=systems * items)[cell]
    return weights


def _intervals(
    scores: _Scores, cells: Floats, weight: Floats, options: RankOptions, rng: np.random.Generator, notes: list[str]
) -> list[Interval | Undefined]:
    people = _people(scores)
    if scores.annotator is not None and people > 1:
        means = ranking.pigeonhole(
            scores.system, scores.item, scores.annotator, scores.score, weight, resamples=options.resamples, rng=rng
        )
        found = [percentile_interval(means[:, place], level=options.level) for place in range(len(scores.names))]
        notes.append(
            f"intervals: {counted(int(scores.item.max()) + 1, 'item')} and {people:,} annotators resampled together"
        )
    else:
        found = []
        for place in range(len(scores.names)):
            values = (
                cells[place][~np.isnan(cells[place])]
                if options.weigh == "items"
                else scores.score[scores.system == place]
            )
            found.append(bootstrap_mean(values, rng=rng, resamples=options.resamples, level=options.level))
        who = "the annotator is one and the same" if people else "annotators were not told apart"
        notes.append(f"intervals: items resampled; {who}, so that differences between people are not in them")
    reasons = {
        f"{name} has no interval: {interval.reason}"
        for name, interval in zip(scores.names, found, strict=True)
        if isinstance(interval, Undefined)
    }
    notes.extend(sorted(reasons))
    return found


def _flips(systems: int, options: RankOptions, notes: list[str]) -> int:
    """Enough permutations that a p-value can still be significant after correction for all pairs."""
    pairs = systems * (systems - 1) // 2
    needed = math.ceil(2 * pairs / options.alpha)
    if options.test != "permutation" or needed <= options.permutations:
        return options.permutations
    flips = min(needed, max(options.permutations, MOST_FLIPS))
    if flips < needed:
        notes.append(
            f"{pairs:,} pairs are too many for {flips:,} permutations to find small differences; use --test signed-rank"
        )
    else:
        notes.append(f"{flips:,} permutations, because {pairs:,} pairs are corrected for")
    return flips


def _standings(
    scores: _Scores,
    cells: Floats,
    mean: Floats,
    intervals: list[Interval | Undefined],
    better: NDArray[np.bool_],
    options: RankOptions,
    notes: list[str],
) -> list[dict[str, Cell]]:
    scale = _scale(scores.score, options, notes)
    ranges = ranking.rank_ranges(mean, better)
    groups = ranking.clusters(mean, better)
    judged = np.bincount(scores.system, minlength=len(scores.names))
    rows: list[dict[str, Cell]] = []
    for place in np.argsort(-mean, kind="stable"):
        items = cells[place][~np.isnan(cells[place])]
        # The unit of the standard error is what was averaged: items, or single judgements.
        units = items if options.weigh == "items" else scores.score[scores.system == place]
        interval = intervals[place]
        rows.append(
            {
                "system": scores.names[place],
                "rank": f"{ranges[place].best}-{ranges[place].worst}"
                if ranges[place].best < ranges[place].worst
                else str(ranges[place].best),
                "cluster": groups[place],
                "mean": float(mean[place]),
                "mean_low": interval.low if isinstance(interval, Interval) else None,
                "mean_high": interval.high if isinstance(interval, Interval) else None,
                "standard_error": float(units.std(ddof=1) / np.sqrt(len(units))) if len(units) > 1 else None,
                "bound": ranking.bhatia_davis(float(mean[place]), len(units), *scale) if scale else None,
                "items": len(items),
                "judgements": int(judged[place]),
            }
        )
    return rows


def _scale(score: Floats, options: RankOptions, notes: list[str]) -> tuple[float, float] | None:
    low, high = float(score.min()), float(score.max())
    if options.z:
        notes.append("no bound of the standard error: z-scores have no ends")
        return None
    if options.minimum is None and options.maximum is None and low >= 0 and high <= 1:
        return 0.0, 1.0
    if options.minimum is None or options.maximum is None:
        notes.append(
            f"no bound of the standard error: scores run from {low:g} to {high:g}; "
            "say where the scale ends with --minimum and --maximum"
        )
        return None
    if low < options.minimum or high > options.maximum:
        raise ScoreOutsideScale(low=low, high=high, minimum=options.minimum, maximum=options.maximum)
    return options.minimum, options.maximum


def _pair_table(
    names: list[str],
    mean: Floats,
    pairs: list[Compared],
    adjusted: list[float | None],
    options: RankOptions,
    signature: str,
) -> Table:
    rows: list[dict[str, Cell]] = []
    for pair, p in zip(pairs, adjusted, strict=True):
        gap, interval = pair.difference, pair.interval
        upper, lower = pair.first, pair.second
        if mean[upper] < mean[lower]:
            upper, lower = lower, upper
            gap = None if gap is None else -gap
            interval = interval and Interval(-interval.high, -interval.low, interval.level)
        rows.append(
            {
                "first": names[upper],
                "second": names[lower],
                **with_interval("difference", gap, interval),
                "shared_items": pair.shared,
                "p": pair.p,
                "p_holm": p,
                "significant": None if p is None else p < options.alpha,
                "reason": pair.reason,
            }
        )
    order = {name: place for place, name in enumerate(np.array(names)[np.argsort(-mean, kind="stable")])}
    rows.sort(key=lambda row: (order[str(row["first"])], order[str(row["second"])]))
    notes = ("differences on the items that both have, which are resampled",) if options.test != "rank-sum" else ()
    return Table.of("Pairs of systems", rows, notes=notes, signature=signature, labels={"p_holm": "p (Holm)"})


def _signature(options: RankOptions, scores: _Scores) -> str:
    return str(
        Signature.of(
            figure="mean",
            over=options.weigh,
            z="annotator" if options.z else "no",
            interval="pigeonhole" if _people(scores) > 1 else "percentile",
            resamples=options.resamples,
            test=options.test,
            correction="holm",
            alpha=options.alpha,
            seed=options.seed,
        )
    )
