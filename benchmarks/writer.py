"""How long the one writer of SQLite is held by what managers do, transaction by transaction.

A database as that of `python -m benchmarks manager` (`GOLDMARK_BENCH_TIMES` and `GOLDMARK_BENCH_DATABASE` mean the same
here; the file is copied, and the copy changed): what is done to a campaign, then to the same on a crowd platform, then
to boards and a study. `GOLDMARK_BENCH_PARTS` names some of `campaign crowd boards`.

Every transaction is measured in the thread of the writer, with the commit: its computing, the part of that which is the
commit's, and how long it took by the clock. On a machine with other work only the computing says something.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import _held_by, _held_by_boards, _held_by_crowd, manager
from goldmark.store import Store, open_store

LONG = 20  # milliseconds
PARTS = {"campaign": _held_by.acts, "crowd": _held_by_crowd.acts, "boards": _held_by_boards.acts}


class Transaction(NamedTuple):
    """What one of them cost, in milliseconds."""

    name: str  # of the work that was done in it, the first of them if several shared it
    computing: float
    committing: float  # of the computing
    clock: float


class Instrument:
    """Notes every transaction of a store's writer."""

    def __init__(self, store: Store) -> None:
        self.seen: list[Transaction] = []
        self._names: list[str] = []
        self._worked = 0.0
        instrumented: Any = store
        self._ask, self._write = instrumented.write_soon, instrumented._writer._write
        instrumented.write_soon, instrumented._writer._write = self._named, self._timed

    def _named(self, work: Callable[..., Any]) -> Future[Any]:
        name = getattr(getattr(work, "func", work), "__qualname__", repr(work))

        def noted(connection: Any) -> Any:
            self._names.append(name)
            began = time.thread_time()
            try:
                return work(connection)
            finally:
                self._worked += time.thread_time() - began

        done: Future[Any] = self._ask(noted)
        return done

    def _timed(self, group: Any) -> Any:
        self._names, self._worked = [], 0.0
        computing, clock = time.thread_time(), time.perf_counter()
        try:
            return self._write(group)
        finally:
            computing, clock = time.thread_time() - computing, time.perf_counter() - clock
            spent = (computing, computing - self._worked, clock)
            self.seen.append(Transaction(self._names[0] if self._names else "", *(1000 * one for one in spent)))

    @contextmanager
    def over(self) -> Iterator[list[Transaction]]:
        """What is written meanwhile."""
        first, found = len(self.seen), list[Transaction]()
        yield found
        found.extend(self.seen[first:])


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", "a benchmark has nothing to hide from anybody")
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        address = str(Path(folder) / "writer.db")
        known = os.environ.get("GOLDMARK_BENCH_DATABASE")
        if known and Path(known).exists():
            shutil.copyfile(known, address)
        else:
            manager._fill(address)
        store = open_store(address)
        instrument = Instrument(store)
        print(f"{'milliseconds of computing':58} pieces middle   p99   most (commit's)  above  by the clock  longest")
        wanted = os.environ.get("GOLDMARK_BENCH_ACTS", "")
        for part in os.environ.get("GOLDMARK_BENCH_PARTS", " ".join(PARTS)).split():
            for name, act in PARTS[part](store):
                if part == "campaign" and not re.search(wanted, name):
                    continue  # in the other parts an act follows from the one before
                with instrument.over() as found:
                    act()
                _print(name, found)
        store.close()


def _print(name: str, found: list[Transaction]) -> None:
    if not found:
        print(f"{name:58} nothing is written", flush=True)
        return
    computing, longest = np.array([one.computing for one in found]), max(found, key=lambda one: one.computing)
    middle, slow = np.percentile(computing, (50, 99))
    print(
        f"{name:58} {len(found):6} {middle:6.1f} {slow:5.1f} {longest.computing:6.1f} ({longest.committing:5.1f})"
        f" {int((computing > LONG).sum()):11} {max(one.clock for one in found):13.1f}  {longest.name}",
        flush=True,
    )


if __name__ == "__main__":
    main()
