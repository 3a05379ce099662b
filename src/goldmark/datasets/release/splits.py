"""Train, dev and test: 8:1:1 overall and within every stratum, by seed, whatever the order in which texts come."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

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


def split(
    strata: Mapping[str, str],
    *,
    seed: int,
    shares: Sequence[int] = SHARES,
    items: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The split of every text, given its stratum.

    Texts are laid out stratum by stratum, shuffled within each, and dealt in one pass, each to the split that is
    furthest behind its share. Any run of n texts then holds n/10 dev and n/10 test texts but for less than one, so
    every stratum and the whole are divided 8:1:1 as nearly as whole texts allow.

    `items` says which texts are about the same thing, such as several systems' outputs for one input. They are dealt
    together, or a model would meet in the test what it was trained on; the shares then hold but for the size of one.
    """
    together: dict[str, list[str]] = {}
    for name in strata:
        together.setdefault((items or {}).get(name) or name, []).append(name)
    place = {item: "+".join(sorted({strata[name] for name in names})) for item, names in together.items()}
    dealt = _Dealt(shares)
    parts: dict[str, str] = {}
    for item in sorted(together, key=lambda one: (place[one], rank(seed, one))):
        part = SPLITS[dealt.next(len(together[item]))]
        parts.update(dict.fromkeys(together[item], part))
    return parts


class _Dealt:
    """How many texts each split has so far."""

    def __init__(self, shares: Sequence[int]) -> None:
        self.shares = shares
        self.had = [0] * len(shares)

    def next(self, texts: int) -> int:
        """Which split gets the next texts: whoever is furthest behind their share, the rarer one first among equals."""
        so_far = sum(self.had) + texts
        behind = [so_far * share - sum(self.shares) * had for share, had in zip(self.shares, self.had, strict=True)]
        most = max(range(len(self.shares)), key=lambda one: (behind[one], -self.shares[one], -one))
        self.had[most] += texts
        return most


def pseudonyms(people: Mapping[str, int], *, seed: int) -> dict[str, str]:
    """A01, A02, ... for people, in an order that says nothing of their names or of when they came.

    Each comes with a number made of what they answered, which everybody can read anyway: an order by their names, even
    a shuffled one, would let whoever guesses the names and knows the seed find out whose number is whose.
    """
    ordered = sorted(people, key=lambda name: (rank(seed, str(people[name])), rank(seed, name)))
    width = max(2, len(str(len(ordered))))
    return {name: f"A{number:0{width}}" for number, name in enumerate(ordered, start=1)}
