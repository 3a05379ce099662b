"""Recall and precision, and other shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, held, of_one
from goldmark.stats.inference.proportions import few_texts, ratio_difference_interval, ratio_interval

Whole = NDArray[Any]


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
        gold, found = texts_of(rng, texts, share, 0.1)
        return held(ratio_interval(found, gold), share, few_texts(texts))

    return of_one(cell, simulate)


def recall_difference(texts: int) -> Simulation:
    """Two lists on the same texts, both as good."""
    cell = Cell("difference of recall", f"{texts} texts, two equal lists", "coverage", "mistake-scores")

    def simulate(rng: np.random.Generator) -> Outcome:
        gold, one, other = texts_of(rng, texts, 0.7, 0.2, lists=2)
        return held(ratio_difference_interval((one, gold), (other, gold)), 0.0, few_texts(texts))

    return of_one(cell, simulate)


def _simulations() -> Iterator[Simulation]:
    for texts in (5, 10, 20, 60):
        for share in (0.05, 0.5, 0.9):
            yield recall(texts, share)
    for texts in (10, 20, 60):
        yield recall_difference(texts)


SIMULATIONS = tuple(_simulations())
