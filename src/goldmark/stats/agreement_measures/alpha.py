"""How far annotators agree: Krippendorff's alpha and percent agreement, with intervals.

Everything is computed from `UnitCounts`, which hold how often each unit got each value and nothing for what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError
from goldmark.records.figures import Figure, Interval, Undefined
from goldmark.stats.agreement_measures.coefficients import (
    Coefficient,
    Draw,
    few_differ,
    figure_of,
    over_annotators,
    why_careful,
)
from goldmark.stats.agreement_measures.unit_labels import Floats, UnitCounts, UnitLabels, Whole, pairs_within, sums_of
from goldmark.stats.inference.bootstrap import bca_interval, percentile_interval, ratio, resampled_weights, too_few
from goldmark.stats.inference.jackknife import jackknife, parts_of
from goldmark.stats.inference.proportions import spread_interval

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Compared = Level | Literal["sets"]  # sets: each value is a frozenset of labels
Method = Literal["jackknife", "bca", "percentile"]  # how an interval over units is made

STEPS = 100_000_000  # how many cells all resamples together may touch before fewer resamples are drawn
FEWEST = 200
PARTS = 200  # so many parts of the units are left out in turn where leaving out each alone would take long
FEW, HELD = 24, 20_000_000  # values, and counts of their pairs in units, that are held at once for quick resampling
NO_VARIATION = "every label that can be compared is {value}; without variation, agreement cannot be told from chance"
OTHER_LABEL = "that have another label than the most common one"
WIDEST = 2000  # ratio and sets: distinct values above which there is no interval, for it needs all their pairs


class UnknownLevel(GoldmarkError):
    code = "AGREEMENT-04"
    message = "there is no level {level!r}; the levels are {levels}"


class NotNumbers(GoldmarkError):
    code = "AGREEMENT-05"
    message = (
        "the {level} level needs numbers, but {value!r} is among the labels; name the labels from lowest to highest, "
        "or use the nominal level"
    )


class NotAMagnitude(GoldmarkError):
    code = "AGREEMENT-02"
    message = "the ratio level needs numbers from 0 upwards, but {value} is among the labels; use the interval level"


def krippendorff(
    labels: UnitLabels | UnitCounts,
    level: Compared = "nominal",
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 1000,
    groups: Whole | None = None,
    repeats: Floats | None = None,
    draw: Draw = "units",
    method: Method = "jackknife",
) -> Figure:
    """Krippendorff's alpha: 1 is full agreement, 0 what chance would give, below 0 worse than chance.

    alpha = 1 - Do / De, with Do the mean squared difference of labels of the same unit and De that of any two labels
    (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"). Units with one label only are left out. The
    interval takes units for drawn, or `groups` of them (the texts of tokens) if they are named for every unit of the
    labels; with `draw`, annotators too. `repeats`: how often each unit counts, where many are alike, such as tokens in
    a row that nobody marked. Without `rng` no interval is computed. Two sets differ by the share of their labels that
    only one of them has (Jaccard's distance, in the place of the squared difference); sets of one label are as at the
    nominal level.
    """
    tally = UnitCounts.of(labels) if isinstance(labels, UnitLabels) else labels
    used, skipped = len(tally.sizes), tally.skipped
    _check_level(tally, level)
    if (reason := _why_not(labels, tally)) or (reason := _one_value(tally)):
        return Figure(None, reason=reason, used=used, skipped=skipped)
    places = positions(tally, level)
    weights = np.ones(used) if repeats is None else repeats[tally.places]
    lost = float(_disagreement(tally, level, places, weights))
    if rng is None:
        return Figure(1 - lost, used=used, skipped=skipped)
    if level in ("ratio", "sets") and len(tally.scale) > WIDEST:
        why = f"no interval: the level {level!r} with {len(tally.scale)} distinct values would take too long"
        return Figure(1 - lost, reason=why, used=used, skipped=skipped)
    group = np.arange(used) if groups is None else np.unique(groups[tally.places], return_inverse=True)[1]
    made = _resampling(tally, level, places, weights, group)
    if method != "jackknife":
        interval = _bootstrap(made, method, lost, rng=rng, resamples=resamples_for(tally, level, resamples))
        if isinstance(interval, Undefined):
            return Figure(1 - lost, reason=f"no interval: {interval.reason}", used=used, skipped=skipped)
        return Figure(1 - lost, interval, used=used, skipped=skipped)
    times = tally.per_value(weights[tally.unit] * tally.count)
    differ = 1 - float(((times / times.sum()) ** 2).sum())
    careful = _careful(tally, level, times, group)
    found = Coefficient(lost, made.without(rng), differ, int(tally.sizes.sum()), careful)
    people = labels if draw == "units-and-annotators" and isinstance(labels, UnitLabels) else None
    return figure_of(found, used, skipped, labels=people, value=lambda some: krippendorff(some, level).value, rng=rng)


def percent_agreement(
    labels: UnitLabels | UnitCounts, *, rng: np.random.Generator | None = None, draw: Draw = "units"
) -> Figure:
    """How often two labels of the same unit are equal; every unit with two labels or more counts alike.

    The interval is Wilson's on as many independent units as the variance over units is worth.
    """
    tally = UnitCounts.of(labels) if isinstance(labels, UnitLabels) else labels
    used, skipped = len(tally.sizes), tally.skipped
    if reason := _why_not(labels, tally):
        return Figure(None, reason=reason, used=used, skipped=skipped)
    equal = tally.per_unit(tally.count * (tally.count - 1)) / (tally.sizes * (tally.sizes - 1))
    share = float(equal.mean())
    if rng is None:
        return Figure(share, used=used, skipped=skipped)
    spread = jackknife((equal.sum() - equal) / max(1, used - 1))
    careful = ""
    if draw == "units-and-annotators" and isinstance(labels, UnitLabels) and not isinstance(spread, Undefined):
        spread, careful = over_annotators(labels, lambda some: percent_agreement(some).value, spread, rng)
    if isinstance(spread, Undefined):
        return Figure(share, reason=f"no interval: {spread.reason}", used=used, skipped=skipped)
    interval = spread_interval(share, spread, used, float(tally.sizes.sum()))
    return Figure(share, interval, careful, used=used, skipped=skipped)


def _check_level(tally: UnitCounts, level: Compared) -> None:
    if level not in (*get_args(Level), "sets"):
        raise UnknownLevel(level=level, levels=", ".join(get_args(Level)))
    if level in ("ordinal", "interval", "ratio"):
        for value in tally.scale:
            if not isinstance(value, int | float | np.number):
                raise NotNumbers(level=level, value=value)


def _careful(tally: UnitCounts, level: Compared, times: Floats, group: Whole) -> str:
    """Whether the interval rests on too few units, or on too few that have another label or differ."""
    mixed = np.zeros(len(tally.sizes), dtype=bool)
    mixed[tally.unit[1:][tally.unit[1:] == tally.unit[:-1]]] = True
    other = np.zeros(len(tally.sizes), dtype=bool)
    other[tally.unit[tally.value != int(np.argmax(times))]] = True
    units = int(group.max()) + 1

    def count(some: NDArray[np.bool_]) -> int:
        return len(np.unique(group[some]))

    if level in ("nominal", "sets"):
        return why_careful(units, count(other), OTHER_LABEL)
    return few_differ(units, count(mixed))


def resamples_for(tally: UnitCounts, level: Compared, resamples: int) -> int:
    """As many resamples as asked for, or fewer (never below 200) where the data are so large that it takes long."""
    if _few_values(tally, len(tally.sizes)):
        return resamples
    cells = len(tally.sizes) if level == "interval" else len(tally.unit) + len(tally.sizes)
    if level in ("ratio", "sets"):
        cells += len(tally.scale) ** 2
    return min(resamples, max(FEWEST, STEPS // max(1, cells)))


def positions(tally: UnitCounts, level: Compared) -> Floats:
    """Where each value of the scale lies; the squared difference of positions is the level's disagreement.

    Sets lie on no line: of them, the distance of every two.
    """
    if level in ("nominal", "ordinal"):
        return np.zeros(len(tally.scale))
    if level == "sets":
        return jaccard(tally.scale)
    numbers = np.asarray(tally.scale, dtype=np.float64)
    if level == "ratio" and numbers.min() < 0:
        raise NotAMagnitude(value=f"{numbers.min():g}")
    # Both levels ignore the unit of the scale: a power of two brings the largest number near 1, exactly, so that no
    # square overflows. At the interval level numbers are centred, so that scales far from 0 lose no digits.
    scaled: Floats = np.ldexp(numbers, -int(np.frexp(np.abs(numbers).max())[1]))
    return scaled if level == "ratio" else scaled - scaled.mean()


def jaccard(sets: Sequence[Hashable]) -> Floats:
    """Of every two sets, the share of their labels that only one of them has; 0 for two empty ones."""
    known = cast("Sequence[frozenset[Hashable]]", sets)
    column = {label: place for place, label in enumerate(dict.fromkeys(label for one in known for label in one))}
    holds = np.zeros((len(known), len(column)))
    for row, one in enumerate(known):
        holds[row, [column[label] for label in one]] = 1
    shared, sizes = holds @ holds.T, holds.sum(axis=1)
    both = sizes[:, None] + sizes - shared
    apart: Floats = np.divide(both - shared, both, out=np.zeros_like(both), where=both > 0)
    return apart


def _why_not(labels: UnitLabels | UnitCounts, tally: UnitCounts) -> str:
    if isinstance(labels, UnitLabels):
        if not len(labels):
            return "there are no labels"
        if len(labels.annotator_names) == 1:
            return f"there is only one annotator ({labels.annotator_names[0]})"
    return "" if len(tally.sizes) else "no unit was labelled by two annotators"


def _one_value(tally: UnitCounts) -> str:
    found = np.unique(tally.value)
    if len(found) > 1:
        return ""
    return NO_VARIATION.format(value=repr(tally.scale[int(found[0])]))


def _disagreement(tally: UnitCounts, level: Compared, places: Floats, weights: Floats) -> float:
    """Do / De with unit u counted weights[u] times; NaN if all labels drawn are the same."""
    times = tally.per_value(weights[tally.unit] * tally.count)
    if level == "ordinal":
        places = midranks(times)
    observed = float(weights @ within_units(tally, level, places))
    expected = float(expected_disagreement(times, level, places))
    total = times.sum()
    return observed / expected * (total - 1) if expected > 0 else np.nan


def midranks(times: Floats) -> Floats:
    """Ordinal positions: a value lies in the middle of the labels that have it.

    Krippendorff's ordinal difference of c < k, the labels from c to k less half those at both ends, is the difference
    of these. They depend on how often each value occurs and so on the resample.
    """
    ranks = np.cumsum(times) - times / 2
    centred: Floats = ranks - ranks.mean()
    return centred


def within_units(tally: UnitCounts, level: Compared, places: Floats) -> Floats:
    """What each unit adds to the observed disagreement: squared differences of all its ordered pairs / (labels - 1)."""
    if level == "nominal":
        pairs = tally.sizes**2 - tally.per_unit(tally.count**2)
    elif level in ("ratio", "sets"):
        pairs = _pairs(tally, level, places)
    else:
        place = places[tally.value]
        linear = tally.per_unit(tally.count * place)
        # Around each unit's own mean, so that equal labels give exactly 0.
        away = place - (linear / tally.sizes)[tally.unit]
        pairs = 2 * tally.sizes * tally.per_unit(tally.count * away**2)
    share: Floats = pairs / (tally.sizes - 1)
    return share


def _pairs(tally: UnitCounts, level: Compared, places: Floats) -> Floats:
    """Differences of all ordered pairs in each unit."""
    pairs = np.zeros(len(tally.sizes))
    for first, second in pairs_within(tally.unit):
        difference = _difference(level, places, tally.value[first], tally.value[second])
        pairs += 2 * sums_of(tally.unit[first], tally.count[first] * tally.count[second] * difference, len(pairs))
    return pairs


def expected_disagreement(times: Floats, level: Compared, places: Floats) -> float:
    """Squared differences of all ordered pairs of all labels."""
    total = times.sum()
    if level == "nominal":
        return float(total**2 - times @ times)
    if level in ("ratio", "sets"):
        return _expected_pairs(times, level, places)
    away = places - (times @ places) / total
    return float(2 * total * (times @ away**2))


def _expected_pairs(times: Floats, level: Compared, places: Floats) -> float:
    seen = np.flatnonzero(times)
    total = 0.0
    for start in range(0, len(seen), 256):
        part = seen[start : start + 256]
        total += float(times[part] @ _difference(level, places, part[:, None], seen) @ times[seen])
    return total


def _difference(level: Compared, places: Floats, first: Whole, second: Whole) -> Floats:
    """Distances of sets, or squared ratio differences of numbers, none between two zeros."""
    if level == "sets":
        distances: Floats = places[first, second]
        return distances
    both = places[first] + places[second]
    share: Floats = np.divide(places[first] - places[second], both, out=np.zeros_like(both), where=both > 0)
    return share**2


class _Resampling(NamedTuple):
    """Do / De of other samples of the groups of units: of weights for each group, or of sums over groups."""

    groups: int
    table: Floats | None  # a row for each group, whose sums tell everything
    of: Callable[[Floats], Floats]  # Do / De of each row of sums, or of weights

    def without(self, rng: np.random.Generator) -> Floats:
        """Do / De without each group, or without each of some parts of them."""
        if self.table is not None:
            return self.of(self.table.sum(axis=0) - self.table)
        part = parts_of(self.groups, PARTS, rng)
        return np.concatenate([self.of((part != one)[None].astype(np.float64)) for one in range(int(part.max()) + 1)])

    def drawn(self, resamples: int, rng: np.random.Generator) -> Floats:
        chunks = resampled_weights(self.groups, resamples=resamples, rng=rng)
        return np.concatenate([self.of(rows if self.table is None else rows @ self.table) for rows in chunks])


def _resampling(tally: UnitCounts, level: Compared, places: Floats, times: Floats, group: Whole) -> _Resampling:
    drawn = int(group.max()) + 1
    if _few_values(tally, drawn):
        table = table_of_few(tally, times, group)
        return _Resampling(drawn, table, lambda sums: of_few(sums, level, places, len(tally.scale)))
    if level == "interval":
        return _Resampling(drawn, _interval_level_table(tally, places, times, group), _interval_level)
    within = None if level == "ordinal" else within_units(tally, level, places)

    def of(weights: Floats) -> Floats:
        return np.array([_replicate(tally, level, places, row[group] * times, within) for row in weights])

    return _Resampling(drawn, None, of)


def _bootstrap(
    made: _Resampling, method: Method, lost: float, *, rng: np.random.Generator, resamples: int
) -> Interval | Undefined:
    if made.groups < 2:
        return too_few(made.groups)
    replicates = 1 - made.drawn(resamples, rng)
    if method == "percentile":
        return percentile_interval(replicates)
    return bca_interval(replicates, 1 - lost, 1 - made.without(rng))


def _replicate(tally: UnitCounts, level: Compared, places: Floats, weights: Floats, within: Floats | None) -> float:
    """Do / De of one resample; `within` holds what units add where that does not depend on the resample."""
    if within is None:
        return _disagreement(tally, level, places, weights)
    times = tally.per_value(weights[tally.unit] * tally.count)
    expected = expected_disagreement(times, level, places)
    return float(weights @ within) / expected * float(times.sum() - 1) if expected > 0 else np.nan


def _few_values(tally: UnitCounts, groups: int) -> bool:
    """Whether there are so few values that all their pairs can be counted for every group."""
    return few_pairs(len(tally.scale), groups)


def few_pairs(wide: int, groups: int) -> bool:
    return wide <= FEW and wide * (wide + 1) // 2 * groups <= HELD


def table_of_few(tally: UnitCounts, times: Floats, group: Whole) -> Floats:
    """With few values, how often each came and every two met in a unit tells everything: a resample is a re-sum."""
    wide, drawn = len(tally.scale), int(group.max()) + 1
    often = sums_of(group[tally.unit] * wide + tally.value, times[tally.unit] * tally.count, drawn * wide)
    return np.hstack([often.reshape(drawn, wide), _assignment_keys(tally, times, group)])


def of_few(sums: Floats, level: Compared, places: Floats, wide: int) -> Floats:
    first, second = np.triu_indices(wide, 1)
    given, met = sums[:, :wide], sums[:, wide:]
    apart = _apart(level, places, given, first, second)
    total = given.sum(axis=1)
    by_chance = (given[:, first] * given[:, second] * apart).sum(axis=1)
    # What is left of sums when all but one value was taken out of them again is rounding, not variation.
    by_chance[by_chance < 1e-9] = 0.0
    return ratio((met * apart).sum(axis=1) * (total - 1), by_chance)


def _assignment_keys(tally: UnitCounts, times: Floats, group: Whole) -> Floats:
    """How often every two different values met in a unit, over its labels less one: groups x pairs of values."""
    wide, drawn = len(tally.scale), int(group.max()) + 1
    pairs = wide * (wide - 1) // 2
    code = np.zeros((wide, wide), dtype=np.int64)
    code[np.triu_indices(wide, 1)] = np.arange(pairs)
    found = np.zeros(drawn * pairs)
    for first, second in pairs_within(tally.unit):
        unit = tally.unit[first]
        # Entries of a unit are in the order of their values.
        place = group[unit] * pairs + code[tally.value[first], tally.value[second]]
        weight = times[unit] * tally.count[first] * tally.count[second] / (tally.sizes[unit] - 1)
        found += sums_of(place, weight, len(found))
    return found.reshape(drawn, pairs)


def _apart(level: Compared, places: Floats, given: Floats, first: Whole, second: Whole) -> Floats:
    """The difference of every two values: one row for all resamples, or one for each where it depends on them."""
    if level == "nominal":
        return np.ones((1, len(first)))
    if level in ("ratio", "sets"):
        return _difference(level, places, first, second)[None]
    if level == "ordinal":
        places = np.cumsum(given, axis=1) - given / 2
    squared: Floats = np.atleast_2d(places[..., first] - places[..., second]) ** 2
    return squared


def _interval_level_table(tally: UnitCounts, places: Floats, times: Floats, group: Whole) -> Floats:
    """At the interval level four sums tell everything: a resample is a re-sum, whatever the number of values."""
    place = places[tally.value]
    per_unit = (
        within_units(tally, "interval", places),
        tally.sizes,
        tally.per_unit(tally.count * place),
        tally.per_unit(tally.count * place**2),
    )
    return np.stack([sums_of(group, column * times, int(group.max()) + 1) for column in per_unit], axis=1)


def _interval_level(sums: Floats) -> Floats:
    observed, total, linear, squares = sums.T
    spread = total * squares - linear**2
    spread[spread < 1e-12 * total * squares] = 0.0  # all labels drawn are the same, but for rounding
    return ratio(observed * (total - 1), 2 * spread)
