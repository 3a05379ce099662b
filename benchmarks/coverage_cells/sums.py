"""Figures that are made of sums over texts or people: accuracy, F1, BLEU, times, and the like."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, held, held_figure, of_one
from goldmark.datasets.benchmark.scores import score as benchmark_score
from goldmark.datasets.benchmark.tasks import TASKS, TaskItem
from goldmark.metrics.plugins import Spec, Texts
from goldmark.metrics.scores import score
from goldmark.records.figures import Figure, Interval
from goldmark.records.tables import Cell as TableCell
from goldmark.records.tidy.coded import Coded
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.humanlike.signal_detection import signal
from goldmark.results.published.humanlike.study import SourceJudgement, figures
from goldmark.results.published.tgea.stage_agreement import ValuePairs, compared_categories
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.medians import clustered_median
from goldmark.stats.inference.proportions import difference_of_intervals
from goldmark.stats.inference.sums import sums_figure
from goldmark.stats.models.soft_labels import cross_entropies, distances, divergences

OPTIONS = AnalysisOptions()


def of_row(row: dict[str, TableCell], name: str, truth: float) -> Outcome:
    """Of three cells of a table: the figure `name` and the ends of its interval."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    reason = str(row.get("reason") or "")
    if not isinstance(low, float) or not isinstance(high, float):
        return Outcome(None, reason)
    return held(Interval(low, high), truth, reason)


def evaluators(people: int, accuracy: float) -> Simulation:
    """People who each tell of six texts whether a machine wrote them; some are better at it than others."""
    names = ("accuracy", "f1", "precision", "recall", "percent_human")
    design = f"{people} evaluators x 6 texts, true accuracy {accuracy:g}"

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        spread = 0.12
        size = accuracy * (1 - accuracy) / spread**2 - 1
        right = rng.random((people, 6)) < rng.beta(accuracy * size, (1 - accuracy) * size, size=(people, 1))
        machine = np.tile(np.array([True, False, True, False, True, False]), (people, 1))
        said = np.where(right, machine, ~machine)
        judged = [
            SourceJudgement(f"p{who}", f"t{who}-{text}", bool(machine[who, text]), bool(said[who, text]), False)
            for who in range(people)
            for text in range(6)
        ]
        row = figures(judged, OPTIONS)
        row["reason"] = str(row["reason"]).partition("alpha: ")[0].rstrip("; ")
        truths = {
            "accuracy": accuracy,
            "f1": accuracy,
            "precision": accuracy,
            "recall": accuracy,
            "percent_human": 50.0,
        }
        return [of_row(row, name, truths[name]) for name in names]

    return Simulation(
        tuple(Cell(f"{name.replace('_', ' ')} in a study", design, "coverage", "study") for name in names), simulate
    )


def leaning(people: int) -> Simulation:
    """People of different skill and leaning, five texts of each kind."""
    names = ("d_prime", "criterion")

    def rates(d: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([ndtr(d / 2 - c), ndtr(-d / 2 - c)])

    def draw(rng: np.random.Generator, people: int) -> NDArray[np.float64]:
        return rates(rng.normal(0.8, 0.3, size=people), rng.normal(0.2, 0.3, size=people))

    @cache
    def truths() -> dict[str, float]:
        hit, false = ndtri(draw(np.random.default_rng(1), 1_000_000).mean(axis=1))
        return {"d_prime": float(hit - false), "criterion": float(-(hit + false) / 2)}

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        found = rng.binomial(5, draw(rng, people))
        judged = [
            SourceJudgement(f"p{who}", f"{kind}{place}", kind == 0, place < found[kind, who], False)
            for who in range(people)
            for kind in (0, 1)
            for place in range(5)
        ]
        row = signal(judged, OPTIONS)
        return [of_row(row, name, truths()[name]) for name in names]

    design = f"{people} evaluators x 10 texts"
    called = ("d' of all answers", "criterion of all answers")
    return Simulation(tuple(Cell(name, design, "coverage", "signal-detection") for name in called), simulate)


def detected(texts: int) -> Simulation:
    """A model's answers on a benchmark: fine or erroneous, one text in four erroneous."""
    share, right, wrong = 0.25, 0.8, 0.1  # erroneous texts; found of them; found of the others
    found = share * right
    truths = {
        "accuracy": found + (1 - share) * (1 - wrong),
        "balanced_accuracy": (right + 1 - wrong) / 2,
        "f1": 2 * found / (found + (1 - share) * wrong + share),
    }

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        gold = rng.random(texts) < share
        said = rng.random(texts) < np.where(gold, right, wrong)
        items = [TaskItem(f"t{place}", "", "", (), "whitespace", "en", bool(one)) for place, one in enumerate(gold)]
        made = benchmark_score(TASKS["detect"], items, said.tolist()).figures
        return [held_figure(made[name], truth) for name, truth in truths.items()]

    cells = (Cell(f"{name} of a model", f"{texts} texts", "coverage", "benchmark-scores") for name in truths)
    return Simulation(tuple(cells), simulate)


def typed(texts: int) -> Simulation:
    """A model's answers on types: four types of which one is rare, each found alike often."""
    shares, right = np.array([0.4, 0.3, 0.2, 0.1]), 0.7
    # Wrong answers are spread over the other three alike.
    table = np.full((4, 4), (1 - right) / 3)
    np.fill_diagonal(table, right)
    seen = shares[:, None] * table
    f1 = 2 * np.diag(seen) / (seen.sum(axis=0) + seen.sum(axis=1))
    truths = {"accuracy": right, "macro_f1": float(f1.mean())}

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        gold = rng.choice(4, p=shares, size=texts)
        said = np.where(rng.random(texts) < right, gold, (gold + rng.integers(1, 4, size=texts)) % 4)
        items = [TaskItem(f"t{place}", "e", "", (), "whitespace", "en", f"k{one}") for place, one in enumerate(gold)]
        made = benchmark_score(TASKS["type"], items, [f"k{one}" for one in said]).figures
        return [held_figure(made[name], truth) for name, truth in truths.items()]

    cells = (
        Cell(f"{name} of a model", f"{texts} errors of four types", "coverage", "benchmark-scores") for name in truths
    )
    return Simulation(tuple(cells), simulate)


WORDS = np.array(["a", "b", "c", "d", "e", "f", "g", "h"])
# Of 200,000 texts of the following simulation.
METRICS = {"bleu": 55.127, "chrf": 48.068, "rougeL": 0.7745}


def corpus(rng: np.random.Generator, texts: int) -> Texts:
    """Texts of 6 to 18 words; the share of words in which one differs from its reference varies from text to text."""
    outputs, references = [], []
    for length, share in zip(rng.integers(6, 19, size=texts), rng.beta(2, 5, size=texts), strict=True):
        words = rng.choice(WORDS, size=length)
        changed = np.where(rng.random(length) < share, rng.choice(WORDS, size=length), words)
        outputs.append(" ".join(changed))
        references.append([" ".join(words)])
    return Texts(outputs, references)


def metrics(texts: int) -> Simulation:
    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = corpus(rng, texts)
        return [held_figure(score(Spec.parse(name), made).corpus, truth) for name, truth in METRICS.items()]

    return Simulation(
        tuple(Cell(f"{name} of a system", f"{texts} texts", "coverage", "metrics") for name in METRICS), simulate
    )


def times(units: int) -> Simulation:
    """Seconds, which are lognormal: the mean over units, and the difference between two kinds of units."""
    truth = float(np.exp(3 + (0.4**2 + 0.6**2) / 2))

    def mean(rng: np.random.Generator) -> Figure:
        seconds = np.exp(3 + 0.4 * rng.normal(size=(units, 1)) + 0.6 * rng.normal(size=(units, 2)))
        counts = np.column_stack([seconds.sum(axis=1), np.full(units, 2.0)])
        return sums_figure(counts, lambda sums: ratio(sums[:, 0], sums[:, 1]), top=None, what="unit")

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        one, other = mean(rng), mean(rng)
        if one.value is None or other.value is None or one.interval is None or other.interval is None:
            return [held_figure(one, truth), Outcome(None, one.reason)]
        apart = difference_of_intervals((one.value, one.interval), (other.value, other.interval))
        return [held_figure(one, truth), held(apart, 0.0, one.reason)]

    design = f"lognormal, {units} units x 2"
    return Simulation(
        (
            Cell("mean time", design, "coverage", "suggestions"),
            Cell("difference of mean times", design, "coverage", "suggestions"),
        ),
        simulate,
    )


def median_times(people: int) -> Simulation:
    """The median of times of people who differ in how fast they are."""

    def simulate(rng: np.random.Generator) -> Outcome:
        who = np.repeat(np.arange(people), 20)
        seconds = np.exp(3 + 0.4 * rng.normal(size=people)[who] + 0.6 * rng.normal(size=len(who)))
        return held_figure(clustered_median(seconds, who), float(np.exp(3)))

    return of_one(Cell("median time", f"lognormal, {people} people x 20 units", "coverage", "pay"), simulate)


def codes(comments: int) -> Simulation:
    """What comments are about: one to four labels each, of three groups."""
    share = 0.3

    def simulate(rng: np.random.Generator) -> Outcome:
        labels = rng.integers(1, 5, size=comments)
        own = rng.binomial(labels, rng.beta(share * 4, (1 - share) * 4, size=comments))
        counts = np.column_stack([own, labels - own])
        made = sums_figure(
            counts,
            lambda sums: 100 * ratio(sums[:, 0], sums.sum(axis=1)),
            top=100.0,
            most=float(labels.sum()),
            what="comment",
        )
        return held_figure(made, 100 * share)

    return of_one(Cell("share of codes", f"{comments} comments", "coverage", "coding"), simulate)


def staged(texts: int, right: float) -> Simulation:
    """Pairs of three readers of each text: percent agreement and kappa over texts."""
    shares = np.array([0.6, 0.4])
    equal = right + (1 - right) * float(np.square(shares).sum())

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        truth = rng.choice(2, p=shares, size=(texts, 1))
        said = np.where(rng.random((texts, 3)) < right**0.5, truth, rng.choice(2, p=shares, size=(texts, 3)))
        first, second = (Coded(said[:, columns].ravel(), ("0", "1")) for columns in ([0, 0, 1], [1, 2, 2]))
        pairs = ValuePairs(np.repeat(np.arange(texts), 3), np.full(3 * texts, 1 / 3), first, second)
        row = compared_categories("stage", pairs, OPTIONS, "texts", both_ways=True)
        return [of_row(row, "agreement", 100 * equal), of_row(row, "kappa", right)]

    design = f"{texts} texts x 3 readers, true kappa {right:g}"
    return Simulation(
        tuple(
            Cell(f"{name} at a stage", design, "coverage", "stages", at_least=texts < 60)
            for name in ("percent agreed", "kappa")
        ),
        simulate,
    )


def divided(units: int) -> Simulation:
    """Five people's answers to units of different doubt, and a prediction that is nearly right."""

    def draw(rng: np.random.Generator, units: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        chance = rng.dirichlet((0.6, 0.6, 0.6), size=units)
        votes = rng.multinomial(5, chance).astype(np.float64)
        return votes / 5, 0.9 * chance + 0.1 / 3

    @cache
    def truths() -> tuple[float, float]:
        shares, guess = draw(np.random.default_rng(1), 200_000)
        return float(cross_entropies(shares, guess).mean()), float(divergences(shares, guess).mean())

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = distances(*draw(rng, units))
        return [held_figure(figure, truth) for figure, truth in zip(made, truths(), strict=True)]

    names = ("cross-entropy of a prediction", "Jensen-Shannon of a prediction")
    return Simulation(
        tuple(Cell(name, f"{units} units x 5 answers", "coverage", "soft-labels") for name in names), simulate
    )


def _simulations() -> Iterator[Simulation]:
    for people in (10, 40):
        yield evaluators(people, 0.6)
    yield evaluators(40, 0.9)
    for people in (10, 40):
        yield leaning(people)
    for texts in (30, 200):
        yield detected(texts)
        yield typed(texts)
        yield metrics(texts)
    for units in (20, 60):
        yield times(units)
    for people in (5, 10, 30):
        yield median_times(people)
    for comments in (20, 100):
        yield codes(comments)
    for texts in (20, 60):
        yield staged(texts, 0.7)
    for units in (30, 200):
        yield divided(units)


SIMULATIONS = tuple(_simulations())
