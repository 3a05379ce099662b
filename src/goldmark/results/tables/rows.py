"""The rows of a table of results: a figure with its interval, what it rests on, and why something is missing."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from goldmark.records.figures import Figure, Interval
from goldmark.records.tables import Cell
from goldmark.results.inputs.groups import Rows
from goldmark.results.options import AnalysisOptions
from goldmark.stats.inference.proportions import clustered_interval
from goldmark.stats.ranks.crossed import crossed_variance
from goldmark.stats.ranks.judgements import by_name
from goldmark.stats.ranks.pairs import Test
from goldmark.stats.ranks.ranking import Ranking, RankingRules, SystemScore, rank

PAIRED: Final[Test] = "permutation"
UNPAIRED: Final[Test] = "rank-sum"


def ranked(rows: Rows, scores: ArrayLike, settings: AnalysisOptions, *, test: bool = False) -> Ranking:
    """The one ranking engine; `test` compares every two groups.

    The test is paired by item where any two groups share items, and by rank sums where none do.
    """
    judged = rows.judged(scores)
    rules = RankingRules(
        resamples=settings.resamples,
        level=settings.level,
        alpha=settings.alpha,
        test=(PAIRED if _share_items(rows) else UNPAIRED) if test else None,
    )
    return rank(judged, rules, rng=settings.rng(), differences=test)


def _share_items(rows: Rows) -> bool:
    """Whether any item has outputs of two groups."""
    groups = len(rows.group.names)
    pairs = np.unique(rows.item.codes * np.int64(groups) + rows.group.codes)
    return len(pairs) > len(np.unique(rows.item.codes))


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
    _, item = by_name(rows.item)
    people, person = by_name(rows.annotator)
    found = {}
    for place, name in enumerate(names):
        own = group == place
        found[name] = _share(values[own], item[own], person[own], settings, known=people != ("",))
    return found


def _share(
    values: np.ndarray, item: np.ndarray, person: np.ndarray, settings: AnalysisOptions, *, known: bool
) -> tuple[Figure, int]:
    n, share = len(values), float(values.mean())
    part = (values - share) / n
    items, people = len(np.unique(item)), len(np.unique(person))
    variance = crossed_variance(item, person, part)
    # One person alone tells nothing of how people differ; then items are what is independent.
    clusters = min(items, people) if known and people > 1 else items
    if clusters < 2:
        return Figure(share, reason="one item alone says nothing of others", used=n), int(values.sum())
    interval = clustered_interval(share, variance, clusters, n, settings.level)
    why = "" if known and people > 1 else "differences between people are not in the interval"
    return Figure(share, Interval(interval.low, interval.high, settings.level), why, used=n), int(values.sum())
