"""What it costs to start: the first page of a server, what it holds while nobody asks, and the first of each command.

Routes are built when they are first asked for, so the first request for a page of its kind takes longer than those
after it. An annotator should notice neither that of their own nor a manager's: the longest wait of one who asks all the
time is measured while pages and calls that nobody has used yet are opened one after the other.

Processor time (user and system) of the processes themselves; other work on the machine changes it less than the clock.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from benchmarks import server

STARTS = 5
COMMANDS = (("--help",), ("campaign", "--help"), ("score", "--help"), ("serve", "--help"))
UNUSED = ("/leaderboards", "/docs/", "/campaigns/bench/results", "/campaigns/bench/curation", "/api/v1/openapi.json")


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", uuid.uuid4().hex)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        address = str(Path(folder) / "start.db")
        tokens = server._prepare(address, 1, 100, 3)
        _starts(address)
        _first_requests(address, tokens[0])
    for command in COMMANDS:
        print(f"goldmark {' '.join(command)}: {min(_command(command) for _ in range(STARTS)):.2f} s of processor time")


def _starts(address: str) -> None:
    took, spent = [], []
    for number in range(STARTS):
        began = time.perf_counter()
        with server.serving(address) as (port, process):
            asyncio.run(server._first_page(port))
            took.append(time.perf_counter() - began)
            times = psutil.Process(process.pid).cpu_times()
            spent.append(times.user + times.system)
            if number == STARTS - 1:
                time.sleep(8)  # its worker begins, and everything settles
                held = psutil.Process(process.pid).memory_full_info()
                worker = [one.memory_full_info() for one in psutil.Process(process.pid).children(recursive=True)]
    print(f"cold start to first page, best of {STARTS}: {min(took):.2f} s, {min(spent):.2f} s of processor time")
    print(
        f"idle server: {held.rss / 1e6:.0f} MB, of which its own {held.uss / 1e6:.0f} MB;"
        f" its {len(worker)} worker: {sum(one.rss for one in worker) / 1e6:.0f} MB,"
        f" of which its own {sum(one.uss for one in worker) / 1e6:.0f} MB",
        flush=True,
    )


def _first_requests(address: str, token: str) -> None:
    with server.serving(address, workers=0) as (port, process):
        known = psutil.Process(process.pid)
        for name, path in (("an annotator's page", f"/a/{token}"), ("their work", "/api/v1/work")):
            first, again = (_ask(port, path, token) for _ in range(2))
            print(f"{name}: first {first * 1000:.0f} ms, again {again * 1000:.0f} ms")
        calm = max(_ask(port, "/api/v1/work", token) for _ in range(100))
        waits: list[float] = []
        before = server.computed(known)
        with ThreadPoolExecutor(1) as pool:
            opening = pool.submit(lambda: [_ask(port, path, "") for path in UNUSED])
            while not opening.done():
                waits.append(_ask(port, "/api/v1/work", token))
        firsts = ", ".join(f"{path} {took * 1000:.0f} ms" for path, took in zip(UNUSED, opening.result(), strict=True))
        print(f"opened for the first time: {firsts} ({server.computed(known) - before:.1f} s of processor time)")
        print(f"an annotator's longest wait: {calm * 1000:.0f} ms, meanwhile {max(waits) * 1000:.0f} ms", flush=True)


def _ask(port: int, path: str, token: str) -> float:
    """Seconds until the whole reply is there, whatever it says."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"authorization": f"Bearer {token}"})
    began = time.perf_counter()
    try:
        with urllib.request.urlopen(asked) as reply:
            reply.read()
    except urllib.error.HTTPError as refused:
        refused.read()
    return time.perf_counter() - began


def _command(arguments: tuple[str, ...]) -> float:
    measured = (
        "import json, resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
        "use = resource.getrusage(resource.RUSAGE_CHILDREN); print(json.dumps(use.ru_utime + use.ru_stime))"
    )
    command = [sys.executable, "-c", measured, sys.executable, "-m", "goldmark", *arguments]
    return float(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
