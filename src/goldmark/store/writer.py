"""One writer for SQLite: many small transactions, one trip to the disk.

SQLite lets one connection write at a time and waits for the disk at every commit. While one commit is on its way,
the writes that arrive queue up here and then share the next one. Each runs inside its own savepoint, so that one
that fails takes nobody with it, and none is answered before the commit that holds it is on disk.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

Result = TypeVar("Result")
Work = Callable[[Connection], Any]

LARGEST_GROUP = 64


def _in_context(work: Work) -> Work:
    """The work, in another thread, as for the one who asks for it here."""
    context = copy_context()
    return lambda connection: context.run(work, connection)


class GroupWriter:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
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

    def _start_thread(self) -> None:
        with self._start:
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_forever, name="goldmark-writer", daemon=True)
                self._thread.start()

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
        with self._engine.begin() as connection:
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
