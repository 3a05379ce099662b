"""Protocols and shown units by id, kept in memory: neither changes, a unit from when somebody first got it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Generic, NamedTuple, TypeVar

import orjson
from sqlalchemy import Connection, bindparam, select

from goldmark.errors import Missing
from goldmark.languages import later
from goldmark.protocols import Protocol, present
from goldmark.protocols.shown_order import AS_GIVEN, AsGiven, ComparedTexts, ShownOrder, compared_texts
from goldmark.records.units import Surface, TextSurface
from goldmark.store import Store
from goldmark.store.prepared import Prepared
from goldmark.store.tables import assignment, protocol, unit

_protocol = Prepared(select(protocol.c.source).where(protocol.c.id == bindparam("id")))
_shown = Prepared(select(unit.c.shown).where(unit.c.id == bindparam("id")))
_meeting = Prepared(
    select(
        assignment.c.unit_id,
        assignment.c.annotator_id,
        assignment.c.protocol_id,
        unit.c.counts,
        assignment.c.shown_first,
    )
    .join(unit, unit.c.id == assignment.c.unit_id)
    .where(assignment.c.id == bindparam("id"))
)

PREVIEW = 120

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class UnknownAssignment(Missing):
    code = "WORK-01"
    message = later("there is no assignment {id} of yours")


class AssignmentKey(NamedTuple):
    """What an assignment is about; it never changes."""

    unit_id: int
    annotator_id: int
    protocol_id: int
    counts: bool  # False: a test question; known here so that the path of an answer need not ask
    shown_first: str | None  # of a comparison: the role of the text that is shown first


class BoundedCache(Generic[Key, Value]):
    """Values by id, at most so many; the oldest leave first. Losing one only costs a look at the database."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Key, Value] = {}
        self._changing = threading.Lock()

    def get(self, key: Key, fetch: Callable[[Key], Value]) -> Value:
        found = self._values.get(key)
        if found is None:
            found = fetch(key)
            self.put(key, found)
        return found

    def find(self, key: Key) -> Value | None:
        return self._values.get(key)

    def put(self, key: Key, value: Value) -> None:
        with self._changing:
            self._values[key] = value
            if len(self._values) > self._most:
                del self._values[next(iter(self._values))]


class _Later(Mapping[str, TextSurface]):
    """The texts of a unit, fetched when they are first looked at."""

    def __init__(self, fetch: Callable[[], Mapping[str, TextSurface]]) -> None:
        self._fetch = fetch

    @cached_property
    def _texts(self) -> Mapping[str, TextSurface]:
        return self._fetch()

    def __getitem__(self, role: str) -> TextSurface:
        return self._texts[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


class ContentCache:
    """What the path of an answer needs, without asking the database twice."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shown_json: BoundedCache[int, bytes] = BoundedCache(2_000)
        self._in_order: BoundedCache[tuple[int, str | None], bytes] = BoundedCache(2_000)
        self._assignment_keys: BoundedCache[int, AssignmentKey] = BoundedCache(50_000)
        self.protocol = lru_cache(maxsize=64)(self._read_protocol)
        self.compared = lru_cache(maxsize=64)(self._find_compared)
        self.presented = lru_cache(maxsize=256)(self._present)

    def shown_json(self, unit_id: int, order: ShownOrder = AS_GIVEN) -> bytes:
        """All that annotators receive of a unit: as it is stored, or its texts in the order of an assignment."""
        if order.compared is not None:
            return self._in_order.get((unit_id, order.first), lambda _: self._put_in_order(unit_id, order))
        return self._shown_json.get(unit_id, lambda id_: self._store.read(lambda open_: _fetch_shown(open_, id_)))

    def have_at_hand(self, connection: Connection, unit_ids: Sequence[int]) -> None:
        """Fetch together what these units show, unless it is there."""
        wanted = [one for one in unit_ids if self._shown_json.find(one) is None]
        if wanted:
            for id_, shown in connection.execute(select(unit.c.id, unit.c.shown).where(unit.c.id.in_(wanted))):
                self._shown_json.put(id_, shown.encode())

    def order(self, protocol_id: int, shown_first: str | None) -> ShownOrder:
        """How an assignment shows its texts."""
        compared = self.compared(protocol_id)
        return AS_GIVEN if compared is None else ShownOrder(compared, shown_first)

    def is_at_hand(self, assignment_id: int) -> bool:
        """Whether somebody here has looked at this before: an answer then needs neither the database nor a protocol."""
        return self._assignment_keys.find(assignment_id) is not None

    def assignment_key(self, assignment_id: int) -> AssignmentKey:
        return self._assignment_keys.get(assignment_id, self._read_assignment_key)

    def remember(self, assignment_id: int, assignment_key: AssignmentKey, shown: str) -> None:
        """Have at hand what the answer will need.

        What is shown was fetched even if it was at hand already: a test question often is, and would come sooner.
        """
        self._shown_json.put(assignment_key.unit_id, shown.encode())
        self._assignment_keys.put(assignment_id, assignment_key)

    def preview(self, unit_id: int, order: ShownOrder = AS_GIVEN) -> str:
        """The first words of a unit, for a list of one's earlier work."""
        first = next(iter(self.surface(unit_id, order).texts.values()))
        return beginning(first.characters)

    def surface(self, unit_id: int, order: ShownOrder = AS_GIVEN) -> Surface:
        """What an answer to this unit is checked against."""
        return Surface.from_json(orjson.loads(self.shown_json(unit_id, order)))

    def _put_in_order(self, unit_id: int, order: ShownOrder) -> bytes:
        return orjson.dumps(order.unit(orjson.loads(self.shown_json(unit_id))))

    def _find_compared(self, protocol_id: int) -> ComparedTexts | None:
        found = compared_texts(self.protocol(protocol_id))
        return None if isinstance(found, AsGiven) else found

    def shown_later(self, unit_id: int, order: ShownOrder = AS_GIVEN) -> Surface:
        """The same to read an answer by, fetched only if the answer turns out to refer to a text: most choose."""
        return Surface(_Later(lambda: self.surface(unit_id, order).texts), ())

    def _read_protocol(self, protocol_id: int) -> Protocol:
        from goldmark.protocols import parse  # what reads files is not needed before there is one to read

        return parse(self._store.read(lambda connection: _protocol.first(connection, id=protocol_id)).source)

    def _present(self, protocol_id: int, language: str) -> bytes:
        return orjson.dumps(present(self.protocol(protocol_id), language))

    def _read_assignment_key(self, assignment_id: int) -> AssignmentKey:
        found = self._store.read(lambda connection: _meeting.first(connection, id=assignment_id))
        if found is None:
            raise UnknownAssignment(id=assignment_id)
        return AssignmentKey(*found)


def _fetch_shown(connection: Connection, unit_id: int) -> bytes:
    return bytes(_shown.first(connection, id=unit_id).shown, "utf-8")


def beginning(characters: str) -> str:
    """The first words of a text on one line, with a sign that there are more."""
    words = " ".join(characters[:PREVIEW].split())
    return words if len(characters) <= PREVIEW else f"{words.rpartition(' ')[0] or words} …"
