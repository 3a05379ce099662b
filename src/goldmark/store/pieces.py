"""Many rows in, without anybody else's write having to wait for all of them.

SQLite has one writer. Whoever writes for a minute makes everybody wait for a minute, so long writes go in pieces that
hold the writer for a moment each, with as long a pause after each. Until all of them are in, nobody may see any: see
`goldmark.campaigns.arrival`. What is small is written in one transaction, by the same functions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Table, insert

from goldmark.store.engine import Store

Row = TypeVar("Row")
Result = TypeVar("Result")

SMALL = 500  # rows that may as well go in one transaction
HELD = 0.012  # seconds for which a piece should hold the writer
FEWEST, MOST = 100, 2_000  # rows of a piece; on a busy machine time alone would make them ever smaller


def in_parts(rows: Iterable[Row], many: int) -> Iterator[list[Row]]:
    """The same rows, so many at a time."""
    waiting = iter(rows)
    while some := list(islice(waiting, many)):
        yield some


class RowWriter(Protocol):
    """Where rows go."""

    def once(self, work: Callable[[Connection], Result]) -> Result:
        """A few rows, together."""

    def each(self, rows: Iterable[Row], work: Callable[[Connection, Sequence[Row]], None]) -> None:
        """Many rows, some at a time."""


class AtOnce:
    """Everything as a part of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def once(self, work: Callable[[Connection], Result]) -> Result:
        return work(self._connection)

    def each(self, rows: Iterable[Row], work: Callable[[Connection, Sequence[Row]], None]) -> None:
        for some in in_parts(rows, MOST):
            work(self._connection, some)


class InPieces:
    """Every piece a transaction of its own, which begins with `first`: it may refuse to go on."""

    def __init__(
        self, store: Store, first: Callable[[Connection], None] = lambda _: None, *, fewest: int = FEWEST
    ) -> None:
        self._store, self._first, self._fewest = store, first, fewest
        self._many = 2 * fewest

    def once(self, work: Callable[[Connection], Result]) -> Result:
        def piece(connection: Connection) -> Result:
            self._first(connection)
            return work(connection)

        return self._store.write(piece)

    def each(self, rows: Iterable[Row], work: Callable[[Connection, Sequence[Row]], None]) -> None:
        for _ in self.gathered(rows, work):
            pass

    def gathered(self, rows: Iterable[Row], work: Callable[[Connection, Sequence[Row]], Result]) -> Iterator[Result]:
        """What comes of each piece, once it is written."""
        waiting = iter(rows)
        while some := list(islice(waiting, self._many)):
            yield self._piece(some, work)

    def _piece(self, some: Sequence[Row], work: Callable[[Connection, Sequence[Row]], Result]) -> Result:
        def piece(connection: Connection) -> tuple[Result, float]:
            began = time.perf_counter()
            self._first(connection)
            return work(connection, some), time.perf_counter() - began

        made, took = self._store.write(piece)
        # Towards the length that is wanted, never by leaps: one slow piece says little about the next.
        factor = min(2.0, max(0.5, HELD / took)) if took else 2.0
        self._many = min(MOST, max(self._fewest, int(self._many * factor)))
        if not self._store.locks_rows:
            time.sleep(min(took, 0.05))  # SQLite tells nobody that the writer is free: who waits asks now and then
        return made


def inserted(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> Sequence[int]:
    """The ids of new rows, in their order."""
    made = connection.execute(insert(table).returning(table.c.id, sort_by_parameter_order=True), rows)
    return made.scalars().all()
