"""Means of systems whose items and judges could have been others, and the ranks that follow from tests.

Scores are given as parallel arrays: who was judged (`system`), on what (`item`), by whom (`annotator`), and the
score. Codes are whole numbers from 0. Cost grows with the number of scores, never with annotators times items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
CELLS = 1 << 22  # how many numbers a chunk of resamples may hold at once


class RankRange(NamedTuple):
    """From one above the systems that are significantly better, to the systems that are not significantly worse."""

    best: int
    worst: int


def encode(names: Sequence[str]) -> tuple[list[str], Codes]:
    """Names in the order of first appearance, and the number of each row's name among them."""
    places: dict[str, int] = {}
    codes = np.fromiter((places.setdefault(name, len(places)) for name in names), dtype=np.int64, count=len(names))
    return list(places), codes


def item_means(system: Codes, item: Codes, score: Floats, systems: int, items: int) -> Floats:
    """The mean score of each system on each item: systems x items, NaN where there is none."""
    cell = system * items + item
    count = np.bincount(cell, minlength=systems * items)
    total = np.bincount(cell, weights=score, minlength=systems * items)
    with np.errstate(invalid="ignore"):
        means: Floats = (total / np.where(count, count, np.nan)).reshape(systems, items)
    return means


def standardise(annotator: Codes, score: Floats) -> Floats:
    """Each score as standard deviations from its annotator's mean; NaN where an annotator's scores do not vary.

    The standard deviation is that of a sample (n - 1), over all that the annotator judged, as WMT computes it.
    """
    people = int(annotator.max()) + 1 if len(annotator) else 0
    count = np.bincount(annotator, minlength=people)
    mean = np.bincount(annotator, weights=score, minlength=people) / np.maximum(count, 1)
    centred = score - mean[annotator]
    variance = np.bincount(annotator, weights=centred**2, minlength=people) / np.maximum(count - 1, 1)
    spread = np.sqrt(variance)
    # Equal scores may leave a spread of rounding errors only, which is none.
    spread[(count < 2) | (spread <= 1e-12 * np.maximum(1.0, np.abs(mean)))] = np.nan
    standardised: Floats = centred / spread[annotator]
    return standardised


def pigeonhole(
    system: Codes,
    item: Codes,
    annotator: Codes,
    score: Floats,
    weight: Floats,
    *,
    resamples: int,
    rng: np.random.Generator,
) -> Floats:
    """Weighted means of each system when items and annotators are both drawn anew: resamples x systems.

    The pigeonhole bootstrap (Owen 2007): a score counts as often as its item was drawn times as often as its annotator
    was drawn. Systems share the drawn items and people, so differences between columns are paired.
    """
    from scipy.sparse import csr_array

    systems, items, people = (int(codes.max()) + 1 for codes in (system, item, annotator))
    pair, row = np.unique(system * people + annotator, return_inverse=True)
    shape = (len(pair), items)
    weighted = csr_array((weight * score, (row, item)), shape=shape)
    weights = csr_array((weight, (row, item)), shape=shape)
    of_system = csr_array((np.ones(len(pair)), (pair // people, np.arange(len(pair)))), shape=(systems, len(pair)))
    person = pair % people
    means = np.empty((resamples, systems))
    step = max(1, CELLS // max(len(pair), items, people))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        times_item = _times_drawn(items, rows, rng)
        times_person = _times_drawn(people, rows, rng)[person]
        above = of_system @ ((weighted @ times_item) * times_person)
        below = of_system @ ((weights @ times_item) * times_person)
        with np.errstate(invalid="ignore", divide="ignore"):
            means[start : start + rows] = np.where(below > 0, above / below, np.nan).T
    return means


def _times_drawn(units: int, rows: int, rng: np.random.Generator) -> Floats:
    """How often each unit is drawn in each resample: units x resamples."""
    drawn = rng.integers(0, units, size=(rows, units))
    drawn += np.arange(rows)[:, None] * units
    return np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units).T.astype(np.float64)


def bhatia_davis(mean: float, n: int, low: float = 0.0, high: float = 1.0) -> float:
    """The largest standard error that the mean of n scores between `low` and `high` can have."""
    return math.sqrt(max(0.0, (high - mean) * (mean - low)) / n)


def rank_ranges(mean: ArrayLike, better: NDArray[np.bool_]) -> list[RankRange]:
    """`better[i, j]` says that system i is significantly better than j."""
    systems = len(np.asarray(mean))
    return [RankRange(1 + int(better[:, i].sum()), systems - int(better[i].sum())) for i in range(systems)]


def clusters(mean: ArrayLike, better: NDArray[np.bool_]) -> list[int]:
    """Groups in the manner of WMT: a line is drawn where everyone above is significantly better than everyone below."""
    order = np.argsort(-np.asarray(mean, dtype=np.float64), kind="stable")
    group = [0] * len(order)
    current = 1
    for place, system in enumerate(order):
        if place and better[np.ix_(order[:place], order[place:])].all():
            current += 1
        group[int(system)] = current
    return group
