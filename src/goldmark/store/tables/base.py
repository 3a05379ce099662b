"""What every table belongs to, and indexes of some of its rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sqlalchemy import Column, Index, MetaData, TextClause, text

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class PartialIndex(Index):
    """An index of those rows of which something is true, the same on SQLite and PostgreSQL.

    SQLAlchemy loads all of its part for a database as soon as an index says something for it. This one says it to the
    database that asks, so that nobody who uses the one loads the other.
    """

    inherit_cache = True

    def __init__(self, name: str, *columns: Column[Any], where: str, unique: bool = False) -> None:
        self._where = text(where)
        super().__init__(name, *columns, unique=unique)

    @cached_property
    def dialect_options(self) -> Any:
        return _Options(super().dialect_options, self._where)


class _Options(dict[str, Any]):
    def __init__(self, known: Any, where: TextClause) -> None:
        self._known, self._where = known, where

    def __missing__(self, database: str) -> Any:
        options = self[database] = self._known[database]
        options["where"] = self._where
        return options
