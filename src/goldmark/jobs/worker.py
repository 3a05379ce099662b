"""A worker: takes jobs from the table one after the other and does them.

While it is at one, a thread moves the job's heartbeat on. If the worker is killed, the heartbeat stops, and after
`STALE` any other worker takes the job over.
"""

from __future__ import annotations

import os
import socket
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from goldmark.errors import GoldmarkError
from goldmark.jobs import held_job
from goldmark.jobs.context import Running, Stopped
from goldmark.jobs.fanout import WorkerPool
from goldmark.jobs.queue import Job, TryAgain
from goldmark.jobs.registry import handler_of
from goldmark.store import Store

BEAT = 2.0  # seconds between two heartbeats
STALE = timedelta(seconds=30)  # a worker that was silent for so long is taken to be dead
LOOK = 1.0  # seconds between two looks of an idle worker
PAUSE = timedelta(seconds=10)  # before the second attempt at what may pass; doubled before each further one


class Worker:
    """Does jobs of a database, of all kinds or only of those named."""

    def __init__(
        self,
        store: Store,
        *,
        pool: WorkerPool | None = None,
        kinds: Sequence[str] = (),
        beat: float = BEAT,
        stale: timedelta = STALE,
        say: Callable[[str], None] = lambda _: None,
        load: Callable[[], None] = lambda: None,
    ) -> None:
        """`load` imports what holds handlers; called with a job in hand, so that an idle worker holds little."""
        self.store = store
        self.pool = pool or WorkerPool(processes=1)
        self.kinds = tuple(kinds)
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self._beat, self._stale, self._say, self._load = beat, stale, say, load
        self._stopping = threading.Event()

    def run_forever(self, look: float = LOOK) -> None:
        """Work until `stop` is called; what is being done then is finished first."""
        while not self._stopping.is_set():
            try:
                worked = self.run_one()
            except DBAPIError as error:  # the database is away for a while; what it holds is safe
                self._say(f"the database does not answer: {error.orig}")
                worked = False
            if not worked:
                self._stopping.wait(look)

    def run_until_empty(self) -> int:
        """Do all that waits; returns how many jobs were done, well or not."""
        count = 0
        while not self._stopping.is_set() and self.run_one():
            count += 1
        return count

    def stop(self) -> None:
        self._stopping.set()

    def run_one(self) -> bool:
        """Do the next job, if there is one."""
        now = datetime.now(UTC)
        if not self.store.read(lambda connection: held_job.any_open(connection, now, self._stale, self.kinds)):
            return False
        holder = f"{self.name}:{uuid4().hex}"

        def take(connection: Connection) -> Job | None:
            return held_job.claim(connection, holder, now, self._stale, self.kinds)

        job = self.store.write(take)
        if job is None:
            return False
        running = Running(self.store, job, holder, self.pool)
        with _Heartbeat(running, self._beat):
            self._do(running)
        return True

    def _do(self, running: Running) -> None:
        job = running.job
        try:
            self._load()
            result = handler_of(job.kind)(running)
        except Stopped:
            self._tell(job, "stopped: it was cancelled, or another worker has it")
        except TryAgain as error:
            self._put_off(running, error)
        except GoldmarkError as error:
            self._end(running, state="failed", error=f"{error} [{error.code}]")
        except Exception as error:
            self._end(running, state="failed", error=_in_words(error))
        except BaseException:
            # Told to stop in the middle: it did not fail, so the attempt does not count.
            running.end(state="waiting", attempt=job.attempt - 1)
            raise
        else:
            kept: Mapping[str, Any] = {} if result is None else {"result": dict(result)}
            self._end(running, state="done", error=None, **kept)

    def _end(self, running: Running, **values: Any) -> None:
        running.end(finished_at=datetime.now(UTC), **values)
        self._tell(running.job, values["error"] or values["state"])

    def _put_off(self, running: Running, error: TryAgain) -> None:
        job = running.job
        if job.attempt >= job.most_attempts:
            self._end(running, state="failed", error=f"{error} (tried {job.attempt} times) [{error.code}]")
            return
        due = datetime.now(UTC) + PAUSE * 2 ** (job.attempt - 1)
        running.end(state="waiting", due_at=due, error=str(error))
        self._tell(job, f"{error}; it is tried again at {due:%H:%M:%S} UTC")

    def _tell(self, job: Job, outcome: str) -> None:
        about = f" {job.subject}" if job.subject else ""
        self._say(f"job {job.id} {job.kind}{about}: {outcome.splitlines()[0]}")


class _Heartbeat:
    """Says every few seconds that we are alive, from a thread of its own."""

    def __init__(self, running: Running, every: float) -> None:
        self._running, self._every = running, every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go, name="goldmark-heartbeat", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _go(self) -> None:
        while not self._over.wait(self._every):
            try:
                if not self._running.beat():
                    return
            except DBAPIError:
                continue  # the next beat may get through; if none does, another worker takes over


def _in_words(error: Exception) -> str:
    """What went wrong on the first line, and for whoever has to mend it, where."""
    frames = "".join(traceback.format_tb(error.__traceback__)[-4:])
    return f"{type(error).__name__}: {error}\n{frames}".rstrip()
