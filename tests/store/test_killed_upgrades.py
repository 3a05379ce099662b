"""An upgrade that is killed, before whichever statement, leaves a database as it was, and the next one finishes it.

Of every version that there ever was a database is made: as the kept files have it, brought to that version by the steps
of then. On SQLite the files are copied before each statement: that is what a killed process leaves. On PostgreSQL the
server ends the connection there.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData, column, event, insert, inspect, select, table, text
from sqlalchemy.exc import DBAPIError

from goldmark.store import open_store
from goldmark.store.engine import DatabaseUnreachable, Store
from goldmark.store.migrate import NEWEST, alembic_config, upgrade, version_of
from goldmark.store.tables import metadata
from tests.compatibility.conftest import HERE, VERSIONS, Kept
from tests.postgres import SHAPE, administer, empty_database

STEPS = sorted(one.revision for one in ScriptDirectory.from_config(alembic_config()).walk_revisions())
OLDER = STEPS[:-1]
DUMPS = {path.name[:4]: path for path in HERE.glob("*/older/*.sql.gz")}


def steps(*quick: str) -> Any:
    """Every version; all but a few of them only with the tests that take long."""
    return pytest.mark.parametrize(
        "version", [one if one in quick else pytest.param(one, marks=pytest.mark.slow) for one in OLDER]
    )


def step_to(store: Store, version: str) -> None:
    with store.engine().begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, version)


def older_database(folder: Path, version: str) -> Path:
    """A SQLite database with campaigns, people and answers as it was at this version."""
    path = folder / "older.db"
    kept = max(one for one in (*DUMPS, *VERSIONS) if one <= version)
    if kept in VERSIONS:
        Kept(kept).unpack(path)
    else:
        made = sqlite3.connect(path)
        made.executescript(gzip.decompress(DUMPS[kept].read_bytes()).decode())
        made.close()
    store = open_store(str(path))
    step_to(store, version)
    store.close()
    return path


def copy_rows(old: Connection, new: Connection) -> None:
    """Every row into the same tables of another database, as both had them then."""
    then = MetaData()
    then.reflect(new)
    for found in then.sorted_tables:
        if found.name == "alembic_version":
            continue
        now = metadata.tables[found.name].c
        columns = [column(one.name, now[one.name].type if one.name in now else None) for one in found.c]
        rows = old.execute(select(*columns).select_from(table(found.name))).mappings()
        if some := [dict(row) for row in rows]:
            new.execute(insert(table(found.name, *columns)), some)


def told(engine: Engine) -> dict[str, Any]:
    """Everything that is in a database: its version, every table with its columns and indexes, every row."""
    with engine.connect() as connection:
        found, all_of_it = inspect(connection), MetaData()
        all_of_it.reflect(connection)
        return {
            name: (
                sorted((one["name"], str(one["type"]), one["nullable"]) for one in found.get_columns(name)),
                sorted(
                    str((index["name"], index["column_names"], index["unique"])) for index in found.get_indexes(name)
                ),
                sorted(repr(tuple(row)) for row in connection.execute(text(f'SELECT * FROM "{name}"'))),
            )
            for name in sorted(all_of_it.tables)
        }


def shape_of(store: Store) -> str:
    """Version, tables and columns of a PostgreSQL database: less than everything, and told in a moment."""
    with store.engine().connect() as connection:
        return str(connection.execute(text(SHAPE)).scalar_one())


def before_each(engine: Engine, act: Callable[[Connection], None]) -> Callable[[], None]:
    """Does something before every statement; returns how to stop that."""

    def listen(connection: Connection, *_: Any) -> None:
        act(connection)

    event.listen(engine, "before_cursor_execute", listen)
    return lambda: event.remove(engine, "before_cursor_execute", listen)


@steps("0001", "0007", "0012", OLDER[-1])
def test_on_sqlite(version: str, tmp_path: Path) -> None:
    path = older_database(tmp_path, version)
    images: dict[str, Path] = {}

    def keep(_: Connection | None = None) -> None:
        files = [one for one in (path, Path(f"{path}-wal")) if one.exists()]
        key = hashlib.sha256(b"".join(one.read_bytes() for one in files)).hexdigest()
        if key not in images:
            images[key] = tmp_path / f"killed-{len(images)}"
            images[key].mkdir()
            for one in files:
                shutil.copy(one, images[key])

    statements = []
    store = open_store(str(path))
    stop = before_each(store.engine(), lambda connection: (statements.append(1), keep(connection)))  # type: ignore[func-returns-value, arg-type]
    assert upgrade(store).before == version
    stop()
    keep()
    expected = told(store.engine())
    store.close()
    assert len(statements) > 3
    assert len(images) >= 2, "as it was, and as it is"
    for image in images.values():
        again = open_store(str(image / path.name))
        assert upgrade(again).before in (version, NEWEST), "half of the steps were taken"
        assert told(again.engine()) == expected
        again.close()


@steps(OLDER[-1])
def test_on_postgres(version: str, tmp_path: Path, postgres: str) -> None:
    source, address = open_store(str(older_database(tmp_path, version))), empty_database(postgres)
    store = open_store(address)
    step_to(store, version)
    with source.engine().connect() as old, store.engine().begin() as new:
        copy_rows(old, new)
    source.close()
    before, shape, number = told(store.engine()), shape_of(store), 0
    while True:
        number += 1
        killer, left = open_store(address), [number]

        def kill(connection: Connection, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                pid = connection.connection.dbapi_connection.info.backend_pid  # type: ignore[union-attr]
                administer(postgres, f"SELECT pg_terminate_backend({pid}, 5000)")

        stop = before_each(killer.engine(), kill)
        try:
            upgrade(killer)
        except (DBAPIError, DatabaseUnreachable):
            assert left[0] <= 0
        else:
            break  # there are no more statements
        finally:
            stop()
            killer.close()
        assert shape_of(store) == shape, f"killed before statement {number}, it is not as it was"
    # The last, which was not killed, began with what was there at first.
    with store.engine().connect() as connection:
        assert version_of(connection) == NEWEST
    after, fresh = told(store.engine()), open_store(empty_database(postgres))
    upgrade(fresh)
    assert {name: one[:2] for name, one in after.items()} == {
        name: one[:2] for name, one in told(fresh.engine()).items()
    }
    lost = {name for name, one in before.items() if len(one[2]) > len(after.get(name, ((), (), ()))[2])}
    assert lost == set()
    fresh.close()
    store.close()
