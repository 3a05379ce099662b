"""Very many different texts, such as the moments at which a million answers came: one after the other, as bytes.

As strings of Python's in a dictionary, which tells whether one was there before, each would take two hundred bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from goldmark.records.tidy.coded import Coded, first_seen


class PackedTexts(Sequence[str]):
    """Texts in the order in which they came, each in a place of its own; of those that are added later, one that equals
    the one before it is that one."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._bytes = bytearray()
        self._ends = array("q")
        self._hashes = array("q")
        self._last: str | None = None
        for text in texts:
            self._append(text)

    def add(self, text: str) -> int:
        """Put a text at the end; its place."""
        if text != self._last:
            self._append(text)
        return len(self._ends) - 1

    def _append(self, text: str) -> None:
        self._bytes += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._bytes))
        self._hashes.append(hash(text))
        self._last = text

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        begin = self._ends[place - 1] if place else 0
        return self._bytes[begin : self._ends[place]].decode("utf-8", "surrogatepass")

    def index(self, text: object, start: int = 0, stop: int | None = None) -> int:
        """Where a text first stands."""
        places = np.flatnonzero(np.frombuffer(self._hashes, dtype=np.int64) == hash(text)).tolist()
        end = len(self) if stop is None else stop
        found = next((place for place in places if start <= place < end and self[place] == text), None)
        if found is None:
            raise ValueError(f"{text!r} is not among these texts")
        return found

    def __contains__(self, text: object) -> bool:
        try:
            return self.index(text) >= 0
        except ValueError:
            return False

    def __reduce__(self) -> tuple[type[PackedTexts], tuple[list[str]]]:
        return PackedTexts, (list(self),)  # hashes are those of one process

    def coded(self, codes: NDArray[np.signedinteger]) -> Coded:
        """A column whose rows are places among these texts, with every text once, in the order of the texts."""
        hashes = np.frombuffer(self._hashes, dtype=np.int64)
        _, first, same = np.unique(hashes, return_index=True, return_inverse=True)
        if len(first) == len(self):
            return Coded(codes, self)
        again = np.flatnonzero(first[same] != np.arange(len(self))).tolist()
        if any(self[place] != self[int(first[same[place]])] for place in again):  # two texts with one hash
            place, names = first_seen(self)
            return Coded(place[codes], names)
        order = np.argsort(first)
        place = np.empty(len(first), dtype=np.int32)
        place[order] = np.arange(len(first))
        return Coded(place[same][codes], PackedTexts(self[at] for at in first[order].tolist()))
