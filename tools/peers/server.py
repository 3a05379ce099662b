"""A program of others in an environment of its own, and its server on loopback for as long as it is needed.

It never meets Goldmark's own environment. Nothing of it listens to other machines.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import httpx

_WAIT_SECONDS = 1800  # a first start makes a database, which takes minutes on a busy machine


def install(folder: Path, *wanted: str, python: str = sys.executable) -> Path:
    """The folder of the programs of an environment in which these packages are installed, now if they were not.

    Some need another Python than Goldmark's own: uv looks for it on the path, or gets one.
    """
    programs = folder / "bin"
    done = folder / "installed.txt"
    if not done.exists() or done.read_text(encoding="utf-8") != "\n".join(wanted):
        uv = str(Path(sys.executable).with_name("uv"))
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", python, str(folder)], check=True)
        place = ["--python", str(programs / "python")]
        subprocess.run([uv, "pip", "install", "--quiet", *place, *wanted], check=True)
        done.write_text("\n".join(wanted), encoding="utf-8")
    return programs


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(
    words: Sequence[str], log: Path, environment: Mapping[str, str], folder: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """The program while it is needed; what it says goes into `log`."""
    with log.open("w", encoding="utf-8") as out:
        program = subprocess.Popen(words, env={**os.environ, **environment}, stdout=out, stderr=out, cwd=folder)
        try:
            yield program
        finally:
            program.terminate()
            program.wait(60)


def wait_for(client: httpx.Client, path: str, log: Path) -> None:
    """Until the server answers there."""
    end = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(httpx.TransportError):
            if client.get(path).status_code < 500:
                return
        time.sleep(1)
    raise SystemExit(f"{path} did not answer within {_WAIT_SECONDS} seconds; {log} says why")


def fine(reply: httpx.Response) -> httpx.Response:
    if reply.status_code >= 400:
        raise SystemExit(f"{reply.request.method} {reply.request.url.path}: {reply.status_code} {reply.text[:2000]}")
    return reply
