"""The program as its users see it: a command, and a server that is asked over HTTP."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

SECRET = "the key of files that are kept for ever"
INPUT = Path(__file__).parent / "input"

Answers = Mapping[str, Any]
Answering = Callable[[Mapping[str, Any]], Answers]


class Program:
    """The program as its users see it: a command, and a server."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.client = httpx.Client(timeout=60)
        self.tokens: dict[str, str] = {}
        self.keys = 0

    def run(self, *words: str) -> str:
        """A command; what it prints."""
        environment = {**os.environ, "GOLDMARK_DATABASE": str(self.database), "GOLDMARK_SECRET": SECRET}
        done = subprocess.run(
            [sys.executable, "-m", "goldmark", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=INPUT,
        )
        if done.returncode:
            raise SystemExit(f"goldmark {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    @contextmanager
    def served(self) -> Iterator[None]:
        """A server without a worker: jobs wait until they are wanted."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        environment = {**os.environ, "GOLDMARK_SECRET": SECRET}
        words = ("serve", "--port", str(port), "--workers", "0", "--database", str(self.database))
        server = subprocess.Popen([sys.executable, "-m", "goldmark", *words], env=environment)
        self.client.base_url = httpx.URL(f"http://127.0.0.1:{port}")
        try:
            for _ in range(300):
                try:
                    self.client.get("/healthz")
                    break
                except httpx.ConnectError:
                    time.sleep(0.1)
            yield
        finally:
            server.terminate()
            server.wait()

    def call(self, method: str, path: str, body: object = None, token: str = "", **more: Any) -> Any:
        headers = {"authorization": f"Bearer {token or self.tokens['owner']}"}
        json_body = {} if body is None and method == "POST" and not more else body
        reply = self.client.request(method, f"/api/v1{path}", json=json_body, headers=headers, **more)
        if reply.status_code >= 300:
            raise SystemExit(f"{method} {path} {json.dumps(body)[:300]}: {reply.status_code} {reply.text[:2000]}")
        return reply.json() if reply.content and "json" in reply.headers["content-type"] else reply.content

    # --- annotators ---------------------------------------------------------------------------------------------

    def invite(self, campaign: str, name: str) -> str:
        """An invited person's token, from their link."""
        found = self.call("POST", f"/campaigns/{campaign}/annotators", {"names": [name]})
        token = re.findall(r"/a/([^\"\s]+)", json.dumps(found))[-1]
        return str(token)

    def submit(self, token: str, assignment: int, answers: Answers, seconds: float = 21.5) -> Any:
        self.keys += 1
        body = {
            "answers": answers,
            "client_key": f"fixture-key-{self.keys:06}",
            "client_time": "2026-11-16T12:00:00+00:00",
            "seconds_active": seconds,
        }
        return self.call("POST", f"/work/assignments/{assignment}/responses", body, token)

    def next(self, token: str) -> Any:
        return self.call("POST", "/work/next", {}, token)

    def work(self, token: str, answer: Answering, most: int = 1_000) -> list[int]:
        """Someone answers what they are given."""
        done: list[int] = []
        while len(done) < most and (held := self.next(token)["assignment"]) is not None:
            self.submit(token, held["id"], answer(held["unit"]), 10.0 + len(done))
            done.append(held["id"])
        return done
