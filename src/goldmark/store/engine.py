"""Opening a database and running transactions on it, the same way on SQLite and PostgreSQL."""

from __future__ import annotations

import random
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from goldmark.errors import Failed, GoldmarkError
from goldmark.store.full_disk import is_full_disk
from goldmark.store.writer import GroupWriter, Log

Result = TypeVar("Result")

# What PostgreSQL says when two transactions met and one should simply be tried again.
TRY_AGAIN = {"40001", "40P01"}
ATTEMPTS = 8
SCRUB_WAITS = 2  # seconds, for those who could still see what was erased, and for a table that somebody holds
# Whoever writes counts in every database of the server, because a vacuum sees them all; whoever reads, in this one.
NOBODY_FROM_BEFORE = """
SELECT pg_snapshot_xmin(pg_current_snapshot()) >= %(now)s::xid8 AND NOT EXISTS (
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) > age(%(now)s::xid8::xid)
)
"""
# A machine that went without a goodbye (its power failed, its address moved) is noticed in half a minute instead of a
# quarter of an hour; an address of the database may say otherwise.
NOTICED = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
# Of one process to PostgreSQL; more only queue up inside the server.
CONNECTIONS = 16
LEAST_ROOM = 10_000_000  # bytes beside a SQLite file; what is left then goes to answers that are on their way
# PostgreSQL tells nobody how full its disk is. A megabyte of a table that nobody else sees, beside the others, is room
# that it has to find.
FIND_ROOM = """
SET LOCAL temp_tablespaces = '';
CREATE TEMPORARY TABLE goldmark_room (filler text) ON COMMIT DROP;
ALTER TABLE goldmark_room ALTER COLUMN filler SET STORAGE PLAIN;
INSERT INTO goldmark_room SELECT repeat('x', 8000) FROM generate_series(1, 128);
"""


class DatabaseAddressNotUnderstood(GoldmarkError):
    code = "STORE-01"
    message = "database address {address!r} is not understood; give a file name or postgresql://user:password@host/name"


class DatabaseUnreachable(Failed):
    code = "STORE-02"
    message = "the database {address} cannot be opened: {why}"


class PostgresNotInstalled(GoldmarkError):
    code = "STORE-03"
    message = "PostgreSQL needs its driver; install it with: pip install 'goldmark[postgres]'"


def database_url(address: str) -> URL:
    """A file name or an address as SQLAlchemy understands it."""
    try:
        url = make_url(address) if "://" in address else URL.create("sqlite", database=str(Path(address).expanduser()))
    except ArgumentError as error:
        raise DatabaseAddressNotUnderstood(address=address) from error
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        raise DatabaseAddressNotUnderstood(address=address)
    return url


def open_store(address: str) -> Store:
    """Open the database at this address. Its tables are made and renewed by `goldmark.store.migrate`."""
    url = database_url(address)
    try:
        return SqliteStore(url) if url.get_backend_name() == "sqlite" else PostgresStore(url)
    except ModuleNotFoundError as error:
        raise PostgresNotInstalled from error


class Store:
    """A database. `read` and `write` run a function in a transaction; what `write` returns is on disk."""

    url: URL
    locks_rows: bool  # whether SELECT ... FOR UPDATE means anything here

    @property
    def address(self) -> str:
        """The address without its password."""
        return self.url.render_as_string(hide_password=True)

    def read(self, work: Callable[[Connection], Result]) -> Result:
        raise NotImplementedError

    def snapshot(self, work: Callable[[Connection], Result]) -> Result:
        """Read at length: everything as it was at one moment, while others go on writing."""
        return self.read(work)

    def write(self, work: Callable[[Connection], Result]) -> Result:
        return self.write_soon(work).result()

    def write_soon(self, work: Callable[[Connection], Result]) -> Future[Result]:
        """The same without waiting: for callers that have a loop to run meanwhile."""
        raise NotImplementedError

    def give_way(self, seconds: float) -> None:
        """Between two pieces of a long write, of which the last took so long: others come to write."""

    def has_room(self, *, look: bool = False) -> bool:
        """Whether there is room for more, as far as anybody tells us; `look` whatever that costs."""
        raise NotImplementedError

    def scrub(self, table: Table) -> bool:
        """After something was erased from a table: its traces leave the files. Whether they did: somebody who reads or
        writes at length may be in the way. Then it stays for the next time: nobody is made to wait.
        """
        raise NotImplementedError

    def engine(self) -> Engine:
        """The engine that may write, for migrations and maintenance."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class SqliteStore(Store):
    locks_rows = False

    def __init__(self, url: URL) -> None:
        self.url = url
        self.path = Path(str(url.database))
        if not self.path.parent.is_dir():
            raise DatabaseUnreachable(address=self.address, why=f"there is no folder {self.path.parent}")
        self._writing = _sqlite_engine(url, begin="BEGIN IMMEDIATE", pool_size=1, max_overflow=0)
        self._reading = _sqlite_engine(url, begin="BEGIN", pool_size=8, max_overflow=40)
        self._log = Log(self.path)
        self._writer = GroupWriter(self._writing, self._log)

    def read(self, work: Callable[[Connection], Result]) -> Result:
        with self._reading.connect() as connection:
            return work(connection)

    def write_soon(self, work: Callable[[Connection], Result]) -> Future[Result]:
        return self._writer.submit(work)

    def give_way(self, seconds: float) -> None:
        """SQLite tells nobody that the writer is free: who waits asks now and then."""
        time.sleep(min(seconds, 0.05))
        self._log.wait(0.5)

    def has_room(self, *, look: bool = False) -> bool:
        return shutil.disk_usage(self.path.parent).free >= LEAST_ROOM

    def scrub(self, table: Table) -> bool:
        """The log still holds the pages as they were before; folded in and emptied, it does not."""
        with self._log.moving, closing(sqlite3.connect(self.path, timeout=0.5)) as connection:
            try:
                busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError:
                return False
        return not busy

    def engine(self) -> Engine:
        return self._writing

    def close(self) -> None:
        self._writer.close()
        self._writing.dispose()
        self._reading.dispose()


def make_private(path: Path) -> None:
    """A new file that only its owner reads: it will hold what people wrote, and hashes of their passwords.

    SQLite gives its log the same mode. A file that holds something stays as it is.
    """
    with suppress(OSError):  # what cannot be made is told by SQLite
        if not path.exists() or path.stat().st_size == 0:
            path.touch(0o600)
            path.chmod(0o600)


class _Connection(sqlite3.Connection):
    """Closes what was left among its rows.

    A transaction's end does not end a query whose rows were not all fetched, and while an error that came in between is
    kept somewhere, so is the query. It would hold the database as it was: the log could not be emptied, and grew.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, *given: Any) -> sqlite3.Cursor:  # type: ignore[override]
        made: sqlite3.Cursor = super().cursor(*given)
        self._cursors.add(made)
        return made

    def close_cursors(self) -> None:
        for one in list(self._cursors):
            one.close()
        self._cursors.clear()


def _sqlite_engine(url: URL, *, begin: str, pool_size: int, max_overflow: int) -> Engine:
    engine = create_engine(
        url,
        pool_size=pool_size,
        max_overflow=max_overflow,
        pool_timeout=60,
        hide_parameters=True,  # what people wrote does not belong in a log
        connect_args={"timeout": 30, "check_same_thread": False, "cached_statements": 256, "factory": _Connection},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        # FULL: a commit is on disk before it is acknowledged, even if the power fails.
        cursor.execute("PRAGMA synchronous = FULL")
        # The log is moved into the file between transactions: see `goldmark.store.writer`.
        cursor.execute("PRAGMA wal_autocheckpoint = 0")
        cursor.execute("PRAGMA foreign_keys = ON")
        # What is deleted or overwritten is gone from the pages too, not only from sight.
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    @event.listens_for(engine, "reset")
    def end(connection: _Connection, *_: Any) -> None:
        connection.close_cursors()

    return engine


class PostgresStore(Store):
    locks_rows = True

    def __init__(self, url: URL) -> None:
        self.url = url
        self._engine = create_engine(
            url,
            pool_size=CONNECTIONS,
            max_overflow=CONNECTIONS,
            pool_timeout=60,
            pool_use_lifo=True,
            hide_parameters=True,
            connect_args={name: value for name, value in NOTICED.items() if name not in url.query},
        )
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="goldmark-writer")
        self._of_thread = threading.local()
        self._was_full = False  # something failed for want of room, and since then none was found

    def read(self, work: Callable[[Connection], Result]) -> Result:
        # Who held a connection and waited for a second one would wait for ever as soon as all do so.
        mine: Connection | None = getattr(self._of_thread, "connection", None)
        return self._try(work) if mine is None else work(mine)

    def snapshot(self, work: Callable[[Connection], Result]) -> Result:
        with self._engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
            return work(connection)

    def write(self, work: Callable[[Connection], Result]) -> Result:
        return self._try(work)

    def write_soon(self, work: Callable[[Connection], Result]) -> Future[Result]:
        return self._threads.submit(self._try, work)

    def has_room(self, *, look: bool = False) -> bool:
        """Known is only that something failed for want of room; from then on it is looked for."""
        if self._was_full or look:
            try:
                with self._engine.connect() as connection:
                    connection.exec_driver_sql(FIND_ROOM)  # and taken back
            except DBAPIError as error:  # who may make no such tables finds out by the next write that fails
                self._was_full = is_full_disk(error)
            else:
                self._was_full = False
        return not self._was_full

    def scrub(self, table: Table) -> bool:
        """What was erased stays in a table's file until that is written anew; a plain VACUUM only frees its place.

        Also a full one copies what a transaction that began earlier could still see, so these are waited for. The table
        is small and locked for as long as writing it takes. PostgreSQL's own log (pg_wal) turns over by itself.
        """
        name = self._engine.dialect.identifier_preparer.format_table(table)
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            now = str(connection.exec_driver_sql("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").scalar_one())
            end = time.monotonic() + SCRUB_WAITS
            while not connection.exec_driver_sql(NOBODY_FROM_BEFORE, {"now": now}).scalar_one():
                if time.monotonic() > end:
                    return False
                time.sleep(0.02)
            connection.exec_driver_sql(f"SET lock_timeout = '{SCRUB_WAITS}s'")
            try:
                connection.exec_driver_sql(f"VACUUM (FULL) {name}")
            except DBAPIError:
                return False
            finally:
                connection.exec_driver_sql("RESET lock_timeout")
            return True

    def engine(self) -> Engine:
        return self._engine

    def close(self) -> None:
        self._threads.shutdown()
        self._engine.dispose()

    def _try(self, work: Callable[[Connection], Result]) -> Result:
        """Run it; again if another transaction was in the way, or if the connection was lost before the commit."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._engine.connect() as connection, self._in_hand(connection):
                    return _in_transaction(connection, work)
            except _Unanswered as unanswered:
                raise unanswered.error from None
            except Exception as error:
                self._was_full = self._was_full or is_full_disk(error)
                if attempt == ATTEMPTS or not _worth_another_try(error):
                    raise
                time.sleep(random.uniform(0, 0.01 * 2**attempt))
        raise AssertionError("unreachable")

    @contextmanager
    def _in_hand(self, connection: Connection) -> Iterator[None]:
        """The connection that this thread works with, for what it reads meanwhile."""
        before = getattr(self._of_thread, "connection", None)
        self._of_thread.connection = connection
        try:
            yield
        finally:
            self._of_thread.connection = before


class _Unanswered(Exception):
    """The connection was lost at the commit: it may be on disk, so it is not done once more."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _in_transaction(connection: Connection, work: Callable[[Connection], Result]) -> Result:
    committing = False
    try:
        with connection.begin():
            done = work(connection)
            committing = True
        return done
    except Exception as error:
        if committing and _is_lost(error):
            raise _Unanswered(error) from error
        # Prepared statements bypass SQLAlchemy, which then cannot see that the server hung up.
        driver: Any = connection.connection.dbapi_connection if not connection.invalidated else None
        if driver is not None and driver.closed:
            connection.invalidate()
        raise


def _worth_another_try(error: Exception) -> bool:
    cause = getattr(error, "orig", error)
    state = getattr(cause, "sqlstate", None)
    return state in TRY_AGAIN or _is_lost(error)


def _is_lost(error: Exception) -> bool:
    """Whether the connection is gone."""
    return isinstance(error, DBAPIError) and error.connection_invalidated
