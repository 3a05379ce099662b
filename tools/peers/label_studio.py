"""Label Studio, run: tasks are sent through a project of it.

    python -m tools.peers.label_studio FOLDER     installs it there, which takes minutes and about a gigabyte

The slow tests use the folder that GOLDMARK_LABEL_STUDIO names.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tools.peers.server import fine, free_port, install, running, wait_for

WANTED = ("label-studio==1.23.2",)
_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # of a server that only this machine reaches, for a minute
USER, PASSWORD = "manager@example.org", "only-on-loopback"
EXPORTS = ("JSON", "JSON_MIN", "CSV")


@contextlib.contextmanager
def started(folder: Path, data: Path) -> Iterator[httpx.Client]:
    """A server with an empty database in `data`, and a client that is signed in."""
    port = free_port()
    environment = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "LABEL_STUDIO_USERNAME": USER,
        "LABEL_STUDIO_PASSWORD": PASSWORD,
        "LABEL_STUDIO_USER_TOKEN": _TOKEN,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "COLLECT_ANALYTICS": "0",
        "LATEST_VERSION_CHECK": "0",
    }
    program = str(install(folder, *WANTED) / "label-studio")
    log = data / "server.log"
    words = [program, "start", "--no-browser", "--port", str(port), "--log-level", "ERROR"]
    headers = {"Authorization": f"Token {_TOKEN}"}
    with (
        running(words, log, environment, data),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=120) as client,
    ):
        wait_for(client, "/health", log)
        yield client


def sent_through(client: httpx.Client, title: str, tasks: list[Any], config: str) -> dict[str, bytes]:
    """What Label Studio exports, in each of its formats, of a project with this config and these tasks."""
    made = client.post("/api/projects", json={"title": title[:50], "label_config": config})
    fine(made)
    project = made.json()["id"]
    fine(client.post(f"/api/projects/{project}/import", json=tasks))
    found: dict[str, bytes] = {}
    for name in EXPORTS:
        exported = client.get(f"/api/projects/{project}/export", params={"exportType": name})
        fine(exported)
        found[name] = exported.content
    return found


if __name__ == "__main__":
    print(install(Path(sys.argv[1]), *WANTED))
