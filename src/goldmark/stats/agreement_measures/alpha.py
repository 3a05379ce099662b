"""How far annotators agree: Krippendorff's alpha and percent agreement, with intervals.

Everything is computed from a `Tally`, which holds how often each unit got each value and nothing for what is missing,
so time and memory grow with the number of labels and never with annotators x units.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError
from goldmark.records.coded import first_seen
from goldmark.records.figures import Figure, Interval, Undefined
from goldmark.stats.inference.bootstrap import (
    Floats,
    bootstrap_mean,
    percentile_interval,
    ratio,
    resampled_weights,
    too_few,
)

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Compared = Level | Literal["sets"]  # sets: each value is a frozenset of labels
Whole = NDArray[np.int64]
Coded = tuple[Whole, Sequence[Hashable | None]]  # positions among names, and the names

STEPS = 100_000_000  # how many cells all resamples together may touch before fewer resamples are drawn
FEWEST = 200
FEW, HELD = 24, 20_000_000  # values, and counts of their pairs in units, that are held at once for quick resampling
WIDEST = 2000  # ratio and sets: distinct values above which there is no interval, for it needs all their pairs


class LabelledTwice(GoldmarkError):
    code = "AGREEMENT-01"
    message = "annotator {annotator} labelled unit {unit} more than once; keep one of the labels"


class NotAMagnitude(GoldmarkError):
    code = "AGREEMENT-02"
    message = "the ratio level needs numbers from 0 upwards, but {value} is among the labels; use the interval level"


@dataclass(frozen=True)
class UnitLabels:
    """Who gave which unit which value, one entry per label; what is missing is not there."""

    units: Whole  # positions in unit_names
    annotators: Whole
    values: Whole  # positions in scale
    unit_names: Sequence[Hashable]
    annotator_names: Sequence[Hashable]
    scale: Sequence[Hashable]  # the values that occur, sorted if they are numbers

    @classmethod
    def of(
        cls,
        units: Sequence[Hashable] | NDArray[np.generic],
        annotators: Sequence[Hashable] | NDArray[np.generic],
        values: Sequence[Hashable | None] | NDArray[np.generic],
    ) -> UnitLabels:
        """From three columns of equal length; numbers as values for every level but the nominal, None for missing."""
        return cls.coded(_coded(units), _coded(annotators), _coded(values))

    @classmethod
    def coded(cls, units: Coded, annotators: Coded, values: Coded) -> UnitLabels:
        """From columns that are codes already; several codes may stand for one value, and None for a missing one."""
        unit, unit_names = units
        annotator, annotator_names = annotators
        if not len(unit) == len(annotator) == len(values[0]):
            raise ValueError("units, annotators and values must have one entry per label")
        scale: list[Hashable] = list(dict.fromkeys(value for value in values[1] if value is not None))
        if all(isinstance(value, int | float) for value in scale):
            scale.sort(key=lambda value: float(str(value)))
        position = {value: place for place, value in enumerate(scale)}
        recoded = np.array([-1 if value is None else position[value] for value in values[1]], dtype=np.int64)
        value = recoded[values[0]] if len(values[0]) else values[0]
        if (missing := value < 0).any():
            unit, annotator, value = unit[~missing], annotator[~missing], value[~missing]
        pairs = np.sort(unit * len(annotator_names) + annotator)
        twice = pairs[1:][pairs[1:] == pairs[:-1]]
        if len(twice):
            place, who = divmod(int(twice[0]), len(annotator_names))
            raise LabelledTwice(annotator=annotator_names[who], unit=unit_names[place])
        return cls(unit, annotator, value, unit_names, annotator_names, scale)

    def __len__(self) -> int:
        return len(self.units)


@dataclass(frozen=True)
class UnitCounts:
    """How often each pairable unit (with two labels or more) got each value: one entry per unit and value."""

    unit: Whole  # of each entry, ascending
    value: Whole
    count: Floats
    sizes: Floats  # labels of each unit
    scale: Sequence[Hashable]
    places: Whole  # which of all units each pairable one is
    skipped: int  # units with fewer than two labels

    @classmethod
    def of(cls, labels: UnitLabels) -> UnitCounts:
        wide = max(1, len(labels.scale))
        keys, counts = np.unique(labels.units * wide + labels.values, return_counts=True)
        unit = keys // wide
        sizes = _sums(unit, counts.astype(np.float64), len(labels.unit_names))
        pairable = sizes >= 2
        kept = pairable[unit]
        return cls(
            unit=(np.cumsum(pairable) - 1)[unit[kept]],
            value=(keys % wide)[kept],
            count=counts[kept].astype(np.float64),
            sizes=sizes[pairable],
            scale=labels.scale,
            places=np.flatnonzero(pairable),
            skipped=int(len(sizes) - pairable.sum()),
        )

    def per_unit(self, weights: Floats) -> Floats:
        """Sums over the entries of each unit."""
        return _sums(self.unit, weights, len(self.sizes))

    def per_value(self, weights: Floats) -> Floats:
        """Sums over the entries of each value."""
        return _sums(self.value, weights, len(self.scale))


def krippendorff(
    labels: UnitLabels | UnitCounts,
    level: Compared = "nominal",
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 1000,
    groups: Whole | None = None,
    repeats: Floats | None = None,
) -> Figure:
    """Krippendorff's alpha: 1 is full agreement, 0 what chance would give, below 0 worse than chance.

    alpha = 1 - Do / De, with Do the mean squared difference of labels of the same unit and De that of any two labels
    (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"). Units with one label only are left out. The
    interval resamples units, or `groups` of them (the texts of tokens) if they are named for every unit of the labels.
    `repeats`: how often each unit counts, where many are alike, such as tokens in a row that nobody marked.
    Without `rng` no interval is computed. Two sets differ by the share of their labels that only one of them has
    (Jaccard's distance, in the place of the squared difference); sets of one label are as at the nominal level.
    """
    tally = UnitCounts.of(labels) if isinstance(labels, UnitLabels) else labels
    used, skipped = len(tally.sizes), tally.skipped
    if (reason := _why_not(labels, tally)) or (reason := _one_value(tally)):
        return Figure(None, reason=reason, used=used, skipped=skipped)
    places = positions(tally, level)
    weights = np.ones(used) if repeats is None else repeats[tally.places]
    value = 1 - float(_disagreement(tally, level, places, weights))
    if rng is None:
        return Figure(value, used=used, skipped=skipped)
    interval = _interval(tally, level, places, weights, rng=rng, resamples=resamples, groups=groups)
    if isinstance(interval, Undefined):
        return Figure(value, reason=f"no interval: {interval.reason}", used=used, skipped=skipped)
    return Figure(value, interval, used=used, skipped=skipped)


def percent_agreement(
    labels: UnitLabels | UnitCounts, *, rng: np.random.Generator | None = None, resamples: int = 1000
) -> Figure:
    """How often two labels of the same unit are equal; every unit with two labels or more counts alike."""
    tally = UnitCounts.of(labels) if isinstance(labels, UnitLabels) else labels
    used, skipped = len(tally.sizes), tally.skipped
    if reason := _why_not(labels, tally):
        return Figure(None, reason=reason, used=used, skipped=skipped)
    equal = tally.per_unit(tally.count * (tally.count - 1)) / (tally.sizes * (tally.sizes - 1))
    interval = None if rng is None else bootstrap_mean(equal, rng=rng, resamples=resamples)
    if isinstance(interval, Undefined):
        return Figure(float(equal.mean()), reason=f"no interval: {interval.reason}", used=used, skipped=skipped)
    return Figure(float(equal.mean()), interval, used=used, skipped=skipped)


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
        return _jaccard(tally.scale)
    numbers = np.asarray(tally.scale, dtype=np.float64)
    if level == "ratio" and numbers.min() < 0:
        raise NotAMagnitude(value=f"{numbers.min():g}")
    # Both levels ignore the unit of the scale: a power of two brings the largest number near 1, exactly, so that no
    # square overflows. At the interval level numbers are centred, so that scales far from 0 lose no digits.
    scaled: Floats = np.ldexp(numbers, -int(np.frexp(np.abs(numbers).max())[1]))
    return scaled if level == "ratio" else scaled - scaled.mean()


def _jaccard(sets: Sequence[Hashable]) -> Floats:
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
    return (
        f"every label that can be compared is {tally.scale[int(found[0])]!r}; "
        "without variation, agreement cannot be told from chance"
    )


def _disagreement(tally: UnitCounts, level: Compared, places: Floats, weights: Floats) -> float:
    """Do / De with unit u counted weights[u] times; NaN if all labels drawn are the same."""
    times = tally.per_value(weights[tally.unit] * tally.count)
    if level == "ordinal":
        places = midranks(times)
    observed = float(weights @ _within(tally, level, places))
    expected = float(_expected(times, level, places))
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


def _within(tally: UnitCounts, level: Compared, places: Floats) -> Floats:
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
        pairs += 2 * _sums(tally.unit[first], tally.count[first] * tally.count[second] * difference, len(pairs))
    return pairs


def pairs_within(unit: Whole) -> Iterator[tuple[Whole, Whole]]:
    """Places of every two entries of the same unit: neighbours, then those 2, 3... apart. Units ascend."""
    first = np.arange(len(unit))
    apart = 1
    while len(first := first[first + apart < len(unit)]):
        first = first[unit[first] == unit[first + apart]]
        yield first, first + apart
        apart += 1


def _expected(times: Floats, level: Compared, places: Floats) -> float:
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


def _interval(
    tally: UnitCounts,
    level: Compared,
    places: Floats,
    times: Floats,
    *,
    rng: np.random.Generator,
    resamples: int,
    groups: Whole | None,
) -> Interval | Undefined:
    if level in ("ratio", "sets") and len(tally.scale) > WIDEST:
        return Undefined(f"the level {level!r} with {len(tally.scale)} distinct values would take too long")
    group = np.arange(len(tally.sizes)) if groups is None else np.unique(groups[tally.places], return_inverse=True)[1]
    drawn = int(group.max()) + 1
    if drawn < 2:
        return too_few(drawn)
    if _few_values(tally, drawn):
        replicates = _replicates_of_few(tally, level, places, times, group, rng=rng, resamples=resamples)
        return percentile_interval(1 - replicates)
    resamples = resamples_for(tally, level, resamples)
    if level == "interval":
        replicates = _interval_level_replicates(tally, places, group, rng=rng, resamples=resamples)
    else:
        within = None if level == "ordinal" else _within(tally, level, places)
        replicates = np.array(
            [
                _replicate(tally, level, places, row[group] * times, within)
                for weights in resampled_weights(drawn, resamples=resamples, rng=rng)
                for row in weights
            ]
        )
    return percentile_interval(1 - replicates)


def _replicate(tally: UnitCounts, level: Compared, places: Floats, weights: Floats, within: Floats | None) -> float:
    """Do / De of one resample; `within` holds what units add where that does not depend on the resample."""
    if within is None:
        return _disagreement(tally, level, places, weights)
    times = tally.per_value(weights[tally.unit] * tally.count)
    expected = _expected(times, level, places)
    return float(weights @ within) / expected * float(times.sum() - 1) if expected > 0 else np.nan


def _few_values(tally: UnitCounts, groups: int) -> bool:
    """Whether there are so few values that all their pairs can be counted for every group."""
    wide = len(tally.scale)
    return wide <= FEW and wide * (wide + 1) // 2 * groups <= HELD


def _replicates_of_few(
    tally: UnitCounts,
    level: Compared,
    places: Floats,
    times: Floats,
    group: Whole,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> Floats:
    """With few values, how often each came and every two met in a unit tells everything: a resample is a re-sum."""
    wide, drawn = len(tally.scale), int(group.max()) + 1
    often = _sums(group[tally.unit] * wide + tally.value, times[tally.unit] * tally.count, drawn * wide)
    table = np.hstack([often.reshape(drawn, wide), _assignment_keys(tally, times, group)])
    first, second = np.triu_indices(wide, 1)
    made = []
    for weights in resampled_weights(drawn, resamples=resamples, rng=rng):
        sums = weights @ table
        given, met = sums[:, :wide], sums[:, wide:]
        apart = _apart(level, places, given, first, second)
        by_chance = given[:, first] * given[:, second]
        total = given.sum(axis=1)
        made.append(ratio((met * apart).sum(axis=1) * (total - 1), (by_chance * apart).sum(axis=1)))
    return np.concatenate(made)


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
        found += _sums(place, weight, len(found))
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


def _interval_level_replicates(
    tally: UnitCounts, places: Floats, group: Whole, *, rng: np.random.Generator, resamples: int
) -> Floats:
    """At the interval level four sums tell everything: a resample is a re-sum, whatever the number of values."""
    place = places[tally.value]
    per_unit = (
        _within(tally, "interval", places),
        tally.sizes,
        tally.per_unit(tally.count * place),
        tally.per_unit(tally.count * place**2),
    )
    table = np.stack([_sums(group, column, int(group.max()) + 1) for column in per_unit], axis=1)
    chunks = [weights @ table for weights in resampled_weights(len(table), resamples=resamples, rng=rng)]
    observed, total, linear, squares = np.concatenate(chunks).T
    spread = total * squares - linear**2
    spread[spread < 1e-12 * total * squares] = 0.0  # all labels drawn are the same, but for rounding
    return ratio(observed * (total - 1), 2 * spread)


def _sums(codes: Whole, weights: Floats, size: int) -> Floats:
    sums: Floats = np.bincount(codes, weights=weights, minlength=size).astype(np.float64, copy=False)
    return sums


def _coded(column: Sequence[Hashable | None] | NDArray[np.generic]) -> Coded:
    """Each entry as its position among the distinct ones."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iufb":
        names, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.int64), names.tolist()
    return first_seen(column.tolist() if isinstance(column, np.ndarray) else column)
