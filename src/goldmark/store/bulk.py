"""Rows by the thousand: in straight to the driver, since SQLAlchemy's work on a row costs more than the database's, and
out a few at a time.

Values pass through the column types as they do everywhere, so that rows are the same whoever wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Connection, Dialect, Select, Table

from goldmark.store.prepared import implemented

Row = Mapping[str, Any]
Binder = Callable[[Any], Any]
ROWS_AT_ONCE = 100  # few: what lives long is looked at again and again by Python's search for cycles


def streamed(connection: Connection, query: Select[Any], at_once: int = ROWS_AT_ONCE) -> Iterator[Any]:
    """Rows, of which a few are in memory at a time."""
    return chain.from_iterable(streamed_parts(connection, query, at_once))


def streamed_parts(connection: Connection, query: Select[Any], at_once: int = ROWS_AT_ONCE) -> Iterator[Sequence[Any]]:
    """The same, in the parts in which they come."""
    # Asked when the first row is wanted, and closed by whoever stops before the last.
    with connection.execute(query.execution_options(yield_per=at_once)) as found:
        yield from found.partitions()


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> Sequence[int]:
    """New rows, which all give the same columns, and the ids that they get, in their order."""
    return insert_ready(connection, table, ready(connection.dialect, table, rows))


class ReadyRows(NamedTuple):
    """New rows as the driver takes them, but for their ids: half of the work, which nobody has to wait for."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


def ready(dialect: Dialect, table: Table, rows: Sequence[Row]) -> ReadyRows:
    """Rows that all give the same columns, made ready beside the writer."""
    if not rows:
        return ReadyRows((), ())
    columns, fixed, binders = _columns(table, tuple(rows[0]), dialect)
    return ReadyRows(columns, [_bound((*row.values(), *fixed), binders) for row in rows])


def insert_ready(connection: Connection, table: Table, made: ReadyRows) -> Sequence[int]:
    """New rows that were made ready, and the ids that they get, in their order."""
    if not made.rows:
        return ()
    ids = _new_ids(connection, table, len(made.rows))
    bound = ((new, *row) for new, row in zip(ids, made.rows, strict=True))
    _send(connection, table, ("id", *made.columns), bound)
    return ids


def insert_beside(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """New rows of a table whose key is another's id."""
    made = ready(connection.dialect, table, rows)
    if made.rows:
        _send(connection, table, made.columns, made.rows)


def _new_ids(connection: Connection, table: Table, many: int) -> Sequence[int]:
    """Numbers that no row of the table has. Whoever writes to SQLite writes alone."""
    cursor: Any = connection.connection.cursor()
    try:
        if connection.dialect.name == "sqlite":
            last = cursor.execute(f"SELECT max(id) FROM {table.name}").fetchone()[0] or 0  # noqa: S608
            return range(last + 1, last + 1 + many)
        drawn = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        return [new for (new,) in cursor.execute(drawn, (table.name, many)).fetchall()]
    finally:
        cursor.close()


def _send(connection: Connection, table: Table, columns: Sequence[str], bound: Iterable[Sequence[Any]]) -> None:
    cursor: Any = connection.connection.cursor()
    try:
        if connection.dialect.name == "sqlite":
            places = ", ".join("?" * len(columns))  # nothing but names of our own stands in the statement
            cursor.executemany(f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({places})", bound)  # noqa: S608
            return
        with cursor.copy(f"COPY {table.name} ({', '.join(columns)}) FROM STDIN") as copy:
            for one in bound:
                copy.write_row(one)
    finally:
        cursor.close()


@lru_cache(maxsize=64)
def _columns(
    table: Table, names: tuple[str, ...], dialect: Dialect
) -> tuple[list[str], tuple[Any, ...], list[tuple[int, Binder]]]:
    """The columns that are written, what those get that nobody gives, and how values become the driver's."""
    defaults: dict[str, Any] = {
        column.name: column.default.arg  # type: ignore[attr-defined]
        for column in table.columns
        if column.name not in names and column.default is not None and column.default.is_scalar
    }
    every = [*names, *defaults]
    made = (
        (place, implemented(table.c[name].type, dialect).bind_processor(dialect)) for place, name in enumerate(every)
    )
    quote = dialect.identifier_preparer.quote
    binders = [(place, binder) for place, binder in made if binder is not None]
    return [quote(name) for name in every], tuple(defaults.values()), binders


def _bound(row: tuple[Any, ...], binders: list[tuple[int, Binder]]) -> list[Any]:
    values = list(row)
    for place, binder in binders:
        values[place] = binder(values[place])
    return values
