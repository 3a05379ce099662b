"""Models: mixed effects, reliability, Bradley-Terry and the like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Outcome
from benchmarks.coverage_cells.designs import Design
from goldmark.stats.models.generalisability import Coefficient, reliability
from goldmark.stats.models.rating_models import RatingDesign, RatingModel, linear_rating_model, ordinal_rating_model

Simulate = Callable[[np.random.Generator], Outcome]

TWO = Design(means=(0.0, 0.0), items=40)
RATED: dict[str, Design] = {
    "40 items x 3 labels, 12 annotators": TWO,
    "40 items x 3 labels, 5 annotators": replace(TWO, annotators=5),
    "40 items x 3 labels, the same 3 annotators": replace(TWO, annotators=3),
    "40 items x 3 labels, 5 annotators who favour systems": replace(TWO, annotators=5, annotator_system=0.5),
    "40 items x 3 labels, 5 annotators of its own for every system": replace(TWO, layout="nested", annotators=5),
    "10 items x 3 labels, 12 annotators": replace(TWO, items=10),
}
# Normal chance of variance 1 is the hidden scale of the probit model, so its truth is the difference of the means.
HIDDEN = Design(
    means=(0.0, 0.5),
    items=40,
    item=0.8,
    annotator=0.7,
    item_system=0.4,
    annotator_system=0.3,
    noise=1.0,
    cuts=(-1.0, 0.0, 0.8, 1.8),
)
SCALED: dict[str, Design] = {
    "five steps, 40 items x 3 labels, 12 annotators": HIDDEN,
    "five steps, 40 items x 3 labels, 5 annotators who favour systems": replace(
        HIDDEN, annotators=5, annotator_system=0.6
    ),
}
ONE = Design(means=(0.0,), items=30, item=0.7, annotator=0.4, item_system=0.0, annotator_system=0.0, noise=0.7)
JUDGED: dict[str, Design] = {
    "30 texts, 5 annotators judge all": replace(ONE, layout="crossed", annotators=5),
    "30 texts, 3 annotators judge all": replace(ONE, layout="crossed", annotators=3),
    "60 texts x 3 labels, 12 annotators": replace(ONE, items=60),
}


def modelled(design: Design, rng: np.random.Generator, *, ordinal: bool = False) -> RatingModel:
    made = design.draw(rng)
    rated = RatingDesign.of(*made.names())
    return ordinal_rating_model(rated, made.score, link="probit") if ordinal else linear_rating_model(rated, made.score)


def difference(design: Design, *, ordinal: bool = False) -> Simulate:
    """Whether the interval of the difference of two systems holds the truth."""

    def simulate(rng: np.random.Generator) -> Outcome:
        model = modelled(design, rng, ordinal=ordinal)
        low, high, _ = model.contrast(np.array([-1.0, 1.0])).interval()
        return Outcome(low <= design.means[1] - design.means[0] <= high, "; ".join(model.design.warnings))

    return simulate


def mean(design: Design) -> Simulate:
    """Whether the interval of one system's mean holds the truth."""

    def simulate(rng: np.random.Generator) -> Outcome:
        model = modelled(design, rng)
        low, high, _ = model.contrast(np.array([1.0, 0.0])).interval()
        return Outcome(low <= design.means[0] <= high, "; ".join(model.design.warnings))

    return simulate


def found_unlike(design: Design) -> Simulate:
    """Whether two systems of equal worth are told apart."""

    def simulate(rng: np.random.Generator) -> Outcome:
        model = modelled(design, rng)
        return Outcome(model.pairs[0].contrast.p < 0.05, "; ".join(model.design.warnings))

    return simulate


def reliable(design: Design, coefficient: Coefficient) -> Simulate:
    """Whether the interval of one person's reliability holds the truth."""
    texts, people = design.item**2, design.annotator**2 * (coefficient == "agreement")
    truth = texts / (texts + people + design.noise**2)

    def simulate(rng: np.random.Generator) -> Outcome:
        made = design.draw(rng)
        found = reliability(made.score, made.item, np.unique(made.annotator, return_inverse=True)[1])
        interval = (found.agreement if coefficient == "agreement" else found.consistency).interval
        if interval is None:
            return Outcome(None, found.warning)
        return Outcome(interval.low <= truth <= interval.high, found.warning)

    return simulate


def _cells() -> Iterator[Cell]:
    for name, design in RATED.items():
        yield Cell("difference in a linear mixed model", name, "coverage", difference(design), "mixed-models")
    for name in ("40 items x 3 labels, 12 annotators", "40 items x 3 labels, 5 annotators"):
        yield Cell("mean in a linear mixed model", name, "coverage", mean(RATED[name]), "mixed-models")
    name = "40 items x 3 labels, 5 annotators who favour systems"
    yield Cell("difference in a linear mixed model", name, "false positives", found_unlike(RATED[name]), "mixed-models")
    for name, design in SCALED.items():
        simulate = difference(design, ordinal=True)
        yield Cell("difference in an ordinal mixed model", name, "coverage", simulate, "mixed-models")
    agreement: Coefficient = "agreement"
    consistency: Coefficient = "consistency"
    for name, coefficient in (
        ("30 texts, 5 annotators judge all", agreement),
        ("30 texts, 5 annotators judge all", consistency),
        ("60 texts x 3 labels, 12 annotators", agreement),
        ("30 texts, 3 annotators judge all", agreement),
    ):
        simulate = reliable(JUDGED[name], coefficient)
        yield Cell(f"reliability of one person ({coefficient})", name, "coverage", simulate, "reliability")


CELLS: tuple[Cell, ...] = tuple(_cells())
