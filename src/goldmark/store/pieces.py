"""Many rows in, without anybody else's write having to wait for all of them.

SQLite has one writer. Whoever writes for a minute makes everybody wait for a minute, so long writes go in pieces that
hold the writer for a moment each, with as long a pause after each. Until all of them are in, nobody may see any: see
`goldmark.campaigns.arrival`. What is small is written in one transaction, by the same functions.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from math import ceil
from typing import Protocol, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, delete, select

from goldmark.store.engine import Store

Row = TypeVar("Row")
Result = TypeVar("Result")

SMALL = 100  # rows that may as well go in one transaction
HELD = 0.010  # seconds that a piece may take, without its commit
STEPS = 4  # of a piece: at the end of each it may end
FEWEST, MOST = 2, 200  # rows of a step
AHEAD = 2 * STEPS  # steps whose rows are made before a piece begins


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
        for some in in_parts(rows, SMALL):
            work(self._connection, some)


class InPieces:
    """Every piece a transaction of its own, which begins with `first`: it may refuse to go on.

    A piece ends when its time is up, whatever its rows are like and whatever else the machine does.
    """

    def __init__(self, store: Store, first: Callable[[Connection], object] = lambda _: None) -> None:
        self._store, self._first = store, first
        self._step = FEWEST  # rows between two looks at the clock

    def once(self, work: Callable[[Connection], Result]) -> Result:
        def piece(connection: Connection) -> Result:
            self._first(connection)
            return work(connection)

        return self._store.write(piece)

    def each(self, rows: Iterable[Row], work: Callable[[Connection, Sequence[Row]], None]) -> None:
        for _ in self.gathered(rows, work):
            pass

    def gathered(self, rows: Iterable[Row], work: Callable[[Connection, Sequence[Row]], Result]) -> Iterator[Result]:
        """What comes of all rows, some at a time, once these are written."""
        coming, some = iter(rows), list[Row]()
        # Rows are made while nobody has to wait for them.
        while some := [*some, *islice(coming, max(0, AHEAD * self._step - len(some)))]:
            made = self._piece(some, work)
            some = some[sum(many for many, _ in made) :]
            yield from (result for _, result in made)

    def remove(self, table: Table, which: ColumnElement[bool], key: ColumnElement[int] | None = None) -> None:
        """All these rows of a table, told apart by its key, or by another column that is unique among them."""
        by = next(iter(table.primary_key.columns)) if key is None else key
        ids = self._store.read(lambda connection: array("q", connection.execute(select(by).where(which)).scalars()))

        def remove(connection: Connection, some: Sequence[int]) -> None:
            connection.execute(delete(table).where(by.in_(some), which))

        self.each(ids, remove)

    def _piece(
        self, some: Sequence[Row], work: Callable[[Connection, Sequence[Row]], Result]
    ) -> Sequence[tuple[int, Result]]:
        """As many of these rows as there is time for, and at least some: how many, and what came of them."""

        def piece(connection: Connection) -> tuple[list[tuple[int, Result]], float, float]:
            began, made = time.perf_counter(), list[tuple[int, Result]]()
            self._first(connection)
            worked = time.thread_time()
            for step in in_parts(some, self._step):
                made.append((len(step), work(connection, step)))
                if (time.perf_counter() - began) * (1 + 1 / len(made)) > HELD:
                    break  # one step more would take too long
            return made, time.perf_counter() - began, time.thread_time() - worked

        made, took, worked = self._store.write(piece)
        # A few steps for a piece, by what they cost and not by what else the machine does; and never by leaps.
        many = sum(number for number, _ in made)
        wanted = ceil(many * HELD / worked / STEPS) if worked else MOST
        self._step = min(MOST, 2 * self._step, max(FEWEST, self._step // 2, wanted))
        self._store.give_way(took)
        return made
