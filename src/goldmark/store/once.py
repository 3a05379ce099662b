"""Rows that are written once: whoever comes second, even at the same moment, changes nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, TextClause

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite


def insert_once(
    connection: Connection, table: Table, values: Any, *, by: str, where: TextClause | None = None
) -> postgresql.Insert | sqlite.Insert:
    """The statement that inserts rows, but none whose value in the unique column `by` is there already."""
    # Only that of this database: the other one's is half of what SQLAlchemy is.
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    made: postgresql.Insert | sqlite.Insert = dialect.insert(table)
    return made.values(values).on_conflict_do_nothing(index_elements=[by], index_where=where)
