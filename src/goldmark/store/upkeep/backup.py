"""Copies of the whole database, safe to make while annotators work.

A backup is always one SQLite file, whatever it was made from. So it can be looked into with any SQLite tool, needs no
program of the right version to be read, and can be restored into SQLite or PostgreSQL alike, which is also the way from
the one to the other. Behind the last page stands a digest of all before it, which SQLite does not look at: a bit that
turned on some disk is told, and not restored as what somebody answered.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, create_engine, func, insert, inspect, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from goldmark.errors import Conflict, Failed, GoldmarkError
from goldmark.store.engine import SqliteStore, Store, make_private, open_store
from goldmark.store.migrate import NEWEST, DatabaseTooNew, upgrade, upgrade_within, version_of
from goldmark.store.tables import credential, metadata

ROWS_AT_ONCE = 1_000
SEAL = b"goldmark sha256 "
SEAL_LENGTH = len(SEAL) + 64
# What was used up or ended after the backup would open doors again; API tokens stay, which programs cannot renew.
ENDED = ("session", "half", "link")


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
            with closing(open_store(str(partial))) as copy:
                upgrade(copy)
                store.snapshot(lambda source: copy.write(lambda connection: _copy_rows(source, connection)))
            _fold_in(partial)  # once it is closed: until then a thread of its own moves the log
        with partial.open("rb+") as file:
            file.write(SEAL + hashlib.file_digest(file, "sha256").hexdigest().encode())
            file.flush()
            os.fsync(file.fileno())
        partial.rename(target)
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        raise BackupFailed(why=getattr(error, "orig", error)) from error
    finally:
        _remove(partial)
    return target.stat().st_size


def restore(source: Path, address: str) -> None:
    """Put a backup into a new database: wholly or, whatever happens meanwhile, not at all. Everybody signs in again."""
    _refuse_others(source)
    _refuse_damaged(source, sealed=_is_sealed(source))
    store = open_store(address)
    try:
        if isinstance(store, SqliteStore):
            _restore_sqlite(source, store)
        else:
            with store.engine().begin() as connection:
                if version_of(connection) is not None:
                    raise NotEmpty(address=store.address)
                upgrade_within(connection)
                # Not as one of our databases: that would write into it.
                original = create_engine("sqlite://", creator=lambda: _only_read(source), poolclass=NullPool)
                with original.connect() as rows:
                    _copy_rows(rows, connection)
                ended = credential.c.kind.in_(ENDED) & credential.c.revoked_at.is_(None)
                connection.execute(update(credential).where(ended).values(revoked_at=datetime.now(UTC)))
    except (sqlite3.Error, SQLAlchemyError, OSError, ValueError) as error:
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
        _end_sessions(partial)
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        store.close()
        _remove(store.path)
        partial.rename(store.path)
    finally:
        _remove(partial)


def _only_read(source: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)


def _copy_sqlite(source: Path, target: Path) -> None:
    """SQLite's own online copy: consistent, and it waits for nobody."""
    make_private(target)
    original, copy = _only_read(source), sqlite3.connect(target)
    try:
        original.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, of which reading makes no others
    finally:
        copy.close()
        original.close()


def _end_sessions(copy: Path) -> None:
    """In tables of any version."""
    connection = sqlite3.connect(copy)
    try:
        now, kinds = (
            datetime.now(UTC).replace(tzinfo=None).isoformat(" ", "microseconds"),
            ", ".join("?" for _ in ENDED),
        )
        ended = f"UPDATE credential SET revoked_at = ? WHERE revoked_at IS NULL AND kind IN ({kinds})"  # noqa: S608
        connection.execute(ended, (now, *ENDED))
        connection.commit()
    finally:
        connection.close()


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


def _fold_in(copy: Path) -> None:
    """One file, which nobody else has open: what waits in SQLite's log goes into the database itself."""
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def _refuse_others(source: Path) -> None:
    if not source.is_file():
        raise NotABackup(path=source, why="there is no such file")
    with source.open("rb") as file:
        if not file.read(16).startswith(b"SQLite format 3"):
            raise NotABackup(path=source, why="it is not a SQLite database")
    connection = _only_read(source)
    try:
        (version,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
    except (sqlite3.Error, ValueError) as error:
        raise NotABackup(path=source, why=error) from error
    finally:
        connection.close()
    if str(version) > NEWEST:  # what is new in it would be lost
        raise DatabaseTooNew(have=version, need=NEWEST)


def _is_sealed(source: Path) -> bool:
    """Whether a backup says what it was when it was made; refused if it is something else now."""
    size = source.stat().st_size
    with source.open("rb") as file:
        page = int.from_bytes(file.read(18)[16:])  # its size; 1 means 65,536
        file.seek(max(0, size - SEAL_LENGTH))
        seal = file.read()
        if not seal.startswith(SEAL):  # of an earlier version, or cut short
            if size % (page if page > 1 else 65_536):
                raise NotABackup(path=source, why="it was cut short, or something was added to it")
            return False
        file.seek(0)
        digest, left = hashlib.sha256(), size - SEAL_LENGTH
        while left > 0 and (some := file.read(min(left, 2**20))):
            digest.update(some)
            left -= len(some)
    if seal[len(SEAL) :].decode("latin-1") != digest.hexdigest():
        why = (
            "it is not what it was when it was made: its disk or the way here damaged it, or somebody changed it. "
            f"""If that was on purpose, restore a copy: sqlite3 {source} "VACUUM INTO 'COPY'\""""
        )
        raise NotABackup(path=source, why=why)
    return True


def _refuse_damaged(source: Path, *, sealed: bool) -> None:
    """A file that was cut short still begins like one that was not."""
    connection = _only_read(source)
    try:
        look = "quick_check" if sealed else "integrity_check"
        found = connection.execute(f"PRAGMA {look}(1)").fetchone()[0]
    except (sqlite3.Error, ValueError) as error:
        raise NotABackup(path=source, why=error) from error
    finally:
        connection.close()
    if found != "ok":
        raise NotABackup(path=source, why=found)


def _remove(path: Path) -> None:
    for name in (path, *(Path(f"{path}-{beside}") for beside in ("wal", "shm", "journal"))):
        name.unlink(missing_ok=True)
