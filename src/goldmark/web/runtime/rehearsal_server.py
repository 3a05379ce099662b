"""A real server for a while, on a free port and with a database of its own, for programs that annotate."""

from __future__ import annotations

import http.client
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import uvicorn

from goldmark.errors import Failed
from goldmark.simulate.crowd import Ask
from goldmark.store import open_store
from goldmark.store.migrate import upgrade
from goldmark.web.app import create_app
from goldmark.web.runtime.server import listen
from goldmark.web.services import Services


class RehearsalServerRefused(Failed):
    code = "REHEARSE-01"
    message = "the server answered {status} to {path}: {said}"


class RehearsalServer(NamedTuple):
    """Where a rehearsal takes place."""

    services: Services
    ask: Ask
    address: str


@contextmanager
def forgotten_database() -> Iterator[str]:
    """The address of a database that is gone when it is over."""
    with tempfile.TemporaryDirectory(prefix="goldmark-rehearsal-") as folder:
        address = str(Path(folder) / "rehearsal.db")
        store = open_store(address)
        upgrade(store)
        store.close()
        yield address


@contextmanager
def stage() -> Iterator[RehearsalServer]:
    """A server that forgets everything when it is over."""
    with forgotten_database() as address:
        services = Services.open(address)
        listening = listen("127.0.0.1", 0)
        port = listening.getsockname()[1]
        config = uvicorn.Config(
            create_app(services),
            log_config=None,  # how this program logs is not for a rehearsal to change
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=1,
            timeout_keep_alive=600,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="goldmark-rehearsal")
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.01)
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                yield RehearsalServer(services, asking(connection), f"http://127.0.0.1:{port}")
        finally:
            server.should_exit = True
            thread.join()


def asking(connection: http.client.HTTPConnection) -> Ask:
    """Requests over one connection that is kept open, as an annotator's browser keeps it."""

    def ask(method: str, path: str, token: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            reply, said = _sent(connection, method, path, token, body)
        except (ConnectionError, http.client.BadStatusLine):
            # A connection may be lost at any time; like a browser, ask again: nothing is counted twice.
            connection.close()
            reply, said = _sent(connection, method, path, token, body)
        if reply.status >= 300:
            raise RehearsalServerRefused(status=reply.status, path=path, said=said.decode(errors="replace")[:300])
        found: Mapping[str, Any] = orjson.loads(said)
        return found

    return ask


def _sent(
    connection: http.client.HTTPConnection, method: str, path: str, token: str, body: Mapping[str, Any]
) -> tuple[http.client.HTTPResponse, bytes]:
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    connection.request(method, f"/api/v1{path}", orjson.dumps(body) if method != "GET" else None, headers)
    reply = connection.getresponse()
    return reply, reply.read()
