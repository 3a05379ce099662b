"""Texts that are nearly the same, in groups, for very many texts.

`copies.find_copies` says which text repeats which. Here it is only asked which belong together, of any number of texts
and without keeping them: of every run of three words only a number is kept, and pairs are counted by sorting. Two texts
belong together if one shares more than 80 % of its runs with the other, and so do all that are linked by such pairs.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from goldmark.texts.preparation.copies import COPY, runs_of

# A run that more texts share than this ("at the end of") tells nothing, and its pairs would be quadratically many.
COMMON = 100


def near_copies(texts: Iterable[tuple[str, str]], *, more_than: float = COPY) -> Mapping[str, str]:
    """Of every text (id, characters) that has a near copy: the first text of its group."""
    names: list[str] = []
    runs: list[NDArray[np.uint64]] = []
    same: dict[bytes, str] = {}  # texts that are wholly the same need no counting, however many they are
    groups: dict[str, str] = {}
    for name, characters in texts:
        found = (" ".join(run).encode() for run in sorted(runs_of(characters)))
        own = np.array([zlib.crc32(one) | len(one) << 32 for one in found], dtype=np.uint64)
        first = same.setdefault(own.tobytes(), name) if len(own) else name
        if first != name:
            groups[name] = groups[first] = first
            continue
        names.append(name)
        runs.append(own)
    sizes = np.array([len(one) for one in runs])
    if len(names) > 1 and sizes.sum():
        one, other, count = _shared_pairs(np.concatenate(runs), np.repeat(np.arange(len(names)), sizes))
        alike = count > more_than * np.minimum(sizes[one], sizes[other])
        linked = _groups(names, one[alike], other[alike])
        groups = {name: linked.get(first, first) for name, first in groups.items()} | linked
    return groups


def _shared_pairs(run: NDArray[np.uint64], text: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Pairs of texts with how many runs they share; runs that are too common are left out."""
    order = np.lexsort((text, run))
    run, text = run[order], text[order]
    starts = np.flatnonzero(np.r_[True, run[1:] != run[:-1]])
    lengths = np.diff(np.r_[starts, len(run)])
    pairs: list[NDArray[np.int64]] = []
    for length in range(2, min(COMMON, int(lengths.max())) + 1):
        of_length = starts[lengths == length]
        if not len(of_length):
            continue
        held = text[of_length[:, None] + np.arange(length)]
        one, other = np.triu_indices(length, 1)
        pairs.append(np.stack([held[:, one].ravel(), held[:, other].ravel()], axis=1))
    if not pairs:
        return (np.empty(0, dtype=np.int64),) * 3
    found, count = np.unique(np.concatenate(pairs), axis=0, return_counts=True)
    return found[:, 0], found[:, 1], count


def _groups(names: list[str], first: NDArray[np.int64], second: NDArray[np.int64]) -> dict[str, str]:
    leader = list(range(len(names)))

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        low, high = sorted((find(one), find(other)))
        leader[high] = low
    linked = {*first.tolist(), *second.tolist()}
    return {names[place]: names[find(place)] for place in sorted(linked)}
