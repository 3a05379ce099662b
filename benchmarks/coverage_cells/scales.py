"""Means of numbers that have ends: ratings of which most are the best there is, errors of which there are few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, held, of_one
from benchmarks.coverage_cells.designs import Codes, Design, Floats, cuts_for
from goldmark.records.figures import Interval
from goldmark.stats.inference.scales import COUNT, SHARE, Ends
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import RankingRules, rank

RATED = Design(means=(0.0,))
HIGH, HIGHEST = (0.99, 0.97, 0.93, 0.8), (0.998, 0.995, 0.99, 0.95)  # of how many the answer is above each step
DESIGNS: dict[str, tuple[Design, tuple[float, ...]]] = {
    "four of five answers the best, 60 items x 3 labels, 12 annotators": (RATED, HIGH),
    "four of five answers the best, 60 items x 3 labels, 5 annotators": (replace(RATED, annotators=5), HIGH),
    "four of five answers the best, 10 items x 3 labels, 12 annotators": (replace(RATED, items=10), HIGH),
    "four of five answers the best, 60 items, 12 annotators judge all": (replace(RATED, layout="crossed"), HIGH),
    "19 of 20 answers the best, 60 items x 3 labels, 12 annotators": (RATED, HIGHEST),
}
WEIGHTS, CHANCES = np.array([0.1, 1.0, 5.0]), np.array([0.15, 0.6, 0.25])  # MQM's, and how often each is given


def judged_mean(item: Codes, annotator: Codes, score: Floats, ends: Ends, truth: float) -> Outcome:
    items, people = (tuple(f"{code:04}" for code in range(int(some.max()) + 1)) for some in (item, annotator))
    judged = Judgements(("S",), items, people, np.zeros(len(item), dtype=np.int64), item, annotator, score)
    [made] = rank(judged, RankingRules(resamples=1, ends=ends), rng=np.random.default_rng(1)).scores
    interval = None if made.low is None or made.high is None else Interval(made.low, made.high)
    return held(interval, truth, made.reason)


def rating(name: str, design: Design, shares: tuple[float, ...]) -> Simulation:
    made = replace(design, cuts=cuts_for(shares, design))

    def simulate(rng: np.random.Generator) -> Outcome:
        drawn = made.draw(rng)
        return judged_mean(drawn.item, drawn.annotator, drawn.score, SHARE, made.truth[0])

    return of_one(Cell("mean rating near the end of its scale", name, "coverage", "ratings"), simulate)


def marked(items: int, annotators: int, each: float, *, weighted: bool) -> Simulation:
    """Errors that three of several people mark in every text: some texts have more, some people mark more."""
    spread, strict = 0.6, 0.3
    truth = each * float(WEIGHTS @ CHANCES) if weighted else each

    def simulate(rng: np.random.Generator) -> Outcome:
        who = np.argsort(rng.random((items, annotators)), axis=1)[:, :3].ravel()
        item = np.repeat(np.arange(items), 3)
        leaning = spread * rng.standard_normal(items)[item] + strict * rng.standard_normal(annotators)[who]
        count = rng.poisson(each * np.exp(leaning - (spread**2 + strict**2) / 2))
        score = rng.multinomial(count, CHANCES) @ WEIGHTS if weighted else count.astype(np.float64)
        return judged_mean(item, who, score, COUNT, truth)

    # A few errors in ten texts are so few whole numbers that no interval holds exactly as often as it says.
    figure, page = ("weighted errors", "weighted-errors") if weighted else ("errors per text", "errors-per-text")
    design = f"{each:g} errors a text, {items} texts x 3 readings, {annotators} annotators"
    return of_one(Cell(figure, design, "coverage", page, at_least=items * each < 5), simulate)


def _simulations() -> Iterator[Simulation]:
    for name, (design, shares) in DESIGNS.items():
        yield rating(name, design, shares)
    for items, annotators, each in ((60, 12, 0.3), (60, 12, 3.0), (60, 5, 0.3), (10, 12, 3.0), (10, 12, 0.3)):
        yield marked(items, annotators, each, weighted=False)
    for items, each in ((60, 1.0), (60, 0.2), (20, 1.0)):
        yield marked(items, 12, each, weighted=True)


SIMULATIONS = tuple(_simulations())
