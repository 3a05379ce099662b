"""Running the server: one process, or several on PostgreSQL."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import uvicorn

from goldmark.accounts.links import public_address, remember_address
from goldmark.accounts.session_times import session_times
from goldmark.accounts.signing_keys import known_keys, remember
from goldmark.errors import Failed, GoldmarkError
from goldmark.store import open_store
from goldmark.store.migrate import prepare
from goldmark.store.upkeep.kept_backups import BackupPlan
from goldmark.store.upkeep.one_server import the_only_server
from goldmark.web.app import create_app
from goldmark.web.runtime.loading import only_what_stays
from goldmark.web.runtime.logs import teller
from goldmark.web.runtime.workers import Workers
from goldmark.web.services import Services

# Seconds for which a thread of Python goes on while others wait. An answer waits for its turn at every statement, so
# beside something that computes in the server, Python's own 5 ms made many times that.
TURN = 0.002


OTHER_KEY = (
    "The signing key is another than before: links that were sent out, and codes of second factors, no longer work. "
    "If that was not meant, stop, and put the old one back (GOLDMARK_SECRET, or the key file beside the database), or "
    "name it in GOLDMARK_OLD_SECRETS."
)


class PortTaken(Failed):
    code = "SERVE-01"
    message = "{host}:{port} cannot be used: {why}; choose another with --port"


class OneProcessOnly(GoldmarkError):
    code = "SERVE-02"
    message = "SQLite takes one server process; use PostgreSQL for {processes}"


def run(
    address: str,
    *,
    host: str,
    port: int,
    processes: int = 1,
    workers: int = 1,
    public: str = "",
    backups: BackupPlan | None = None,
    say: Callable[[str], None],
    before: Callable[[Services, str], list[str]] | None = None,
) -> None:
    """Serve until told to stop. `before` may fill the database first; the lines it returns are said once we listen."""
    session_times()  # what is set wrongly is told now, not to the first who signs in
    public = public_address(public) if public else ""
    store = open_store(address)
    with the_only_server(address) as where:
        try:
            prepare(store)
            if remember(store, known_keys(address)):
                say(OTHER_KEY)
        finally:
            store.close()
        if backups is not None:
            backups.folder.mkdir(parents=True, exist_ok=True)
        if processes > 1 and not store.locks_rows:
            raise OneProcessOnly(processes=processes)
        listening = listen(host, port)
        base = public or f"http://{host}:{listening.getsockname()[1]}"
        services = Services.open(address, public=public, checks_later=True)
        remember_address(address, base)
        where(base)
        lines = before(services, base) if before else []
        say(f"Goldmark is at {base}")
        if not services.accounts.any_account():
            link = services.accounts.one_time_link(None)
            say(f"Nobody can sign in yet. Make the first account here, once: {base}/link/{link}")
        for line in lines:
            say(line)
        beside = [Workers(address, workers, public=base)]
        if backups is not None:
            beside.append(Workers(address, 1, command=("database", "keep-backups", *backups.options())))
        for one in beside:
            one.start()
        try:
            if processes > 1:
                services.store.close()
                _run_many(address, listening, public, processes)
            else:
                _serve(services, listening)
        finally:
            for one in beside:
                one.stop()


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        raise PortTaken(host=host, port=port, why=error.strerror) from error
    listening.listen(2048)
    listening.set_inheritable(True)
    return listening


def _serve(services: Services, listening: socket.socket, counting: tuple[Path, int] | None = None) -> None:
    sys.setswitchinterval(TURN)
    with only_what_stays():
        app = create_app(services)
    if counting:
        app.state.telemetry.share(*counting)
    config = uvicorn.Config(
        app,
        log_config=None if logging.getLogger().handlers else uvicorn.config.LOGGING_CONFIG,  # one way of logging
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=True,
        timeout_graceful_shutdown=10,
    )
    uvicorn.Server(config).run(sockets=[listening])


def _serve_child(address: str, listening: socket.socket, public: str, parent: int, counting: tuple[Path, int]) -> None:
    teller()  # a new program, where processes are not forked
    threading.Thread(target=_leave_after, args=(parent,), name="goldmark-parent", daemon=True).start()
    _serve(Services.open(address, public=public, checks_later=True), listening, counting)


def _leave_after(parent: int) -> None:
    """Nobody would replace this process any more, and it holds the port against whoever is started next."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)


def _run_many(address: str, listening: socket.socket, public: str, processes: int) -> None:
    """The processes share one listening socket; one that dies is replaced."""
    counts = tempfile.TemporaryDirectory(prefix="goldmark-counts-")

    def start(place: int) -> multiprocessing.Process:
        given = (address, listening, public, os.getpid(), (Path(counts.name), place + 1))
        child = multiprocessing.Process(target=_serve_child, args=given)
        child.start()
        return child

    children = [start(place) for place in range(processes)]
    stopping = False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True
        for child in children:
            child.terminate()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while not stopping:
        for place, child in enumerate(children):
            child.join(timeout=0.5)
            if not child.is_alive() and not stopping:
                children[place] = start(place)
    for child in children:
        child.join()
    counts.cleanup()
