"""Fresh databases by copying one, and engines that share what they compiled: both are alike in hundreds of tests."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.engine import URL, Engine

from goldmark.store import engine as engines
from goldmark.store import open_store
from goldmark.store.migrate import upgrade

_first: dict[str, Engine] = {}


def fresh(folder: Path, name: str = "goldmark.db") -> str:
    """The address of a new, migrated SQLite database in this folder."""
    path = folder / name
    path.write_bytes(_migrated())
    return str(path)


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "goldmark.db"
        store = open_store(str(path))
        upgrade(store)
        store.close()
        return path.read_bytes()


def share_compiled() -> None:
    """Let all engines of a kind use one dialect and one cache: else every test would compile every statement anew."""
    engines.create_engine = _sharing  # type: ignore[assignment, attr-defined]


def _sharing(url: URL, **options: Any) -> Engine:
    made = sqlalchemy.create_engine(url, **options)
    kind = made.dialect.name
    if kind not in _first:
        first = sqlalchemy.create_engine("sqlite://" if kind == "sqlite" else url)
        try:
            first.connect().close()  # a dialect learns from its first connection
        except sqlalchemy.exc.OperationalError:
            return made  # nothing to be learnt where nobody answers
        first.dispose()
        _first[kind] = first
    first = _first[kind]
    made.dialect = made.pool._dialect = first.dialect
    made._compiled_cache = first._compiled_cache
    return made


# For a test over `store` or `database` of which another test has every statement on PostgreSQL too, and in which nobody
# waits for anybody: there the databases are alike, and a server makes a test take twice as long.
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
