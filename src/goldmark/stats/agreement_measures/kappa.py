"""Cohen's kappa for every pair of annotators, and Fleiss' kappa for a fixed number of labels per unit."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Interval, Undefined
from goldmark.stats.agreement_measures.alpha import UnitCounts, UnitLabels, resamples_for
from goldmark.stats.inference.bootstrap import Floats, percentile_interval, ratio, resampled_weights, too_few

MOST_ANNOTATORS = 50  # 1,225 pairs: more than anybody reads


@dataclass(frozen=True)
class AnnotatorPair:
    """Two annotators on the units both labelled."""

    first: Hashable
    second: Hashable
    kappa: Figure
    percent: Figure


@dataclass(frozen=True)
class Cohen:
    """Kappa of every pair that shares a unit, and their mean."""

    mean: Figure  # `used` and `skipped` count pairs
    pairs: tuple[AnnotatorPair, ...]


def cohen_pairs(labels: UnitLabels) -> Cohen:
    """Cohen's kappa (1960, unweighted) for every pair of annotators, on the units that both labelled."""
    names = labels.annotator_names
    if len(names) < 2:
        reason = f"there is only one annotator ({names[0]})" if names else "there are no labels"
        return Cohen(Figure(None, reason=reason, used=0, skipped=0), ())
    if len(names) > MOST_ANNOTATORS:
        reason = f"{len(names)} annotators make too many pairs to list (at most {MOST_ANNOTATORS}); see alpha"
        return Cohen(Figure(None, reason=reason, used=0, skipped=0), ())
    order = np.lexsort((labels.units, labels.annotators))
    bounds = np.searchsorted(labels.annotators[order], np.arange(len(names) + 1))
    mine = [(labels.units[order[a:b]], labels.values[order[a:b]]) for a, b in pairwise(bounds)]
    pairs = []
    for first, second in combinations(range(len(names)), 2):
        _, left, right = np.intersect1d(mine[first][0], mine[second][0], assume_unique=True, return_indices=True)
        one, other = mine[first][1][left], mine[second][1][right]
        pairs.append(AnnotatorPair(names[first], names[second], cohen(one, other), _percent(one, other)))
    values = [pair.kappa.value for pair in pairs if pair.kappa.value is not None]
    skipped = len(pairs) - len(values)
    if not values:
        reason = next(pair.kappa.reason for pair in pairs)
        return Cohen(Figure(None, reason=f"no pair has a kappa: {reason}", used=0, skipped=skipped), tuple(pairs))
    return Cohen(Figure(float(np.mean(values)), used=len(values), skipped=skipped), tuple(pairs))


def cohen(first: NDArray[np.int64], second: NDArray[np.int64]) -> Figure:
    """Kappa of two annotators from their codes for the same units, in the same order.

    kappa = (Po - Pe) / (1 - Pe): Po the share of units with equal labels, Pe the share expected if each kept to the
    own frequencies of values and chose blindly.
    """
    units = len(first)
    if not units:
        return Figure(None, reason="they share no unit", used=0)
    wide = int(max(first.max(), second.max())) + 1
    chance = np.bincount(first, minlength=wide) @ np.bincount(second, minlength=wide)
    if chance == units * units:
        return Figure(None, reason="both gave every shared unit the same one value", used=units)
    by_chance = float(chance) / units**2
    return Figure((float(np.mean(first == second)) - by_chance) / (1 - by_chance), used=units)


def fleiss(labels: UnitLabels | UnitCounts, *, rng: np.random.Generator | None = None, resamples: int = 1000) -> Figure:
    """Fleiss' kappa (1971): as Cohen's, for any annotators, but with the same number of labels for every unit.

    Units with one label are left out; if the others differ in their number of labels there is no value, for the
    formula does not allow it.
    """
    tally = UnitCounts.of(labels) if isinstance(labels, UnitLabels) else labels
    used, skipped = len(tally.sizes), tally.skipped
    if not used:
        return Figure(None, reason="no unit was labelled by two annotators", used=0, skipped=skipped)
    low, high = int(tally.sizes.min()), int(tally.sizes.max())
    if low != high:
        reason = f"Fleiss' kappa needs the same number of labels for every unit, here {low} to {high}; see alpha"
        return Figure(None, reason=reason, used=used, skipped=skipped)
    equal = tally.per_unit(tally.count * (tally.count - 1)) / (high * (high - 1))
    times = tally.per_value(tally.count)
    value = float(_kappa(equal.sum()[None], times[None], used)[0])
    if np.isnan(value):
        reason = "every label is the same; without variation, agreement cannot be told from chance"
        return Figure(None, reason=reason, used=used, skipped=skipped)
    if rng is None:
        return Figure(value, used=used, skipped=skipped)
    interval = _fleiss_interval(tally, equal, rng=rng, resamples=resamples)
    if isinstance(interval, Undefined):
        return Figure(value, reason=f"no interval: {interval.reason}", used=used, skipped=skipped)
    return Figure(value, interval, used=used, skipped=skipped)


def _kappa(equal: Floats, times: Floats, units: int) -> Floats:
    """Rows are resamples: summed agreement of units, and how often each value was given."""
    share = times / times.sum(axis=1, keepdims=True)
    by_chance = (share**2).sum(axis=1)
    return ratio(equal / units - by_chance, np.where((share == 1).any(axis=1), 0.0, 1 - by_chance))


def _fleiss_interval(
    tally: UnitCounts, equal: Floats, *, rng: np.random.Generator, resamples: int
) -> Interval | Undefined:
    units = len(tally.sizes)
    if units < 2:
        return too_few(units)
    from scipy.sparse import csr_array

    given = csr_array((tally.count, (tally.unit, tally.value)), shape=(units, len(tally.scale)))
    drawn = resampled_weights(units, resamples=resamples_for(tally, "nominal", resamples), rng=rng)
    return percentile_interval(np.concatenate([_kappa(times @ equal, times @ given, units) for times in drawn]))


def _percent(first: NDArray[np.int64], second: NDArray[np.int64]) -> Figure:
    if not len(first):
        return Figure(None, reason="they share no unit", used=0)
    return Figure(float(np.mean(first == second)), used=len(first))
