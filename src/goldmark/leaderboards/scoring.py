"""From judgements to a system's scores with their uncertainty. Numbers in, numbers out.

The score of a system is the mean over items, each counting alike. Both the items and the people could have been
others, so both are drawn anew for its interval (the pigeonhole bootstrap). That bootstrap counts chance up to three
times over, once for each way a label can be drawn (Owen 2007). So, with ten people or more, its replicates are drawn
together until their variance is that of a mean with two crossed clusters, items + people - single labels (Cameron,
Gelbach and Miller 2011), and then widened as Student's t asks for so many people. With fewer people no variance
between them can be trusted: replicates stay as they are, on the wide side. Where the people are taken as they are, or
there is only one, items alone are drawn, and a note says what the interval leaves out.
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
Drawn = Literal["items and annotators", "items"]

ENOUGH_PEOPLE = 10  # the variance between fewer people than this is too uncertain to rely on


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
    draw: Drawn = "items and annotators",
    resamples: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator,
) -> list[Score]:
    """The score of each system. Systems of one call share the drawn people and items."""
    score = ranking.standardise(judged.annotator, judged.score) if z else judged.score
    known = ~np.isnan(score)
    part = Judgements(judged.system[known], judged.item[known], judged.annotator[known], score[known])
    cells = ranking.item_means(part.system, part.item, part.score, systems, items)
    drawn: Drawn = draw if len(np.unique(part.annotator)) > 1 else "items"
    weight = _weights(part, items)
    replicates = (
        _by_item(cells, resamples, rng) if drawn == "items" else _by_both(part, weight, systems, resamples, rng)
    )
    if drawn != "items":
        replicates = _calibrated(part, weight, systems, replicates, level)
    labels = np.bincount(part.system, minlength=systems)
    return [
        _score(cells[one], replicates[:, one], int(labels[one]), _people(part, one), drawn, level)
        for one in range(systems)
    ]


def _weights(judged: Judgements, items: int) -> Floats:
    """So that each item counts alike in a system's mean, however often it was judged."""
    cell = judged.system * items + judged.item
    weights: Floats = 1 / np.bincount(cell)[cell] if len(cell) else np.zeros(0)
    return weights


def _by_both(judged: Judgements, weight: Floats, systems: int, resamples: int, rng: np.random.Generator) -> Floats:
    """The score of each system in each resample: resamples x systems, NaN where nothing of it was drawn."""
    # Codes without gaps: a system that nobody judged would otherwise be lost at the end.
    present, system = np.unique(judged.system, return_inverse=True)
    replicates = np.full((resamples, systems), np.nan)
    replicates[:, present] = ranking.pigeonhole(
        system.astype(np.int64),
        np.unique(judged.item, return_inverse=True)[1].astype(np.int64),
        np.unique(judged.annotator, return_inverse=True)[1].astype(np.int64),
        judged.score,
        weight,
        resamples=resamples,
        rng=rng,
    )
    return replicates


def _calibrated(judged: Judgements, weight: Floats, systems: int, replicates: Floats, level: float) -> Floats:
    """The replicates with the spread that two crossed clusters have, where there are people enough to say."""
    made = replicates.copy()
    for one in range(systems):
        rows = judged.system == one
        people = len(np.unique(judged.annotator[rows]))
        if people < ENOUGH_PEOPLE:
            continue
        own, share = judged.score[rows], weight[rows] / weight[rows].sum()
        mean = float(own @ share)
        spread = np.nanstd(replicates[:, one], ddof=1)
        wanted = np.sqrt(crossed_variance(judged.item[rows], judged.annotator[rows], share * (own - mean)))
        if spread > 0:
            made[:, one] = mean + (replicates[:, one] - mean) * (wanted / spread) * _student(people, level)
    return made


def crossed_variance(item: Codes, annotator: Codes, part: Floats) -> float:
    """The variance of a sum of parts that hang together within items and within annotators.

    Never less than items or annotators alone would give.
    """
    by_item, by_person = _of_clusters(item, part), _of_clusters(annotator, part)
    by_label = _of_clusters(item * (int(annotator.max()) + 1) + annotator, part)
    return max(by_item + by_person - by_label, by_item, by_person)


def _of_clusters(cluster: Codes, part: Floats) -> float:
    sums = np.bincount(np.unique(cluster, return_inverse=True)[1], weights=part)
    return float(sums @ sums) * len(sums) / max(1, len(sums) - 1)


def _student(people: int, level: float) -> float:
    """How much wider than by the normal an interval has to be that rests on so many people."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    return float(stdtrit(people - 1, upper) / ndtri(upper))


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
    reason = "differences between people are not in the interval" if drawn == "items" else ""
    error = float(defined.std(ddof=1))
    return Score(value, interval.low, interval.high, error, labels, len(known), people, drawn, reason, segments)
