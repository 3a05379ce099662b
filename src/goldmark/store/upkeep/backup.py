"""Copies of the whole database, safe to make while annotators work.

A backup is always one SQLite file, whatever it was made from. So it can be looked into with any SQLite tool, needs no
program of the right version to be read, and can be restored into SQLite or PostgreSQL alike, which is also the way from
the one to the other.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from sqlalchemy import Connection, func, insert, inspect, select, text

from goldmark.errors import Conflict, Failed, GoldmarkError
from goldmark.store.engine import SqliteStore, Store, open_store
from goldmark.store.migrate import upgrade, upgrade_within, version_of
from goldmark.store.tables import metadata

ROWS_AT_ONCE = 1_000


class BackupExists(Conflict):
    code = "STORE-06"
    message = "{path} exists already; a backup never overwrites anything"


class BackupFailed(Failed):
    code = "STORE-07"
    message = "the copy was not made: {why}"


class NotEmpty(Conflict):
    code = "STORE-08"
    message = "{address} is not empty; restore into a new database"


class RestoreFailed(Failed):
    code = "STORE-10"
    message = "nothing was restored: {why}; restore again when that is mended"


class NotABackup(GoldmarkError):
    code = "STORE-09"
    message = "{path} is not a Goldmark backup: {why}"


def backup(store: Store, target: Path) -> int:
    """Copy the database as it is at this moment; annotators go on meanwhile. Returns the size in bytes."""
    if target.exists():
        raise BackupExists(path=target)
    partial = target.with_name(target.name + ".part")
    try:
        if isinstance(store, SqliteStore):
            _copy_sqlite(store.path, partial)
        else:
            copy = open_store(str(partial))
            upgrade(copy)
            store.snapshot(lambda source: copy.write(lambda connection: _copy_rows(source, connection)))
            _fold_in(copy)
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.rename(target)
    except (sqlite3.Error, OSError) as error:
        raise BackupFailed(why=error) from error
    finally:
        _remove(partial)
    return target.stat().st_size


def restore(source: Path, address: str) -> None:
    """Put a backup into a new database: wholly or, whatever happens meanwhile, not at all."""
    _refuse_others(source)
    store = open_store(address)
    try:
        if isinstance(store, SqliteStore):
            _restore_sqlite(source, store)
        else:
            _refuse_damaged(source, source)
            with store.engine().begin() as connection:
                if version_of(connection) is not None:
                    raise NotEmpty(address=store.address)
                upgrade_within(connection)
                original = open_store(str(source))
                original.read(lambda rows: _copy_rows(rows, connection))
                original.close()
    except (sqlite3.Error, OSError) as error:
        raise RestoreFailed(why=error) from error
    finally:
        store.close()


def _restore_sqlite(source: Path, store: SqliteStore) -> None:
    if store.path.exists() and store.path.stat().st_size > 0:
        raise NotEmpty(address=store.address)
    partial = store.path.with_name(store.path.name + ".restoring")  # what a killed one left is written over
    try:
        _remove(partial)
        _copy_sqlite(source, partial)
        _refuse_damaged(source, partial)
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        store.close()
        _remove(store.path)
        partial.rename(store.path)
    finally:
        _remove(partial)


def _copy_sqlite(source: Path, target: Path) -> None:
    """SQLite's own online copy: consistent, and it waits for nobody."""
    original, copy = sqlite3.connect(f"file:{source}?mode=ro", uri=True), sqlite3.connect(target)
    try:
        original.backup(copy)
    finally:
        copy.close()
        original.close()


def _copy_rows(source: Connection, target: Connection) -> None:
    """Every row of every table, parents before children.

    A source of an earlier version has fewer tables and columns; what it has not, gets what a new column begins with.
    """
    there = inspect(source)
    known = {name: {column["name"] for column in there.get_columns(name)} for name in there.get_table_names()}
    for table in metadata.sorted_tables:
        columns = [column for column in table.c if column.name in known.get(table.name, ())]
        if not columns:
            continue
        rows = source.execution_options(stream_results=True).execute(select(*columns))
        for some in rows.mappings().partitions(ROWS_AT_ONCE):
            target.execute(insert(table), [dict(row) for row in some])
        if target.dialect.name == "postgresql" and "id" in table.c:
            # The rows brought their ids along; the next new one must come after them.
            highest = target.execute(select(func.max(table.c.id))).scalar()
            if highest is not None:
                sequence = f"pg_get_serial_sequence('{table.name}', 'id')"
                target.execute(text(f"SELECT setval({sequence}, :highest)"), {"highest": highest})


def _fold_in(copy: Store) -> None:
    """One file: what waits in SQLite's log goes into the database itself."""
    with copy.engine().connect() as connection:
        raw = connection.connection.cursor()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        raw.execute("PRAGMA journal_mode = DELETE")
        raw.close()
    copy.close()


def _refuse_others(source: Path) -> None:
    if not source.is_file():
        raise NotABackup(path=source, why="there is no such file")
    with source.open("rb") as file:
        if not file.read(16).startswith(b"SQLite format 3"):
            raise NotABackup(path=source, why="it is not a SQLite database")
    connection = sqlite3.connect(f"file:{source}?mode=ro", uri=True)
    try:
        connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise NotABackup(path=source, why=error) from error
    finally:
        connection.close()


def _refuse_damaged(source: Path, copy: Path) -> None:
    """A file that was cut short still begins like one that was not."""
    connection = sqlite3.connect(copy)
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise NotABackup(path=source, why=error) from error
    finally:
        connection.close()
    if found != "ok":
        raise NotABackup(path=source, why=found)


def _remove(path: Path) -> None:
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        name.unlink(missing_ok=True)
