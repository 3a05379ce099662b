"""Gwet's AC1, and AC2 for labels in an order: agreement beyond chance that does not collapse when one label prevails.

Chance agreement is taken to happen only where a label is hard to tell: its share is small if nearly all labels are the
same, where kappa and alpha make it nearly 1 (Gwet 2008, "Computing inter-rater reliability and its variance in the
presence of high agreement"; weighted and with missing labels: Gwet 2014, *Handbook of inter-rater reliability*, 5).
"""

from __future__ import annotations

import numpy as np

from goldmark.records.figures import Figure, Undefined
from goldmark.stats.agreement_measures.coefficients import Coefficient, Draw, few_differ, figure_of, why_careful
from goldmark.stats.agreement_measures.kappa import Weights, apart
from goldmark.stats.agreement_measures.unit_labels import Floats, UnitCounts, UnitLabels, pairs_within, sums_of


def gwet(
    labels: UnitLabels,
    weights: Weights = "none",
    *,
    ranked: bool = True,
    rng: np.random.Generator | None = None,
    draw: Draw = "units",
) -> Figure:
    """AC1, or AC2 with linear or quadratic weights. Without `rng` no interval is computed.

    AC = 1 - Do / De: Do the mean weight of the differences within units, De = 1 - W / (q (q - 1)) sum p(1 - p) with
    q values, p the mean share of each over units (those with one label too), and W the sum of all weights of agreement.
    """
    tally = UnitCounts.of(labels)
    used, skipped = len(tally.sizes), tally.skipped
    matrix = apart(labels.scale, weights, ranked=ranked)
    found: Coefficient | Undefined
    if matrix is None:
        found = Undefined(f"{len(labels.scale):,} different values are too many; see alpha at the interval level")
    elif not used:
        found = Undefined("no unit was labelled by two annotators")
    elif len(labels.scale) < 2:
        found = Undefined("every label is the same; without variation, agreement cannot be told from chance")
    else:
        found = _coefficient(labels, tally, matrix)
    if isinstance(found, Undefined):
        return Figure(None, reason=found.reason, used=used, skipped=skipped)
    if rng is None:
        return Figure(found.value, used=used, skipped=skipped)
    people = labels if draw == "units-and-annotators" else None
    return figure_of(
        found, used, skipped, labels=people, value=lambda some: gwet(some, weights, ranked=ranked).value, rng=rng
    )


def _coefficient(labels: UnitLabels, tally: UnitCounts, matrix: Floats) -> Coefficient:
    wide, units = len(labels.scale), len(labels.unit_names)
    seen = np.zeros(len(tally.sizes))
    for first, second in pairs_within(tally.unit):
        met = matrix[tally.value[first], tally.value[second]] * tally.count[first] * tally.count[second]
        seen += 2 * sums_of(tally.unit[first], met, len(seen))
    seen /= tally.sizes * (tally.sizes - 1)
    # Shares of values within each unit that has a label at all, also those with one.
    size = sums_of(labels.units, np.ones(len(labels)), units)
    share = 1 / size[labels.units]
    rated = int((size > 0).sum())
    mean = sums_of(labels.values, share, wide) / rated
    squares = float(mean @ mean)
    scale = float((1 - matrix).sum()) / (wide * (wide - 1))
    chance = 1 - scale * (1 - squares)
    lost = float(seen.mean()) / chance
    # Without a unit: its part is taken out of the sum of shares, and of their squares.
    cross = sums_of(labels.units, share * mean[labels.values], units)
    keys, place = np.unique(labels.units * wide + labels.values, return_inverse=True)
    within = sums_of(place, share, len(keys))
    own = sums_of(keys // wide, within**2, units)
    left = (rated**2 * squares - 2 * rated * cross + own) / max(1, rated - 1) ** 2
    by_chance = 1 - scale * (1 - left)
    total = np.full(units, seen.sum())
    pairs = np.full(units, float(len(seen)))
    total[tally.places] -= seen
    pairs[tally.places] -= 1
    with np.errstate(invalid="ignore", divide="ignore"):
        without = np.where(pairs > 0, total / pairs, np.nan) / by_chance
    differ = 1 - squares
    weight = float(mean @ matrix @ mean)  # how much two labels differ that were drawn blindly
    plain = bool((matrix[~np.eye(wide, dtype=bool)] == 1).all())
    careful = why_careful(len(seen), len(seen), "") if plain else few_differ(len(seen), int((seen > 0).sum()))
    return Coefficient(lost, without[size > 0], chance * differ / weight, len(labels), careful)
