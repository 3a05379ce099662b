"""A Dask cluster of real processes: the same figures, and a killed worker or scheduler loses nothing."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

import tests.jobs.house  # noqa: F401 - registers the handlers
from goldmark.jobs import Job, Worker, enqueue, worker
from goldmark.jobs.fanout import WorkerPool
from goldmark.jobs.queue import find
from goldmark.metrics.plugins import Texts, parse_list
from goldmark.metrics.scores import score
from goldmark.store import Store, open_store

PIECES = 40
SUM = sum(number * number for number in range(PIECES))


class Cluster:
    """A scheduler and two workers, each a process, on a port that stays the same."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker() for _ in range(2)]

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        return self._start("dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")

    def start_worker(self) -> subprocess.Popen[bytes]:
        plain = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "120")
        return self._start("dask_worker", self.address, *plain)

    def _start(self, program: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}", *words]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait(self, workers: int) -> None:
        """Until so many are there."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with contextlib.suppress(Exception), WorkerPool(dask=self.address) as pool:
                if pool.width >= workers:
                    return
            time.sleep(0.5)
        raise AssertionError("the cluster does not come up")

    def close(self) -> None:
        for one in (*self.workers, self.scheduler):
            one.send_signal(signal.SIGKILL)
            one.wait()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    made = Cluster()
    try:
        made.wait(2)
        yield made
    finally:
        made.close()


def ask(store: Store) -> Job:
    arguments = {"total": PIECES, "pause": 0.2}
    return store.write(lambda connection: enqueue(connection, "test.spread", arguments, author="test"))


def look(store: Store, job: Job) -> Job:
    return store.read(lambda connection: find(connection, job.id))


def until_under_way(store: Store, job: Job) -> None:
    deadline = time.monotonic() + 120
    while look(store, job).done < 4:
        assert time.monotonic() < deadline, look(store, job)
        time.sleep(0.05)


@pytest.mark.slow
def test_killed_workers_and_schedulers_lose_nothing(
    cluster: Cluster, sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PAUSE", timedelta(seconds=0.1))
    texts = Texts(["the cat sat on the mat"] * 900, [["a cat sat on the mat"]] * 900)
    (spec,) = parse_list("chrf")
    with WorkerPool(dask=cluster.address) as pool:
        assert score(spec, texts, pool=pool) == score(spec, texts)

    store = open_store(sqlite_database)
    said: list[str] = []
    with WorkerPool(dask=cluster.address) as pool:
        doing = Worker(store, pool=pool, beat=0.1, say=said.append)
        busy = threading.Thread(target=doing.run_forever, kwargs={"look": 0.05})
        busy.start()
        try:
            first = ask(store)
            until_under_way(store, first)
            cluster.workers[0].kill()
            _ended(store, first)
            assert (look(store, first).result, look(store, first).attempt) == ({"sum": SUM}, 1), "nobody noticed"

            second = ask(store)
            until_under_way(store, second)
            for one in (cluster.scheduler, cluster.workers[1]):
                one.kill()
                one.wait()
            time.sleep(1)
            cluster.scheduler = cluster.start_scheduler()
            cluster.workers[1] = cluster.start_worker()
            _ended(store, second)
            assert look(store, second).result == {"sum": SUM}, (look(store, second), said)
        finally:
            doing.stop()
            busy.join(timeout=60)
    store.close()


def _ended(store: Store, job: Job) -> None:
    deadline = time.monotonic() + 180
    while look(store, job).state not in ("done", "failed"):
        assert time.monotonic() < deadline, look(store, job)
        time.sleep(0.1)
