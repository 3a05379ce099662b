"""Agreement, shares, correlations, recall and precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_cells.cell import Cell, Outcome
from goldmark.records.figures import Figure, Interval, Undefined
from goldmark.stats.agreement_measures.alpha import krippendorff, percent_agreement
from goldmark.stats.agreement_measures.gwet import gwet
from goldmark.stats.agreement_measures.kappa import cohen_pairs, fleiss
from goldmark.stats.agreement_measures.unit_labels import UnitLabels
from goldmark.stats.inference.correlation import METHODS, Method, permutation
from goldmark.stats.inference.correlation_levels import Draws, ScoredOutputs, Way, correlate
from goldmark.stats.inference.proportions import few_texts, ratio_difference_interval, ratio_interval

Simulate = Callable[[np.random.Generator], Outcome]
Floats = NDArray[np.float64]
THREE = (0.5, 0.3, 0.2)
RARE = (0.95, 0.05)
FIVE = (0.1, 0.2, 0.4, 0.2, 0.1)


def held(figure: Figure, truth: float) -> Outcome:
    """Whether a figure's interval holds the truth, and what the figure says of itself."""
    if figure.value is None or figure.interval is None:
        return Outcome(None, figure.reason)
    low, high, _ = figure.interval
    return Outcome(low - 1e-12 <= truth <= high + 1e-12, figure.reason)


def labels_of(said: NDArray[np.int64]) -> UnitLabels:
    unit, who = np.indices(said.shape)
    return UnitLabels.of(unit.ravel(), who.ravel(), said.ravel())


def drawn(rng: np.random.Generator, units: int, shares: Sequence[float], accuracy: Floats) -> UnitLabels:
    """Labels of people who are right with their own accuracy and otherwise guess by the shares of values."""
    said = (units, len(accuracy))
    truth = rng.choice(len(shares), p=shares, size=(units, 1))
    return labels_of(np.where(rng.random(said) < accuracy, truth, rng.choice(len(shares), p=shares, size=said)))


def chance_corrected(
    measure: str, units: int, people: int, shares: Sequence[float], right: float, **options: Any
) -> Simulate:
    """Two labels are equal by more than chance with probability `right`: the true value of alpha and the kappas."""

    def simulate(rng: np.random.Generator) -> Outcome:
        labels = drawn(rng, units, shares, np.full(people, right**0.5))
        if measure == "alpha":
            return held(krippendorff(labels, options.get("level", "nominal"), rng=rng), right)
        if measure == "fleiss":
            return held(fleiss(labels, rng=rng), right)
        if measure == "cohen":
            return held(cohen_pairs(labels, options.get("weights", "none")).mean, right)
        equal = right + (1 - right) * float(np.square(shares).sum())
        if measure == "percent":
            return held(percent_agreement(labels, rng=rng), equal)
        chance = (1 - float(np.square(shares).sum())) / (len(shares) - 1)
        return held(gwet(labels, rng=rng), (equal - chance) / (1 - chance))

    return simulate


def annotators_drawn(measure: str, units: int, people: int, spread: float) -> Simulate:
    """People differ, and the truth is that of all people: the square of their mean accuracy."""
    mean = 0.8
    size = mean * (1 - mean) / spread**2 - 1

    def simulate(rng: np.random.Generator) -> Outcome:
        labels = drawn(rng, units, THREE, rng.beta(mean * size, (1 - mean) * size, size=people))
        by_chance = float(np.square(THREE).sum())
        if measure == "alpha":
            return held(krippendorff(labels, rng=rng, draw="units-and-annotators"), mean**2)
        truth = mean**2 + (1 - mean**2) * by_chance
        return held(percent_agreement(labels, rng=rng, draw="units-and-annotators"), truth)

    return simulate


def agreement_cells() -> Iterator[Cell]:
    def cell(figure: str, design: str, simulate: Simulate, page: str, *, at_least: bool = False) -> Cell:
        return Cell(figure, design, "coverage", simulate, page, at_least=at_least)

    for units in (30, 100):
        for equal in (0.9, 0.98):
            # Of two labels so many are equal; the labels are one of two that are equally common.
            simulate = chance_corrected("percent", units, 2, (0.5, 0.5), 2 * equal - 1)
            design = f"{units} units x 2, {equal:.0%} equal"
            # A share of few units near 1 takes few values, and no interval can hold exactly as often as it says.
            few = units * (1 - equal) < 1
            yield cell("percent agreement", design, simulate, "percent-agreement", at_least=few)
    for units in (10, 30, 100):
        for right in (0.4, 0.8):
            design = f"{units} units x 3, true value {right:g}"
            yield cell(
                "alpha, nominal", design, chance_corrected("alpha", units, 3, THREE, right), "krippendorff-alpha"
            )
    for level in ("ordinal", "interval"):
        simulate = chance_corrected("alpha", 60, 3, FIVE, 0.5, level=level)
        yield cell(f"alpha, {level}", "60 units x 3, true value 0.5", simulate, "krippendorff-alpha")
    simulate = chance_corrected("alpha", 100, 3, RARE, 0.6)
    yield cell("alpha, nominal", "100 units x 3, a label of 5 %, true value 0.6", simulate, "krippendorff-alpha")
    for people, spread in ((3, 0.1), (5, 0.1), (8, 0.1), (8, 0.02), (15, 0.1)):
        design = f"60 units, {people} people drawn, accuracy .8 ± {spread:g}"
        yield cell(
            "alpha over units and annotators",
            design,
            annotators_drawn("alpha", 60, people, spread),
            "krippendorff-alpha",
        )
    simulate = annotators_drawn("percent", 60, 8, 0.1)
    yield cell("percent agreement over units and annotators", "60 units, 8 people drawn", simulate, "percent-agreement")
    for right in (0.4, 0.8):
        design = f"60 units, true value {right:g}"
        yield cell("Fleiss' kappa", design, chance_corrected("fleiss", 60, 3, THREE, right), "fleiss-kappa")
        yield cell(
            "Cohen's kappa", f"{design}, 2 people", chance_corrected("cohen", 60, 2, THREE, right), "cohen-kappa"
        )
        yield cell(
            "Cohen's kappa, mean of 3 pairs", design, chance_corrected("cohen", 60, 3, THREE, right), "cohen-kappa"
        )
        simulate = chance_corrected("cohen", 60, 2, FIVE, right, weights="quadratic")
        yield cell("Cohen's kappa, quadratic weights", f"{design}, 2 people", simulate, "cohen-kappa")
        yield cell("Gwet's AC1", design, chance_corrected("ac", 60, 3, THREE, right), "gwet-ac")
    yield cell("Gwet's AC1", "100 units x 3, a label of 5 %", chance_corrected("ac", 100, 3, RARE, 0.6), "gwet-ac")


def recall(texts: int, share: float, alike: float) -> Simulate:
    """Mistakes found or not, six a text on average; `alike` is how much those of one text hang together."""

    def simulate(rng: np.random.Generator) -> Outcome:
        gold, found = _texts(rng, texts, share, alike)
        return _held(ratio_interval(found, gold), share, few_texts(texts))

    return simulate


def recall_difference(texts: int, share: float, alike: float) -> Simulate:
    """Two lists on the same texts, both as good; some texts are hard for both."""

    def simulate(rng: np.random.Generator) -> Outcome:
        gold = 1 + rng.negative_binomial(3, 0.375, size=texts)
        hard = rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1), size=texts)
        lists = [(rng.binomial(gold, hard), gold) for _ in range(2)]
        return _held(ratio_difference_interval(lists[0], lists[1]), 0.0, few_texts(texts))

    return simulate


def _texts(rng: np.random.Generator, texts: int, share: float, alike: float) -> tuple[NDArray[Any], NDArray[Any]]:
    gold = 1 + rng.negative_binomial(3, 0.375, size=texts)
    each = rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1), size=texts)
    return gold, rng.binomial(gold, each)


def _held(found: Interval | Undefined, truth: float, careful: str = "") -> Outcome:
    if isinstance(found, Undefined):
        return Outcome(None, found.reason)
    return Outcome(found.low - 1e-12 <= truth <= found.high + 1e-12, careful)


DRAWS = Draws(1000, 0.95, 1)


def related(method: Method, way: Way, outputs: int, rho: float, clusters: int = 0, *, steps: bool = False) -> Simulate:
    """People's scores and a metric's, normal; outputs of one cluster (item or system) share an effect in both."""
    truth = {"pearson": rho, "spearman": 6 / np.pi * np.arcsin(rho / 2), "kendall": 2 / np.pi * np.arcsin(rho)}[method]

    def simulate(rng: np.random.Generator) -> Outcome:
        cluster = np.arange(outputs) % clusters if clusters else np.zeros(outputs, dtype=np.int64)
        one, other = (
            (rng.normal(size=max(1, clusters))[cluster] + rng.normal(size=outputs)) / 2**0.5
            if clusters
            else rng.normal(size=outputs)
            for _ in range(2)
        )
        human, metric = one, rho * one + (1 - rho**2) ** 0.5 * other
        system = cluster if way == "systems" else None
        item = cluster if way == "items" else None
        return held(
            correlate(ScoredOutputs.of(human, metric, system, item), "segment", method, way, DRAWS), float(truth)
        )

    return simulate


def equal_metrics(items: int, each: int, method: Method, effect: float) -> Simulate:
    """Two metrics that follow people equally well; items have effects of their own on all three."""

    def simulate(rng: np.random.Generator) -> Outcome:
        item = np.repeat(np.arange(items), each)
        human, first, second = (effect * rng.normal(size=items)[item] + rng.normal(size=items * each) for _ in range(3))
        p = permutation(human, first + human, second + human, method=method, permutations=300, rng=rng, items=item).p
        return Outcome(None if p is None else p <= 0.05)

    return simulate


def other_cells() -> Iterator[Cell]:
    for texts in (5, 10, 20, 60):
        for share in (0.05, 0.5, 0.9):
            design = f"{texts} texts of 6 mistakes, true share {share:g}"
            # A share near 0 or 1 in few texts takes few values: the interval may hold more often than it says.
            near = share != 0.5 and texts < 60
            simulate = recall(texts, share, 0.1)
            yield Cell("recall and precision", design, "coverage", simulate, "mistake-scores", at_least=near)
    for texts in (10, 20, 60):
        simulate = recall_difference(texts, 0.7, 0.2)
        yield Cell("difference of recall", f"{texts} texts, two equal lists", "coverage", simulate, "mistake-scores")
    for method in METHODS[:3]:
        for outputs in (10, 20, 50):
            design = f"{outputs} outputs, true rho 0.5"
            yield Cell(
                f"{method}, outputs left out",
                design,
                "coverage",
                related(method, "outputs", outputs, 0.5),
                "correlation",
            )
        simulate = related(method, "fisher", 20, 0.5)
        yield Cell(f"{method}, Fisher", "20 pairs, true rho 0.5", "coverage", simulate, "correlation")
    for clusters in (10, 30):
        simulate = related("pearson", "items", 5 * clusters, 0.5, clusters)
        yield Cell(
            "pearson, items left out", f"{clusters} items x 5, item effects", "coverage", simulate, "correlation"
        )
    for clusters in (5, 12):
        simulate = related("pearson", "systems", 20 * clusters, 0.5, clusters)
        yield Cell("pearson, systems left out", f"{clusters} systems x 20", "coverage", simulate, "correlation")
    for effect in (0.0, 2.0):
        design = f"30 items x 6 outputs, item effects {effect:g}"
        simulate = equal_metrics(30, 6, "pearson", effect)
        yield Cell("permutation test of two metrics", design, "false positives", simulate, "correlation")


CELLS: tuple[Cell, ...] = (*agreement_cells(), *other_cells())
