"""Which units, in which order: decided by a seed and the units' own ids, so that anyone can repeat it.

Both choices rank units by a hash of the seed and an id. Unlike a shuffled list, such a ranking does not change when
files are read in another order, and a unit that is added later moves none of the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from goldmark.campaigns.assignments.strata import placement_of
from goldmark.campaigns.definition.settings import Subset
from goldmark.records.units import Unit


def rank(seed: int, purpose: str, name: str) -> bytes:
    return hashlib.sha256(f"{purpose}\x1f{seed}\x1f{name}".encode()).digest()


def item_of(unit: Unit) -> str:
    """What a unit is about. Several systems' outputs for one input share the hidden fact `item`."""
    return str(unit.hidden.get("item", unit.id))


def choose(units: Iterable[Unit], subset: Subset | None) -> list[Unit]:
    """The fixed random subset: the same items for every system, whoever is added when. Test questions stay."""
    units = list(units)
    if subset is None:
        return units
    work = [unit for unit in units if placement_of(unit.hidden).counts]
    items = sorted({item_of(unit) for unit in work}, key=lambda item: rank(subset.seed, "subset", item))
    chosen = set(items[: subset.size])
    return [unit for unit in units if item_of(unit) in chosen or not placement_of(unit.hidden).counts]


def in_order(units: Iterable[Unit], seed: int) -> Sequence[Unit]:
    """The units in the order in which they are handed out."""
    return sorted(units, key=lambda unit: rank(seed, "order", unit.id))


def starting_place(seed: int, person: str, places: int) -> int:
    """Where on the ring of units someone begins."""
    return int.from_bytes(rank(seed, "start", person)[:8]) % places if places else 0
