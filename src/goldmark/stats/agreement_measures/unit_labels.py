"""Who gave which unit which label, and how often each unit got each value.

Measures of agreement are computed from these counts, which hold nothing for what is missing, so time and memory grow
with the number of labels and never with annotators x units.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError
from goldmark.records.tidy.coded import first_seen, narrowest
from goldmark.records.tidy.columns import same_length

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Coded = tuple[Whole, Sequence[Hashable | None]]  # positions among names, and the names
MISSING = frozenset({"nan", "NaN", "<NA>", "NaT"})  # how values that are none at all are written


class LabelledTwice(GoldmarkError):
    code = "AGREEMENT-01"
    message = "annotator {annotator} labelled unit {unit} more than once; keep one of the labels"


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
        """From three columns of equal length; numbers as values for every level but the nominal.

        What is missing is None, or as pandas and numpy have it: NaN, NA, NaT. It is left out.
        """
        return cls.coded(_coded(units), _coded(annotators), _coded(values))

    @classmethod
    def coded(cls, units: Coded, annotators: Coded, values: Coded) -> UnitLabels:
        """From columns that are codes already; several codes may stand for one value, and None for a missing one."""
        unit, unit_names = units
        annotator, annotator_names = annotators
        same_length(units=unit, annotators=annotator, values=values[0])
        names = [None if _is_missing(value) else value for value in values[1]]
        scale: list[Hashable] = list(dict.fromkeys(value for value in names if value is not None))
        if all(isinstance(value, int | float) for value in scale):
            scale.sort(key=lambda value: float(str(value)))
        position = {value: place for place, value in enumerate(scale)}
        recoded = np.array([-1 if value is None else position[value] for value in names], dtype=np.int64)
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
        sizes = sums_of(unit, counts.astype(np.float64), len(labels.unit_names))
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
        return sums_of(self.unit, weights, len(self.sizes))

    def per_value(self, weights: Floats) -> Floats:
        """Sums over the entries of each value."""
        return sums_of(self.value, weights, len(self.scale))


@dataclass(frozen=True)
class HeldCounts:
    """Counts of some of very many units, in few bytes, until they are looked at."""

    values: NDArray[np.signedinteger]  # of each unit and value, ascending
    counts: NDArray[np.signedinteger]
    different: NDArray[np.signedinteger]  # of each unit, how many values it has

    @classmethod
    def of(cls, units: Whole, values: Whole, size: int, wide: int) -> HeldCounts:
        """From one entry per label; every one of `size` units has two labels or more."""
        keys, counts = np.unique(units * wide + values, return_counts=True)
        different = np.bincount(keys // wide, minlength=size)
        return cls(_short(keys % wide), _short(counts), _short(different))

    def __len__(self) -> int:
        return len(self.different)

    def wide(self, scale: Sequence[Hashable]) -> UnitCounts:
        unit = np.repeat(np.arange(len(self)), self.different)
        count = self.counts.astype(np.float64)
        sizes = sums_of(unit, count, len(self))
        return UnitCounts(unit, self.values.astype(np.int64), count, sizes, scale, np.arange(len(self)), 0)

    def whether(self) -> HeldCounts:
        """The same of whether a label is any but the first."""
        unit = np.repeat(np.arange(len(self)), self.different)
        keys = unit * 2 + (self.values > 0)
        counts = np.bincount(keys, weights=self.counts).astype(np.int64)
        there = np.flatnonzero(counts)
        different = np.bincount(there // 2, minlength=len(self))
        return HeldCounts(_short(there % 2), _short(counts[there]), _short(different))


def _short(numbers: Whole) -> NDArray[np.signedinteger]:
    return numbers.astype(narrowest(int(numbers.max(initial=0)) + 1))


def pairs_within(unit: Whole) -> Iterator[tuple[Whole, Whole]]:
    """Places of every two entries of the same unit: neighbours, then those 2, 3... apart. Units ascend."""
    first = np.arange(len(unit))
    apart = 1
    while len(first := first[first + apart < len(unit)]):
        first = first[unit[first] == unit[first + apart]]
        yield first, first + apart
        apart += 1


def without_labels(labels: UnitLabels, left_out: NDArray[np.bool_]) -> UnitLabels:
    """The same labels but for some."""
    kept = ~left_out
    return UnitLabels(
        labels.units[kept],
        labels.annotators[kept],
        labels.values[kept],
        labels.unit_names,
        labels.annotator_names,
        labels.scale,
    )


def sums_of(codes: Whole, weights: Floats, size: int) -> Floats:
    sums: Floats = np.bincount(codes, weights=weights, minlength=size).astype(np.float64, copy=False)
    return sums


def _is_missing(value: object) -> bool:
    return value is None or (not isinstance(value, str) and str(value) in MISSING)


def _coded(column: Sequence[Hashable | None] | NDArray[np.generic]) -> Coded:
    """Each entry as its position among the distinct ones."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iufb":
        names, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.int64), names.tolist()
    return first_seen(column.tolist() if isinstance(column, np.ndarray) else column)
