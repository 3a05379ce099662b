"""Install Label Studio in an environment of its own, start it on loopback, and send tasks through a project.

    python -m tools.label_studio.server FOLDER     installs it there, which takes minutes and about two gigabytes

It never meets Goldmark's own environment. The slow tests use the folder that GOLDMARK_LABEL_STUDIO names.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

VERSION = "1.23.2"
_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # of a server that only this machine reaches, for a minute
_USER, _PASSWORD = "manager@example.org", "only-on-loopback"
_WAIT_SECONDS = 600  # the first start makes its database
EXPORTS = ("JSON", "JSON_MIN", "CSV")


def install(folder: Path) -> Path:
    """The program, installed if it is not."""
    program = folder / "bin" / "label-studio"
    if not program.exists():
        venv.create(folder, with_pip=True)
        wanted = f"label-studio=={VERSION}"
        subprocess.run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", wanted], check=True)
    return program


@contextlib.contextmanager
def started(folder: Path, data: Path) -> Iterator[httpx.Client]:
    """A server with an empty database in `data`, and a client that is signed in."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "LABEL_STUDIO_USERNAME": _USER,
        "LABEL_STUDIO_PASSWORD": _PASSWORD,
        "LABEL_STUDIO_USER_TOKEN": _TOKEN,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "COLLECT_ANALYTICS": "0",
        "LATEST_VERSION_CHECK": "0",
    }
    words = [str(install(folder)), "start", "--no-browser", "--port", str(port), "--log-level", "ERROR"]
    with (data / "server.log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(words, env=environment, stdout=log, stderr=log)
        try:
            headers = {"Authorization": f"Token {_TOKEN}"}
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=120) as client:
                _wait(client, server)
                yield client
        finally:
            server.terminate()
            server.wait(30)


def _wait(client: httpx.Client, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            raise SystemExit(f"Label Studio stopped with exit code {server.returncode}")
        with contextlib.suppress(httpx.TransportError):
            if client.get("/health").is_success:
                return
        time.sleep(1)
    raise SystemExit(f"Label Studio did not start within {_WAIT_SECONDS} seconds")


def sent_through(client: httpx.Client, title: str, tasks: list[Any], config: str) -> dict[str, bytes]:
    """What Label Studio exports, in each of its formats, of a project with this config and these tasks."""
    made = client.post("/api/projects", json={"title": title[:50], "label_config": config})
    _fine(made)
    project = made.json()["id"]
    _fine(client.post(f"/api/projects/{project}/import", json=tasks))
    found: dict[str, bytes] = {}
    for name in EXPORTS:
        exported = client.get(f"/api/projects/{project}/export", params={"exportType": name})
        _fine(exported)
        found[name] = exported.content
    return found


def _fine(reply: httpx.Response) -> None:
    if not reply.is_success:
        raise SystemExit(f"{reply.request.method} {reply.request.url.path}: {reply.status_code} {reply.text[:2000]}")


if __name__ == "__main__":
    print(install(Path(sys.argv[1])))
