"""Scores of systems, differences between them, and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Outcome
from benchmarks.coverage_cells.designs import Design, cuts_for
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import Ranking, RankingRules, rank

Simulate = Callable[[np.random.Generator], Outcome]
RULES = RankingRules(resamples=400)

SPREAD = Design()
LIKERT = replace(SPREAD, cuts=cuts_for((0.9, 0.7, 0.45, 0.2), SPREAD))
DESIGNS: dict[str, Design] = {
    "60 items x 3 labels, 12 annotators": SPREAD,
    "60 items x 3 labels, 5 annotators": replace(SPREAD, annotators=5),
    "60 items x 3 labels, the same 3 annotators": replace(SPREAD, annotators=3),
    "60 items, 12 annotators judge all": replace(SPREAD, layout="crossed"),
    "60 items, 30 annotators judge all": replace(SPREAD, layout="crossed", annotators=30),
    "10 items x 3 labels, 12 annotators": replace(SPREAD, items=10),
    "200 items x 3 labels, 50 annotators": replace(SPREAD, items=200, annotators=50),
    "100 items x 3 labels, 5 annotators of its own for every system": replace(
        SPREAD, layout="nested", items=100, annotators=5
    ),
    "60 items x 3 labels, 12 annotators who favour systems": replace(SPREAD, annotator_system=0.5),
    "60 items x 3 labels, 5 annotators who favour systems": replace(SPREAD, annotators=5, annotator_system=0.5),
    "five steps, 60 items x 3 labels, 12 annotators": LIKERT,
    "yes or no at 3 %, 60 items x 3 labels, 12 annotators": replace(SPREAD, cuts=cuts_for((0.03,), SPREAD)),
}
LADDERS: dict[str, Design] = {
    "two pairs of equal systems, 60 items x 3 labels, 12 annotators": replace(SPREAD, means=(0.0, 0.0, 1.0, 1.0)),
    "20 equal systems, 10 items x 3 labels, 12 annotators": replace(SPREAD, means=(0.0,) * 20, items=10),
    "20 equal systems, 60 items x 3 labels, 5 annotators": replace(SPREAD, means=(0.0,) * 20, annotators=5),
}


def ranked(design: Design, rng: np.random.Generator, rules: RankingRules = RULES) -> Ranking:
    made = design.draw(rng)
    judged = Judgements.of(*made.names(), made.score)
    return rank(judged, rules, rng=rng, differences=True)


def score(design: Design) -> Simulate:
    """Whether the interval of a system's mean holds the truth."""

    def simulate(rng: np.random.Generator) -> Outcome:
        first = ranked(design, rng).scores[0]
        if first.low is None or first.high is None:
            return Outcome(None, first.reason)
        return Outcome(first.low <= design.truth[0] <= first.high, first.reason)

    return simulate


def pair(design: Design) -> Simulate:
    """Whether two equal systems are said to differ, looked at alone."""

    def simulate(rng: np.random.Generator) -> Outcome:
        first = ranked(design, rng).differences[0]
        return Outcome(None, first.reason) if first.p is None else Outcome(first.p < 1 - RULES.level, first.reason)

    return simulate


def pair_interval(design: Design) -> Simulate:
    """Whether the interval of a difference holds the truth."""

    def simulate(rng: np.random.Generator) -> Outcome:
        first = ranked(design, rng).differences[0]
        if first.interval is None:
            return Outcome(None, first.reason)
        return Outcome(first.interval.low <= design.truth[0] - design.truth[1] <= first.interval.high, first.reason)

    return simulate


def any_rank(design: Design) -> Simulate:
    """Whether all ranges of ranks hold the true ranks at once; equal systems share all ranks that they take up."""

    def simulate(rng: np.random.Generator) -> Outcome:
        found, truth = ranked(design, rng), np.asarray(design.truth)
        held = True
        for one, ranks in enumerate(found.ranks):
            if ranks is None:
                return Outcome(None, found.scores[one].reason)
            held &= ranks.best <= 1 + int((truth > truth[one]).sum())
            held &= ranks.worst >= len(truth) - int((truth < truth[one]).sum())
        return Outcome(bool(held))

    return simulate


def one_rank(design: Design) -> Simulate:
    """Whether the range of ranks that is for one system alone holds its true rank."""

    def simulate(rng: np.random.Generator) -> Outcome:
        found, truth = ranked(design, rng), np.asarray(design.truth)
        ranks = found.alone[0]
        if ranks is None:
            return Outcome(None, found.scores[0].reason)
        best, worst = 1 + int((truth > truth[0]).sum()), len(truth) - int((truth < truth[0]).sum())
        return Outcome(ranks.best <= best and ranks.worst >= worst)

    return simulate


def _cells() -> Iterator[Cell]:
    for name, design in DESIGNS.items():
        yield Cell("mean of a system", name, "coverage", score(design), "ranking")
    for name, design in DESIGNS.items():
        yield Cell("difference of two systems", name, "coverage", pair_interval(design), "ranking")
    for name, design in DESIGNS.items():
        yield Cell("difference of two equal systems", name, "false positives", pair(design), "ranking")
    for name, design in {**DESIGNS, **LADDERS}.items():
        yield Cell("ranks of all systems at once", name, "coverage", any_rank(design), "ranking", at_least=True)
    for name, design in {**DESIGNS, **LADDERS}.items():
        yield Cell("rank of one system", name, "coverage", one_rank(design), "ranking", at_least=True)


CELLS = tuple(_cells())
