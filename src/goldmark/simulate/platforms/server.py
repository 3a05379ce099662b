"""What the stand-ins share: a small server of its own thread, a clock that can be moved on, and faults on demand."""

from __future__ import annotations

import json
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, urlsplit

Moment = Literal["before", "after"]
Fault = Literal["busy", "error", "lost before", "lost after"]


class Asked(NamedTuple):
    """A request as it arrives."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # in small letters
    body: bytes

    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode()))

    def json(self) -> Any:
        return json.loads(self.body or b"{}")


class StandInAnswer(NamedTuple):
    """What is sent back."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = {}

    @classmethod
    def of(cls, data: Any, status: int = 200) -> StandInAnswer:
        return cls(status, b"" if data is None else json.dumps(data).encode())


class _Dropped(Exception):
    """The connection is closed without an answer."""


@dataclass
class StandIn:
    """A platform in memory. Faults are named by operation and used up one by one; `watch` sees every operation."""

    faults: dict[str, list[Fault]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)  # every operation that was carried out, in its order
    # Sees every operation, before and after it is carried out; if it says so, the answer is never sent.
    watch: Callable[[str, Moment], bool | None] = lambda operation, moment: None
    ahead: timedelta = timedelta(0)
    lock: threading.RLock = field(default_factory=threading.RLock)
    address: str = ""

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def pass_time(self, **how_long: float) -> None:
        """Let time pass on the platform."""
        with self.lock:
            self.ahead += timedelta(**how_long)

    def answer(self, asked: Asked) -> StandInAnswer:
        raise NotImplementedError

    def busy(self) -> StandInAnswer:
        raise NotImplementedError

    def broken(self) -> StandInAnswer:
        raise NotImplementedError

    def operation(self, asked: Asked) -> str:
        """What a request asks for, in one word."""
        raise NotImplementedError

    def handle(self, asked: Asked) -> StandInAnswer:
        name = self.operation(asked)
        waiting = self.faults.get(name) or []
        fault = waiting.pop(0) if waiting else None
        if self.watch(name, "before"):
            raise _Dropped
        if fault == "busy":
            return self.busy()
        if fault == "error":
            return self.broken()
        if fault == "lost before":
            raise _Dropped
        with self.lock:
            found = self.answer(asked)
            self.log.append(name if found.status < 400 else f"{name}!")
        if self.watch(name, "after") or fault == "lost after":
            raise _Dropped
        return found


def new_id(length: int, letters: str) -> str:
    return "".join(secrets.choice(letters) for _ in range(length))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked may be gone before they are answered."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def served(platform: StandIn, host: str = "127.0.0.1") -> Iterator[str]:
    """The platform on a free port of this machine, for as long as the block lasts; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for an answer: in two, the second waits 40 ms until the first is acknowledged

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, parts.path, dict(parse_qsl(parts.query)), headers, body)
            try:
                found = platform.handle(asked)
            except _Dropped:
                self.close_connection = True
                return
            self.send_response(found.status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.send_header("content-type", found.content_type)
            self.send_header("content-length", str(len(found.body)))
            self.end_headers()
            self.wfile.write(found.body)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    server = _Server((host, 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    platform.address = f"http://{host}:{server.server_address[1]}"
    try:
        yield platform.address
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
