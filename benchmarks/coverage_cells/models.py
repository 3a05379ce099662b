"""Models: mixed effects, reliability, Bradley-Terry and the like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, found, held, held_figure
from benchmarks.coverage_cells.designs import Design
from goldmark.records.answers import Comparison
from goldmark.records.figures import Interval
from goldmark.results.tables.preferences.comparison_models import few_people
from goldmark.stats.mixed_models.generalisability import reliability
from goldmark.stats.mixed_models.rating_models import RatingDesign, linear_rating_model, ordinal_rating_model
from goldmark.stats.models.bradley_terry import FIRST, SECOND, bradley_terry
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import RankingRules, rank
from goldmark.studies.evaluation.mixed_test import mixed_test
from goldmark.studies.evaluation.outcomes import Participant

ROLES = ("a", "b", "c", "d")
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


def over_texts(people: int, each: int, pool: int) -> Simulation:
    """Two groups of people who each read texts of their own group, right or wrong: the test of a study over both."""
    design = f"{people} and {people} people x {each} of {pool} texts of their own"

    def group(rng: np.random.Generator, name: str) -> list[Participant]:
        hard, skill = 0.8 * rng.standard_normal(pool), 0.5 * rng.standard_normal(people)
        made = []
        for person in range(people):
            read = rng.permutation(pool)[:each]
            right = rng.random(each) < 1 / (1 + np.exp(-0.5 - hard[read] - skill[person]))
            texts = tuple(f"{name}{text}" for text in read.tolist())
            made.append(Participant(f"{name} p{person}", name, tuple(map(float, right)), texts=texts))
        return made

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        outcome, contrast = mixed_test([group(rng, "a"), group(rng, "b")], 0.0, None)
        interval = None if contrast is None else contrast.interval()
        return [held(interval, 0.0, outcome.reason), found(outcome.p, outcome.reason)]

    return Simulation(
        (
            Cell("difference over people and texts", design, "coverage", "mixed-models"),
            Cell("difference over people and texts", design, "false positives", "mixed-models"),
        ),
        simulate,
    )


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


def components(name: str, design: Design) -> Simulation:
    """The variances of a linear model: of items, of people, and what is left."""
    truths = {"item": design.item**2, "annotator": design.annotator**2, "residual": design.noise**2}

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = design.draw(rng)
        rated = RatingDesign.of(*made.names(), without=("text", "annotator:system"))
        parts = {what: figure for what, figure, _ in linear_rating_model(rated, made.score).components(0.95)}
        why = "; ".join(rated.warnings)
        return [held(parts[one].interval, truth, parts[one].reason or why) for one, truth in truths.items()]

    names = {"item": "variance of items", "annotator": "variance of annotators", "residual": "residual variance"}
    return Simulation(tuple(Cell(names[one], name, "coverage", "mixed-models") for one in truths), simulate)


def hidden_scale(name: str, design: Design) -> Simulation:
    """The variances and the thresholds of an ordinal model."""
    truths = {"item": design.item**2, "annotator": design.annotator**2}

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        made = design.draw(rng)
        rated = RatingDesign.of(*made.names(), without=("text", "annotator:system"))
        model = ordinal_rating_model(rated, made.score, link="probit")
        parts = {what: figure for what, figure, _ in model.components(0.95)}
        why = "; ".join(rated.warnings)
        cuts = [figure for _, figure in model.thresholds(0.95)]
        first = held_figure(cuts[0], design.cuts[0]) if len(cuts) == len(design.cuts) else Outcome(None, "unused step")
        return [
            *(held(parts[one].interval, truth, parts[one].reason or why) for one, truth in truths.items()),
            first._replace(reason=first.reason or why),
        ]

    cells = (
        Cell("variance of items on the hidden scale", name, "coverage", "mixed-models"),
        Cell("variance of annotators on the hidden scale", name, "coverage", "mixed-models"),
        Cell("threshold of an ordinal mixed model", name, "coverage", "mixed-models"),
    )
    return Simulation(cells, simulate)


def preferred(name: str, people: int, items: int, taste: float, text: float, *, ties: bool = False) -> Simulation:
    """Three equal systems compared two by two: strength, order effect, and the check of fit.

    Everybody has a taste for systems, and every item has texts that are better or worse; both are drawn.
    """

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        pairs = np.array([(0, 1), (0, 2), (1, 2)])
        item = np.repeat(np.arange(items), 9)  # three pairs of systems, three people each
        pair = pairs[np.tile(np.repeat(np.arange(3), 3), items)]
        who = np.argsort(rng.random((items * 3, people)), axis=1)[:, :3].ravel()
        turned = rng.random(len(item)) < 0.5
        first, second = np.where(turned, pair[:, 1], pair[:, 0]), np.where(turned, pair[:, 0], pair[:, 1])
        likes, worth = taste * rng.normal(size=(people, 3)), text * rng.normal(size=(items, 3))
        utility = likes[who, first] - likes[who, second] + worth[item, first] - worth[item, second]
        odds = np.exp(np.stack([utility / 2, -utility / 2, np.full(len(item), -0.7 if ties else -np.inf)], axis=1))
        share = (odds / odds.sum(axis=1, keepdims=True)).cumsum(axis=1)
        outcome = np.minimum((rng.random((len(item), 1)) > share).sum(axis=1), 2)
        model = bradley_terry(first, second, outcome, who, item)
        why = few_people(model.people)
        strength, order = model.figure(model.unit(0)), model.figure(model.unit(3))
        return [
            held(strength.interval, 0.0, why),
            held(order.interval, 0.0, why),
            found(model.misfit_p, why),
        ]

    # Where people do not differ, allowing for that they might makes an interval hold more often than it says.
    cells = (
        Cell("strength of a system", name, "coverage", "bradley-terry", at_least=not taste),
        Cell("effect of order", name, "coverage", "bradley-terry", at_least=True),
        Cell("check of fit", name, "false positives", "bradley-terry"),
    )
    return Simulation(cells, simulate)


def picked(name: str, people: int, items: int, taste: float, text: float) -> Simulation:
    """Six equal systems, two sets of four for every item, of which three people name the best and the worst each.

    The score of a system by counting; and, of the same answers as comparisons, its strength, the effect of order, the
    share of comparisons that it wins, and the check of fit.
    """
    systems, labels = 6, 3

    def simulate(rng: np.random.Generator) -> list[Outcome]:
        item = np.repeat(np.arange(items), 2 * labels)
        shown = np.repeat(np.argsort(rng.random((items * 2, systems)), axis=1)[:, :4], labels, axis=0)
        shown = rng.permuted(shown, axis=1)
        who = np.argsort(rng.random((items * 2, people)), axis=1)[:, :labels].ravel()
        likes, worth = taste * rng.normal(size=(people, systems)), text * rng.normal(size=(items, systems))
        felt = likes[who[:, None], shown] + worth[item[:, None], shown] + rng.gumbel(size=shown.shape)
        best, worst = felt.argmax(axis=1), felt.argmin(axis=1)
        rows = [
            (answer, first, second, SECOND if better == second else FIRST)
            for answer in range(len(item))
            for first, second, better in Comparison("", ROLES, ROLES[best[answer]], ROLES[worst[answer]]).pairs()
        ]
        answer, first, second, outcome = map(np.array, zip(*rows, strict=True))
        places = [np.array([ROLES.index(role) for role in side]) for side in (first, second)]
        one, other = (shown[answer, place] for place in places)
        model = bradley_terry(one, other, outcome, who[answer], item[answer])
        said = np.zeros(shown.shape)
        np.put_along_axis(said, best[:, None], 1.0, axis=1)
        np.put_along_axis(said, worst[:, None], -1.0, axis=1)
        sets, persons = (list(map(str, np.broadcast_to(codes[:, None], shown.shape).ravel())) for codes in (item, who))
        judged = Judgements.of(list(map(str, shown.ravel())), sets, persons, said.ravel())
        score = rank(judged, RankingRules("judgements", resamples=400, ends=(-1.0, 1.0)), rng=rng).scores[0]
        ends = None if score.low is None or score.high is None else Interval(score.low, score.high)
        why = few_people(model.people)
        return [
            held(ends, 0.0, score.reason),
            held(model.figure(model.unit(0)).interval, 0.0, why),
            held(model.figure(model.unit(systems)).interval, 0.0, why),
            found(model.misfit_p, why),
        ]

    cells = (
        Cell("best-worst score", name, "coverage", "best-worst"),
        Cell("strength of a system, best and worst of four", name, "coverage", "best-worst"),
        Cell("effect of order, best and worst of four", name, "coverage", "best-worst", at_least=True),
        Cell("check of fit, best and worst of four", name, "false positives", "best-worst", at_least=True),
    )
    return Simulation(cells, simulate)


def _simulations() -> Iterator[Simulation]:
    for name, design in RATED.items():
        yield linear(name, design)
    for people, each, pool in ((20, 10, 20), (40, 5, 10)):
        yield over_texts(people, each, pool)
    for name, design in SCALED.items():
        yield ordinal(name, design)
    for name, design in JUDGED.items():
        yield reliable(name, design)
    once = replace(ONE, items=40, annotators=12)
    yield components("40 items x 3 labels, 12 annotators", once)
    yield components("40 items, 12 annotators judge all", replace(once, layout="crossed"))
    yield components("40 items, 30 annotators judge all", replace(once, layout="crossed", annotators=30))
    plain = replace(HIDDEN, item_system=0.0, annotator_system=0.0)
    yield hidden_scale("five steps, 40 items x 3 labels, 12 annotators", plain)
    all_of_them = replace(plain, layout="crossed", items=60, annotators=20)
    yield hidden_scale("five steps, 60 items, 20 annotators judge all", all_of_them)
    for name, people, items, taste, text, ties in (
        ("40 items x 3 labels, 12 people", 12, 40, 0.0, 0.0, False),
        ("40 items x 3 labels, 12 people with tastes, items that differ", 12, 40, 0.5, 0.8, False),
        ("40 items x 3 labels, 5 people with tastes, items that differ", 5, 40, 0.5, 0.8, False),
        ("40 items x 3 labels, the same 3 people with tastes, items that differ", 3, 40, 0.5, 0.8, False),
        ("40 items x 3 labels, 12 people with tastes, items that differ, ties", 12, 40, 0.5, 0.8, True),
        ("15 items x 3 labels, 20 people with tastes, items that differ", 20, 15, 0.5, 0.8, False),
    ):
        yield preferred(name, people, items, taste, text, ties=ties)
    for people in (5, 12):
        yield picked(
            f"40 items x 2 sets of 4 of 6 systems x 3 labels, {people} people with tastes", people, 40, 0.5, 0.8
        )


SIMULATIONS = tuple(_simulations())
