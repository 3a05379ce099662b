"""What a protocol needs beside the texts, such as the question that they answer: texts that lack it are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from sqlalchemy import Connection

from goldmark.errors import Problem
from goldmark.protocols import Protocol
from goldmark.records.units import Unit
from goldmark.store import events

FIRST = 3  # units that are named
MISSING = "context missing"  # the kind of event that says so


class MissingContext:
    """What units lack that their protocol needs. They are looked at one by one, so that any number can be."""

    def __init__(self, protocol: Protocol, units: Iterable[Unit] = ()) -> None:
        self._protocol = protocol
        self._units = 0
        self._lacking = [0] * len(protocol.file.needs)
        self._first: list[list[str]] = [[] for _ in protocol.file.needs]
        for unit in units:
            self.look_at(unit)

    def look_at(self, unit: Unit) -> None:
        self._units += 1
        for number, need in enumerate(self._protocol.file.needs):
            if not need.is_in(one.title for one in unit.shown.context):
                self._lacking[number] += 1
                if len(self._first[number]) < FIRST:
                    self._first[number].append(unit.id)

    def problems(self, where: str) -> list[Problem]:
        """One problem for everything that must not be missing and is, with how many units lack it and the first."""
        remedy = "put it into the texts: context: {TITLE: ...}, or a column context.TITLE"
        return [Problem(where, said, remedy, part="texts") for said in self._told("refuse")]

    def warnings(self) -> tuple[str, ...]:
        """The same of what people can hardly do without."""
        return tuple(self._told("warn"))

    def _told(self, missing: Literal["refuse", "warn"]) -> Iterator[str]:
        for need, lacking, first in zip(self._protocol.file.needs, self._lacking, self._first, strict=True):
            if need.missing == missing and lacking:
                names = " or ".join(f"`{one}`" for one in need.context[:2])
                few = ", ".join(first) + (", ..." if lacking > FIRST else "")
                count = "the only unit has" if self._units == 1 else f"{lacking} of {self._units} units have"
                yield f"{self._protocol.id} needs {names} beside the text, and {count} no context of that name ({few})"


def note_missing(connection: Connection, campaign_id: int, name: str, told: Sequence[str], *, author: str) -> None:
    """Texts that came without something are taken, and the campaign's activity says so."""
    for said in told:
        events.record(connection, campaign_id, author=author, kind=MISSING, subject=name, reason=said)
