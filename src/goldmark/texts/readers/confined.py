"""Reading what strangers made: in a process of its own, with limits on memory and time.

A few kilobytes can unpack to gigabytes. Whatever a reader does with them, here it harms only itself: the
server goes on next door, and whoever sent the file is told that it is too much.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from goldmark.errors import GoldmarkError, TooMany

MOST_MEMORY = 2 * 1024**3  # bytes
MOST_SECONDS = 120  # of computing
PATIENCE = 2 * MOST_SECONDS  # of waiting
MOST_AT_ONCE = 3  # processes: each may use all of its memory
MOST_WAITING = 9  # beside them: who waits keeps one of the server's forty threads, without which nobody is answered
Given = TypeVar("Given")


class TooMuchToRead(GoldmarkError):
    code = "UPLOAD-05"
    message = (
        "{what} is damaged, or needs more than {memory} MB of memory or {seconds} seconds, more than an upload may; "
        "split it, or read it in by command on the server's own machine"
    )


class TooMuchAtOnce(TooMany):
    code = "UPLOAD-06"
    message = "{what} was not read: many other files are being read just now; send it again in a few minutes"


class ReadingPlaces:
    """A few files are read at once and a few more wait; the others are refused before they cost anything."""

    def __init__(self, most: int, waiting: int) -> None:
        self._reading = threading.BoundedSemaphore(most)
        self._here = threading.BoundedSemaphore(most + waiting)

    @contextmanager
    def one(self, what: str) -> Iterator[None]:
        refused = TooMuchAtOnce(what=what)
        if not self._here.acquire(blocking=False):
            raise refused
        try:
            if not self._reading.acquire(timeout=PATIENCE):
                raise refused
            try:
                yield
            finally:
                self._reading.release()
        finally:
            self._here.release()


_places = ReadingPlaces(MOST_AT_ONCE, MOST_WAITING)


def confined(
    what: str,
    work: Callable[..., Given],
    *given: Any,
    memory: int = MOST_MEMORY,
    seconds: int = MOST_SECONDS,
) -> Given:
    """What `work` makes of what is given; `what` names the file in the message. Both go from process to process."""
    with _places.one(what):
        return _apart(what, work, *given, memory=memory, seconds=seconds)


def _apart(what: str, work: Callable[..., Given], *given: Any, memory: int, seconds: int) -> Given:
    # Here, because every server imports this module and few uploads need another process.
    import multiprocessing
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

    refused = TooMuchToRead(what=what, memory=memory // 2**20, seconds=seconds)
    pool = ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn"), initializer=_limit, initargs=(memory, seconds, os.getpid())
    )
    children = pool._processes  # held here: the pool forgets them when it breaks
    try:
        return pool.submit(work, *given).result(timeout=PATIENCE)
    except (BrokenProcessPool, MemoryError, TimeoutError) as error:
        raise refused from error
    finally:
        for child in list((children or {}).values()):
            child.kill()
        pool.shutdown(wait=False, cancel_futures=True)


def _limit(memory: int, seconds: int, parent: int) -> None:
    """Only where the system knows such limits. What answers people comes first, so this process is nice."""
    try:
        import resource
    except ImportError:
        return
    _, hardest = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, hardest))
    os.nice(5)
    if os.getppid() != parent:  # it died meanwhile
        os._exit(1)
