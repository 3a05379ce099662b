"""Workers killed without warning in the middle of jobs: every job is done, none starts again from nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from goldmark.jobs import Job, enqueue
from goldmark.jobs.queue import find, listing
from goldmark.store import Store, open_store

JOBS, STEPS, KILLS = 3, 12, 2


def start(database: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "tests.jobs.house", database])


def until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 300
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def test_a_killed_workers_job_is_finished_by_another(database: str, tmp_path: Path) -> None:
    store = open_store(database)
    files = [tmp_path / f"steps-{number}" for number in range(JOBS)]
    asked = [ask(store, file) for file in files]
    worker = start(database)
    try:
        for _ in range(KILLS):
            before = {one.id: kept(store, one.id) for one in asked}
            until(partial(is_caught, worker, store, before), "no job was caught in its middle")
            worker.send_signal(signal.SIGKILL)
            worker.wait()
            worker = start(database)
        until(lambda: all(look(store, one.id).state in ("done", "failed") for one in asked), "not all were done")
    finally:
        worker.kill()
        worker.wait()
    ended = [look(store, one.id) for one in asked]
    assert [(one.state, one.result) for one in ended] == [("done", {"steps": STEPS})] * JOBS
    assert sum(one.attempt for one in ended) == JOBS + KILLS, "every kill cost one attempt and nothing else"
    for file in files:
        steps = [int(line.split()[1]) for line in file.read_text(encoding="utf-8").splitlines()]
        assert sorted(set(steps)) == list(range(STEPS)), "a step was left out"
        # A step is written before it is kept, so a kill between the two repeats that one step and no other.
        assert len(steps) <= STEPS + KILLS
    store.close()


def is_caught(worker: subprocess.Popen[bytes], store: Store, before: dict[int, int]) -> bool:
    """Whether it stands still in the middle of a job: looking takes time, in which a job might be done."""
    worker.send_signal(signal.SIGSTOP)
    os.waitpid(worker.pid, os.WUNTRACED)
    if any(before[one.id] < kept(store, one.id) < STEPS - 1 for one in running(store)):
        return True
    worker.send_signal(signal.SIGCONT)
    return False


def ask(store: Store, file: Path) -> Job:
    arguments = {"total": STEPS, "file": str(file), "pause": 0.05}
    return store.write(lambda connection: enqueue(connection, "test.steps", arguments, author="Ada", key=file.name))


def look(store: Store, number: int) -> Job:
    return store.read(lambda connection: find(connection, number))


def kept(store: Store, number: int) -> int:
    result = look(store, number).result
    return STEPS if isinstance(result, dict) else result or 0


def running(store: Store) -> list[Job]:
    return store.read(lambda connection: listing(connection, states=("running",)))
