"""What happens on a board is told to a web hook and by mail, and never to a machine inside."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import select

from goldmark.jobs import TryAgain, Worker
from goldmark.leaderboards.definition.settings import Notification
from goldmark.leaderboards.notices import web_hook
from goldmark.leaderboards.notices.web_hook import HookFailed, HookRefused, call
from goldmark.store import Store
from goldmark.store.tables import job
from goldmark.web.runtime.handlers import load_handlers
from tests.leaderboards.ground import make_board, send

JOB = "leaderboard notice"


class Hook(BaseHTTPRequestHandler):
    """Keeps what it gets; its path says how it answers."""

    got: list[tuple[str, dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.got.append((self.path, dict(self.headers), body))
        self.send_response(int(self.path.strip("/") or 200))
        self.send_header("location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()
        self.wfile.write(b"said")

    def log_message(self, *words: Any) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[tuple[str, list[tuple[str, dict[str, str], bytes]]]]:
    got: list[tuple[str, dict[str, str], bytes]] = []
    server = HTTPServer(("127.0.0.1", 0), type("OneHook", (Hook,), {"got": got}))
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    server.server_close()


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDMARK_HOOKS_ALLOW", "example.internal, 127.0.0.0/8")


def told(store: Store) -> list[tuple[str, str | None]]:
    load_handlers()
    Worker(store).run_until_empty()
    query = select(job.c.state, job.c.error).where(job.c.kind == JOB).order_by(job.c.id)
    return [(one.state, one.error) for one in store.read(lambda connection: connection.execute(query).all())]


def test_a_web_hook_is_told_and_can_check_who_told_it(sqlite: Store, tmp_path: Path, hook: Any, allowed: None) -> None:
    url, got = hook
    make_board(sqlite, tmp_path, notify=[{"url": f"{url}/200", "events": ["submitted"], "secret": "between us"}])
    send(sqlite, "Alder")
    assert told(sqlite) == [("done", None)]
    [(_, headers, body)] = got
    said = json.loads(body)
    assert (said["event"], said["subject"], said["facts"]["team"]) == ("submitted", "Alder", "Alder Lab")
    given = {key.lower(): value for key, value in headers.items()}
    assert given["x-goldmark-signature"] == f"sha256={hmac.digest(b'between us', body, hashlib.sha256).hex()}"
    assert given["x-goldmark-event"] == "submitted"


def test_an_inner_address_is_not_called_unless_it_is_allowed(sqlite: Store, tmp_path: Path, hook: Any) -> None:
    url, got = hook
    make_board(sqlite, tmp_path, notify=[{"url": url, "events": ["submitted"]}])
    send(sqlite, "Alder")
    [(state, why)] = told(sqlite)
    assert state == "failed"
    assert "GOLDMARK_HOOKS_ALLOW" in (why or "")
    assert got == []


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "0.0.0.0", "2130706433", "0x7f.1"),
        *("224.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]"),
        *("[::127.0.0.1]", "[fec0::1]", "[64:ff9b:1::7f00:1]", "[::ffff:0:127.0.0.1]"),
    ],
)
def test_every_way_to_write_an_inner_address_is_refused(host: str) -> None:
    with pytest.raises(HookRefused, match="is an inner address"):
        call(f"http://{host}/", b"{}", event="x")


@pytest.mark.parametrize("url", ["http://example.org:99999/", "http://127.0.0.1:1/é", f"http://{'a' * 70}.example/"])
def test_what_is_no_address_is_refused_once_and_for_all(
    allowed: None, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: int, **more: Any) -> list[Any]:
        host.encode("idna")
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", lambda where, timeout: socket.socket())
    with pytest.raises(HookRefused, match="no address"):
        call(url, b"{}", event="x")


def test_a_name_that_means_several_machines_is_refused_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what was looked at is what is connected to: the name is not asked again."""
    asked: list[str] = []

    def resolve(host: str, port: int, **more: Any) -> list[Any]:
        asked.append(host)
        return [(2, 1, 6, "", (address, port)) for address in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(HookRefused, match=r"10\.0\.0\.1"):
        call("https://both.example/hook", b"{}", event="x")
    assert asked == ["both.example"]


@pytest.mark.parametrize(("path", "error"), [("/302", HookFailed), ("/404", HookFailed), ("/503", TryAgain)])
def test_redirects_are_not_followed_and_only_what_may_pass_is_tried_again(
    hook: Any, allowed: None, path: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        call(f"{hook[0]}{path}", b"{}", event="x")
    assert len(hook[1]) == 1


def test_a_server_that_is_down_is_tried_again(allowed: None) -> None:
    with pytest.raises(TryAgain, match="could not be reached"):
        call("http://127.0.0.1:1/", b"{}", event="x")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"url": "file:///etc/passwd"},
        {"url": "https://user:secret@example.org"},
        {"mail": "no address"},
        {"mail": "a@b.org\nBcc: c@d.org"},
        {"url": "https://a.org", "mail": "a@b.org"},
        {"mail": "a@b", "events": ["x"]},
    ],
)
def test_addresses_that_are_none(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Notification.model_validate(given)


class Smtp(socketserver.StreamRequestHandler):
    """As much of SMTP as a mail takes."""

    got: list[bytes]

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline():
            if line.upper().startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                lines = []
                while (line := self.rfile.readline()) != b".\r\n":
                    lines.append(line)
                self.got.append(b"".join(lines))
            self.wfile.write(b"221 bye\r\n" if line.upper().startswith(b"QUIT") else b"250 fine\r\n")


def test_mail_is_sent_by_the_server_that_was_named(
    sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_board(
        sqlite, tmp_path, title="Questions\nof schools", notify=[{"mail": "owner@example.org", "events": ["submitted"]}]
    )
    send(sqlite, "Álder")
    [(state, why)] = told(sqlite)
    assert state == "failed"
    assert "GOLDMARK_SMTP" in (why or "")
    got: list[bytes] = []
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), type("OneSmtp", (Smtp,), {"got": got})) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        monkeypatch.setenv("GOLDMARK_SMTP", f"smtp://127.0.0.1:{server.server_address[1]}")
        monkeypatch.setenv("GOLDMARK_MAIL_FROM", "board@example.org")
        send(sqlite, "Birch")
        assert told(sqlite)[1] == ("done", None)
        server.shutdown()
    assert b"To: owner@example.org" in got[0]
    assert b"Subject: Questions of schools: submitted (Birch)" in got[0]


def test_who_answers_a_letter_at_a_time_keeps_no_worker(allowed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each letter came in time: a reply of 64 kB would have taken a week, and every other job of the server with it."""
    monkeypatch.setattr(web_hook, "MOST_SECONDS", 0.2)
    gone = threading.Event()

    class Slow(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                for letter in b"HTTP/1.1 200 OK\r\nslowly: " + b"a" * 200 + b"\r\ncontent-length: 0\r\n\r\n":
                    self.request.sendall(bytes([letter]))
                    if gone.wait(0.05):
                        break

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        try:
            with pytest.raises(TryAgain, match="could not be reached"):
                call(f"http://127.0.0.1:{server.server_address[1]}/", b"{}", event="x")
        finally:
            gone.set()
            server.shutdown()
