"""Many pieces of one job at once: on the cores of this machine, or on a Dask cluster."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any, TypeVar

from goldmark.errors import GoldmarkError
from goldmark.jobs.queue import TryAgain

Piece = TypeVar("Piece")
Result = TypeVar("Result")

CONNECT_WITHIN = 10  # seconds to find the scheduler
# Seconds between two questions whether a cluster still computes a piece, and after which one that it does not is lost.
ASK_EVERY, LOST_AFTER = 10.0, 60.0
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
        lost = "the cluster lost its scheduler, or workers that computed a part of it"
        super().__init__(who=lost if cluster else "a process that computed a part of it was killed")


class WorkerPool:
    """Who computes the pieces: this process alone, several, or the workers of a Dask cluster. Opened when first needed.

    Functions and pieces travel to other processes, so both must be importable or picklable, and a function must give
    the same result wherever it runs.
    """

    def __init__(self, *, processes: int | None = None, dask: str = "") -> None:
        self.dask = dask
        self._processes = processes or os.cpu_count() or 1
        self._opened: Any = None  # processes or a cluster's client: both take a function and its arguments

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
        try:
            threads: dict[str, int] = self._open().nthreads()
        except OSError as error:
            self.close()
            raise WorkerPoolLost(cluster=True) from error
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
        opened, waiting = self._open(), deque[Any]()
        # Each has its own name at the cluster: what was called off and is sent again might be called off once more.
        unlike = {"pure": False} if self.dask else {}
        sent, together = 0, 1
        try:
            while sent < len(pieces) or waiting:
                while sent < len(pieces) and len(waiting) < 2 * width:  # enough to keep everybody busy, and no more
                    fair = -(-(len(pieces) - sent) // (2 * width))  # nobody has the last of them alone
                    some = pieces[sent : sent + min(together, fair)]
                    waiting.append(opened.submit(_several, function, some, **unlike))
                    sent += len(some)
                results, seconds = self._result(waiting.popleft())
                worth = TOGETHER if self.dask else TOGETHER_HERE
                together = max(1, int(worth * len(results) / max(seconds, 1e-6)))
                yield from results
        except Exception as error:
            if not _is_loss(error):
                raise
            self.close()
            raise WorkerPoolLost(cluster=bool(self.dask)) from error
        finally:
            for one in waiting if not self.dask else ():
                one.cancel()
            waiting.clear()  # a cluster forgets what nobody waits for

    def _result(self, future: Any) -> tuple[list[Any], float]:
        try:
            found: tuple[list[Any], float]
            found = self._opened.sync(_fetched, self._opened, future) if self.dask else future.result()
        except Exception as error:
            if not self.dask or future.status == "error":  # the piece's own
                raise
            raise BrokenExecutor("a result does not come") from error
        return found

    def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is None:
            return
        if not self.dask:
            opened.shutdown()
            return
        with suppress(Exception):  # a cluster that is gone cannot be told, nor be waited for
            opened.close(timeout=CONNECT_WITHIN)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Any:
        if self.dask and self._opened is not None and self._opened.status in ("closing", "closed"):
            self.close()  # it looked for its scheduler and gave up, while nobody had anything to compute
        if self._opened is None:
            self._opened = self._on_dask() if self.dask else self._on_processes()
        return self._opened

    def _on_processes(self) -> ProcessPoolExecutor:
        # Not forked: this process has threads, and a copy made while one of them holds a lock would wait for ever.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._processes, mp_context=context, initializer=end_with_parent)

    def _on_dask(self) -> Any:
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise ClusterNotInstalled from None
        try:
            return Client(  # type: ignore[no-untyped-call]
                self.dask, timeout=CONNECT_WITHIN, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterUnreachable(address=self.dask, why=error) from None


def _several(function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> tuple[list[Result], float]:
    """What becomes of these pieces, and how many seconds they took."""
    began = time.perf_counter()
    return [function(piece) for piece in pieces], time.perf_counter() - began


async def _fetched(client: Any, future: Any) -> Any:
    """A result from a cluster, which is asked now and then whether it still computes it: nobody waits for ever.

    Not by the client's own executor: if fetching fails there, its future is never done.
    """
    fetching, heard = asyncio.ensure_future(future.result()), time.monotonic()
    while not (await asyncio.wait([fetching], timeout=ASK_EVERY))[0]:
        if await _is_under_way(client, future):
            heard = time.monotonic()
        elif time.monotonic() - heard > LOST_AFTER:
            fetching.cancel()
            raise BrokenExecutor("the cluster does not know of it, or its end was not told")
    return fetching.result()


async def _is_under_way(client: Any, future: Any) -> bool:
    if future.status == "finished":  # what is large travels for long
        return True
    try:
        states = await asyncio.wait_for(client.scheduler.get_task_status(keys=[future.key]), LOST_AFTER)
    except OSError:  # also when it does not answer
        return False
    return states[future.key] not in (None, "memory", "erred", "forgotten")


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
