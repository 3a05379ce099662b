"""What a handler has in its hands while it does a job."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection

from goldmark.jobs import held_job
from goldmark.jobs.fanout import WorkerPool
from goldmark.jobs.queue import Job
from goldmark.store import Store

Result = TypeVar("Result")


class Stopped(BaseException):
    """The job was cancelled or another worker has it. Not an `Exception`, so that no handler swallows it by mistake."""


class Running:
    """A job in a worker's hands: its arguments, how far it is, and a safe way to write what comes of it."""

    def __init__(self, store: Store, job: Job, holder: str, pool: WorkerPool) -> None:
        self.store = store
        self.job = job
        self.pool = pool  # to compute many pieces at once
        self._holder = holder
        self._progress: dict[str, Any] = {"done": job.done, "total": job.total, "message": job.message}
        self._lost = threading.Event()

    @property
    def arguments(self) -> Mapping[str, Any]:
        return self.job.arguments

    @property
    def kept(self) -> Any:
        """What an earlier attempt has kept with `keep`; None at the first."""
        return self.job.result

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Say how far it is, as often as you like: it is written down every few seconds. Stops what was cancelled."""
        self._progress = {"done": done, "total": total, "message": message}
        if self._lost.is_set():
            raise Stopped

    def keep(self, result: Any) -> None:
        """Keep what was made so far: if this worker dies, the next attempt finds it in `kept`."""
        self.write(lambda connection: held_job.change(connection, self.job.id, self._holder, {"result": result}))

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """A transaction that happens only while the job is ours; a worker given up for dead changes nothing.

        Raises `Stopped` otherwise.
        """

        def guarded(connection: Connection) -> Result:
            if not held_job.still_held(connection, self.job.id, self._holder):
                raise _NotOurs
            return work(connection)

        try:
            return self.store.write(guarded)
        except _NotOurs:
            self._lost.set()
            raise Stopped from None

    def beat(self) -> bool:
        """Tell the table that we are alive and how far it is; False once the job is not ours any more."""
        values = {**self._progress, "heartbeat_at": datetime.now(UTC)}
        held = self.store.write(lambda connection: held_job.change(connection, self.job.id, self._holder, values))
        if not held:
            self._lost.set()
        return held

    def end(self, **values: Any) -> bool:
        """Write how it ended, with the last that was said of its progress; False if it was not ours any more."""
        values = {**self._progress, **values, "holder": None}
        return self.store.write(lambda connection: held_job.change(connection, self.job.id, self._holder, values))


class _NotOurs(Exception):
    """Undoes the transaction."""
