"""One writer for SQLite: many small transactions, one trip to the disk.

SQLite lets one connection write at a time and waits for the disk at every commit. While one commit is on its way,
the writes that arrive queue up here and then share the next one. Each runs inside its own savepoint, so that one
that fails takes nobody with it, and none is answered before the commit that holds it is on disk.

A commit only appends to the log; what is in it has to be moved into the file at some time. SQLite would do that within
the commit that makes the log too long, while everybody waits. Here a thread of its own moves most of it while others go
on writing, and the writer only the little that came meanwhile, after which the log begins anew.
"""

from __future__ import annotations

import gc
import logging
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from contextvars import copy_context
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine

Result = TypeVar("Result")
Work = Callable[[Connection], Any]

_logger = logging.getLogger(__name__)
LARGEST_GROUP = 64
# Pages that are worth moving, and that the writer moves itself. What answers write again and again is moved once, so a
# cycle costs a fifth less than with a quarter of this.
MUCH, LITTLE = 2000, 250
LONG = 4000  # pages of a log that may as well begin anew


def _in_context(work: Work) -> Work:
    """The work, in another thread, as for the one who asks for it here."""
    context = copy_context()
    return lambda connection: context.run(work, connection)


class LogLength(NamedTuple):
    """How long the log is, and since when: its salt is another one whenever it begins anew."""

    salt: bytes
    pages: int


class Log:
    """SQLite's log of one database, and the thread that moves it into the file."""

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, Path(f"{path}-wal")
        # One at a time, and only what has something left: a log cannot begin anew under who begins to move it, which
        # SQLite before 3.51.3 would not notice (its "WAL-reset bug").
        self.moving = threading.Lock()
        self._moved = self._tried = LogLength(b"", 0)
        self._wanted, self._over = threading.Event(), False
        self._thread: threading.Thread | None = None

    def look(self) -> None:
        """In the writer's thread, between two transactions."""
        length = self.length()
        if length.pages >= LONG and 0 < self._left(length) <= LITTLE:
            if not self._wanted.is_set() and not self.moving.locked():
                self._move(1)
        elif self._left(length) >= MUCH and _since(self._tried, length) >= MUCH:  # or somebody who reads is in the way
            self._tried = length
            if self._thread is None:
                self._thread = _started("goldmark-log", self._move_forever)
            self._wanted.set()

    def wait(self, seconds: float) -> None:
        """Until it has been moved, for who can wait with what they write: moving must not fall behind."""
        end = time.monotonic() + seconds
        while self._wanted.is_set() and time.monotonic() < end:
            time.sleep(0.002)

    def length(self) -> LogLength:
        """Frames of the log carry its salt; behind them lie those of before it began anew.

        https://sqlite.org/walformat.html. SQLite keeps no lock on this file, which opening and closing it would end.
        """
        try:
            with self._file.open("rb", buffering=0) as log:
                head = log.read(32)
                frame, salt = 24 + int.from_bytes(head[8:12], "big"), head[16:24]
                low, high = 0, (os.fstat(log.fileno()).st_size - 32) // frame
                while low < high:
                    middle = (low + high) // 2
                    log.seek(32 + middle * frame + 8)
                    if log.read(8) == salt:
                        low = middle + 1
                    else:
                        high = middle
                return LogLength(salt, low)
        except OSError:  # there is none
            return LogLength(b"", 0)

    def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._over = True
            self._wanted.set()
            thread.join()

    def _left(self, length: LogLength) -> int:
        return _since(self._moved, length)

    def _move_forever(self) -> None:
        while not self._over:  # looked at after the clearing, by which the end could be lost, and waited for for ever
            self._wanted.wait()
            if not self._over:
                with _told():
                    self._move(LITTLE)
            self._wanted.clear()

    def _move(self, least: int) -> None:
        """Into the file, if so much is left. A full disk is told to whoever writes next: the log keeps what it has."""
        with suppress(sqlite3.Error), self.moving, closing(sqlite3.connect(self._path, timeout=0)) as connection:
            length = self.length()
            if self._left(length) >= least:
                connection.execute("PRAGMA synchronous = FULL")
                busy, _, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                if not busy:
                    self._moved = LogLength(length.salt, moved)


def _since(before: LogLength, now: LogLength) -> int:
    """Pages that have come since."""
    return now.pages - (before.pages if before.salt == now.salt else 0)


def _started(name: str, work: Callable[[], None]) -> threading.Thread:
    """A thread that runs; where the system gives no more of them, there is none."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread


@contextmanager
def _told() -> Iterator[None]:
    """What nobody expected of a thread that has to go on."""
    try:
        yield
    except Exception:
        _logger.exception("SQLite's log was not moved into the file")


@contextmanager
def _no_collecting() -> Iterator[None]:
    """A full search for garbage takes tens of milliseconds; it can wait until nobody waits for the writer."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class GroupWriter:
    def __init__(self, engine: Engine, log: Log) -> None:
        self._engine, self._log = engine, log
        self._waiting: queue.SimpleQueue[tuple[Work, Future[Any]] | None] = queue.SimpleQueue()
        self._start = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[Connection], Result]) -> Future[Result]:
        """Do the work in a transaction; the future has its result when it is on disk."""
        if self._thread is None:
            self._start_thread()
        done: Future[Result] = Future()
        self._waiting.put((_in_context(work), done))
        return done

    def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._waiting.put(None)
            thread.join()
        self._log.close()

    def _start_thread(self) -> None:
        with self._start:
            if self._thread is None:
                self._thread = _started("goldmark-writer", self._write_forever)

    def _write_forever(self) -> None:
        while True:
            group = self._next_group()
            if not group:
                return
            # Who called their work off meanwhile is left out; from here on nobody can, so that all can be told.
            group = [(work, done) for work, done in group if done.set_running_or_notify_cancel()]
            try:
                outcomes = self._write(group)
            except BaseException as error:  # the commit itself failed: nobody's work is on disk
                for _, done in group:
                    done.set_exception(error)
                continue
            for (_, done), (result, failure) in zip(group, outcomes, strict=True):
                if failure is None:
                    done.set_result(result)
                else:
                    done.set_exception(failure)
            with _told():  # without this thread nobody would ever write again
                self._log.look()

    def _next_group(self) -> list[tuple[Work, Future[Any]]]:
        first = self._waiting.get()
        if first is None:
            return []
        group = [first]
        while len(group) < LARGEST_GROUP:
            try:
                item = self._waiting.get_nowait()
            except queue.Empty:
                break
            if item is None:
                self._waiting.put(None)
                break
            group.append(item)
        return group

    def _write(self, group: list[tuple[Work, Future[Any]]]) -> list[tuple[Any, BaseException | None]]:
        outcomes: list[tuple[Any, BaseException | None]] = []
        with _no_collecting(), self._engine.begin() as connection:
            driver: Any = connection.connection.dbapi_connection  # SQLAlchemy takes longer than a savepoint
            for work, _ in group:
                driver.execute("SAVEPOINT work")
                try:
                    outcomes.append((work(connection), None))
                except BaseException as error:
                    driver.execute("ROLLBACK TO work")
                    outcomes.append((None, error))
                driver.execute("RELEASE work")
        return outcomes
