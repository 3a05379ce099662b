"""Cohen's kappa for every pair of annotators, plain or weighted, and Fleiss' kappa for as many labels of every unit."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

import numpy as np

from goldmark.records.figures import Figure, Undefined
from goldmark.stats.agreement_measures.coefficients import (
    Coefficient,
    Draw,
    few_differ,
    figure_of,
    other_label,
    why_careful,
)
from goldmark.stats.agreement_measures.unit_labels import Floats, UnitCounts, UnitLabels, Whole
from goldmark.stats.inference.jackknife import jackknife
from goldmark.stats.inference.proportions import spread_interval

Weights = Literal["none", "linear", "quadratic"]
MOST_ANNOTATORS = 50  # 1,225 pairs: more than anybody reads
WIDEST = 500  # distinct values above which no table of their pairs is held


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

    mean: Figure  # over the pairs that have one; `used` and `skipped` count units, as everywhere
    pairs: tuple[AnnotatorPair, ...]

    @property
    def counted(self) -> int:
        """How many pairs the mean is over."""
        return sum(pair.kappa.value is not None for pair in self.pairs)


class _Shared(NamedTuple):
    """What two annotators said of the units that both labelled."""

    units: Whole
    one: Whole
    other: Whole


def apart(scale: Sequence[Hashable], weights: Weights, *, ranked: bool = True) -> Floats | None:
    """How much it weighs that two labels differ, from 0 to 1: 1, or by their distance on the scale, or its square.

    Ranked, neighbours on the scale are equally far apart; otherwise the numbers themselves tell. None where there are
    too many values for a table of their pairs.
    """
    wide = len(scale)
    if weights == "none" or wide < 2:
        return None if wide > WIDEST else 1 - np.eye(wide)
    if wide > WIDEST:
        return None
    place = np.arange(wide, dtype=np.float64) if ranked else np.asarray(scale, dtype=np.float64)
    gap: Floats = np.abs(place[:, None] - place) / (place.max() - place.min())
    return gap if weights == "linear" else gap**2


def cohen_pairs(
    labels: UnitLabels,
    weights: Weights = "none",
    *,
    ranked: bool = True,
    draw: Draw = "units",
    rng: np.random.Generator | None = None,
) -> Cohen:
    """Cohen's kappa (1960; weighted, 1968) for every pair of annotators, on the units that both labelled.

    The interval of the mean leaves out each unit from all pairs that share it; with `draw` and `rng`, annotators too.
    """
    names = labels.annotator_names
    if len(names) < 2:
        reason = f"there is only one annotator ({names[0]})" if names else "there are no labels"
        return Cohen(Figure(None, reason=reason, used=0, skipped=0), ())
    if len(names) > MOST_ANNOTATORS:
        reason = f"{len(names)} annotators make too many pairs to list (at most {MOST_ANNOTATORS}); see alpha"
        return Cohen(Figure(None, reason=reason, used=0, skipped=0), ())
    matrix = apart(labels.scale, weights, ranked=ranked)
    if matrix is None:
        reason = f"{len(labels.scale):,} different values are too many for a kappa; see alpha at the interval level"
        return Cohen(Figure(None, reason=reason, used=0, skipped=0), ())
    shared = _shared(labels)
    found = {pair: _coefficient(both, matrix) for pair, both in shared.items()}
    pairs = tuple(
        AnnotatorPair(names[first], names[second], _figure(both, found[first, second]), _percent(both))
        for (first, second), both in shared.items()
    )
    known = {pair: one for pair, one in found.items() if isinstance(one, Coefficient)}
    units = len(labels.unit_names)
    if not known:
        reason = next(pair.kappa.reason for pair in pairs)
        return Cohen(Figure(None, reason=f"no pair has a kappa: {reason}", used=0, skipped=units), pairs)
    used = len(np.unique(np.concatenate([shared[pair].units for pair in known])))
    mean = _mean([(shared[pair].units, one) for pair, one in known.items()], units)
    people = labels if draw == "units-and-annotators" else None
    figure = figure_of(mean, used, units - used, labels=people, value=lambda some: _mean_value(some, matrix), rng=rng)
    return Cohen(figure, pairs)


def _shared(labels: UnitLabels) -> dict[tuple[int, int], _Shared]:
    names = range(len(labels.annotator_names))
    order = np.lexsort((labels.units, labels.annotators))
    bounds = np.searchsorted(labels.annotators[order], np.arange(len(names) + 1))
    mine = [(labels.units[order[a:b]], labels.values[order[a:b]]) for a, b in pairwise(bounds)]
    shared = {}
    for first, second in combinations(names, 2):
        units, left, right = np.intersect1d(mine[first][0], mine[second][0], assume_unique=True, return_indices=True)
        shared[first, second] = _Shared(units, mine[first][1][left], mine[second][1][right])
    return shared


def _coefficient(both: _Shared, weights: Floats) -> Coefficient | Undefined:
    """Do / De, and the same without each unit, in closed form."""
    units, wide = len(both.units), len(weights)
    if not units:
        return Undefined("they share no unit")
    one, other = np.bincount(both.one, minlength=wide), np.bincount(both.other, minlength=wide)
    differ = 1 - float(one @ other) / units**2
    seen = weights[both.one, both.other]
    chance = float(one @ weights @ other)
    if differ <= 0 or chance <= 0:
        return Undefined("both gave every shared unit the same one value")
    lost = float(seen.sum()) * units / chance
    left = chance - (weights @ other)[both.one] - (one @ weights)[both.other] + seen
    left[left < 1e-9] = np.nan  # without this unit both would give every unit the same one value
    without = (seen.sum() - seen) * (units - 1) / left
    plain = bool((weights[~np.eye(wide, dtype=bool)] == 1).all())
    pair = np.stack([both.one, both.other])
    careful = other_label(pair) if plain else few_differ(units, int((both.one != both.other).sum()))
    return Coefficient(lost, without, differ, 2 * units, careful)


def _mean(parts: Sequence[tuple[Whole, Coefficient]], units: int) -> Coefficient:
    """The mean of several pairs' coefficients, and the same without each unit from all pairs that share it."""
    lost = float(np.mean([one.lost for _, one in parts]))
    moved, touched = np.zeros(units), np.zeros(units, dtype=bool)
    for where, one in parts:
        moved[where] += one.without - one.lost
        touched[where] = True
    without = lost + moved[touched] / len(parts)
    differ = float(np.mean([one.differ for _, one in parts]))
    careful = parts[0][1].careful if len(parts) == 1 else why_careful(len(without), len(without), "")
    return Coefficient(lost, without, differ, sum(one.labels for _, one in parts), careful)


def _mean_value(labels: UnitLabels, weights: Floats) -> float | None:
    found = [_coefficient(both, weights) for both in _shared(labels).values()]
    values = [one.value for one in found if isinstance(one, Coefficient)]
    return float(np.mean(values)) if values else None


def _figure(both: _Shared, found: Coefficient | Undefined) -> Figure:
    if isinstance(found, Undefined):
        return Figure(None, reason=found.reason, used=len(both.units))
    return figure_of(found, len(both.units), None)


def fleiss(labels: UnitLabels | UnitCounts, *, rng: np.random.Generator | None = None, draw: Draw = "units") -> Figure:
    """Fleiss' kappa (1971): as Cohen's, for any annotators, but with the same number of labels for every unit.

    Units with one label are left out; if the others differ in their number of labels there is no value, for the
    formula does not allow it. Without `rng` no interval is computed.
    """
    tally = UnitCounts.of(labels) if isinstance(labels, UnitLabels) else labels
    used, skipped = len(tally.sizes), tally.skipped
    if not used:
        return Figure(None, reason="no unit was labelled by two annotators", used=0, skipped=skipped)
    low, high = int(tally.sizes.min()), int(tally.sizes.max())
    if low != high:
        reason = f"Fleiss' kappa needs the same number of labels for every unit, here {low} to {high}; see alpha"
        return Figure(None, reason=reason, used=used, skipped=skipped)
    found = _fleiss(tally, high)
    if isinstance(found, Undefined):
        return Figure(None, reason=found.reason, used=used, skipped=skipped)
    if rng is None:
        return Figure(found.value, used=used, skipped=skipped)
    people = labels if draw == "units-and-annotators" and isinstance(labels, UnitLabels) else None
    return figure_of(found, used, skipped, labels=people, value=lambda some: fleiss(some).value, rng=rng)


def _fleiss(tally: UnitCounts, each: int) -> Coefficient | Undefined:
    """Do / De, and the same without each unit: the squares of the shares of values are re-summed, not recounted."""
    unequal = 1 - tally.per_unit(tally.count * (tally.count - 1)) / (each * (each - 1))
    times = tally.per_value(tally.count)
    units, total = len(unequal), float(times.sum())
    squares = float(times @ times)
    differ = 1 - squares / total**2
    if np.count_nonzero(times) < 2:
        return Undefined("every label is the same; without variation, agreement cannot be told from chance")
    lost = float(unequal.mean()) / differ
    left = squares - 2 * tally.per_unit(tally.count * times[tally.value]) + tally.per_unit(tally.count**2)
    chance = 1 - left / max(1.0, total - each) ** 2
    chance[chance < 1e-12] = np.nan
    without = (unequal.sum() - unequal) / max(1, units - 1) / chance
    others = len(np.unique(tally.unit[tally.value != int(np.argmax(times))]))
    careful = why_careful(units, others, "that have another label than the most common one")
    return Coefficient(lost, without, differ, int(total), careful)


def _percent(both: _Shared) -> Figure:
    if not len(both.units):
        return Figure(None, reason="they share no unit", used=0)
    equal = (both.one == both.other).astype(np.float64)
    share = float(equal.mean())
    spread = jackknife((equal.sum() - equal) / max(1, len(equal) - 1))
    if isinstance(spread, Undefined):
        return Figure(share, reason=f"no interval: {spread.reason}", used=len(equal))
    return Figure(share, spread_interval(share, spread, len(equal), len(equal)), used=len(equal))
