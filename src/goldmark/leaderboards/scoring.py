"""From judgements to a system's scores with their uncertainty. Numbers in, numbers out.

The score of a system is the mean over items, each counting alike. What is resampled for its interval follows from the
design, so that the interval covers what it should:

- one label per output (unilabelling) by ten people or more: **annotators** are drawn with all their labels. Every
  item belongs to one person, so drawing people draws items and differences between people together. A percentile
  bootstrap of n people is too narrow by about the same factor as the normal is beside Student's t; it is widened by it.
- several labels per output, or few people: **items and annotators** are both drawn (the pigeonhole bootstrap), which
  errs on the wide side.
- one person, or nobody told apart: **items** are drawn, and a note says what the interval leaves out.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Interval
from goldmark.stats import ranking
from goldmark.stats.bootstrap import percentile_interval, resampled_weights

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Drawn = Literal["annotators", "items and annotators", "items"]

ENOUGH_PEOPLE = 10  # fewer clusters than this give intervals that are too narrow


class Judgements(NamedTuple):
    """One number per label: whose output, on which item, by whom. Codes count from 0."""

    system: Codes
    item: Codes
    annotator: Codes
    score: Floats


class Score(NamedTuple):
    """A system's score; where there is no value or no interval, `reason` says why."""

    value: float | None
    low: float | None
    high: float | None
    error: float | None  # the standard error
    labels: int
    items: int
    annotators: int
    drawn: Drawn
    reason: str
    segments: tuple[float | None, ...]  # the mean score of each item


def scores(
    judged: Judgements,
    systems: int,
    items: int,
    *,
    z: bool = False,
    resamples: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator,
) -> list[Score]:
    """The score of each system. Systems of one call share the drawn people and items."""
    score = ranking.standardise(judged.annotator, judged.score) if z else judged.score
    known = ~np.isnan(score)
    part = Judgements(judged.system[known], judged.item[known], judged.annotator[known], score[known])
    cells = ranking.item_means(part.system, part.item, part.score, systems, items)
    drawn = what_is_drawn(part, systems, items)
    replicates = _replicates(part, cells, drawn, systems, resamples, level, rng)
    labels = np.bincount(part.system, minlength=systems)
    return [
        _score(cells[one], replicates[:, one], int(labels[one]), _people(part, one), drawn, level)
        for one in range(systems)
    ]


def what_is_drawn(judged: Judgements, systems: int, items: int) -> Drawn:
    """Which design this is."""
    people = len(np.unique(judged.annotator))
    if people < 2:
        return "items"
    once = bool((np.bincount(judged.system * items + judged.item, minlength=systems * items) <= 1).all())
    return "annotators" if once and people >= ENOUGH_PEOPLE else "items and annotators"


def _replicates(
    judged: Judgements,
    cells: Floats,
    drawn: Drawn,
    systems: int,
    resamples: int,
    level: float,
    rng: np.random.Generator,
) -> Floats:
    """The score of each system in each resample: resamples x systems, NaN where nothing of it was drawn."""
    if not len(judged.score):
        return np.full((resamples, systems), np.nan)
    if drawn == "annotators":
        return _by_annotator(judged, systems, resamples, level, rng)
    if drawn == "items":
        return _by_item(cells, resamples, rng)
    place = judged.system * cells.shape[1] + judged.item
    weight = 1 / np.bincount(place)[place]
    # Codes without gaps: a system that nobody judged would otherwise be lost at the end.
    present, system = np.unique(judged.system, return_inverse=True)
    found = ranking.pigeonhole(
        system.astype(np.int64),
        np.unique(judged.item, return_inverse=True)[1].astype(np.int64),
        np.unique(judged.annotator, return_inverse=True)[1].astype(np.int64),
        judged.score,
        weight,
        resamples=resamples,
        rng=rng,
    )
    replicates = np.full((resamples, systems), np.nan)
    replicates[:, present] = found
    return replicates


def _by_annotator(judged: Judgements, systems: int, resamples: int, level: float, rng: np.random.Generator) -> Floats:
    people, person = np.unique(judged.annotator, return_inverse=True)
    place = person * systems + judged.system
    size = len(people) * systems
    total = np.bincount(place, weights=judged.score, minlength=size).reshape(len(people), systems)
    count = np.bincount(place, minlength=size).reshape(len(people), systems)
    chunks = [
        _ratio(weights @ total, weights @ count)
        for weights in resampled_weights(len(people), resamples=resamples, rng=rng)
    ]
    centre = _ratio(total.sum(axis=0), count.sum(axis=0))
    widened: Floats = centre + (np.concatenate(chunks) - centre) * _student(len(people), level)
    return widened


def _student(people: int, level: float) -> float:
    """How much wider an interval of a mean over so few people has to be than the normal and n in place of n - 1 say."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    return float(stdtrit(people - 1, upper) / ndtri(upper) * np.sqrt(people / (people - 1)))


def _by_item(cells: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    filled, present = np.nan_to_num(cells).T, (~np.isnan(cells)).T.astype(np.float64)
    chunks = [
        _ratio(weights @ filled, weights @ present)
        for weights in resampled_weights(len(filled), resamples=resamples, rng=rng)
    ]
    return np.concatenate(chunks)


def _ratio(above: Floats, below: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient: Floats = np.where(below > 0, above / below, np.nan)
    return quotient


def _people(judged: Judgements, system: int) -> int:
    return len(np.unique(judged.annotator[judged.system == system]))


def _score(cells: Floats, replicates: Floats, labels: int, people: int, drawn: Drawn, level: float) -> Score:
    known = cells[~np.isnan(cells)]
    segments = tuple(None if np.isnan(cell) else float(cell) for cell in cells)
    if not len(known):
        return Score(None, None, None, None, labels, 0, people, drawn, "nobody has judged it", segments)
    value = float(known.mean())
    if len(known) < 2:
        why = "one item alone cannot be resampled"
        return Score(value, None, None, None, labels, len(known), people, drawn, why, segments)
    interval = percentile_interval(replicates, level=level)
    if not isinstance(interval, Interval):
        return Score(value, None, None, None, labels, len(known), people, drawn, interval.reason, segments)
    defined = replicates[~np.isnan(replicates)]
    reason = "one person judged, so differences between people are not in the interval" if drawn == "items" else ""
    error = float(defined.std(ddof=1))
    return Score(value, interval.low, interval.high, error, labels, len(known), people, drawn, reason, segments)
