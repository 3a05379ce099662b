"""Which units, in which order: decided by a seed and the units' own ids, so that anyone can repeat it.

Both choices rank units by a hash of the seed and an id. Unlike a shuffled list, such a ranking does not change when
files are read in another order, and a unit that is added later moves none of the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from heapq import nsmallest
from typing import Any, Protocol

from goldmark.campaigns.assignments.strata import placement_of
from goldmark.campaigns.definition.settings import Subset


def rank(seed: int, purpose: str, name: str) -> bytes:
    return hashlib.sha256(f"{purpose}\x1f{seed}\x1f{name}".encode()).digest()


class KnownUnit(Protocol):
    """A unit of which the texts do not matter."""

    @property
    def id(self) -> str: ...
    @property
    def hidden(self) -> Mapping[str, Any]: ...


def item_of(unit: KnownUnit) -> str:
    """What a unit is about. Several systems' outputs for one input share the hidden fact `item`."""
    return str(unit.hidden.get("item", unit.id))


def in_subset(units: Iterable[KnownUnit], subset: Subset | None) -> Callable[[KnownUnit], bool]:
    """Which of these units are in the fixed random subset: the same items for every system, whoever is added when.

    Test questions stay. However many units there are, hardly more items are held than are chosen.
    """
    if subset is None:
        return lambda unit: True
    first: dict[bytes, str] = {}
    for unit in units:
        if placement_of(unit.hidden).counts:
            first[rank(subset.seed, "subset", item_of(unit))] = item_of(unit)
            if len(first) > 2 * subset.size + 1_000:
                first = dict(nsmallest(subset.size, first.items()))
    chosen = {item for _, item in nsmallest(subset.size, first.items())}
    return lambda unit: item_of(unit) in chosen or not placement_of(unit.hidden).counts


def place_of(seed: int, name: str) -> bytes:
    """Units are handed out in the order of this."""
    return rank(seed, "order", name)


def starting_place(seed: int, person: str, places: int) -> int:
    """Where on the ring of units someone begins."""
    return int.from_bytes(rank(seed, "start", person)[:8]) % places if places else 0
