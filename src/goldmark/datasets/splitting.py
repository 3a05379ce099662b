"""Train, dev and test: 8:1:1 overall and within every stratum, by seed, whatever the order in which texts come."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from goldmark.errors import GoldmarkError

SPLITS = ("train", "dev", "test")
SHARES = (8, 1, 1)


class SharesNotPossible(GoldmarkError):
    code = "DATASET-11"
    message = "a split of {given} is not possible; give three whole numbers such as 8:1:1, the first at least 1"


def parse_shares(given: str) -> tuple[int, int, int]:
    """`8:1:1` as numbers."""
    parts = given.split(":")
    if (
        len(parts) != 3
        or not all(part.isascii() and part.isdigit() for part in parts)
        or not 1 <= int(parts[0]) <= 1000
    ):
        raise SharesNotPossible(given=given)
    train, dev, test = (int(part) for part in parts)
    if dev > 1000 or test > 1000:
        raise SharesNotPossible(given=given)
    return train, dev, test


def rank(seed: int, name: str) -> bytes:
    """Where a text stands in the shuffled order: the same on every machine and in every version of Python."""
    return hashlib.sha256(f"{seed}\0{name}".encode()).digest()


def split(strata: Mapping[str, Sequence[str] | str], *, seed: int, shares: Sequence[int] = SHARES) -> dict[str, str]:
    """The split of every text, given its stratum.

    Texts are laid out stratum by stratum, shuffled within each, and dealt in one pass with a pattern that repeats the
    shares. Any run of n texts then holds n/10 dev and n/10 test texts but for less than one, so every stratum and the
    whole are divided 8:1:1 as nearly as whole texts allow.
    """
    ordered = sorted(strata, key=lambda name: (str(strata[name]), rank(seed, name)))
    turns = pattern(shares)
    return {name: SPLITS[turns[place % len(turns)]] for place, name in enumerate(ordered)}


def pattern(shares: Sequence[int]) -> list[int]:
    """Which split is dealt at each turn: whoever is furthest behind their share, the rarer one first among equals."""
    total = sum(shares)
    dealt = [0] * len(shares)
    turns = []
    for turn in range(1, total + 1):
        behind = [turn * share - total * had for share, had in zip(shares, dealt, strict=True)]
        most = max(range(len(shares)), key=lambda one: (behind[one], -shares[one], -one))
        dealt[most] += 1
        turns.append(most)
    return turns


def pseudonyms(names: Iterable[str], *, seed: int) -> dict[str, str]:
    """A01, A02, ... for people, in an order that says nothing of their names or of when they came."""
    ordered = sorted(set(names), key=lambda name: rank(seed, name))
    width = max(2, len(str(len(ordered))))
    return {name: f"A{number:0{width}}" for number, name in enumerate(ordered, start=1)}
