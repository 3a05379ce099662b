"""Rank systems by people's scores: a tidy table in, tables of scores, ranks and differences out (GENIE 6, WMT).

The numbers are those of `stats.ranks.ranking`, the same engine that scores the rounds of a leaderboard.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError
from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Column, Columns, Frame
from goldmark.results.inputs.files.rating_rows import named_items, rating_rows, scale_ends, score_column
from goldmark.results.options import with_interval
from goldmark.stats.inference.scales import OPEN, Ends, told_ends
from goldmark.stats.ranks import ranking
from goldmark.stats.ranks.judgements import Judgements, standardise
from goldmark.stats.ranks.pairs import AS_THEY_ARE, needed_permutations

RATINGS = Columns(
    Column("system", about="whose output was judged"),
    Column("item", about="which test item; items are shared between systems"),
    Column("annotator", about="who judged; without it only items are resampled", optional=True),
    Column("score", "number", about="the score; empty where there is none", empty=True),
)


class NoScores(GoldmarkError):
    code = "RANK-01"
    message = "{source} leaves no scores to rank: {why}"


class ScoreOutsideScale(GoldmarkError):
    code = "RANK-02"
    message = "scores run from {low:g} to {high:g}, outside the scale {minimum:g} to {maximum:g} that was given"


@dataclass(frozen=True)
class RankOptions(ranking.RankingRules):
    """How to rank: the rules of the engine, and what of a table counts."""

    z: bool = False
    minimum: float | None = None
    maximum: float | None = None
    seed: int = 17
    keep: Mapping[str, Sequence[str]] = field(default_factory=dict)  # only rows with one of these values


class Ranked(NamedTuple):
    """Tables for people, and the numbers they show."""

    systems: Table
    pairs: Table
    matrix: Table
    ranking: ranking.Ranking


def rank(frame: Frame, options: RankOptions, names: Mapping[str, str] | None = None) -> Ranked:
    """Scores, ranks and differences of the systems of a table of judgements; `names` says how it calls its columns."""
    judged, notes = judgements(frame, options, names)
    ends = _ends(judged.score, options, scale_ends(frame))
    rules = replace(options, ends=ends)
    found = ranking.rank(judged, rules, rng=np.random.default_rng(options.seed), differences=True)
    notes += _about_intervals(judged, found) + _about_permutations(found)
    scale = found.ends if math.isfinite(found.ends[1] - found.ends[0]) else None
    if scale is None:
        notes.append(_no_bound(judged.score, options))
    signature = found.signature(z=options.z, seed=options.seed)
    labels = {
        "rank_alone": "rank, alone",
        "standard_error": "s.e.",
        "bound": "s.e. at most",
        "mean": f"score [{100 * options.level:g} %]",
    }
    systems = [_row(found, place, scale) for place in found.order()]
    return Ranked(
        Table.of("Systems by score", systems, notes=tuple(notes), signature=signature, labels=labels),
        pair_table(found, signature),
        matrix_table(found, signature),
        found,
    )


def judgements(
    frame: Frame, options: RankOptions, names: Mapping[str, str] | None = None
) -> tuple[Judgements, list[str]]:
    """The judgements of a table that count, and what was left out."""
    named = dict(names or {})
    named["score"] = score_column(frame, named.get("score", ""))
    if "item" not in named:
        frame = named_items(frame)
    systems = frame.cells.get(named.get("system", "system"))
    if systems is not None and not any(cell.strip() for cell in systems):
        raise NoScores(source=frame.source, why="no row says which system it is about")
    checked = RATINGS.check(frame, named, options=True)
    rows = rating_rows(frame, options.keep)
    notes = list(rows.notes)
    score = np.array([np.nan if value is None else value for value in checked.numbers("score")], dtype=np.float64)
    score[~rows.judged] = np.nan
    empty = np.isnan(score)
    if (empty & rows.kept).any():
        notes.append(f"left out: {counted(int((empty & rows.kept).sum()), 'judgement')} without a score")
    people = checked.texts("annotator") if "annotator" in checked else None
    if options.z:
        if people is None:
            raise NoScores(source=frame.source, why="z-scores need a column that says who judged")
        score = standardise(people, score)
        notes += _never_varying(np.isnan(score) & ~empty, people)
    kept = np.flatnonzero(rows.kept).tolist()
    if np.isnan(score[kept]).all():
        raise NoScores(source=frame.source, why="; ".join(notes) or "it is empty")
    of, on = checked.texts("system"), checked.texts("item")
    by = None if people is None else [people[row] for row in kept]
    return Judgements.of([of[row] for row in kept], [on[row] for row in kept], by, score[kept]), notes


def _never_varying(lost: NDArray[np.bool_], people: Sequence[str]) -> list[str]:
    if not lost.any():
        return []
    who = {people[row] for row in np.flatnonzero(lost).tolist()}
    return [
        f"left out: {counted(int(lost.sum()), 'judgement')} of {counted(len(who), 'annotator')} "
        "whose scores never vary and so have no z-scores"
    ]


def _about_intervals(judged: Judgements, found: ranking.Ranking) -> list[str]:
    items, people = counted(len(judged.items), "item"), len(judged.annotators)
    if any(one.drawn == "items and annotators" for one in found.scores):
        return [f"intervals: other items and other annotators could have been drawn ({items}, {people:,} annotators)"]
    who = (
        "annotators were not told apart"
        if not people
        else "the annotator is one and the same"
        if people == 1
        else "annotators are taken as they are"
    )
    return [
        f"intervals: other items could have been drawn ({items}); {who}, so differences between people are not in them"
    ]


def _about_permutations(found: ranking.Ranking) -> list[str]:
    pairs, made = len(found.differences), found.permutations
    if made > found.rules.permutations:
        return [f"{made:,} permutations, because {pairs:,} pairs are corrected for"]
    if found.rules.test == "permutation" and made < needed_permutations(len(found.systems), found.rules.alpha):
        return [
            f"{pairs:,} pairs are too many for {made:,} permutations to find small differences; use --test signed-rank"
        ]
    return []


def _row(found: ranking.Ranking, place: int, scale: tuple[float, float] | None) -> dict[str, Cell]:
    score, ranks, alone = found.scores[place], found.ranks[place], found.alone[place]
    bound = None
    if scale is not None and score.value is not None:
        # About what was averaged: items, or single judgements.
        averaged = score.items if found.rules.weigh == "items" else score.labels
        bound = ranking.bhatia_davis(score.value, averaged, *scale)
    return {
        "system": found.systems[place],
        "rank": "" if ranks is None else str(ranks),
        **({} if found.rules.test else {"rank_alone": "" if alone is None else str(alone)}),
        "cluster": found.clusters[place],
        "mean": score.value,
        "mean_low": score.low,
        "mean_high": score.high,
        "standard_error": score.error,
        "bound": bound,
        "items": score.items,
        "annotators": score.annotators or None,
        "judgements": score.labels,
        "reason": "" if score.low is not None and score.reason == ranking.PEOPLE_AS_THEY_ARE else score.reason,
    }


def _ends(score: NDArray[np.float64], options: RankOptions, told: Ends | None) -> Ends | None:
    """Where the scale ends: as the options say, else the table, else nobody."""
    if options.z:
        return OPEN  # standard deviations have no ends
    given = told_ends(options.minimum, options.maximum)
    least, most = float(score.min()), float(score.max())
    if given is not None and (least < given[0] or most > given[1]):
        raise ScoreOutsideScale(low=least, high=most, minimum=given[0], maximum=given[1])
    return given or told


def _no_bound(score: NDArray[np.float64], options: RankOptions) -> str:
    if options.z:
        return "no bound of the standard error: z-scores have no ends"
    return (
        f"no bound of the standard error, and intervals that may leave the scale: scores run from {score.min():g} to "
        f"{score.max():g}; say where the scale ends with --minimum and --maximum"
    )


def pair_table(found: ranking.Ranking, signature: str) -> Table:
    """Every two systems, the better first."""
    rows: list[dict[str, Cell]] = [
        {
            "first": found.systems[pair.first],
            "second": found.systems[pair.second],
            **with_interval("difference", pair.difference, pair.interval),
            "shared_items": pair.shared,
            "p": pair.p,
            "p_adjusted": pair.adjusted,
            "significant": found.sure(pair),
            "reason": pair.reason,
        }
        for pair in found.pairs()
    ]
    return Table.of("Pairs of systems", rows, notes=(_about_pairs(found),), signature=signature, labels=PAIRS)


PAIRS = {"p_adjusted": "p (all pairs)", "significant": "differ"}


def _about_pairs(found: ranking.Ranking) -> str:
    if found.rules.test:
        taken = f"p by {found.rules.test}, which {AS_THEY_ARE}; p (all pairs) is corrected by Holm"
    else:
        taken = "p (all pairs) is corrected by step-down, so that it holds for every pair at once"
    return f"differences on the items that both have; intervals and p are of one pair alone; {taken}"


SURELY, PERHAPS = "*", ""


def matrix_table(found: ranking.Ranking, signature: str) -> Table:
    """The difference of each system (row) from each other (column), marked where it surely is one."""
    order = found.order()
    cells = {(one.first, one.second): one for pair in found.differences for one in (pair, pair.turned())}
    rows: list[dict[str, Cell]] = []
    for place in order:
        row: dict[str, Cell] = {"system": found.systems[place]}
        for number, other in enumerate(order, start=1):
            pair = cells.get((place, other))
            row[f"{number}"] = (
                ""
                if pair is None or pair.difference is None
                else f"{pair.difference:+.3f}{SURELY if found.sure(pair) else PERHAPS}"
            )
        rows.append(row)
    labels = {f"{number}": found.systems[other] for number, other in enumerate(order, start=1)}
    note = "row minus column; * marks differences that remain after correction for all pairs"
    return Table.of("Every two systems", rows, notes=(note,), signature=signature, labels=labels)
