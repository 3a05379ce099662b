"""Systems ranked by people's judgements: scores with their uncertainty, differences, and the ranks they leave possible.

The one engine behind `goldmark rank`, a campaign's results and leaderboards. Judgements go in, one `Ranking` comes out:

- **score**: the mean over items, each counting alike (or over single judgements);
- **interval and standard error**: from means of drawn items *and* people (`stats.ranks.crossed`); where the people are
  taken as they are, are unknown or only one, items alone are drawn, and the reason says what the interval leaves out;
- **ranks**: a system is surely better than another if its interval lies wholly above; or, if a test is named, if the
  test says so after correction for all pairs.

The scores draw first from the generator, so they are the same whether or not differences are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.coded import Codes
from goldmark.records.figures import Interval, Signature
from goldmark.stats.inference.bootstrap import percentile_interval
from goldmark.stats.ranks import rank_ranges
from goldmark.stats.ranks.crossed import resampled_by_both, resampled_by_item
from goldmark.stats.ranks.judgements import Floats, Judgements
from goldmark.stats.ranks.pairs import Compared, Test, compare_all, enough_permutations
from goldmark.stats.ranks.rank_ranges import Range, RankRange

Weigh = Literal["items", "judgements"]
Drawn = Literal["items and annotators", "items"]
PEOPLE_AS_THEY_ARE = "differences between people are not in the interval"


@dataclass(frozen=True)
class RankingRules:
    """How judgements become scores and ranks; every default is that of a leaderboard."""

    weigh: Weigh = "items"
    draw: Drawn = "items and annotators"  # what the intervals take to be drawn by chance
    resamples: int = 2000
    level: float = 0.95
    test: Test | None = None  # between every two systems; none: ranks come from intervals that do not meet
    permutations: int = 10_000
    alpha: float = 0.05


class SystemScore(NamedTuple):
    """A system's score; where there is no value or no interval, `reason` says why."""

    value: float | None
    low: float | None
    high: float | None
    error: float | None  # the standard error
    labels: int
    items: int
    annotators: int  # 0 where it is not known who judged
    drawn: Drawn  # what was resampled
    reason: str


@dataclass(frozen=True, eq=False)
class Ranking:
    """What judgements say of systems; everything that is one per system runs along `systems`, which are in order."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    item_means: Floats  # systems x items, NaN where there is no score
    scores: tuple[SystemScore, ...]
    ranks: tuple[RankRange | None, ...]  # none for a system without a score
    clusters: tuple[int | None, ...]
    differences: tuple[Compared, ...]  # of every two systems, if they were asked for
    rules: RankingRules
    permutations: int  # how many a test made, perhaps more than the rules ask for

    def order(self) -> list[int]:
        """Places of the systems, the best first; those without a score come last."""
        return sorted(range(len(self.systems)), key=lambda one: (*_down(self.scores[one].value), self.systems[one]))

    def pairs(self) -> list[Compared]:
        """The differences in that order, each from the side of the better system."""
        place = {system: position for position, system in enumerate(self.order())}
        turned = (one if place[one.first] < place[one.second] else one.turned() for one in self.differences)
        return sorted(turned, key=lambda one: (place[one.first], place[one.second]))

    def signature(self, *, z: bool, seed: int, **about: object) -> str:
        """How it was made, in one line; `about` says what it is about: which question, which round."""
        rules, drawn = self.rules, self.scores[0].drawn if self.scores else self.rules.draw
        made: dict[str, object] = {
            **about,
            "over": rules.weigh,
            "z": "annotator" if z else "no",
            "interval": "bootstrap",
            "resampled": drawn.replace(" ", "-"),
            "level": rules.level,
            "resamples": rules.resamples,
            "seed": seed,
            "ranks": f"{rules.test},holm" if rules.test else "intervals",
        }
        if rules.test:
            made["alpha"] = rules.alpha
        if rules.test == "permutation":
            made["permutations"] = self.permutations
        return str(Signature.of(figure="mean", **made))


def rank(
    judged: Judgements, rules: RankingRules | None = None, *, rng: np.random.Generator, differences: bool = False
) -> Ranking:
    """Score and rank the systems, which share the drawn people and items. `differences` compares every two of them."""
    rules = rules or RankingRules()
    means = judged.item_means()
    scores = _scores(judged, means, rules, rng)
    permutations = enough_permutations(len(scores), rules.test, rules.permutations, rules.alpha)
    compared: list[Compared] = []
    if differences or rules.test:
        compared = compare_all(
            means, rules.test, resamples=rules.resamples, permutations=permutations, level=rules.level, rng=rng
        )
    known = [place for place, one in enumerate(scores) if one.value is not None]
    better = _by_tests(compared, scores, rules) if rules.test else _by_intervals(scores)
    better = better[np.ix_(known, known)]
    ranges = (
        rank_ranges.by_tests(better) if rules.test else rank_ranges.by_intervals([_range(scores[i]) for i in known])
    )
    best_first = sorted(range(len(known)), key=lambda one: (*_down(scores[known[one]].value), one))
    groups = rank_ranges.clusters(best_first, better)
    ranks: list[RankRange | None] = [None] * len(scores)
    clusters: list[int | None] = [None] * len(scores)
    for place, found, group in zip(known, ranges, groups, strict=True):
        ranks[place], clusters[place] = found, group
    return Ranking(
        judged.systems,
        judged.items,
        means,
        tuple(scores),
        tuple(ranks),
        tuple(clusters),
        tuple(compared),
        rules,
        permutations,
    )


def _scores(judged: Judgements, means: Floats, rules: RankingRules, rng: np.random.Generator) -> list[SystemScore]:
    drawn: Drawn = rules.draw if len(judged.annotators) > 1 else "items"
    total, count = judged.cells()
    if rules.weigh == "items":
        above, below = np.nan_to_num(means), (count > 0).astype(np.float64)
    else:
        above, below = total, count.astype(np.float64)
    if not len(judged):
        replicates = np.full((rules.resamples, len(judged.systems)), np.nan)
    elif drawn == "items":
        replicates = resampled_by_item(above, below, resamples=rules.resamples, rng=rng)
    else:
        # So that each item counts alike in a system's mean, however often it was judged; or each judgement.
        weight = 1 / count[judged.system, judged.item] if rules.weigh == "items" else np.ones(len(judged))
        replicates = resampled_by_both(judged, weight, resamples=rules.resamples, level=rules.level, rng=rng)
    columns = np.ascontiguousarray(replicates.T)
    starts = judged.starts()
    return [
        _score(
            above[one][below[one] > 0],
            below[one][below[one] > 0],
            columns[one],
            judged.annotator[starts[one] : starts[one + 1]] if judged.annotators else None,
            int(count[one].sum()),
            drawn,
            rules.level,
        )
        for one in range(len(judged.systems))
    ]


def _score(
    above: Floats, below: Floats, replicates: Floats, annotator: Codes | None, labels: int, drawn: Drawn, level: float
) -> SystemScore:
    people = 0 if annotator is None else len(np.unique(annotator))
    items = len(above)
    if not items:
        return SystemScore(None, None, None, None, labels, 0, people, drawn, "nobody has judged it")
    value = float(above.sum() / below.sum())
    if items < 2:
        why = "one item alone cannot be resampled"
        return SystemScore(value, None, None, None, labels, items, people, drawn, why)
    interval = percentile_interval(replicates, level=level)
    if not isinstance(interval, Interval):
        return SystemScore(value, None, None, None, labels, items, people, drawn, interval.reason)
    reason = PEOPLE_AS_THEY_ARE if drawn == "items" else ""
    error = float(replicates[~np.isnan(replicates)].std(ddof=1))
    return SystemScore(value, interval.low, interval.high, error, labels, items, people, drawn, reason)


def _range(score: SystemScore) -> Range:
    return Range.of(score.low, score.high)


def _by_intervals(scores: Sequence[SystemScore]) -> NDArray[np.bool_]:
    low, high = np.array([_range(one) for one in scores]).reshape(-1, 2).T
    better: NDArray[np.bool_] = low[:, None] > high[None, :]
    return better


def _by_tests(compared: Sequence[Compared], scores: Sequence[SystemScore], rules: RankingRules) -> NDArray[np.bool_]:
    better = np.zeros((len(scores), len(scores)), dtype=bool)
    for pair in compared:
        if pair.adjusted is not None and pair.adjusted < rules.alpha and pair.difference:
            winner, loser = (pair.first, pair.second) if pair.difference > 0 else (pair.second, pair.first)
            better[winner, loser] = True
    return better


def _down(value: float | None) -> tuple[bool, float]:
    """A key that sorts the highest value first and none last."""
    return value is None, -(value or 0.0)


def bhatia_davis(mean: float, n: int, low: float = 0.0, high: float = 1.0) -> float:
    """The largest standard error that the mean of n scores between `low` and `high` can have."""
    return math.sqrt(max(0.0, (high - mean) * (mean - low)) / n)
