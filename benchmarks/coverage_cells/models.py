"""Models: mixed effects, reliability, Bradley-Terry and the like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, found, held
from benchmarks.coverage_cells.designs import Design
from goldmark.stats.models.generalisability import reliability
from goldmark.stats.models.rating_models import RatingDesign, linear_rating_model, ordinal_rating_model

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


def linear(name: str, design: Design) -> Simulation:
    """A system's mean and a difference of two equal systems in a linear model."""

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = design.draw(rng)
        model = linear_rating_model(RatingDesign.of(*made.names()), made.score)
        why, pair = "; ".join(model.design.warnings), model.contrast(np.array([-1.0, 1.0]))
        own = model.contrast(np.array([1.0, 0.0]))
        return [
            held(pair.interval(), design.means[1] - design.means[0], why),
            held(own.interval(), design.means[0], why),
            found(pair.p, why),
        ]

    cells = (
        Cell("difference in a linear mixed model", name, "coverage", "mixed-models"),
        Cell("mean in a linear mixed model", name, "coverage", "mixed-models"),
        Cell("difference in a linear mixed model", name, "false positives", "mixed-models"),
    )
    return Simulation(cells, simulate)


def ordinal(name: str, design: Design) -> Simulation:
    """A difference of two systems on the hidden scale."""

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = design.draw(rng)
        model = ordinal_rating_model(RatingDesign.of(*made.names()), made.score, link="probit")
        why = "; ".join(model.design.warnings)
        pair = model.contrast(np.array([-1.0, 1.0]))
        return [held(pair.interval(), design.means[1] - design.means[0], why)]

    return Simulation((Cell("difference in an ordinal mixed model", name, "coverage", "mixed-models"),), simulate)


def reliable(name: str, design: Design) -> Simulation:
    """One person's reliability, of agreement and of consistency."""
    texts, people, chance = design.item**2, design.annotator**2, design.noise**2

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = design.draw(rng)
        study = reliability(made.score, made.item, np.unique(made.annotator, return_inverse=True)[1])
        return [
            held(study.agreement.interval, texts / (texts + people + chance), study.warning),
            held(study.consistency.interval, texts / (texts + chance), study.warning),
        ]

    cells = tuple(
        Cell(f"reliability of one person ({one})", name, "coverage", "reliability")
        for one in ("agreement", "consistency")
    )
    return Simulation(cells, simulate)


def _simulations() -> Iterator[Simulation]:
    for name, design in RATED.items():
        yield linear(name, design)
    for name, design in SCALED.items():
        yield ordinal(name, design)
    for name, design in JUDGED.items():
        yield reliable(name, design)


SIMULATIONS = tuple(_simulations())
