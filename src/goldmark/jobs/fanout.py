"""Many pieces of one job at once: on the cores of this machine, or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from typing import Any, TypeVar

from goldmark.errors import GoldmarkError
from goldmark.jobs.queue import TryAgain

Piece = TypeVar("Piece")
Result = TypeVar("Result")

CONNECT_WITHIN = 10  # seconds to find the scheduler
# Seconds of work that travel together: handing something out costs a cluster some 70 ms, and a process of ours 1 ms.
TOGETHER, TOGETHER_HERE = 2.0, 0.05


class ClusterNotInstalled(GoldmarkError):
    code = "FANOUT-01"
    message = "computing on a Dask cluster needs its package; install it with: pip install 'goldmark[cluster]'"


class ClusterUnreachable(TryAgain):
    code = "FANOUT-02"
    message = "no Dask scheduler answers at {address}: {why}"


class WorkerPoolLost(TryAgain):
    """A job is done again from what it has kept; three times at most, as one may kill whoever computes it."""

    code = "FANOUT-03"
    message = "{who}, perhaps for want of memory; try fewer at once"

    def __init__(self, *, cluster: bool) -> None:
        lost = "the cluster lost its scheduler, or workers that computed a part of it,"
        super().__init__(who=lost if cluster else "a process that computed a part of it was killed")


class WorkerPool:
    """Who computes the pieces: this process alone, several, or the workers of a Dask cluster. Opened when first needed.

    Functions and pieces travel to other processes, so both must be importable or picklable, and a function must give
    the same result wherever it runs.
    """

    def __init__(self, *, processes: int | None = None, dask: str = "") -> None:
        self.dask = dask
        self._processes = processes or os.cpu_count() or 1
        self._executor: Executor | None = None
        self._client: Any = None

    @classmethod
    def from_environment(cls, *, processes: int | None = None, dask: str = "") -> WorkerPool:
        """What was asked for, else what GOLDMARK_PROCESSES and GOLDMARK_DASK say, else all cores of this machine."""
        told = os.environ.get("GOLDMARK_PROCESSES", "")
        return cls(
            processes=processes or (int(told) if told.isdecimal() else None),
            dask=dask or os.environ.get("GOLDMARK_DASK", ""),
        )

    @property
    def width(self) -> int:
        """How many pieces are computed at once."""
        if not self.dask:
            return self._processes
        self._open()
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def map(self, function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
        """The results in the order of the pieces, each as soon as it and those before it are there.

        Small pieces travel together, as many as take long enough to be worth the way: how long they take is seen from
        those that came back.
        """
        width = self.width
        if not self.dask and (width == 1 or len(pieces) <= 1):
            yield from map(function, pieces)
            return
        executor = self._open()
        waiting: deque[Future[tuple[list[Result], float]]] = deque()
        sent, together = 0, 1
        try:
            while sent < len(pieces) or waiting:
                while sent < len(pieces) and len(waiting) < 2 * width:  # enough to keep everybody busy, and no more
                    fair = -(-(len(pieces) - sent) // (2 * width))  # nobody has the last of them alone
                    some = pieces[sent : sent + min(together, fair)]
                    waiting.append(executor.submit(_several, function, some))
                    sent += len(some)
                results, seconds = waiting.popleft().result()
                worth = TOGETHER if self.dask else TOGETHER_HERE
                together = max(1, int(worth * len(results) / max(seconds, 1e-6)))
                yield from results
        except Exception as error:
            if not _is_loss(error):
                raise
            self.close()
            raise WorkerPoolLost(cluster=bool(self.dask)) from error
        finally:
            for one in waiting:
                one.cancel()

    def close(self) -> None:
        executor, self._executor = self._executor, None
        client, self._client = self._client, None
        if executor is not None:
            executor.shutdown(wait=client is None)  # a cluster that is gone would be waited for in vain
        if client is not None:
            client.close(timeout=CONNECT_WITHIN)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Executor:
        if self._executor is None:
            self._executor = self._on_dask() if self.dask else self._on_processes()
        return self._executor

    def _on_processes(self) -> Executor:
        # Not forked: this process has threads, and a copy made while one of them holds a lock would wait for ever.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._processes, mp_context=context, initializer=end_with_parent)

    def _on_dask(self) -> Executor:
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise ClusterNotInstalled from None
        try:
            self._client = Client(  # type: ignore[no-untyped-call]
                self.dask, timeout=CONNECT_WITHIN, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterUnreachable(address=self.dask, why=error) from None
        executor: Executor = self._client.get_executor()
        return executor


def _several(function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> tuple[list[Result], float]:
    """What becomes of these pieces, and how many seconds they took."""
    began = time.perf_counter()
    return [function(piece) for piece in pieces], time.perf_counter() - began


def _is_loss(error: Exception) -> bool:
    """Whether somebody who computed went away, unlike a piece that failed: that has an error of its own."""
    ours = isinstance(error, BrokenExecutor | CancelledError)
    return ours or type(error).__module__.partition(".")[0] == "distributed"


def end_with_parent() -> None:
    """A pool's process whose parent was killed would wait for ever; this one leaves."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="goldmark-parent", daemon=True).start()
