"""A real server in a thread, on a free port, over the small house of the web tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from goldmark.web.runtime.server import listen
from tests.web.house import House, Served, build


@contextmanager
def serving(database: str) -> Iterator[tuple[House, str]]:
    """The house, and the address at which it can be reached."""
    house = build(database)
    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(Served(house.app, house.services), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield house, f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=20)
    house.close()
