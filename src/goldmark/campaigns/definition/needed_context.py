"""What a protocol needs beside the texts, such as the question that they answer: texts that lack it are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.errors import Problem
from goldmark.protocols import Protocol
from goldmark.records.units import Unit
from goldmark.store import Store, events

FIRST = 3  # units that are named
MISSING = "context missing"  # the kind of event that says so


def context_problems(protocol: Protocol, units: Sequence[Unit], where: str) -> list[Problem]:
    """One problem for everything that must not be missing and is, with how many units lack it and the first of them."""
    remedy = "put it into the texts: context: {TITLE: ...}, or a column context.TITLE"
    return [Problem(where, said, remedy, part="texts") for said in _told(protocol, units, "refuse")]


def context_warnings(protocol: Protocol, units: Sequence[Unit]) -> list[str]:
    """The same of what people can hardly do without."""
    return list(_told(protocol, units, "warn"))


def _told(protocol: Protocol, units: Sequence[Unit], missing: Literal["refuse", "warn"]) -> Iterator[str]:
    for need in protocol.file.needs:
        if need.missing != missing:
            continue
        lacking = [unit.id for unit in units if not need.is_in(one.title for one in unit.shown.context)]
        if lacking:
            names = " or ".join(f"`{one}`" for one in need.context[:2])
            few = ", ".join(lacking[:FIRST]) + (", ..." if len(lacking) > FIRST else "")
            count = "the only unit has" if len(units) == 1 else f"{len(lacking)} of {len(units)} units have"
            yield f"{protocol.id} needs {names} beside the text, and {count} no context of that name ({few})"


def note_missing(store: Store, name: str, protocol: Protocol, units: Sequence[Unit], *, author: str) -> None:
    """Texts that came without something are taken, and the campaign's activity says so."""
    told = context_warnings(protocol, units)

    def tell(connection: Connection) -> None:
        row = find_campaign(connection, name)
        for said in told:
            events.record(connection, row.id, author=author, kind=MISSING, subject=name, reason=said)

    if told:
        store.write(tell)
