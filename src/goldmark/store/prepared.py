"""Statements on the path of every answer, compiled once instead of at each call.

SQLAlchemy's work around one `execute` costs more than SQLite's work inside it. A `Prepared` statement is written with
the same expressions, compiled once per database, and then goes straight to the driver's cursor in the connection's
transaction. Values pass through the same column types, so both ways read and write the same rows.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from sqlalchemy import Connection, Dialect, Executable
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.types import TypeEngine

Convert = Callable[[Any], Any]


class Prepared:
    """Call it with a connection and named values; rows come back as named tuples."""

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, connection: Connection, **values: Any) -> list[Any]:
        compiled = self._for(connection, values)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(compiled.sql, compiled.bind(values))
            return compiled.read(cursor)
        finally:
            cursor.close()

    def first(self, connection: Connection, **values: Any) -> Any:
        """The first row, or None."""
        found = self.rows(connection, **values)
        return found[0] if found else None

    def run(self, connection: Connection, **values: Any) -> None:
        """Only do it; nobody waits for a result."""
        compiled = self._for(connection, values)
        connection.connection.cursor().execute(compiled.sql, compiled.bind(values))

    def count(self, connection: Connection, **values: Any) -> int:
        """How many rows an UPDATE or INSERT touched."""
        compiled = self._for(connection, values)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(compiled.sql, compiled.bind(values))
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def _for(self, connection: Connection, values: dict[str, Any]) -> _Compiled:
        name = connection.dialect.name
        if name not in self._compiled:
            self._compiled[name] = _Compiled(self._statement, connection.dialect, list(values))
        return self._compiled[name]


@contextmanager
def together(connection: Connection) -> Iterator[None]:
    """Statements inside travel to PostgreSQL in one go instead of waiting for each other's answers."""
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection.dbapi_connection
        with driver.pipeline():
            yield
    else:
        yield


class _Compiled:
    """SQL text, how to bind values to it, and how to read rows from it."""

    def __init__(self, statement: Executable, dialect: Dialect, keys: list[str]) -> None:
        compiled: Any = cast(ClauseElement, statement).compile(dialect=dialect, column_keys=keys)
        self.sql = str(compiled)
        self._order: Sequence[str] | None = compiled.positiontup
        missing = [key for key, parameter in compiled.binds.items() if parameter.required and key not in keys]
        if missing:
            raise TypeError(f"the statement needs {', '.join(missing)} as well")
        self._fixed = compiled.construct_params(dict.fromkeys(keys))
        self._binders = {
            key: binder
            for key, parameter in compiled.binds.items()
            if (binder := implemented(parameter.type, dialect).bind_processor(dialect)) is not None
        }
        columns = list(getattr(statement, "exported_columns", ()))
        self._types = [implemented(column.type, dialect) for column in columns]
        self._dialect = dialect
        self._readers: list[tuple[int, Convert]] | None = None
        make_tuple: Any = namedtuple  # the fields are known only here, so there is nothing for a type checker
        self._row = make_tuple("Row", [column.key for column in columns])._make

    def bind(self, values: dict[str, Any]) -> Any:
        bound = {**self._fixed, **values}
        for key, binder in self._binders.items():
            bound[key] = binder(bound.get(key))
        return bound if self._order is None else [bound[key] for key in self._order]

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
