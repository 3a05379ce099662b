"""The rows of a table of results: a figure with its interval, what it rests on, and why something is missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from goldmark.records.figures import Figure
from goldmark.records.tables import Cell
from goldmark.results.inputs.groups import Rows
from goldmark.results.options import AnalysisOptions
from goldmark.stats.inference.scales import Ends
from goldmark.stats.ranks.clustered_shares import clustered_shares
from goldmark.stats.ranks.judgements import Judgements, by_name
from goldmark.stats.ranks.ranking import Ranking, RankingRules, SystemScore, rank


def ranked(
    rows: Rows, scores: ArrayLike, settings: AnalysisOptions, ends: Ends | None, *, differences: bool = False
) -> Ranking:
    """The one ranking engine, for scores between these ends; `differences` lists every two groups."""
    rules = RankingRules(resamples=settings.resamples, level=settings.level, alpha=settings.alpha, ends=ends)
    return rank(rows.judged(scores), rules, rng=settings.rng(), differences=differences)


def of_score(score: SystemScore) -> dict[str, Cell]:
    """A mean with its interval."""
    return {
        "value": score.value,
        "low": score.low,
        "high": score.high,
        "standard_error": score.error,
        "n": score.labels,
        "items": score.items,
        "annotators": score.annotators or None,
        "reason": score.reason,
    }


def shares(rows: Rows, chosen: ArrayLike, settings: AnalysisOptions) -> dict[str, tuple[Figure, int]]:
    """By group the share of a yes-or-no (or a half) over its rows, with Wilson's interval for clustered answers.

    Given with each is how many rows are yes.
    """
    values = np.asarray(chosen, dtype=np.float64)
    names, group = by_name(rows.group)
    items, item = by_name(rows.item)
    people, person = by_name(rows.annotator)
    known = people if people != ("",) else ()
    judged = Judgements(names, items, known, group, item, person, values)
    yes = np.bincount(group, weights=values, minlength=len(names))
    made = clustered_shares(judged, settings.level)
    return {name: (figure, int(count)) for name, figure, count in zip(names, made, yes, strict=True)}
