"""Texts that are nearly the same, in groups, for very many texts.

`copies.find_copies` says which text repeats which. Here it is only asked which belong together, of any number of texts
and without keeping them: of every run of three words only a number is kept, on disk, and pairs are counted by sorting,
a share of all numbers at a time. Two texts belong together if one shares more than 80 % of its runs with the other, and
so do all that are linked by such pairs.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import IO

import numpy as np
from numpy.typing import NDArray

from goldmark.records.spooled.file import unnamed_file
from goldmark.texts.preparation.copies import COPY, runs_of

# A run that more texts share than this ("at the end of") tells nothing, and its pairs would be quadratically many.
COMMON = 100
AT_ONCE = 250_000  # runs, or pairs of texts, in memory together
SHARES = 64  # files in which the runs lie
ROW = 16  # bytes of a run and the number of its text

Numbers = NDArray[np.int64]


def near_copies(texts: Iterable[str], *, more_than: float = COPY) -> Mapping[int, int]:
    """Of every text that has a near copy, by its place: the place of the first text of its group."""
    places = array("l")  # of the texts that are wholly the same as none before
    groups: dict[int, int] = {}
    same = _FirstWith()  # texts that are wholly the same need no counting, however many they are
    with ExitStack() as open_files:
        runs = _Runs([open_files.enter_context(tempfile.TemporaryFile(prefix="goldmark-runs-")) for _ in range(SHARES)])
        for place, characters in enumerate(texts):
            found = (" ".join(run).encode() for run in sorted(runs_of(characters)))
            own = np.array([zlib.crc32(one) | len(one) << 32 for one in found], dtype=np.uint64)
            first = same.text(hashlib.blake2b(own.tobytes(), digest_size=16).digest(), place) if len(own) else place
            if first != place:
                groups[place] = groups[first] = first
                continue
            places.append(place)
            runs.add(own)
        linked = _groups(places, *_alike(runs, more_than))
    return {place: linked.get(first, first) for place, first in groups.items()} | linked


class _FirstWith:
    """Which text was the first with such runs."""

    def __init__(self) -> None:
        self._file = unnamed_file()
        self._file.execute("CREATE TABLE text (runs BLOB PRIMARY KEY, place INTEGER) WITHOUT ROWID")

    def text(self, runs: bytes, place: int) -> int:
        """This one, if no other was."""
        if self._file.execute("INSERT OR IGNORE INTO text VALUES (?, ?)", (runs, place)).rowcount == 1:
            return place
        return int(self._file.execute("SELECT place FROM text WHERE runs = ?", (runs,)).fetchone()[0])


class _Runs:
    """The runs of all texts, each with the number of its text, in files.

    A run is always in the same file, in whatever texts it is, so that all who have it are seen together.
    """

    def __init__(self, files: Sequence[IO[bytes]]) -> None:
        self._files = files
        self.sizes = array("l")  # how many each text has
        self._waiting: list[NDArray[np.uint64]] = []
        self._held = 0  # how many runs wait
        self._written = 0  # how many texts are in the files

    def add(self, own: NDArray[np.uint64]) -> None:
        """The runs of the next text."""
        self.sizes.append(len(own))
        self._waiting.append(own)
        self._held += len(own)
        if self._held > AT_ONCE:
            self._write()

    def _write(self) -> None:
        texts = np.arange(self._written, len(self.sizes), dtype=np.uint64)
        run, text = np.concatenate(self._waiting), np.repeat(texts, self.sizes[self._written :])
        self._written, self._waiting, self._held = len(self.sizes), [], 0
        share = (run % SHARES).astype(np.uint8)
        order = np.argsort(share, kind="stable")
        both = np.stack([run[order], text[order]], axis=1)
        for file, some in zip(
            self._files, np.split(both, np.cumsum(np.bincount(share, minlength=SHARES))), strict=False
        ):
            file.write(some.tobytes())

    def shares(self) -> Iterator[tuple[NDArray[np.uint64], Numbers]]:
        """All runs, a file or less of it at a time, sorted: the runs, and the texts that have them."""
        if self._waiting:
            self._write()
        for file in self._files:
            parts = 1 + file.seek(0, os.SEEK_END) // (ROW * AT_ONCE)
            for part in range(parts):
                both = np.concatenate([*_of_part(file, part, parts)])
                both = both[np.argsort(both[:, 0], kind="stable")]
                yield both[:, 0], both[:, 1].astype(np.int64)


def _of_part(file: IO[bytes], part: int, parts: int) -> Iterator[NDArray[np.uint64]]:
    """Those runs of a file that belong to one of so many parts."""
    yield np.empty((0, 2), dtype=np.uint64)
    file.seek(0)
    for some in iter(lambda: file.read(ROW * AT_ONCE), b""):
        both = np.frombuffer(some, dtype=np.uint64).reshape(-1, 2)
        yield both[both[:, 0] // SHARES % parts == part]


def _alike(runs: _Runs, more_than: float) -> tuple[Numbers, Numbers]:
    """Pairs of texts of which one shares more than so much of its runs with the other."""
    sizes = np.array(runs.sizes, dtype=np.int64)
    telling = np.zeros(len(sizes), dtype=np.int64)  # how many runs of a text others have too, but not too many
    for run, text in runs.shares():
        _, lengths = _stretches(run)
        shared = np.repeat((lengths > 1) & (lengths <= COMMON), lengths)
        telling += np.bincount(text[shared], minlength=len(sizes))
    # Whoever shares fewer with all others together cannot share enough with one of them: that is nearly everybody.
    may_be = telling > more_than * sizes
    pairs = _Pairs(len(sizes))
    for run, text in runs.shares():
        starts, lengths = _stretches(run)
        for length in range(2, min(COMMON, int(lengths.max())) + 1):
            pairs.add(text, starts[lengths == length], length, may_be)
    one, other, count = pairs.counted()
    alike = count > more_than * np.minimum(sizes[one], sizes[other])
    return one[alike], other[alike]


def _stretches(run: NDArray[np.uint64]) -> tuple[Numbers, Numbers]:
    """Where each run begins among the sorted, and in how many texts it is."""
    starts = np.flatnonzero(np.r_[True, run[1:] != run[:-1]])
    return starts, np.diff(np.r_[starts, len(run)])


class _Pairs:
    """How many runs two texts share, for those pairs of which one may be a copy."""

    def __init__(self, texts: int) -> None:
        self._texts = texts
        self._found: list[tuple[Numbers, Numbers]] = []  # pairs as numbers, and how often each was met
        self._waiting = 0

    def add(self, text: Numbers, starts: Numbers, length: int, may_be: NDArray[np.bool_]) -> None:
        """Every pair of the texts that have a run in common; all these runs are in `length` texts."""
        one, other = np.triu_indices(length, 1)
        for some in np.array_split(starts, len(starts) * len(one) // AT_ONCE + 1):
            held = text[some[:, None] + np.arange(length)]
            held = held[may_be[held].any(axis=1)]
            first, second = held[:, one].ravel(), held[:, other].ravel()
            wanted = may_be[first] | may_be[second]
            if wanted.any():
                pairs, count = np.unique(first[wanted] * self._texts + second[wanted], return_counts=True)
                self._found.append((pairs, count))
                self._waiting += len(pairs)
            if self._waiting > AT_ONCE:
                self._fold()

    def _fold(self) -> None:
        pairs, place = np.unique(np.concatenate([one for one, _ in self._found]), return_inverse=True)
        count = np.bincount(place, np.concatenate([one for _, one in self._found])).astype(np.int64)
        self._found, self._waiting = [(pairs, count)], 0

    def counted(self) -> tuple[Numbers, Numbers, Numbers]:
        if not self._found:
            return (np.empty(0, dtype=np.int64),) * 3
        self._fold()
        pairs, count = self._found[0]
        return *np.divmod(pairs, self._texts), count


def _groups(places: Sequence[int], first: Numbers, second: Numbers) -> dict[int, int]:
    leader: dict[int, int] = {}

    def find(text: int) -> int:
        while (before := leader.get(text, text)) != text:
            leader[text] = leader.get(before, before)
            text = leader[text]
        return text

    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        low, high = sorted((find(one), find(other)))
        leader[high] = low
    linked = {*first.tolist(), *second.tolist()}
    return {places[text]: places[find(text)] for text in sorted(linked)}
