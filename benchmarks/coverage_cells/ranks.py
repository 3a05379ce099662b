"""Scores of systems, differences between them, and ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Kind, Outcome, Simulation, found, held, of_one
from benchmarks.coverage_cells.designs import Design, cuts_for
from goldmark.records.figures import Interval
from goldmark.stats.ranks.judgements import Floats, Judgements
from goldmark.stats.ranks.pairs import AS_THEY_ARE, Test
from goldmark.stats.ranks.rank_ranges import RankRange
from goldmark.stats.ranks.ranking import Ranking, RankingRules, rank

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


def mean(ranking: Ranking, truth: Sequence[float]) -> Outcome:
    """Whether the interval of a system's mean holds the truth."""
    first = ranking.scores[0]
    interval = None if first.low is None or first.high is None else Interval(first.low, first.high)
    return held(interval, truth[0], first.reason)


def difference(ranking: Ranking, truth: Sequence[float]) -> Outcome:
    """Whether the interval of a difference holds the truth."""
    first = ranking.differences[0]
    return held(first.interval, truth[0] - truth[1], first.reason)


def unlike(ranking: Ranking) -> Outcome:
    """Whether two equal systems are said to differ, looked at alone."""
    first = ranking.differences[0]
    return found(first.p, first.reason, ranking.rules.open_share)


def holds(ranges: Sequence[RankRange | None], truth: Sequence[float], reason: str) -> Outcome:
    """Whether all ranges of ranks hold the true ranks at once; equal systems share all ranks that they take up."""
    true = np.asarray(truth)
    hit = True
    for one, ranks in enumerate(ranges):
        if ranks is None:
            return Outcome(None, reason)
        hit &= ranks.best <= 1 + int((true > true[one]).sum())
        hit &= ranks.worst >= len(true) - int((true < true[one]).sum())
    return Outcome(bool(hit), "", tuple(float(end) for ranks in ranges if ranks for end in ranks))


def alone(ranking: Ranking, truth: Sequence[float]) -> Outcome:
    """Whether the range of ranks that is for one system alone holds its true rank."""
    true, ranks = np.asarray(truth), ranking.alone[0]
    if ranks is None:
        return Outcome(None, ranking.scores[0].reason)
    best, worst = 1 + int((true > true[0]).sum()), len(true) - int((true < true[0]).sum())
    return Outcome(ranks.best <= best and ranks.worst >= worst, "", (float(ranks.best), float(ranks.worst)))


def all_figures(name: str, design: Design, *, ranks_only: bool = False) -> Simulation:
    """Every figure of a ranking, of the same data sets."""

    def cell(figure: str, kind: Kind = "coverage", *, at_least: bool = False) -> Cell:
        return Cell(figure, name, kind, "ranking", at_least=at_least)

    cells = [
        cell("ranks of all systems at once", at_least=True),
        cell("rank of one system", at_least=True),
        cell("mean of a system"),
        # Differences of rare events take few values: no interval can hold exactly as often as it says.
        cell("difference of two systems", at_least="3 %" in name),
        cell("difference of two equal systems", "false positives", at_least="3 %" in name),
    ]

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made, truth = ranked(design, rng), design.truth
        reason = made.scores[0].reason
        ranks = [holds(made.ranks, truth, reason), alone(made, truth)]
        return ranks if ranks_only else [*ranks, mean(made, truth), difference(made, truth), unlike(made)]

    return Simulation(tuple(cells[:2] if ranks_only else cells), simulate)


ALIKE = replace(SPREAD, layout="crossed", annotators=3, annotator_system=0.0)
TESTED: dict[str, Design] = {
    "60 items, the same 3 annotators, who favour nobody": ALIKE,
    "10 items, the same 3 annotators, who favour nobody": replace(ALIKE, items=10),
    "five steps, 60 items, the same 3 annotators, who favour nobody": replace(LIKERT, **ALIKE.people()),
    "60 items x 3 labels, 12 annotators who favour systems": replace(SPREAD, annotator_system=0.5),
    "100 items x 3 labels, 5 annotators of its own for every system": DESIGNS[
        "100 items x 3 labels, 5 annotators of its own for every system"
    ],
}
TESTS: tuple[Test, ...] = ("permutation", "signed-rank", "rank-sum")


def by_test(name: str, design: Design) -> Simulation:
    """The tests that `--test` names: p-values of two equal systems, whose annotators are taken as they are."""

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = design.draw(rng)
        judged = Judgements.of(*made.names(), made.score)
        outcomes = []
        for test in TESTS:
            ranking = rank(judged, replace(RULES, test=test, permutations=400), rng=rng, differences=True)
            outcomes.append(found(ranking.differences[0].p, AS_THEY_ARE))
        return outcomes

    cells = (
        Cell(f"test of two equal systems, {test}", name, "false positives", "ranking", at_least=test == "rank-sum")
        for test in TESTS
    )
    return Simulation(tuple(cells), simulate)


def best_of_four(sets: int, people: int) -> Simulation:
    """Eight texts in random sets of four; everybody has favourites, and names the best and the worst of every set."""
    strength, eye = np.linspace(-1.0, 1.0, 8), np.eye(8)

    def answers(rng: np.random.Generator, sets: int, people: int) -> tuple[Floats, Floats]:
        """What was shown, and the scores: sets x people x texts."""
        shown = np.argsort(rng.random((sets, 8)), axis=1) < 4
        felt = strength + rng.normal(0, 0.5, size=(1, people, 8)) + rng.gumbel(size=(sets, people, 8))
        seen = np.broadcast_to(shown[:, None], felt.shape)
        best, worst = np.where(seen, felt, -np.inf).argmax(axis=2), np.where(seen, felt, np.inf).argmin(axis=2)
        return seen.astype(np.float64), eye[best] - eye[worst]

    @cache
    def truth() -> float:
        drawn = [answers(np.random.default_rng(seed), 1, 100) for seed in range(2000)]
        shown, scores = (sum(float(one[:, :, 6].sum()) for one in side) for side in zip(*drawn, strict=True))
        return scores / shown

    def simulate(rng: np.random.Generator) -> Outcome:
        seen, score = answers(rng, sets, people)
        unit, person, text = np.nonzero(seen)
        texts, units, names = (list(map(str, codes)) for codes in (text, unit, person))
        judged = Judgements.of(texts, units, names, score[unit, person, text])
        made = rank(judged, replace(RULES, weigh="judgements"), rng=rng).scores[6]
        interval = None if made.low is None or made.high is None else Interval(made.low, made.high)
        return held(interval, truth(), made.reason)

    return of_one(Cell("best-worst score", f"{sets} sets of 4, {people} people", "coverage", "best-worst"), simulate)


def _simulations() -> Iterator[Simulation]:
    for name, design in DESIGNS.items():
        yield all_figures(name, design)
    for people in (5, 15):
        yield best_of_four(40, people)
    for name, design in TESTED.items():
        yield by_test(name, design)
    for name, design in LADDERS.items():
        yield all_figures(name, design, ranks_only=True)


SIMULATIONS = tuple(_simulations())
