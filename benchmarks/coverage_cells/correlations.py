"""How metrics go with people's scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, found, held_figure, of_one
from goldmark.results.metrics.metric_correlations import PERM_BOTH
from goldmark.stats.correlations import pairwise_accuracy as pairwise
from goldmark.stats.correlations.correlation import METHODS, Method, correlation, permutation, swap_test, williams
from goldmark.stats.correlations.correlation_levels import Draws, ScoredOutputs, Way, correlate

DRAWS = Draws(1000, 0.95, 1)


def true_value(method: Method, rho: float) -> float:
    """Of normal scores with Pearson's correlation rho."""
    if method == "pearson":
        return rho
    return float(6 / np.pi * np.arcsin(rho / 2) if method == "spearman" else 2 / np.pi * np.arcsin(rho))


def related(methods: Sequence[Method], ways: Sequence[Way], outputs: int, design: str, clusters: int = 0) -> Simulation:
    """People's scores and a metric's, normal; outputs of one cluster (item or system) share an effect in both."""
    rho = 0.5

    def scores(rng: np.random.Generator, cluster: np.ndarray) -> np.ndarray:
        own = rng.normal(size=outputs)
        return (rng.normal(size=clusters)[cluster] + own) / 2**0.5 if clusters else own

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        cluster = np.arange(outputs) % max(1, clusters)
        human, other = scores(rng, cluster), scores(rng, cluster)
        metric = rho * human + (1 - rho**2) ** 0.5 * other
        made = []
        for way in ways:
            system, item = (cluster if way == one else None for one in ("systems", "items"))
            scored = ScoredOutputs.of(human, metric, system, item)
            made += [
                held_figure(correlate(scored, "segment", method, way, DRAWS), true_value(method, rho))
                for method in methods
            ]
        return made

    said = {"fisher": "Fisher", "outputs": "outputs left out", "items": "items left out", "systems": "systems left out"}
    cells = (Cell(f"{method}, {said[way]}", design, "coverage", "correlation") for way in ways for method in methods)
    return Simulation(tuple(cells), simulate)


def equal_metrics(effect: float) -> Simulation:
    """Two metrics that follow people equally well; items have effects of their own on all three."""
    items, each = 30, 6
    design = f"{items} items x {each} outputs, item effects {effect:g}"
    cell = Cell("permutation test of two metrics", design, "false positives", "correlation")

    def simulate(rng: np.random.Generator) -> Outcome:
        item = np.repeat(np.arange(items), each)
        human, first, second = (effect * rng.normal(size=items)[item] + rng.normal(size=items * each) for _ in range(3))
        made = permutation(human, first + human, second + human, permutations=300, rng=rng, items=item)
        return found(made.p, made.reason)

    return of_one(cell, simulate)


def equal_ranks(method: Method) -> Simulation:
    """The same test of rank correlations."""
    design = "30 items x 4 outputs, item effects 1"
    cell = Cell(f"permutation test of two metrics, {method}", design, "false positives", "correlation")

    def simulate(rng: np.random.Generator) -> Outcome:
        item = np.repeat(np.arange(30), 4)
        human, first, second = (rng.normal(size=30)[item] + rng.normal(size=120) for _ in range(3))
        made = permutation(human, first + human, second + human, method=method, permutations=100, rng=rng, items=item)
        return found(made.p, made.reason)

    return of_one(cell, simulate)


def equal_by_williams(pairs: int) -> Simulation:
    """Williams' test of two metrics that follow people equally well, one pair of scores for each output or system."""
    cell = Cell("Williams' test of two metrics", f"{pairs} pairs of scores", "false positives", "correlation")

    def simulate(rng: np.random.Generator) -> Outcome:
        human, first, second = rng.normal(size=(3, pairs))
        one, other = first + human, second + human
        between = float(np.corrcoef(one, other)[0, 1])
        made = williams(float(np.corrcoef(human, one)[0, 1]), float(np.corrcoef(human, other)[0, 1]), between, pairs)
        return found(made.p, made.reason)

    return of_one(cell, simulate)


def within(of: Literal["item", "within-system"], groups: int, each: int) -> Simulation:
    """The mean of the correlations within items, or within systems; some groups are harder to judge than others."""
    design = f"{groups} {'items' if of == 'item' else 'systems'} x {each} outputs"
    cell = Cell(f"mean correlation, {of}", design, "coverage", "correlation")
    # The mean of the correlations of samples of this size is what is estimated: that of a million of them.
    truth = WITHIN[each]

    def simulate(rng: np.random.Generator) -> Outcome:
        human, metric = in_groups(rng, groups, each)
        group = np.repeat(np.arange(groups), each)
        other = np.tile(np.arange(each), groups)
        system, item = (other, group) if of == "item" else (group, other)
        way: Way = "items" if of == "item" else "systems"
        scored = ScoredOutputs.of(human.ravel(), metric.ravel(), system, item)
        return held_figure(correlate(scored, of, "pearson", way, DRAWS), truth)

    return of_one(cell, simulate)


WITHIN = {6: 0.4376, 20: 0.4615}


def in_groups(rng: np.random.Generator, groups: int, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of people and of a metric: their correlation within a group varies around one half."""
    rho = np.tanh(rng.normal(0.55, 0.3, size=(groups, 1)))
    human, other = rng.normal(size=(2, groups, each))
    return human, rho * human + np.sqrt(1 - rho**2) * other


def over_systems(systems: int, items: int) -> Simulation:
    """Over the means of systems: for other systems (Fisher, systems left out), and for other items of these systems."""
    rho, noise = 0.8, 2.0
    cells = (
        Cell("pearson over systems, Fisher", f"{systems} systems x {items} items", "coverage", "correlation"),
        Cell("pearson over systems, systems left out", f"{systems} systems x {items} items", "coverage", "correlation"),
        Cell("pearson over systems, items left out", f"{systems} systems x {items} items", "coverage", "correlation"),
    )

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        worth = rng.normal(size=systems)
        scored = rho * worth + (1 - rho**2) ** 0.5 * rng.normal(size=systems)
        human, metric = (
            own[:, None] + rng.normal(size=items) + noise * rng.normal(size=(systems, items)) for own in (worth, scored)
        )
        system, item = np.indices((systems, items)).reshape(2, -1)
        outputs = ScoredOutputs.of(human.ravel(), metric.ravel(), system, item)
        # Means over these items are what other systems would be judged by: their noise is part of the truth.
        seen = rho / (1 + noise**2 / items)
        these = float(np.corrcoef(worth, scored)[0, 1])
        ways: tuple[Way, ...] = ("fisher", "systems", "items")
        made = [correlate(outputs, "system", "pearson", way, DRAWS) for way in ways]
        return [held_figure(one, truth) for one, truth in zip(made, (seen, seen, these), strict=True)]

    return Simulation(cells, simulate)


# Of 160,000 items of the following simulation, and of 600 sets of 20 systems.
BEST_ACCURACY, SOFT_ACCURACY = 0.5228, {60: 0.7752}


def tied(rng: np.random.Generator, items: int, systems: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People's scores in few steps, with many ties, and a metric that follows them; items are hard or easy for all."""
    item = np.repeat(np.arange(items), systems)
    hard = rng.normal(size=items)[item]
    true = hard + rng.normal(size=len(item))
    human = np.clip(np.round(true + 0.5 * rng.normal(size=len(item))), -3, 1)
    return human, true + rng.normal(size=len(item)), item


def calibrated(items: int, systems: int) -> Simulation:
    """Tie-calibrated pairwise accuracy within items."""
    cell = Cell("pairwise accuracy within items", f"{items} items x {systems} systems", "coverage", "correlation")

    def simulate(rng: np.random.Generator) -> Outcome:
        return held_figure(pairwise.within_items(*tied(rng, items, systems)).accuracy, BEST_ACCURACY)

    return of_one(cell, simulate)


def ordered(systems: int, items: int) -> Simulation:
    """Pairwise and soft pairwise accuracy over systems, which could have been others."""
    rho, noise = 0.8, 2.0
    design = f"{systems} systems x {items} items"
    cells = (
        Cell("pairwise accuracy over systems", design, "coverage", "correlation", at_least=True),
        Cell("soft pairwise accuracy over systems", design, "coverage", "correlation"),
    )
    # Means over the items are correlated normal numbers: two are in the same order in 1/2 + arcsin(r) / pi.
    truth = 0.5 + float(np.arcsin(rho / (1 + noise**2 / items))) / np.pi

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        human, metric = scored_systems(rng, systems, items, rho, noise)
        hard = pairwise.over_systems(human.mean(axis=1), metric.mean(axis=1))
        soft = pairwise.softly_over_systems(human, metric, seed=int(rng.integers(1 << 31)), flips=200)
        return [held_figure(hard, truth), held_figure(soft, SOFT_ACCURACY[items])]

    return Simulation(cells, simulate)


def scored_systems(
    rng: np.random.Generator, systems: int, items: int, rho: float, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    worth = rng.normal(size=systems)
    scored = rho * worth + (1 - rho**2) ** 0.5 * rng.normal(size=systems)
    human, metric = (
        own[:, None] + rng.normal(size=items) + noise * rng.normal(size=(systems, items)) for own in (worth, scored)
    )
    return human, metric


def both_swapped(effect: float) -> Simulation:
    """PERM-BOTH of two metrics that follow people equally well."""
    items, each = 30, 6
    design = f"{items} items x {each} outputs, item effects {effect:g}"
    cell = Cell("perm-both of two metrics", design, "false positives", "correlation")

    def simulate(rng: np.random.Generator) -> Outcome:
        item = np.repeat(np.arange(items), each)
        human, first, second = (effect * rng.normal(size=items)[item] + rng.normal(size=items * each) for _ in range(3))
        made = swap_test(
            first + human,
            second + human,
            lambda metric: correlation(human, metric).value,
            block=np.arange(len(human)),
            permutations=100,
            rng=rng,
        )
        return found(made.p, made.reason or PERM_BOTH)

    return of_one(cell, simulate)


def equal_accuracy() -> Simulation:
    """Two metrics of equal pairwise accuracy within items, whole items swapped."""
    cell = Cell("permutation test of two metrics, pairwise", "40 items x 5 systems", "false positives", "correlation")

    def simulate(rng: np.random.Generator) -> Outcome:
        human, first, item = tied(rng, 40, 5)
        second = first + rng.normal(size=len(first))
        first = first + rng.normal(size=len(first))
        pairs = pairwise.ItemPairs.of(human, item)
        made = swap_test(
            first, second, lambda metric: pairs.calibrated(metric)[0], block=item, permutations=100, rng=rng
        )
        return found(made.p, made.reason)

    return of_one(cell, simulate)


def _simulations() -> Iterator[Simulation]:
    for items, systems in ((20, 6), (100, 6)):
        yield calibrated(items, systems)
    for systems, items in ((8, 60), (20, 60)):
        yield ordered(systems, items)
    for effect in (0.0, 2.0):
        yield both_swapped(effect)
    yield equal_accuracy()
    for method in ("spearman", "kendall"):
        yield equal_ranks(method)
    for pairs in (12, 60):
        yield equal_by_williams(pairs)
    yield within("item", 40, 6)
    yield within("within-system", 8, 20)
    for systems, items in ((8, 100), (20, 60), (12, 30)):
        yield over_systems(systems, items)
    for outputs in (10, 20, 50):
        yield related(METHODS[:3], ("outputs", "fisher"), outputs, f"{outputs} outputs, true rho 0.5")
    for clusters in (10, 30):
        yield related(("pearson",), ("items",), 5 * clusters, f"{clusters} items x 5, item effects", clusters)
    for clusters in (5, 12):
        yield related(("pearson",), ("systems",), 20 * clusters, f"{clusters} systems x 20", clusters)
    for effect in (0.0, 2.0):
        yield equal_metrics(effect)


SIMULATIONS = tuple(_simulations())
