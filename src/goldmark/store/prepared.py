"""Statements on the path of every answer, compiled once instead of at each call.

SQLAlchemy's work around one `execute` costs more than SQLite's work inside it. A `Prepared` statement is written with
the same expressions, compiled once per database, and then goes straight to the driver's cursor in the connection's
transaction. Values pass through the same column types, so both ways read and write the same rows.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

from sqlalchemy import BindParameter, Connection, Dialect, Executable, Insert, Table, Update, bindparam
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.types import TypeEngine

Convert = Callable[[Any], Any]


class Prepared:
    """Call it with a connection and named values; rows come back as named tuples.

    An INSERT or UPDATE sets the columns that are named by the values, unless it is `spelled_out`.
    """

    def __init__(self, statement: Executable, *, spelled_out: bool = False) -> None:
        self._statement, self._spelled_out = statement, spelled_out
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, connection: Connection, **values: Any) -> list[Any]:
        compiled = self._for(connection, values)
        return compiled.read(_driver(connection).execute(compiled.sql, compiled.bind(values)))

    def first(self, connection: Connection, **values: Any) -> Any:
        """The first row, or None."""
        found = self.rows(connection, **values)
        return found[0] if found else None

    def ask(self, connection: Connection, **values: Any) -> Callable[[], list[Any]]:
        """Send it; the rows are fetched when they are called for, so that others may travel together with it."""
        compiled = self._for(connection, values)
        cursor = _driver(connection).execute(compiled.sql, compiled.bind(values))
        if connection.dialect.name == "postgresql":
            return partial(compiled.read, cursor)
        found = compiled.read(cursor)  # before anything else is written: there is no way to go
        return lambda: found

    def run(self, connection: Connection, **values: Any) -> None:
        """Only do it; nobody waits for a result."""
        compiled = self._for(connection, values)
        _driver(connection).execute(compiled.sql, compiled.bind(values))

    def count(self, connection: Connection, **values: Any) -> int:
        """How many rows an UPDATE or INSERT touched."""
        compiled = self._for(connection, values)
        return int(_driver(connection).execute(compiled.sql, compiled.bind(values)).rowcount)

    def _for(self, connection: Connection, values: dict[str, Any]) -> _Compiled:
        found = self._compiled.get(connection.dialect.name)
        if found is None:
            columns = [] if self._spelled_out else list(values)
            found = _Compiled(self._statement, connection.dialect, list(values), columns)
            self._compiled[connection.dialect.name] = found
        return found


class OneStatement:
    """Statements that change different rows and know all their values before: one on PostgreSQL, a few on SQLite.

    All are spelled out, and take what they need of the same values; what the last one returns comes back.
    """

    def __init__(self, *statements: Insert | Update) -> None:
        *others, last = statements
        self._others, self._last = [Prepared(one, spelled_out=True) for one in others], Prepared(last, spelled_out=True)
        parts = (one.cte(f"part{number}") for number, one in enumerate(others))
        self._whole = Prepared(last.add_cte(*parts), spelled_out=True)

    def run(self, connection: Connection, **values: Any) -> None:
        self._before_last(connection, values).run(connection, **values)

    def first(self, connection: Connection, **values: Any) -> Any:
        return self._before_last(connection, values).first(connection, **values)

    def _before_last(self, connection: Connection, values: dict[str, Any]) -> Prepared:
        if connection.dialect.name == "postgresql":
            return self._whole
        for one in self._others:
            one.run(connection, **values)
        return self._last


def values_of(table: Table, *columns: str) -> dict[str, BindParameter[Any]]:
    """Columns that get the values of their own names, to spell a statement out."""
    return {name: bindparam(name, type_=table.c[name].type) for name in columns}


def _driver(connection: Connection) -> Any:
    """The driver's own connection, of sqlite3 or psycopg: both make a cursor for a statement."""
    return connection.connection.dbapi_connection


@contextmanager
def together(connection: Connection) -> Iterator[None]:
    """Statements inside travel to PostgreSQL in one go instead of waiting for each other's answers."""
    if connection.dialect.name == "postgresql":
        with _driver(connection).pipeline():
            yield
    else:
        yield


class _Compiled:
    """SQL text, how to bind values to it, and how to read rows from it."""

    def __init__(self, statement: Executable, dialect: Dialect, keys: list[str], columns: list[str]) -> None:
        compiled: Any = cast(ClauseElement, statement).compile(dialect=dialect, column_keys=columns)
        self.sql = str(compiled)
        missing = [key for key, parameter in compiled.binds.items() if parameter.required and key not in keys]
        if missing:
            raise TypeError(f"the statement needs {', '.join(missing)} as well")
        binders = {
            key: binder
            for key, parameter in compiled.binds.items()
            if (binder := implemented(parameter.type, dialect).bind_processor(dialect)) is not None
        }
        fixed = compiled.construct_params(dict.fromkeys(keys))
        order: Sequence[str] | None = compiled.positiontup
        named = list(enumerate(order)) if order is not None else [(key, key) for key in fixed]
        # What never changes is bound once; the rest is put into a copy of it, by place on SQLite and by name elsewhere.
        bound = {key: binders[key](value) if key in binders else value for key, value in fixed.items()}
        self._bound: Any = bound if order is None else [bound[key] for key in order]
        self._given = [(place, key, binders.get(key)) for place, key in named if key in keys]
        returned = list(getattr(statement, "exported_columns", ()))
        self._types = [implemented(column.type, dialect) for column in returned]
        self._dialect = dialect
        self._readers: list[tuple[int, Convert]] | None = None
        make_tuple: Any = namedtuple  # the fields are known only here, so there is nothing for a type checker
        self._row = make_tuple("Row", [column.key for column in returned])._make

    def bind(self, values: dict[str, Any]) -> Any:
        bound = self._bound.copy()
        for place, key, binder in self._given:
            value = values[key]
            bound[place] = value if binder is None else binder(value)
        return bound

    def read(self, cursor: Any) -> list[Any]:
        fetched = cursor.fetchall()  # before anything is asked of the cursor: in a pipeline this is what fills it
        readers = self._readers
        if readers is None:
            readers = self._readers = self._find_readers(cursor.description)
        rows = []
        for found in fetched:
            cells = list(found)
            for place, reader in readers:
                cells[place] = reader(cells[place])
            rows.append(self._row(cells))
        return rows

    def _find_readers(self, description: Sequence[Any]) -> list[tuple[int, Convert]]:
        """How to turn the driver's values into ours; some types need to know what the database says they are."""
        made = (
            (place, type_.result_processor(self._dialect, described[1]))
            for place, (type_, described) in enumerate(zip(self._types, description, strict=True))
        )
        return [(place, reader) for place, reader in made if reader is not None]


def implemented(type_: TypeEngine[Any], dialect: Dialect) -> Any:
    return type_.dialect_impl(dialect)
