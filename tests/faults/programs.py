"""Annotators that are programs, stubborn enough to outlive their server, and a server that can be killed."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 300.0  # seconds until a program gives up on a server that does not come back


class Server:
    """A real server in its own process group, on a port that stays the same when it is started again."""

    def __init__(self, database: str, processes: int, environment: Mapping[str, str] | None = None) -> None:
        self.database, self.processes = database, processes
        self.environment = {**os.environ, **(environment or {})}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "goldmark", "serve", "--port", str(self.port), "--database", self.database]
        self._running = subprocess.Popen(
            [*command, "--processes", str(self.processes)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=self.environment,
        )

    def is_alive(self) -> bool:
        return self._running is not None and self._running.poll() is None

    def kill(self) -> None:
        """No goodbye: every process of the server at once."""
        self.signal(signal.SIGKILL)
        if self._running is not None:
            self._running.wait()

    def kill_first(self) -> None:
        """Only the process that was started, not those that it started."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()

    def signal(self, number: signal.Signals) -> None:
        if self._running is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._running.pid, number)

    def end(self, patience: float = 20.0) -> None:
        """Told to stop, as a service manager does: politely first."""
        if self._running is not None:
            self._running.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._running.wait(patience)
        self.kill()


@dataclass
class Program:
    """One annotator. It repeats what was not acknowledged, with the same key, and remembers what was."""

    port: int
    token: str
    seed: int
    acknowledged: list[tuple[int, str]] = field(default_factory=list)  # assignment, key
    repeated: int = 0
    failure: str = ""

    def run(self) -> None:
        try:
            self._work()
        except Exception as error:
            self.failure = repr(error)

    def _work(self) -> None:
        rng = random.Random(self.seed)
        following = self._ask("/api/v1/work/next", {})
        while True:
            if following["assignment"] is None:
                if following["finished"]["why"] == "all":
                    return
                time.sleep(0.1)  # others hold what is left
                following = self._ask("/api/v1/work/next", {})
                continue
            number = following["assignment"]["id"]
            time.sleep(rng.uniform(0.005, 0.03))
            key = uuid.uuid4().hex
            answers = {"mistakes": [{"id": "e1", "start": 0, "end": 1, "label": "NAME", "correction": key}]}
            body = {"answers": answers, "client_key": key, "seconds_active": 1.0}
            reply = self._ask(f"/api/v1/work/assignments/{number}/responses", body)
            self.acknowledged.append((number, key))
            following = reply["next"]

    def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self._post(path, body)
            except (OSError, http.client.HTTPException, Unsure):
                self.repeated += 1
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
            connection.request("POST", path, json.dumps(body), headers)
            reply = connection.getresponse()
            content = reply.read()
            if reply.status >= 500:
                raise Unsure(content)
            if reply.status != 200:
                raise AssertionError(f"{path}: {reply.status} {content!r}")
            found: dict[str, Any] = json.loads(content)
            return found
        finally:
            connection.close()


class Unsure(Exception):
    """The server failed on its side; whether the answer was kept is not known, so it is sent again."""
