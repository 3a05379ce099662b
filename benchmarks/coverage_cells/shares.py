"""Shares: recall and precision, choices, wins, reviews, test questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, found, held, held_figure, of_one
from benchmarks.coverage_cells.designs import Design, cuts_for
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.proportions import (
    exact_interval,
    few_texts,
    ratio_difference_interval,
    ratio_interval,
)
from goldmark.stats.ranks.clustered_shares import share_of
from goldmark.stats.significance.randomisation import paired_randomisation

Whole = NDArray[Any]
ANSWERS = Design(means=(0.0,), items=60, item_system=0.0, annotator_system=0.0)
ANSWERED: dict[str, Design] = {
    "60 items x 3 labels, 12 annotators": ANSWERS,
    "60 items x 3 labels, 5 annotators": replace(ANSWERS, annotators=5),
    "10 items x 3 labels, 12 annotators": replace(ANSWERS, items=10),
    "60 items, 12 annotators judge all": replace(ANSWERS, layout="crossed"),
    "60 items x 3 labels, the same 3 annotators": replace(ANSWERS, annotators=3),
}


def texts_of(rng: np.random.Generator, texts: int, share: float, alike: float, lists: int = 1) -> tuple[Whole, ...]:
    """Mistakes of each text, six on average, and how many each list has found.

    `alike` is how much mistakes of one text hang together; some texts are hard for all lists.
    """
    gold = 1 + rng.negative_binomial(3, 0.375, size=texts)
    hard = rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1), size=texts)
    return (gold, *(rng.binomial(gold, hard) for _ in range(lists)))


def recall(texts: int, share: float) -> Simulation:
    # A share near 0 or 1 in few texts takes few values: the interval may hold more often than it says.
    near = share != 0.5 and texts < 60
    cell = Cell(
        "recall and precision",
        f"{texts} texts of 6 mistakes, true share {share:g}",
        "coverage",
        "mistake-scores",
        at_least=near,
    )

    def simulate(rng: np.random.Generator) -> Outcome:
        gold, hits = texts_of(rng, texts, share, 0.1)
        return held(ratio_interval(hits, gold), share, few_texts(texts))

    return of_one(cell, simulate)


def two_lists(texts: int) -> Simulation:
    """Two lists on the same texts, both as good: the interval of their difference, and the test."""
    design = f"{texts} texts, two equal lists"
    cells = (
        Cell("difference of recall", design, "coverage", "mistake-scores"),
        # Ten texts have few swaps that differ, and a test of few values errs less often than it may.
        Cell("paired randomisation", design, "false positives", "paired-randomisation", at_least=texts < 20),
    )

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        gold, one, other = texts_of(rng, texts, 0.7, 0.2, lists=2)
        apart = ratio_difference_interval((one, gold), (other, gold))
        p = paired_randomisation(
            np.column_stack([one, gold]),
            np.column_stack([other, gold]),
            lambda sums: ratio(sums[:, 0], sums[:, 1])[:, None],
            rng=rng,
            resamples=400,
        )
        return [held(apart, 0.0, few_texts(texts)), found(float(p[0]), few_texts(texts))]

    return Simulation(cells, simulate)


def answers(name: str, design: Design, share: float) -> Simulation:
    """The share of yes among answers of several people about several items."""
    made = replace(design, cuts=cuts_for((share,), design))
    cell = Cell(
        "share of answers", f"true share {share:g}, {name}", "coverage", "shares", at_least=share < 0.1 or share > 0.9
    )

    def simulate(rng: np.random.Generator) -> Outcome:
        drawn = made.draw(rng)
        return held_figure(share_of(drawn.score, drawn.item.tolist(), drawn.annotator.tolist()), share)

    return of_one(cell, simulate)


def of_texts(texts: int, share: float) -> Simulation:
    """The share of a kind among what several cases of a text are, such as types of errors; nobody is told apart."""
    cell = Cell(
        "share of cases in texts",
        f"{texts} texts of 6, true share {share:g}",
        "coverage",
        "shares",
        at_least=share < 0.1,
    )

    def simulate(rng: np.random.Generator) -> Outcome:
        gold, hits = texts_of(rng, texts, share, 0.1)
        text = np.repeat(np.arange(texts), gold)
        place = np.arange(len(text)) - np.repeat(np.cumsum(gold) - gold, gold)
        return held_figure(share_of(place < np.repeat(hits, gold), text.tolist()), share)

    return of_one(cell, simulate)


def questions(asked: int, share: float) -> Simulation:
    """One person's answers to separate test questions."""
    design = f"{asked} questions, true share {share:g}"
    cell = Cell("share of right test questions", design, "coverage", "people", at_least=True)
    return of_one(cell, lambda rng: held(exact_interval(float(rng.binomial(asked, share)), asked), share))


def _simulations() -> Iterator[Simulation]:
    for texts in (5, 10, 20, 60):
        for share in (0.05, 0.5, 0.9):
            yield recall(texts, share)
    for texts in (10, 20, 60):
        yield two_lists(texts)
    for name, design in ANSWERED.items():
        yield answers(name, design, 0.4)
    yield answers("60 items x 3 labels, 12 annotators", ANSWERS, 0.05)
    for texts in (10, 60):
        for share in (0.05, 0.4):
            yield of_texts(texts, share)
    for asked in (10, 40):
        yield questions(asked, 0.9)


SIMULATIONS = tuple(_simulations())
