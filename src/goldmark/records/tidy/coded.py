"""A column in which the same texts come again and again: every text once, and of each row the number of its text.

Every answer of 100,000 names one of a few systems and one of some dozens of people. As a number, a cell takes one byte
where there are few texts, else two or four, and numpy picks, groups and counts rows in a fraction of the time that
comparing their texts takes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Value = TypeVar("Value")
Number = TypeVar("Number", np.float64, np.int32)


class Coded(Sequence[str]):
    """Behaves as a list of its texts. `names` are the different texts; some of them may be in no row."""

    __slots__ = ("codes", "names")

    def __init__(self, codes: NDArray[np.integer], names: Sequence[str]) -> None:
        self.codes: NDArray[np.signedinteger] = codes.astype(narrowest(len(names)), copy=False)
        self.names = names
        if len(names) == 1 and self.codes.strides != (0,):  # a third of all columns: one number stands for all rows
            self.codes = np.broadcast_to(self.codes.dtype.type(0), len(codes))

    @classmethod
    def of(cls, column: Sequence[str]) -> Coded:
        return column if isinstance(column, Coded) else cls(*first_seen(column))

    @classmethod
    def merged(cls, codes: NDArray[np.integer], names: Sequence[str]) -> Coded:
        """From codes of which several may stand for the same text."""
        place, different = first_seen(names)
        if len(different) == len(names):
            return cls(codes, different)
        return cls(place.astype(narrowest(len(different)))[codes], different)

    @classmethod
    def joined(cls, columns: Sequence[Coded]) -> Coded:
        """The rows of several columns, one after the other."""
        names = [name for column in columns for name in column.names]
        begins = np.cumsum([0, *(len(column.names) for column in columns)], dtype=np.int32)
        codes = [column.codes + begin for column, begin in zip(columns, begins, strict=False)]
        return cls.merged(np.concatenate(codes), names) if codes else cls(np.zeros(0, dtype=np.int8), [])

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[str]:
        return map(self.names.__getitem__, self.codes.tolist())

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[str]: ...
    def __getitem__(self, row: int | slice) -> str | Sequence[str]:
        return Coded(self.codes[row], self.names) if isinstance(row, slice) else self.names[self.codes[row]]

    def __contains__(self, text: object) -> bool:
        return text in self.names and bool(self.equal(str(text)).any())

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Coded:
        """Only these rows, given by their numbers or by a yes or no for each."""
        return Coded(self.codes[rows], self.names)

    def equal(self, text: str) -> NDArray[np.bool_]:
        """Of each row, whether it is this text."""
        if text not in self.names:
            return np.zeros(len(self), dtype=np.bool_)
        same: NDArray[np.bool_] = self.codes == self.names.index(text)
        return same

    def mapped(self, change: Callable[[str], str]) -> Coded:
        """With every text changed in the same way."""
        return Coded.merged(self.codes, list(map(change, self.names)))

    def numbers(self, number: Callable[[str], float] = float) -> NDArray[np.float64]:
        """The number that stands in each row."""
        return self._valued(np.float64, number)

    def whole(self) -> NDArray[np.int32]:
        """The whole number that stands in each row; 0 where a cell is empty."""
        return self._valued(np.int32, lambda name: int(float(name or 0)))

    def _valued(self, kind: type[Number], number: Callable[[str], float]) -> NDArray[Number]:
        """Of each row the number of its text; texts that stand in no row are not asked."""
        present = np.flatnonzero(np.bincount(self.codes, minlength=len(self.names)))
        value = np.zeros(len(self.names), dtype=kind)
        value[present] = [number(self.names[code]) for code in present.tolist()]
        rows: NDArray[Number] = value[self.codes]
        return rows

    def used(self) -> tuple[Codes, list[str]]:
        """Codes and names as `first_seen` gives them, whatever rows were picked before."""
        first = np.full(len(self.names), len(self))
        # Of rows with the same code the one that is set last stays, which is the first row.
        first[self.codes[::-1]] = np.arange(len(self))[::-1]
        order = np.argsort(first)[: np.count_nonzero(first < len(self))]
        place = np.zeros(len(self.names), dtype=np.int64)
        place[order] = np.arange(len(order))
        return place[self.codes], [self.names[code] for code in order]


def numbered(keys: Codes) -> tuple[Codes, NDArray[np.int32]]:
    """Of each different key, in the order of the keys, its first row; and of each row the place of its key.

    Rows with equal keys mostly follow one another, as those of one answer do, so few of millions are sorted.
    """
    heads = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
    _, first, place = np.unique(keys[heads], return_index=True, return_inverse=True)
    return heads[first], np.repeat(place.astype(np.int32), np.diff(np.append(heads, len(keys))))


def narrowest(names: int) -> type[np.signedinteger]:
    """The shortest numbers that tell so many texts apart, with room for one more."""
    return np.int8 if names < 1 << 7 else np.int16 if names < 1 << 15 else np.int32


def first_seen(column: Iterable[Value]) -> tuple[Codes, list[Value]]:
    """Of each entry its place among the different ones, and these, in the order in which they come."""
    if isinstance(column, Coded):
        return column.used()  # type: ignore[return-value]
    place: defaultdict[Value, int] = defaultdict(count().__next__)
    return np.fromiter(map(place.__getitem__, column), dtype=np.int64), list(place)
