"""A bar in the terminal that moves with long work; nothing is drawn where nobody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goldmark.store import Store


@contextmanager
def bar() -> Iterator[Callable[[int, int | None, str], None]]:
    """A function to say how far it is: done, total, what."""
    if not sys.stderr.isatty():
        yield lambda done, total, message: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total, message: progress.update(task, completed=done, total=total, description=message)


def follow(store: Store, number: int, *, every: float = 0.5) -> None:
    """Watch a job until it has ended."""
    from goldmark.jobs.queue import OPEN, find

    with bar() as told:
        while True:
            job = store.read(lambda connection: find(connection, number))
            told(job.done, job.total, job.message or job.state)
            if job.state not in OPEN:
                return
            time.sleep(every)
