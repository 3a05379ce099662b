"""Handlers for tests, and a worker as a program of its own: `python -m tests.jobs.house DATABASE`."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.jobs import Running, TryAgain, Worker, register
from goldmark.store import open_store


class NotToday(GoldmarkError):
    code = "TEST-01"
    message = "not today, {name}"


@register("test.add")
def add(running: Running) -> Mapping[str, Any]:
    return {"sum": sum(running.arguments["numbers"])}


@register("test.fail")
def fail(running: Running) -> None:
    running.progress(3, 7, "reading")
    if running.arguments.get("mendable"):
        raise NotToday(name="Ada")
    raise ZeroDivisionError("by zero")


@register("test.pass")
def trouble(running: Running) -> None:
    raise TryAgain(reason="the other side does not answer")


@register("test.steps")
def steps(running: Running) -> Mapping[str, Any]:
    """Counts to `total`, keeps every step, and writes each line once into `file`, slowly enough to be killed."""
    done = running.kept or 0
    total = running.arguments["total"]
    for step in range(done, total):
        running.progress(step, total, f"step {step}")
        with Path(running.arguments["file"]).open("a", encoding="utf-8") as file:
            file.write(f"{running.job.attempt} {step}\n")
        running.keep(step + 1)
        time.sleep(running.arguments.get("pause", 0.0))
    return {"steps": total}


@register("test.spread")
def spread(running: Running) -> Mapping[str, Any]:
    """The sum of squares, each computed by whoever the pool finds, slowly enough to be killed."""
    numbers = [(number, running.arguments["pause"]) for number in range(running.arguments["total"])]
    total = 0
    for done, square in enumerate(running.pool.map(slow_square, numbers), start=1):
        total += square
        running.progress(done, len(numbers), "squares")
    return {"sum": total}


def slow_square(given: tuple[int, float]) -> int:
    number, pause = given
    time.sleep(pause)
    return number * number


def main(database: str) -> None:
    Worker(open_store(database), beat=0.1, stale=timedelta(seconds=1)).run_forever(look=0.05)


if __name__ == "__main__":
    main(sys.argv[1])
