"""Protocols and shown units by id, kept in memory: neither ever changes once it is stored."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import orjson
from sqlalchemy import bindparam, select

from goldmark.errors import GoldmarkError, Kind
from goldmark.protocols import Protocol, parse, present
from goldmark.records.units import ShownUnit
from goldmark.store import Store
from goldmark.store.prepared import Prepared
from goldmark.store.tables import assignment, protocol, unit

_protocol = select(protocol.c.source).where(protocol.c.id == bindparam("id"))
_shown = Prepared(select(unit.c.shown).where(unit.c.id == bindparam("id")))
_meeting = select(assignment.c.unit_id, assignment.c.annotator_id, assignment.c.protocol_id).where(
    assignment.c.id == bindparam("id")
)

PREVIEW = 120
MOST_MEETINGS = 50_000


class UnknownAssignment(GoldmarkError):
    code = "WORK-01"
    kind = Kind.MISSING
    message = "there is no assignment {id} of yours"


class Meeting(NamedTuple):
    """What an assignment is about; it never changes."""

    unit_id: int
    annotator_id: int
    protocol_id: int


class Library:
    """What the path of an answer needs, without asking the database twice."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.protocol = lru_cache(maxsize=64)(self._read_protocol)
        self.presented = lru_cache(maxsize=64)(self._present)
        self.shown_json = lru_cache(maxsize=2_000)(self._read_shown)
        self.shown = lru_cache(maxsize=500)(self._parse_shown)
        self._meetings: dict[int, Meeting] = {}

    def _read_protocol(self, protocol_id: int) -> Protocol:
        return parse(
            self._store.read(lambda connection: connection.execute(_protocol, {"id": protocol_id}).scalar_one())
        )

    def _present(self, protocol_id: int) -> bytes:
        return orjson.dumps(present(self.protocol(protocol_id)))

    def _read_shown(self, unit_id: int) -> bytes:
        found = self._store.read(lambda connection: _shown.first(connection, id=unit_id))
        return bytes(found.shown, "utf-8")

    def _parse_shown(self, unit_id: int) -> ShownUnit:
        return ShownUnit.from_json(orjson.loads(self.shown_json(unit_id)), id="")

    def remember(self, assignment_id: int, meeting: Meeting) -> None:
        """Have at hand what the answer will need, while we are at the database anyway."""
        self.shown_json(meeting.unit_id)
        if len(self._meetings) >= MOST_MEETINGS:
            self._meetings.clear()
        self._meetings[assignment_id] = meeting

    def meeting(self, assignment_id: int) -> Meeting:
        known = self._meetings.get(assignment_id)
        if known is not None:
            return known
        found = self._store.read(lambda connection: connection.execute(_meeting, {"id": assignment_id}).first())
        if found is None:
            raise UnknownAssignment(id=assignment_id)
        return Meeting(*found)

    def preview(self, unit_id: int) -> str:
        """The first words of a unit, for a list of one's earlier work."""
        first = next(iter(self.shown(unit_id).texts.values()))
        words = first.text.characters[:PREVIEW].split()
        return " ".join(words)
