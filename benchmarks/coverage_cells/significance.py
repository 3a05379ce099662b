"""Tests and effect sizes of studies: t-tests, analysis of variance, Tukey, Cohen's d, corrections for many tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, found, held
from goldmark.stats.significance import tests
from goldmark.stats.significance.equivalence import equivalence

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]


def shares(rng: np.random.Generator, people: int) -> Floats:
    """Everybody's share of right answers to five texts, as good as guessing; some see better than others."""
    return rng.binomial(5, rng.beta(12, 12, size=people)) / 5


def normal(rng: np.random.Generator, people: int) -> Floats:
    return rng.normal(0.5, 0.2, size=people)


def one_group(draw: Draw, name: str, people: int) -> Simulation:
    """One group whose true mean is .5, against .5."""
    design = f"{people} people, {name}"
    cells = (
        Cell("t-test against a number", design, "false positives", "tests"),
        Cell("mean of people's outcomes", design, "coverage", "tests"),
        Cell("d against a number", design, "coverage", "tests"),
    )

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        sample = draw(rng, people)
        test, size = tests.one_sample_t(sample, 0.5), tests.one_sample_d(sample, 0.5)
        return [
            found(test.p, test.reason),
            held(tests.mean_interval(sample), 0.5),
            held(size.interval, 0.0, size.reason),
        ]

    return Simulation(cells, simulate)


def two_groups(draw: Draw, name: str, people: Sequence[int], *, spread: float = 1.0) -> Simulation:
    """Two groups of equal true means."""
    design = f"{people[0]} and {people[1]} people, {name}"
    cells = [
        Cell("t-test of two groups", design, "false positives", "tests"),
        Cell("difference of two means", design, "coverage", "tests"),
    ]
    if spread == 1.0:  # Cohen's d takes both groups to spread alike
        cells.append(Cell("Cohen's d", design, "coverage", "tests"))

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        one, other = draw(rng, people[0]), 0.5 + spread * (draw(rng, people[1]) - 0.5)
        test, size = tests.two_sample_t(one, other), tests.cohen_d(one, other)
        made = [found(test.p, test.reason), held(tests.mean_difference_interval(one, other), 0.0)]
        return [*made, held(size.interval, 0.0, size.reason)] if spread == 1.0 else made

    return Simulation(tuple(cells), simulate)


def large_effect(people: int) -> Simulation:
    """Cohen's d where it is one standard deviation."""
    cell = Cell("Cohen's d", f"{people} and {people} people, normal, true d 1", "coverage", "tests")

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        size = tests.cohen_d(1 + rng.normal(size=people), rng.normal(size=people))
        return [held(size.interval, 1.0, size.reason)]

    return Simulation((cell,), simulate)


def several_groups(draw: Draw, name: str, groups: int, people: int) -> Simulation:
    """Groups of equal true means: whether any difference is found."""
    design = f"{groups} groups of {people} people, {name}"
    cells = (
        Cell("analysis of variance", design, "false positives", "tests"),
        Cell("Tukey's HSD, any pair", design, "false positives", "tests"),
        Cell("Tukey's HSD, all intervals at once", design, "coverage", "tests"),
    )

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        samples = [draw(rng, people) for _ in range(groups)]
        test, _ = tests.anova(samples)
        pairs = tests.tukey_hsd(samples)
        all_hold = all(pair.low <= 0 <= pair.high for pair in pairs)
        return [
            found(test.p, test.reason),
            found(min(pair.p for pair in pairs)),
            Outcome(all_hold, "", (pairs[0].low, pairs[0].high)),
        ]

    return Simulation(cells, simulate)


def many_tests(correct: Callable[[Sequence[float | None]], list[float | None]], name: str) -> Simulation:
    """Ten tests of nothing, each against its own number: whether any is found after correction."""
    cell = Cell(f"{name}, any of 10", "10 groups of 20 people, normal", "false positives", "tests", at_least=True)

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = [tests.one_sample_t(normal(rng, 20), 0.5).p for _ in range(10)]
        return [found(min(p for p in correct(made) if p is not None))]

    return Simulation((cell,), simulate)


def almost_equal(people: int) -> Simulation:
    """Two groups that differ by just the margin: whether they are called equal."""
    cell = Cell(
        "equal up to a margin", f"{people} and {people} people, normal, at the margin", "false positives", "tests"
    )

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        test = equivalence(0.2 + normal(rng, people), normal(rng, people), 0.2)
        return [found(test.p, test.reason)]

    return Simulation((cell,), simulate)


def two_judges(cases: int) -> Simulation:
    """Two judges who are right equally often on the same cases, of which some are harder."""
    cell = Cell(
        "McNemar's test", f"{cases} cases, both right on 7 of 10", "false positives", "tests", at_least=cases < 100
    )

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        easy = rng.beta(3.5, 1.5, size=cases)
        test = tests.mcnemar(rng.random(cases) < easy, rng.random(cases) < easy)
        return [found(test.p, test.reason)]

    return Simulation((cell,), simulate)


def _simulations() -> Iterator[Simulation]:
    for people in (10, 40):
        yield one_group(shares, "shares of 5", people)
        yield two_groups(shares, "shares of 5", (people, people))
    yield two_groups(normal, "one group spreads twice as far", (15, 40), spread=2.0)
    for people in (10, 40):
        yield large_effect(people)
    for people in (30, 100):
        yield almost_equal(people)
    for cases in (30, 200):
        yield two_judges(cases)
    for groups, people in ((3, 10), (4, 40)):
        yield several_groups(shares, "shares of 5", groups, people)
    for name, correct in (("Bonferroni", tests.bonferroni), ("Holm", tests.holm)):
        yield many_tests(correct, name)


SIMULATIONS = tuple(_simulations())
