"""Gamma: agreement on spans and their categories together, when nobody said in advance what the units are.

Mathet, Widlöcher and Métivier (2015), "The unified and holistic method gamma for inter-annotator agreement measure and
alignment", Computational Linguistics 41(3). Spans of different annotators are aligned into groups of at most one span
each; a group's disorder is the mean dissimilarity of its pairs, an empty place costs 1 against anything. The best
alignment has the least total disorder; gamma = 1 - observed / expected, with the expected disorder that of annotators
who are shifted along the text at random.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from goldmark.records.figures import Figure
from goldmark.stats.agreement_measures.alignment import MarkedText, NotSolved, TooManyAlignments, disorders
from goldmark.stats.agreement_measures.coefficients import Coefficient, figure_of
from goldmark.stats.inference.bootstrap import Floats
from goldmark.stats.inference.proportions import few_texts

MOST_SAMPLES = 300
Align = Callable[[Sequence[MarkedText]], Floats]


@dataclass(frozen=True)
class Gamma:
    figure: Figure  # `used` and `skipped` count texts
    observed: float | None = None
    expected: float | None = None
    samples: int = 0


def gamma(
    texts: Sequence[MarkedText],
    *,
    rng: np.random.Generator,
    samples: int = 30,
    precision: float = 0.02,
    patience: float | None = None,
) -> Gamma:
    """Gamma of a whole collection: disorders are summed over texts, so that a text counts by what is marked in it.

    For one text this is the measure of the paper. Random annotators are drawn `samples` times, and more often if the
    expected disorder is not yet known to within `precision` of itself. The interval leaves texts out in turn. With
    `patience` there is no value if it takes more seconds: some sixty long marks of three people in one text take hours.
    """
    kept = [text for text in texts if len(text.annotators) >= 2]
    skipped = len(texts) - len(kept)
    if not kept:
        return Gamma(Figure(None, reason="no text was seen by two annotators", used=0, skipped=skipped))
    if not any(text.mean_marks for text in kept):
        return Gamma(Figure(None, reason="nobody marked anything", used=len(kept), skipped=skipped))
    try:
        align = partial(disorders, seconds_left=None if patience is None else _Clock(patience).left)
        cost = align(kept)
        random_cost, random_marks = _expected(kept, samples, precision, rng, align)
    except (TooManyAlignments, NotSolved) as error:
        return Gamma(Figure(None, reason=str(error), used=len(kept), skipped=skipped))
    marks = np.array([text.mean_marks for text in kept])
    observed = float(cost.sum() / marks.sum())
    expected = float((random_cost.sum(axis=0) / random_marks.sum(axis=0)).mean())
    drawn = random_cost.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):  # without the only text that has marks there is no gamma
        by_chance = ((random_cost.sum(axis=0) - random_cost) / (random_marks.sum(axis=0) - random_marks)).mean(axis=1)
        without = (cost.sum() - cost) / (marks.sum() - marks) / by_chance
    lost = np.where(np.isfinite(without), without, np.nan)
    found = Coefficient(observed / expected, lost, 1.0, round(marks.sum()), few_texts(len(kept)))
    figure = figure_of(found, len(kept), skipped)
    return Gamma(figure, observed, expected, drawn)


class _Clock:
    """What is left of somebody's patience."""

    def __init__(self, patience: float) -> None:
        self._patience, self._began = patience, time.monotonic()

    def left(self) -> float:
        left = self._patience - (time.monotonic() - self._began)
        if left <= 0:
            raise NotSolved(reason=f"it takes more than {self._patience:g} seconds")
        return left


def _expected(
    texts: Sequence[MarkedText], samples: int, precision: float, rng: np.random.Generator, align: Align
) -> tuple[Floats, Floats]:
    """Random annotators, as often as the wanted precision needs."""
    cost, marks = _random(texts, samples, rng, align)
    while (needed := _needed(cost, marks, precision)) > cost.shape[1]:
        more_cost, more_marks = _random(texts, needed - cost.shape[1], rng, align)
        cost, marks = np.hstack([cost, more_cost]), np.hstack([marks, more_marks])
    return cost, marks


def _random(texts: Sequence[MarkedText], samples: int, rng: np.random.Generator, align: Align) -> tuple[Floats, Floats]:
    """Disorders and mean numbers of marks of random annotators: texts x samples each."""
    costs: list[Floats] = []
    marks: list[Floats] = []
    while len(costs) < samples:
        shuffled = [shuffle(text, rng) for text in texts]
        mean = np.array([text.mean_marks for text in shuffled])
        if mean.any():  # otherwise only people who marked nothing were drawn, and there is no disorder to speak of
            costs.append(align(shuffled))
            marks.append(mean)
    return np.stack(costs, axis=1), np.stack(marks, axis=1)


def shuffle(text: MarkedText, rng: np.random.Generator) -> MarkedText:
    """As many random annotators as real ones: each a real one, any of them, shifted along the text at random.

    Shifts lie at least half a mean span apart while there is room, so that two copies of one annotator do not meet.
    """
    distance = text.mean_length / 2
    if not distance or not text.length:
        return text
    free = np.arange(text.length)
    drawn = []
    for _ in text.annotators:
        by = int(free[rng.integers(len(free))]) if len(free) else int(rng.integers(text.length))
        free = free[np.abs(free - by) >= distance]
        drawn.append(text.annotators[int(rng.integers(len(text.annotators)))].shifted(by, text.length))
    return MarkedText(text.length, tuple(drawn))


def _needed(cost: Floats, marks: Floats, precision: float) -> int:
    """How many samples give the expected disorder to within `precision` of itself, 19 times out of 20."""
    each = cost.sum(axis=0) / marks.sum(axis=0)
    if len(each) < 2 or not each.mean():
        return 0
    variation = each.std(ddof=1) / each.mean()
    return min(MOST_SAMPLES, int(np.ceil((variation * 1.96 / precision) ** 2)))
