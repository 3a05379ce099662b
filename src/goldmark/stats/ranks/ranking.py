"""Systems ranked by people's judgements: scores with their uncertainty, differences, and the ranks they leave possible.

The one engine behind `goldmark rank`, a campaign's results and leaderboards. Judgements go in, one `Ranking` comes out:

- **score**: the mean over items, each counting alike (or over single judgements);
- **interval and standard error**: with the variance of a mean with two crossed clusters, items and people
  (`stats.ranks.evidence`); where the people are taken as they are, are unknown or only one, items alone, and the reason
  says what the interval leaves out. Student's t, bent where the scale has ends (`stats.inference.scales`);
- **differences** of every two systems: the same on the items that both have;
- **ranks**: those that step-down tests of all differences leave possible (`stats.ranks.rank_sets`); or, if a test is
  named, those that the test leaves possible after Holm's correction for all pairs.

Only ranks draw from the generator, so scores are the same whatever the seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Signature
from goldmark.stats.inference.jackknife import Spread
from goldmark.stats.inference.scales import OPEN, SHARE, Ends, ends_of, few_apart, scale_interval
from goldmark.stats.ranks import rank_sets
from goldmark.stats.ranks.evidence import SystemEvidence, evidence
from goldmark.stats.ranks.judgements import Floats, Judgements
from goldmark.stats.ranks.pairs import (
    FEW,
    FEW_PEOPLE,
    ONE_ITEM,
    ONE_PERSON,
    Compared,
    Differences,
    Test,
    compare_by_test,
    differences,
    enough_permutations,
    rounding,
)
from goldmark.stats.ranks.rank_ranges import RankRange, clusters, rank_ranges

Weigh = Literal["items", "judgements"]
Drawn = Literal["items and annotators", "items"]
PEOPLE_AS_THEY_ARE = "differences between people are not in the interval"
NO_VARIANCE = "its scores never vary, so nothing tells how far they would move"


@dataclass(frozen=True)
class RankingRules:
    """How judgements become scores and ranks; every default is that of a leaderboard."""

    weigh: Weigh = "items"
    draw: Drawn = "items and annotators"  # what the intervals take to be drawn by chance
    resamples: int = 2000  # how often estimates are drawn for the ranks, if affordable
    level: float = 0.95  # of intervals and of the ranges of ranks
    test: Test | None = None  # between every two systems; none: ranks come from step-down tests of differences
    permutations: int = 10_000
    alpha: float = 0.05
    ends: Ends | None = None  # of the scale; none: not said, and 0 and 1 if all scores lie there

    @property
    def open_share(self) -> float:
        """How often ranges of ranks may fail."""
        return round(1 - self.level, 12)


class SystemScore(NamedTuple):
    """A system's score; where there is no value or no interval, `reason` says why."""

    value: float | None
    low: float | None
    high: float | None
    error: float | None  # the standard error
    labels: int
    items: int
    annotators: int  # 0 where it is not known who judged
    drawn: Drawn  # what the interval takes to be drawn by chance
    reason: str


@dataclass(frozen=True, eq=False)
class Ranking:
    """What judgements say of systems; everything that is one per system runs along `systems`, which are in order."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    item_means: Floats  # systems x items, NaN where there is no score
    scores: tuple[SystemScore, ...]
    ranks: tuple[RankRange | None, ...]  # that hold for all systems at once; none for a system without a score
    alone: tuple[RankRange | None, ...]  # that hold for one system, if no other is looked at
    clusters: tuple[int | None, ...]
    differences: tuple[Compared, ...]  # of every two systems, if they were asked for
    rules: RankingRules
    evidence: SystemEvidence
    ends: Ends  # between which scores can lie
    draws: int  # how often estimates were drawn for the ranks
    permutations: int  # how many a test made, perhaps more than the rules ask for

    def order(self) -> list[int]:
        """Places of the systems, the best first; those without a score come last."""
        return sorted(range(len(self.systems)), key=lambda one: (*_down(self.scores[one].value), self.systems[one]))

    def pairs(self) -> list[Compared]:
        """The differences in that order, each from the side of the better system."""
        place = {system: position for position, system in enumerate(self.order())}
        turned = (one if place[one.first] < place[one.second] else one.turned() for one in self.differences)
        return sorted(turned, key=lambda one: (place[one.first], place[one.second]))

    def sure(self, pair: Compared) -> bool | None:
        """Whether a difference is one, after correction for all pairs; none where nothing can be said."""
        if pair.adjusted is None:
            return None
        return pair.adjusted < self.rules.alpha if self.rules.test else pair.adjusted <= self.rules.open_share

    def signature(self, *, z: bool, seed: int, **about: object) -> str:
        """How it was made, in one line; `about` says what it is about: which question, which round."""
        rules, drawn = self.rules, self.scores[0].drawn if self.scores else self.rules.draw
        made: dict[str, object] = {
            **about,
            "over": rules.weigh,
            "z": "annotator" if z else "no",
            "interval": "cluster-t" if self.ends == OPEN else "cluster-wilson",
            **({} if self.ends == OPEN else {"scale": f"{self.ends[0]:g}..{self.ends[1]:g}"}),
            "clusters": drawn.replace(" ", "-"),
            "level": rules.level,
            "ranks": f"{rules.test},holm" if rules.test else "step-down",
            **({} if rules.test else {"draws": self.draws}),
            "seed": seed,
        }
        if rules.test:
            made["alpha"] = rules.alpha
        if rules.test == "permutation":
            made["permutations"] = self.permutations
        return str(Signature.of(figure="mean", **made))


def rank(
    judged: Judgements, rules: RankingRules | None = None, *, rng: np.random.Generator, differences: bool = False
) -> Ranking:
    """Score and rank the systems. `differences` lists every two of them."""
    rules = rules or RankingRules()
    found = evidence(judged, by_item=rules.weigh == "items", people=rules.draw == "items and annotators")
    drawn: Drawn = "items" if found.people is None else "items and annotators"
    ends = ends_of(judged.score, rules.ends)
    scores = _scores(judged, found, drawn, ends, rules.level)
    permutations = enough_permutations(len(scores), rules.test, rules.permutations, rules.alpha)
    return ranked(judged.systems, judged.items, found, scores, ends, rules, permutations, rng=rng, listed=differences)


def ranked(
    systems: tuple[str, ...],
    items: tuple[str, ...],
    found: SystemEvidence,
    scores: Sequence[SystemScore],
    ends: Ends,
    rules: RankingRules,
    permutations: int,
    *,
    rng: np.random.Generator,
    listed: bool,
) -> Ranking:
    """Ranks of systems whose scores are known."""
    known = np.array([place for place, one in enumerate(scores) if one.value is not None], dtype=np.int64)
    made = differences(found.take(known), draws=rules.resamples, rng=rng)
    compared: list[Compared] = []
    if listed or rules.test:
        compared = _listed(made, known, len(scores), ends[1] - ends[0], rules.level)
    if rules.test:
        p_values, adjusted = compare_by_test(found.means, rules.test, permutations=permutations, rng=rng)
        compared = [
            pair._replace(p=p, adjusted=holm, reason=pair.reason or ("" if p is not None else _UNTESTED))
            for pair, p, holm in zip(compared, p_values, adjusted, strict=True)
        ]
        better = _by_tests(compared, scores, rules)[np.ix_(known, known)]
        sure = alone = rank_ranges(better)
    else:
        better = made.better(rules.open_share)
        sure = rank_sets.ranges(made.z, made.adjusted, rules.open_share)
        alone = rank_sets.ranges(made.z, made.alone, rules.open_share)
    values = [scores[place].value for place in known.tolist()]
    best_first = sorted(range(len(values)), key=lambda one: (*_down(values[one]), one))
    groups = clusters(best_first, better)
    ranks: list[RankRange | None] = [None] * len(scores)
    single: list[RankRange | None] = [None] * len(scores)
    group_of: list[int | None] = [None] * len(scores)
    for place, all_at_once, one_alone, group in zip(known.tolist(), sure, alone, groups, strict=True):
        ranks[place], single[place], group_of[place] = all_at_once, one_alone, group
    return Ranking(
        systems,
        items,
        found.means,
        tuple(scores),
        tuple(ranks),
        tuple(single),
        tuple(group_of),
        tuple(compared),
        rules,
        found,
        ends,
        made.draws,
        permutations,
    )


_UNTESTED = "they share fewer than two items that differ"


def _listed(made: Differences, known: NDArray[np.int64], systems: int, width: float, level: float) -> list[Compared]:
    """Every two systems, in order; those of which one was never judged say so. `width` is that of the scale."""
    place = {system: position for position, system in enumerate(known.tolist())}
    found = []
    for first in range(systems):
        for second in range(first + 1, systems):
            if first in place and second in place:
                pair = made.compared(place[first], place[second], level, width)
                found.append(pair._replace(first=first, second=second))
            else:
                found.append(Compared(first, second, None, None, 0, None, "nobody has judged one of them"))
    return found


def _scores(judged: Judgements, found: SystemEvidence, drawn: Drawn, ends: Ends, level: float) -> list[SystemScore]:
    spread = found.spread()
    count = judged.cells()[1]
    starts = judged.starts()
    binary = ends == SHARE and bool(np.isin(judged.score, SHARE).all())
    least = rounding(found)
    scores = []
    for one in range(len(judged.systems)):
        people = len(np.unique(judged.annotator[starts[one] : starts[one + 1]])) if judged.annotators else 0
        labels, items = int(count[one].sum()), int((count[one] > 0).sum())
        bare = SystemScore(None, None, None, None, labels, items, people, drawn, "nobody has judged it")
        if not items:
            scores.append(bare)
            continue
        value = float(found.value[one])
        bare = bare._replace(value=value)
        variance, freedom, clusters = (float(part[one]) for part in spread[:3])
        if math.isnan(variance):
            scores.append(bare._replace(reason=ONE_ITEM if spread.few_items[one] else ONE_PERSON))
            continue
        reason = PEOPLE_AS_THEY_ARE if drawn == "items" else FEW_PEOPLE if people < FEW else ""
        if math.isfinite(ends[1] - ends[0]) and not binary:
            few = few_apart(judged.score[starts[one] : starts[one + 1]], ends)
            reason = "; ".join(filter(None, (reason, few)))
        bare = bare._replace(reason=reason, error=math.sqrt(max(0.0, variance)))
        most = (
            float(labels) if binary else math.inf
        )  # answers of yes and no hang together; they do not repel each other
        own = Spread(variance if variance > least else 0.0, freedom if freedom > 0 else clusters - 1)
        interval = scale_interval(value, own, ends, clusters=clusters, most=most, level=level)
        if interval is None:
            scores.append(bare._replace(reason=NO_VARIANCE))
        else:
            scores.append(bare._replace(low=interval.low, high=interval.high))
    return scores


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
