"""A worker beside the server: a process of its own at low priority, so that long work never slows an annotator."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType

PATIENCE = 10.0  # seconds that a worker has to put its job back when the server stops
NICE = 10
FIRST = 1.0  # seconds that the server has for itself, so that its first page is not held up
BREATH = 5.0  # seconds before a worker that died is replaced


class Workers:
    """Keeps workers running until told to stop; one that dies is replaced.

    Each holds the reading end of a pipe whose writing end is ours. However this process ends, the pipe closes with it,
    and the workers leave too.
    """

    def __init__(self, address: str, count: int, public: str = "", command: Sequence[str] = ("jobs", "work")) -> None:
        # As an argument it would be seen by everybody on this machine, and it may hold a password.
        self._environment = {**os.environ, "GOLDMARK_DATABASE": address}
        if public:  # what is published on a platform says where people reach us
            self._environment["GOLDMARK_PUBLIC"] = public
        self._count, self._does = count, command
        self._running: list[subprocess.Popen[bytes]] = []
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="goldmark-workers", daemon=True)

    def start(self) -> None:
        if self._count:
            self._keeper.start()

    def stop(self) -> None:
        self._stopping.set()
        if not self._count:
            return
        self._keeper.join()
        for worker in self._running:
            worker.terminate()
        deadline = time.monotonic() + PATIENCE
        for worker in self._running:
            try:
                worker.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
            if worker.stdin is not None:
                worker.stdin.close()

    def _keep(self) -> None:
        self._stopping.wait(FIRST)
        while not self._stopping.is_set():
            self._running = [worker for worker in self._running if worker.poll() is None]
            while len(self._running) < self._count:
                self._running.append(self._new())
            self._stopping.wait(BREATH)

    def _new(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "goldmark", *self._does, "--beside-server"]
        return subprocess.Popen(command, env=self._environment, stdin=subprocess.PIPE)  # noqa: S603 - our own command


def end_with_server() -> None:
    """In a worker beside a server: be modest, and leave when the server is gone."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches both; the server tells us when it is time

    def watch() -> None:
        # Not through sys.stdin, whose lock this thread would still hold when the worker ends by itself.
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="goldmark-server", daemon=True).start()


def stop_politely() -> None:
    """SIGTERM interrupts a worker like Ctrl+C, so that it puts its job back."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
