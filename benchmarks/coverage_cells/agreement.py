"""Agreement of people about units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, held_figure
from goldmark.records.figures import Figure
from goldmark.results.label_agreement import NAMES, Measure, label_agreement
from goldmark.stats.agreement_measures.alpha import Level, Method
from goldmark.stats.agreement_measures.coefficients import Draw
from goldmark.stats.agreement_measures.consistency import RepeatedReadings, kappa, share_kept
from goldmark.stats.agreement_measures.kappa import apart
from goldmark.stats.agreement_measures.unit_labels import UnitLabels

Floats = NDArray[np.float64]
TWO = (0.5, 0.5)
THREE = (0.5, 0.3, 0.2)
RARE = (0.95, 0.05)
FIVE = (0.1, 0.2, 0.4, 0.2, 0.1)
PAGES = {
    "alpha": "krippendorff-alpha",
    "percent": "percent-agreement",
    "fleiss": "fleiss-kappa",
    "cohen": "cohen-kappa",
    "ac1": "gwet-ac",
    "ac2": "gwet-ac",
}


def themselves(people: int, units: int) -> Simulation:
    """People of different steadiness who answer units of different difficulty twice."""
    unit, person = np.repeat(np.arange(units), people), np.tile(np.arange(people), units)
    differ = 0.3 if people > 1 else 0.0  # a person's own figure is of this person
    truth = float(ndtr(1 / np.sqrt(1 + 0.3**2 + differ**2)))

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        lean = 1 + rng.normal(0, 0.3, size=units)[unit] + rng.normal(0, differ, size=people)[person]
        first = rng.integers(0, 2, size=len(unit))
        again = np.where(rng.normal(size=len(unit)) < lean, first, 1 - first)
        readings = RepeatedReadings(unit, person)
        equal = share_kept(readings, np.ones(len(unit)), (first == again).astype(np.float64))
        return [held_figure(equal, truth), held_figure(kappa(readings, first, again, ordered=False), 2 * truth - 1)]

    design = f"{units} units, {people} people"
    return Simulation(
        tuple(
            Cell(f"{name} of people with themselves", design, "coverage", "consistency") for name in ("share", "kappa")
        ),
        simulate,
    )


def labels_of(said: NDArray[np.int64]) -> UnitLabels:
    unit, who = np.indices(said.shape)
    return UnitLabels.of(unit.ravel(), who.ravel(), said.ravel())


def drawn(rng: np.random.Generator, units: int, shares: Sequence[float], accuracy: Floats) -> UnitLabels:
    """Labels of people who are right with their own accuracy and otherwise guess by the shares of values."""
    said = (units, len(accuracy))
    truth = rng.choice(len(shares), p=shares, size=(units, 1))
    return labels_of(np.where(rng.random(said) < accuracy, truth, rng.choice(len(shares), p=shares, size=said)))


def truth_of(measure: Measure, right: float, shares: Sequence[float]) -> float:
    """Of labels of which two are equal by more than chance with probability `right`."""
    share = np.asarray(shares)
    kind, _, weights = measure.partition("_")
    by_chance = float(np.square(share).sum())
    if kind == "percent":
        return right + (1 - right) * by_chance
    if not kind.startswith("ac"):
        return right  # alpha and the kappas, whatever the weights: Do = (1 - right) De
    matrix = apart(list(range(len(shares))), weights or "none", ranked=True)  # type: ignore[arg-type]
    if matrix is None:
        raise ValueError("so few values have weights")
    scale = float((1 - matrix).sum()) / (len(share) * (len(share) - 1))
    return 1 - (1 - right) * float(share @ matrix @ share) / (1 - scale * (1 - by_chance))


def named(measure: Measure, level: Level, people: int) -> str:
    if measure == "alpha":
        return f"alpha, {level}"
    pairs = people * (people - 1) // 2
    return NAMES[measure] + (f", mean of {pairs} pairs" if measure.startswith("cohen") and pairs > 1 else "")


def same_people(
    measures: Sequence[Measure],
    units: int,
    people: int,
    shares: Sequence[float],
    right: float,
    what: str,
    *,
    level: Level = "nominal",
    method: Method = "jackknife",
    at_least: bool = False,
) -> Simulation:
    """Every measure of the same data sets; two labels are equal by more than chance with probability `right`."""

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        labels = drawn(rng, units, shares, np.full(people, right**0.5))
        made = label_agreement(
            labels, level, measures=measures, method=method, resamples=500, seed=int(rng.integers(1 << 31))
        )
        return [held_figure(made[one], truth_of(one, right, shares)) for one in measures]

    by = "" if method == "jackknife" else f", {method}"
    cells = (
        Cell(
            named(one, level, people) + by,
            f"{units} units x {people}, {what}",
            "coverage",
            PAGES[one.partition("_")[0]],
            at_least=at_least,
        )
        for one in measures
    )
    return Simulation(tuple(cells), simulate)


def drawn_people(measures: Sequence[Measure], units: int, people: int, spread: float) -> Simulation:
    """People differ, and the truth is that of all people: the square of their mean accuracy."""
    mean = 0.8
    size = mean * (1 - mean) / spread**2 - 1
    draw: Draw = "units-and-annotators"

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        labels = drawn(rng, units, THREE, rng.beta(mean * size, (1 - mean) * size, size=people))
        made: dict[Measure, Figure] = label_agreement(
            labels, "nominal", measures=measures, draw=draw, seed=int(rng.integers(1 << 31))
        )
        return [held_figure(made[one], truth_of(one, mean**2, THREE)) for one in measures]

    cells = (
        Cell(
            f"{named(one, 'nominal', 2)}, over units and annotators",
            f"{units} units, {people} people drawn, accuracy .8 ± {spread:g}",
            "coverage",
            PAGES[one],
        )
        for one in measures
    )
    return Simulation(tuple(cells), simulate)


def _simulations() -> Iterator[Simulation]:
    nominal: tuple[Measure, ...] = ("alpha", "percent", "fleiss", "cohen", "ac1")
    for units in (30, 100):
        for equal in (0.9, 0.98):
            # A share of few units near 1 takes few values, and no interval can hold exactly as often as it says.
            few = units * (1 - equal) < 4
            yield same_people(("percent",), units, 2, TWO, 2 * equal - 1, f"{equal:.0%} equal", at_least=few)
    for units in (10, 30, 100):
        for right in (0.4, 0.8):
            yield same_people(nominal, units, 3, THREE, right, f"true kappa {right:g}")
    yield same_people(nominal, 100, 3, RARE, 0.6, "a label of 5 %, true kappa 0.6")
    weighted: tuple[Measure, ...] = (
        *("alpha", "percent", "cohen_linear", "cohen_quadratic"),
        *("ac2_linear", "ac2_quadratic"),
    )
    for right in (0.4, 0.8):
        yield same_people(weighted, 60, 2, FIVE, right, f"five steps, true kappa {right:g}", level="ordinal")
    for level in ("interval", "ratio"):
        yield same_people(("alpha",), 60, 3, FIVE, 0.5, "five steps, true alpha 0.5", level=level)
    for method in ("bca", "percentile"):
        for units in (30, 100):
            yield same_people(("alpha",), units, 3, THREE, 0.6, "true alpha 0.6", method=method)
    for people, spread in ((3, 0.1), (5, 0.1), (8, 0.1), (8, 0.02), (15, 0.1)):
        yield drawn_people(nominal if (people, spread) == (8, 0.1) else ("alpha", "percent"), 60, people, spread)
    for people in (1, 5, 12):
        yield themselves(people, 40)


SIMULATIONS = tuple(_simulations())
