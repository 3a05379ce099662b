"""How metrics go with people's scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, found, held_figure, of_one
from goldmark.stats.inference.correlation import METHODS, Method, permutation
from goldmark.stats.inference.correlation_levels import Draws, ScoredOutputs, Way, correlate

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


def _simulations() -> Iterator[Simulation]:
    for outputs in (10, 20, 50):
        yield related(METHODS[:3], ("outputs", "fisher"), outputs, f"{outputs} outputs, true rho 0.5")
    for clusters in (10, 30):
        yield related(("pearson",), ("items",), 5 * clusters, f"{clusters} items x 5, item effects", clusters)
    for clusters in (5, 12):
        yield related(("pearson",), ("systems",), 20 * clusters, f"{clusters} systems x 20", clusters)
    for effect in (0.0, 2.0):
        yield equal_metrics(effect)


SIMULATIONS = tuple(_simulations())
