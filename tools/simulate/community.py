"""A month of a leaderboard: systems of known quality, some annotators who answer at random, exclusions.

Each label is a five-point rating of quality + the item's difficulty + the annotator's taste + chance, cut to the scale.
The truth of a system is its expected rating over all items and all honest people, which is known exactly. Noisy
annotators rate at random, and answer test questions as badly as those of GENIE's own simulation. The noisy-annotator
model is fitted to those answers, and the work of those it flags is done again by others: what a board does with people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.quality.noisy import AnnotatorModel, NoisyAnnotators, QuestionScore
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import RankingRules, SystemScore, rank

Floats = NDArray[np.float64]
POINTS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


@dataclass(frozen=True)
class Community:
    """How many of everything, and how far they differ; spreads are standard deviations on the scale from 0 to 1."""

    qualities: tuple[float, ...] = (0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
    items: int = 800
    annotators: int = 60
    noisy: int = 6
    together: int = 2  # systems that share a round
    tests: float = 0.05  # of each sign, among what a person answers
    difficulty: float = 0.15
    taste: float = 0.06
    chance: float = 0.2
    careless: float = 0.03  # how often an honest annotator answers a test question wrongly
    guessing: float = 0.5  # noisy ones answer at most so many rightly: a mean drawn from 0 to it (GENIE B.2)
    resamples: int = 400
    level: float = 0.95


class Month(NamedTuple):
    """What a board says after a month, and what is true."""

    truth: Floats
    scores: tuple[SystemScore, ...]
    better: tuple[tuple[int, int], ...]  # pairs of systems of which the first is said to be better
    flagged: NDArray[np.bool_]
    noisy: NDArray[np.bool_]

    @property
    def covered(self) -> int:
        """How many intervals hold the truth."""
        return sum(
            one.low is not None and one.high is not None and one.low <= true <= one.high
            for one, true in zip(self.scores, self.truth, strict=True)
        )

    @property
    def contradictions(self) -> int:
        """How many pairs of systems the ranks put into the wrong order."""
        return sum(bool(self.truth[first] < self.truth[second]) for first, second in self.better)


def truth_of(community: Community) -> Floats:
    """The expected rating of each system: the probability of each point, under a normal that is cut to the scale."""
    from scipy.special import ndtr

    spread = np.sqrt(community.difficulty**2 + community.taste**2 + community.chance**2)
    borders = (POINTS[1:] + POINTS[:-1]) / 2
    below = ndtr((borders[None, :] - np.array(community.qualities)[:, None]) / spread)
    share = np.diff(np.concatenate([np.zeros((len(below), 1)), below, np.ones((len(below), 1))], axis=1), axis=1)
    expected: Floats = share @ POINTS
    return expected


def month(community: Community, rng: np.random.Generator) -> Month:
    """One month of a board, from the first label to the last exclusion."""
    noisy = np.zeros(community.annotators, dtype=bool)
    noisy[rng.choice(community.annotators, community.noisy, replace=False)] = True
    difficulty = rng.normal(0, community.difficulty, community.items)
    taste = rng.normal(0, community.taste, community.annotators)
    systems = len(community.qualities)
    system = np.repeat(np.arange(systems), community.items)
    item = np.tile(np.arange(community.items), systems)
    person = rng.integers(0, community.annotators, len(system))
    flagged = _flagged(community, np.bincount(person, minlength=community.annotators), noisy, rng)
    gone = flagged[person]
    person[gone] = rng.choice(np.flatnonzero(~flagged), int(gone.sum()))
    latent = np.array(community.qualities)[system] + difficulty[item] + taste[person]
    rating = POINTS[np.clip(np.rint(4 * (latent + rng.normal(0, community.chance, len(system)))), 0, 4).astype(int)]
    at_random = noisy[person]
    rating[at_random] = rng.choice(POINTS, int(at_random.sum()))
    rules = RankingRules(resamples=community.resamples, level=community.level)
    found: list[SystemScore] = []
    better: list[tuple[int, int]] = []
    for first in range(0, systems, community.together):
        rows = (system >= first) & (system < first + community.together)
        of, on, by = ([f"{code:06}" for code in codes[rows].tolist()] for codes in (system, item, person))
        ranked = rank(Judgements.of(of, on, by, rating[rows]), rules, rng=rng, differences=True)
        found += ranked.scores
        better += [(first + one.first, first + one.second) for one in ranked.pairs() if ranked.sure(one)]
    return Month(truth_of(community), tuple(found), tuple(better), flagged, noisy)


def _flagged(
    community: Community, work: NDArray[np.int64], noisy: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Whom the model finds noisy after their test questions."""
    mean, together = rng.uniform(0, community.guessing), rng.uniform(5, 50)
    accuracy = np.where(noisy, rng.beta(mean * together, (1 - mean) * together, len(work)), 1 - community.careless)
    asked = np.rint(work * community.tests / (1 - 2 * community.tests)).astype(np.int64)
    tallies = []
    for sign in ("positive", "negative"):
        right = rng.binomial(asked, accuracy)
        tallies += [
            QuestionScore(str(who), int(correct), int(n), sign)
            for who, (correct, n) in enumerate(zip(right, asked, strict=True))
            if n
        ]
    flagged = np.zeros(len(work), dtype=bool)
    if tallies:
        fitted = NoisyAnnotators.fit(tallies, AnnotatorModel.choose("class"), rng=rng)
        for one in fitted.judge():
            flagged[int(one.worker)] = one.flagged
    return flagged
