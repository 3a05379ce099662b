"""How far the means of systems would move if items and people had been others.

Both the items and the people could have been others, so both are drawn anew (the pigeonhole bootstrap). That bootstrap
counts chance up to three times over, once for each way a label can be drawn (Owen 2007). So, with ten people or more,
its replicates are drawn together until their variance is that of a mean with two crossed clusters, items + people -
single labels (Cameron, Gelbach and Miller 2011), and then widened as Student's t asks for so many people. With fewer
people no variance between them can be trusted: replicates stay as they are, on the wide side.

Cost grows with the number of scores, never with annotators times items.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from goldmark.stats.inference.bootstrap import ratio, resampled_weights
from goldmark.stats.inference.draws import times_drawn
from goldmark.stats.ranks.judgements import Judgements

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

CELLS = 1 << 22  # how many numbers a chunk of resamples may hold at once
NEAR = 64  # resamples that are multiplied together: few enough to stay near the processor
SPARSE = 20  # numbers of clusters that go this many times beyond the rows are made dense before counting
ENOUGH_PEOPLE = 10  # the variance between fewer people than this is too uncertain to rely on


def resampled_by_item(above: Floats, below: Floats, *, resamples: int, rng: np.random.Generator) -> Floats:
    """The mean of each system when items are drawn anew: resamples x systems, NaN where nothing of it was drawn.

    `above` and `below` are tables systems x items; a mean is the sum of the one over the sum of the other.
    """
    top, bottom = np.ascontiguousarray(above.T), np.ascontiguousarray(below.T)
    chunks = [ratio(times @ top, times @ bottom) for times in resampled_weights(len(top), resamples=resamples, rng=rng)]
    return np.concatenate(chunks)


def resampled_by_both(
    judged: Judgements, weight: Floats, *, resamples: int, level: float, rng: np.random.Generator
) -> Floats:
    """The weighted mean of each system when items and people are drawn anew: resamples x systems."""
    # Codes without gaps: a system that nobody judged would otherwise be lost at the end.
    present, system = np.unique(judged.system, return_inverse=True)
    means = np.full((resamples, len(judged.systems)), np.nan)
    means[:, present] = pigeonhole(
        system.astype(np.int64), judged.item, judged.annotator, judged.score, weight, resamples=resamples, rng=rng
    )
    return _calibrated(judged, weight, means, level)


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
    weighted.eliminate_zeros()  # of a category of errors that few texts have, nearly all scores are 0
    weights = csr_array((weight, (row, item)), shape=shape)
    of_system = csr_array((np.ones(len(pair)), (pair // people, np.arange(len(pair)))), shape=(systems, len(pair)))
    person = pair % people
    means = np.empty((resamples, systems))
    step = max(1, CELLS // max(len(pair), items, people))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn_items, drawn_people = times_drawn(items, rows, rng), times_drawn(people, rows, rng)
        for first in range(0, rows, NEAR):
            some = slice(first, min(first + NEAR, rows))
            times_item = np.ascontiguousarray(drawn_items[some].T, dtype=np.float64)
            times_person = drawn_people[some].T.astype(np.float64)[person]
            above = of_system @ ((weighted @ times_item) * times_person)
            below = of_system @ ((weights @ times_item) * times_person)
            means[start + some.start : start + some.stop] = ratio(above, below).T
    return means


def _calibrated(judged: Judgements, weight: Floats, means: Floats, level: float) -> Floats:
    """The replicates with the spread that two crossed clusters have, where there are people enough to say."""
    made = means.copy()
    for one, (start, end) in enumerate(pairwise(judged.starts())):
        item, annotator = judged.item[start:end], judged.annotator[start:end]
        people = len(np.unique(annotator))
        if people < ENOUGH_PEOPLE:
            continue
        own, share = judged.score[start:end], weight[start:end] / weight[start:end].sum()
        mean = float(own @ share)
        drawn = means[:, one]
        defined = drawn[~np.isnan(drawn)]
        spread = defined.std(ddof=1) if len(defined) > 1 else 0.0
        if spread > 0:
            wanted = np.sqrt(crossed_variance(item, annotator, share * (own - mean)))
            made[:, one] = mean + (drawn - mean) * (wanted / spread) * _student(people, level)
    return made


def crossed_variance(item: Codes, annotator: Codes, part: Floats) -> float:
    """The variance of a sum of parts that hang together within items and within annotators.

    Never less than items or annotators alone would give.
    """
    by_item, by_person = _of_clusters(item, part), _of_clusters(annotator, part)
    by_label = _of_clusters(item * (int(annotator.max()) + 1) + annotator, part)
    return max(by_item + by_person - by_label, by_item, by_person)


def _of_clusters(cluster: Codes, part: Floats) -> float:
    if int(cluster.max(initial=0)) < SPARSE * len(cluster):
        sums = np.bincount(cluster, weights=part)[np.bincount(cluster) > 0]
    else:
        sums = np.bincount(np.unique(cluster, return_inverse=True)[1], weights=part)
    return float(sums @ sums) * len(sums) / max(1, len(sums) - 1)


def _student(people: int, level: float) -> float:
    """How much wider than by the normal an interval has to be that rests on so many people."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    return float(stdtrit(people - 1, upper) / ndtri(upper))
