"""A year of a leaderboard as its design alone would have it: the same systems, items, people and engine, no server.

Everybody is careful, as if those who answer at random had all been found and their work given anew. So thousands of
years can be had, and what a board's intervals and ranks promise is measured to a fraction of a per cent. A year through
the server (`board_year`) then only has to show that it adds nothing of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import RankingRules, rank
from tools.simulate.board_year import Year
from tools.simulate.community import POINTS, Community, truth_of

Ints = NDArray[np.int64]


class DrawnYear(NamedTuple):
    """How many of a year's systems are said rightly."""

    covered: int
    ranks_held: int


def drawn_year(plan: Year, rng: np.random.Generator) -> DrawnYear:
    """Draw a year and rank it as a board does: people of different rounds count as different people."""
    systems = plan.months * plan.systems
    people = plan.people - round(plan.at_random * plan.people)
    quality = rng.uniform(0.3, 0.9, systems)
    difficulty, taste = rng.normal(0, plan.difficulty, plan.judged), rng.normal(0, plan.taste, people)
    unit = np.repeat(np.arange(systems * plan.judged), plan.labels)
    system, item = np.divmod(unit, plan.judged)
    person = np.concatenate([_shared_out(plan, people, rng) for _ in range(plan.months)])
    latent = quality[system] + difficulty[item] + taste[person] + rng.normal(0, plan.chance, len(unit))
    rating = POINTS[np.clip(np.rint(4 * latent), 0, 4).astype(np.int64)]
    judged = Judgements.of(
        [f"{one:03}" for one in system],
        [f"{one:03}" for one in item],
        [f"{one // plan.systems:03} {who:03}" for one, who in zip(system, person, strict=True)],
        rating,
    )
    found = rank(judged, RankingRules(), rng=rng)
    truth = truth_of(Community(tuple(quality), difficulty=plan.difficulty, taste=plan.taste, chance=plan.chance))
    places = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    return DrawnYear(
        sum(
            one.low is not None and one.high is not None and one.low <= true <= one.high
            for one, true in zip(found.scores, truth, strict=True)
        ),
        sum(one is not None and one.best <= place <= one.worst for one, place in zip(found.ranks, places, strict=True)),
    )


def _shared_out(plan: Year, people: int, rng: np.random.Generator) -> Ints:
    """Who judges the units of a month: everybody in turns, nobody a unit twice, units in an order of chance."""
    units = plan.systems * plan.judged
    turns = (np.arange(units * plan.labels) + rng.integers(people)) % people
    found: Ints = turns.reshape(units, plan.labels)[rng.permutation(units)].ravel()
    return found
