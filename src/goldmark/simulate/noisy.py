"""How well are noisy annotators found? The simulation study of GENIE's appendix B.2.

A round draws a crowd: a share of noisy annotators between 1 and 10 %; for the accuracies of the noisy ones a Beta with
mean between 0 and 0.5 and concentration between 5 and 50; for those of the others a Beta with mean between 0.95 and 1
and concentration between 100 and 1,000, all uniformly. Each annotator is noisy or not, gets an accuracy, and answers
test questions. Every model then flags whom it thinks noisy, and over all rounds precision and recall are counted,
by how many test questions the annotators had answered.

The paper takes the numbers of questions from its WMT21 annotations, which are not public. `QUESTIONS` stands in for
them: as many annotators as in the paper, most with a handful of questions and a few with a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from goldmark.errors import GoldmarkError
from goldmark.jobs.fanout import WorkerPool
from goldmark.quality.noisy import AnnotatorModel
from goldmark.records.figures import Figure, Interval, Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.inference.proportions import ratio_interval
from goldmark.stats.models.beta_mixtures import MixtureFit
from goldmark.stats.models.log_gamma import Floats, Ints

ROUNDS = 25
BUCKETS = (1, 5, 15)  # the first number of questions of each bucket: 1-4, 5-14, 15 and more

# The models of GENIE's Table 1, in the order of its text: uninformative, fixed, learned.
MODELS = (
    AnnotatorModel("rate", "jeffreys", 1),
    AnnotatorModel("rate", "uniform", 1),
    AnnotatorModel("rate", "fixed", 1),
    AnnotatorModel("rate", "fixed", 2),
    AnnotatorModel("class", "fixed", 2),
    AnnotatorModel("rate", "learned", 1),
    AnnotatorModel("rate", "learned", 2),
    AnnotatorModel("class", "learned", 2),
)


def _stand_in(annotators: int = 88, median: float = 10.0, spread: float = 1.1) -> tuple[int, ...]:
    """Even quantiles of a log-normal distribution: crowd workers' amounts of work are skewed like this."""
    levels = (np.arange(annotators) + 0.5) / annotators
    return tuple(int(n) for n in np.maximum(1, np.round(median * np.exp(spread * special.ndtri(levels)))))


QUESTIONS = _stand_in()


class StudyNotPossible(GoldmarkError):
    code = "SIMULATE-01"
    message = "{reason}; {remedy}"


@dataclass(frozen=True)
class Crowd:
    """A simulated crowd, and the truth about it."""

    correct: Ints
    n: Ints
    noisy: NDArray[np.bool_]


class DetectionRates(NamedTuple):
    """One model's precision and recall among annotators with so many test questions, over all rounds."""

    model: AnnotatorModel
    bucket: str
    annotators: int
    noisy: int
    flagged: int
    found: int
    precision: Figure
    recall: Figure


@dataclass(frozen=True)
class SimulationStudy:
    """A finished study: a row per model and bucket, and whether every fit converged."""

    rows: tuple[DetectionRates, ...]
    rounds: int
    questions: tuple[int, ...]
    fits: int
    fits_not_converged: int
    signature: Signature


def draw_crowd(questions: Sequence[int] | Ints, rng: np.random.Generator) -> Crowd:
    """One round of annotation."""
    n = np.asarray(questions, dtype=np.int64)
    noisy = rng.uniform(size=n.size) < rng.uniform(0.01, 0.10)
    accuracy = np.where(
        noisy,
        _accuracies(rng, n.size, mean=rng.uniform(0.0, 0.5), concentration=rng.uniform(5, 50)),
        _accuracies(rng, n.size, mean=rng.uniform(0.95, 1.0), concentration=rng.uniform(100, 1_000)),
    )
    return Crowd(rng.binomial(n, accuracy), n, noisy)


def _accuracies(rng: np.random.Generator, size: int, mean: float, concentration: float) -> Floats:
    return rng.beta(mean * concentration, (1 - mean) * concentration, size=size)


def study(
    *,
    rng: np.random.Generator,
    rounds: int = ROUNDS,
    questions: Sequence[int] = QUESTIONS,
    models: Sequence[AnnotatorModel] = MODELS,
    buckets: Sequence[int] = BUCKETS,
    seed: int | None = None,
    pool: WorkerPool | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, message: None,
) -> SimulationStudy:
    """Simulate, let every model flag, and count. The intervals are over rounds, in which a crowd is alike.

    `seed` only goes into the signature: what `rng` was made from. `pool` computes rounds at once, here or on a cluster.
    """
    if rounds < 1:
        raise StudyNotPossible(reason=f"{rounds} rounds", remedy="ask for at least 1")
    if not questions or min(questions) < 1:
        raise StudyNotPossible(reason="an annotator without a test question", remedy="leave out annotators with n = 0")
    if not buckets or buckets[0] != 1 or any(low >= high for low, high in pairwise(buckets)):
        raise StudyNotPossible(reason=f"buckets starting at {list(buckets)}", remedy="start at 1 and let them rise")
    which = np.searchsorted(np.asarray(buckets), np.asarray(questions), side="right") - 1
    # Per round, model and bucket: annotators, noisy ones, flagged ones, flagged and noisy.
    counts = np.zeros((rounds, len(models), len(buckets), 4))
    fits = failed = 0
    # A round has a generator of its own, so that it comes out the same wherever and in whatever order it is computed.
    pieces = [_Round(own, tuple(questions), tuple(models), which, len(buckets)) for own in rng.spawn(rounds)]
    for number, done in enumerate((pool or WorkerPool(processes=1)).map(_one_round, pieces)):
        counts[number], fits, failed = done.counts, fits + done.fits, failed + done.failed
        progress(number + 1, rounds, "crowds")
    names = [f"{low}-{high - 1}" for low, high in pairwise(buckets)] + [f"{buckets[-1]}+"]
    rows = tuple(
        _row(model, name, counts[:, place, bucket])
        for place, model in enumerate(models)
        for bucket, name in enumerate(names)
    )
    signature = Signature.of(
        method="noisy-annotators-study",
        rounds=rounds,
        annotators=len(questions),
        questions=sum(questions),
        **({} if seed is None else {"seed": seed}),
    )
    return SimulationStudy(rows, rounds, tuple(questions), fits, failed, signature)


class _Round(NamedTuple):
    """What one round needs, wherever it is computed."""

    rng: np.random.Generator
    questions: tuple[int, ...]
    models: tuple[AnnotatorModel, ...]
    which: Ints  # the bucket of each annotator
    buckets: int


class _Counted(NamedTuple):
    counts: Floats
    fits: int
    failed: int


def _one_round(given: _Round) -> _Counted:
    counts = np.zeros((len(given.models), given.buckets, 4))
    fits = failed = 0
    crowd = draw_crowd(given.questions, given.rng)
    for place, model in enumerate(given.models):
        prior = model.fit(crowd.correct, crowd.n, given.rng)
        if isinstance(prior, MixtureFit):
            fits, failed, prior = fits + 1, failed + (not prior.converged), prior.mixture
        flagged = model.flags(model.log_fine(prior, crowd.correct, crowd.n))
        for column, chosen in enumerate((np.ones_like(flagged), crowd.noisy, flagged, flagged & crowd.noisy)):
            counts[place, :, column] = np.bincount(given.which, weights=chosen, minlength=given.buckets)
    return _Counted(counts, fits, failed)


def _row(model: AnnotatorModel, bucket: str, counts: Floats) -> DetectionRates:
    annotators, noisy, flagged, found = (int(total) for total in counts.sum(axis=0))
    precision = _figure(counts, 3, 2, "nobody was flagged")
    recall = _figure(counts, 3, 1, "nobody was noisy")
    return DetectionRates(model, bucket, annotators, noisy, flagged, found, precision, recall)


def _figure(counts: Floats, above: int, below: int, nothing: str) -> Figure:
    total = counts.sum(axis=0)
    if total[below] == 0:
        return Figure(None, reason=nothing)
    successes, trials = float(total[above]), float(total[below])
    interval = ratio_interval(counts[:, above], counts[:, below])
    if isinstance(interval, Interval):
        return Figure(successes / trials, interval, used=int(trials))
    return Figure(successes / trials, reason=interval.reason, used=int(trials))


def study_table(done: SimulationStudy) -> Table:
    """The study in the shape of GENIE's Table 1, a row per model and bucket."""
    rows: list[dict[str, Cell]] = []
    for row in done.rows:
        cells: dict[str, Cell] = {
            "model": row.model.name,
            "questions": row.bucket,
            "annotators": row.annotators,
            "noisy": row.noisy,
            "flagged": row.flagged,
        }
        for name, figure in (("precision", row.precision), ("recall", row.recall)):
            cells[name] = figure.value
            cells[f"{name}_low"] = figure.interval.low if figure.interval else None
            cells[f"{name}_high"] = figure.interval.high if figure.interval else None
        cells["reason"] = "; ".join(dict.fromkeys(filter(None, (row.precision.reason, row.recall.reason))))
        rows.append(cells)
    ended = f"{done.fits - done.fits_not_converged} of {done.fits} fits converged"
    notes = [f"{done.rounds} rounds; 95 % intervals over rounds; {ended}"]
    if done.questions == QUESTIONS:
        notes.append("the numbers of questions stand in for those of the paper, which are not public")
    return Table.of("How well noisy annotators are found", rows, notes=tuple(notes), signature=str(done.signature))
