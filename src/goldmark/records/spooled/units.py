"""Units by the million, one at a time in memory, kept the way the database will have them: a unit is turned into JSON
once, when it has been looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import orjson

from goldmark.errors import GoldmarkError
from goldmark.records.spooled.records import Spooled
from goldmark.records.texts import Text
from goldmark.records.units import ShownUnit, Unit

KEPT = 300  # units that were looked up: whoever answers a unit often does so soon after another


class CannotBeKept(GoldmarkError):
    code = "UNIT-07"
    message = "what is known of the unit {unit!r} cannot be kept: {why}"


class PackedUnit(NamedTuple):
    """A unit of which nobody needs the tokens."""

    id: str
    hidden: dict[str, Any]
    tokenisers: dict[str, str]  # by role of the text
    shown: bytes  # the JSON of `ShownUnit.to_json`

    @classmethod
    def of(cls, packed: bytes) -> PackedUnit:
        head, _, shown = packed.partition(b"\n")
        id_, hidden, tokenisers = orjson.loads(head)
        return cls(id_, hidden, tokenisers, shown)

    def unit(self) -> Unit:
        shown = ShownUnit.from_json(orjson.loads(self.shown), id=self.id, tokenisers=self.tokenisers)
        return Unit(self.id, shown, self.hidden)


class SpooledUnits(Spooled[Unit]):
    """Units by their ids. `of` takes them as they are if they are spooled already."""

    def __init__(self, units: Iterable[Unit] = ()) -> None:
        super().__init__(((one.id, one) for one in units), pack=packed, unpack=unpacked)

    @classmethod
    def of(cls, units: Iterable[Unit]) -> SpooledUnits:
        return units if isinstance(units, SpooledUnits) else cls(units)

    def one_packed(self, name: str) -> PackedUnit | None:
        found = self.packed_named(name)
        return None if found is None else PackedUnit.of(found)

    def all_packed(self, rank: Callable[[str], Any] | None = None) -> Iterator[PackedUnit]:
        """All of them in their order, or in that of a rank of their ids."""
        return map(PackedUnit.of, self.packed(rank))


def hidden_facts(units: Iterable[Unit]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The id of every unit and what is hidden of it; of those that wait in a file no text is read."""
    found = units.all_packed() if isinstance(units, SpooledUnits) else units
    return ((one.id, one.hidden) for one in found)


def finder(units: Iterable[Unit]) -> Callable[[str], Unit]:
    """To look up units by their ids; of those that wait in a file some are kept for whoever asks again."""
    if not isinstance(units, SpooledUnits):
        return {one.id: one for one in units}.__getitem__

    @lru_cache(maxsize=KEPT)
    def found(name: str) -> Unit:
        one = units.named(name)
        if one is None:
            raise KeyError(name)
        return one

    return found


class UnitTexts(Mapping[str, Text]):
    """The only text of every unit that has one, by the unit's id; a few of them in memory."""

    def __init__(self, units: SpooledUnits) -> None:
        self._units, self._find = units, finder(units)

    def __getitem__(self, name: str) -> Text:
        return self._find(name).shown.texts["text"].text

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def _names(self) -> Sequence[str]:  # a list with wrong names asks for them again and again
        return [one.id for one in self._units if "text" in one.shown.texts]


def packed(unit: Unit) -> bytes:
    tokenisers = {role: shown.text.tokeniser for role, shown in unit.shown.texts.items()}
    return pack(unit.id, unit.hidden, tokenisers, unit.shown.to_json())


def pack(
    id: str,  # noqa: A002
    hidden: Mapping[str, Any],
    tokenisers: Mapping[str, str],
    shown: Mapping[str, Any] | orjson.Fragment,
) -> bytes:
    """A line of what is hidden, and then what is shown; no JSON that is written here has a line break."""
    try:
        return orjson.dumps([id, dict(hidden), tokenisers]) + b"\n" + orjson.dumps(shown)
    except TypeError as error:  # a number of more than 64 bits, or lists in lists in lists
        raise CannotBeKept(unit=id, why=str(error)) from error


def unpacked(content: bytes) -> Unit:
    return PackedUnit.of(content).unit()
