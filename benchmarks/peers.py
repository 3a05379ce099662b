"""Goldmark and pearmut in one sitting: the same machine, the same driver, turn by turn.

pearmut comes from the package registry into an environment of its own, which is gone afterwards; it needs Python 3.12,
so such a Python is looked for. Fifty people mark fifteen spans in each text of 300 words. A cycle is what the page of
each tool does: pearmut's sends the answer and asks for the next text, Goldmark's reply to the answer brings it.
Goldmark's answers are on disk before they are acknowledged and units are handed out from a common pool; pearmut appends
to a file, and everybody has texts of their own (`task-based`), which is the quickest of its ways. Both servers listen
on this machine only.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks import server
from goldmark.store import open_store
from goldmark.store.migrate import prepare

ROUNDS = 3
ANNOTATORS = 50
TEXTS_EACH = 200
PATIENCE = 300  # seconds, for the registry
WORDS = " ".join(f"word{n}" for n in range(server.WORDS))
SERVE = "import sys, uvicorn; from pearmut.app import app; uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]))"


class CannotInstall(Exception):
    pass


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", uuid.uuid4().hex)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        try:
            python, version = install(Path(folder) / "environment")
        except CannotInstall as error:
            print(f"pearmut cannot be installed here, so nothing was measured: {error}")
            return
        print(f"pearmut {version}, {ANNOTATORS} annotators, {ANNOTATORS * TEXTS_EACH:,} texts of {server.WORDS} words")
        found: dict[str, list[server.Outcome]] = {"pearmut": [], "sqlite": [], "postgresql": []}
        for turn in range(ROUNDS):
            load = os.getloadavg()[0]
            for name, outcomes in found.items():
                outcomes.append(_pearmut(python, Path(folder) / f"{turn}") if name == "pearmut" else _goldmark(name))
                print(f"  turn {turn + 1}, {name}: {_told(outcomes[-1])}   load {load:.0f}", flush=True)
        _compare(found)
        _starts(python, Path(folder))


def install(environment: Path) -> tuple[Path, str]:
    """An environment with pearmut: its Python, and which pearmut it is."""
    wanted = _newer_python()
    if wanted is None:
        raise CannotInstall("it needs Python 3.12 or later, and there is none")
    python = environment / "bin" / "python"
    for command in (f"{wanted} -m venv {environment}", f"{python} -m pip install --quiet pearmut"):
        try:
            done = subprocess.run(command.split(), check=False, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise CannotInstall(f"the registry did not answer within {PATIENCE} s") from error
        if done.returncode:
            raise CannotInstall(done.stderr.strip()[-1000:])
    asked = "import importlib.metadata; print(importlib.metadata.version('pearmut'))"
    return python, subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()


def _newer_python() -> str | None:
    """On the path, or among those that pyenv has installed."""
    names = [f"3.{minor}" for minor in range(12, 16)]
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    known = [str(one) for name in names for one in sorted(kept.glob(f"{name}.*/bin/python"))]
    for python in (*filter(None, (shutil.which(f"python{name}") for name in names)), *known):
        # What stands on the path may only say that it is not there.
        if subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode == 0:
            return python
    return None


def _goldmark(kind: str) -> server.Outcome:
    with server._database(kind) as address:
        processes = 2 if kind == "postgresql" else 1
        return server.measure(address, ANNOTATORS, ANNOTATORS * TEXTS_EACH, 3, processes=processes)


def _pearmut(python: Path, folder: Path) -> server.Outcome:
    names = [f"a{number}" for number in range(ANNOTATORS)]
    text = [{"tgt": {"system": WORDS}, "item_id": "t"}]
    campaign = {
        "campaign_id": "bench",
        "info": {"assignment": "task-based", "protocol": "ESA", "users": names},
        "data": [[text] * TEXTS_EACH for _ in names],
    }
    folder.mkdir()
    (folder / "bench.json").write_text(json.dumps(campaign))
    add = [str(python.with_name("pearmut")), "add", "bench.json"]
    subprocess.run(add, cwd=folder, env=_at(folder), check=True, stdout=subprocess.DEVNULL, timeout=120)
    with _serving(python, folder) as (port, process):
        return server.drive(process, [partial(_annotate, port, name) for name in names])


def _at(folder: Path) -> dict[str, str]:
    return {**os.environ, "PEARMUT_ROOT": str(folder)}


@contextlib.contextmanager
def _serving(python: Path, folder: Path) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [str(python), "-c", SERVE, str(port)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder, env=_at(folder), stdout=quiet, stderr=quiet, text=True)
    try:
        until = time.monotonic() + 60
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("pearmut did not start")
            time.sleep(0.01)
        yield port, process
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


_SPANS = [
    {"start_i": n * 100, "end_i": n * 100 + 10, "category": None, "severity": "major"} for n in range(server.SPANS)
]
_PAYLOAD = json.dumps(
    {
        "annotation": [{"system": {"score": 50, "error_spans": _SPANS}}],
        "actions": [{"time": 1.0, "action": "load"}, {"time": 12.5, "action": "submit"}],
        "item": [{"tgt": {"system": WORDS}, "item_id": "t"}],  # its page sends the text back
    }
)


async def _annotate(port: int, name: str, end: float, cycles: list[server.Cycle]) -> None:
    clock = asyncio.get_running_loop().time
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    who = f'"campaign_id": "bench", "user_id": "{name}"'
    reply = await server._ask(reader, writer, "/get-next-item", "", f"{{{who}}}")
    while clock() < end:
        found = re.search(rb'"item_i":(\d+)', reply)
        if found is None:
            raise RuntimeError(f"no text was left: {reply[:200]!r}")
        started = clock()
        answer = f'{{{who}, "item_i": {int(found.group(1))}, "payload": {_PAYLOAD}}}'
        await server._ask(reader, writer, "/log-response", "", answer)
        reply = await server._ask(reader, writer, "/get-next-item", "", f"{{{who}}}")
        cycles.append((started, clock() - started))
    writer.close()


def _told(outcome: server.Outcome) -> str:
    p50, _, p99 = outcome.milliseconds
    own, database = outcome.computing
    return (
        f"{outcome.cycles_per_second:.0f} cycles/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms,"
        f" {own:.2f} + {database:.2f} ms of processor time a cycle, {outcome.megabytes:.0f} MB"
    )


def _compare(found: dict[str, list[server.Outcome]]) -> None:
    """The middle of all turns, and how many times pearmut's cycles that is."""
    theirs = statistics.median(one.cycles_per_second for one in found["pearmut"])
    for name, outcomes in found.items():
        rate = statistics.median(one.cycles_per_second for one in outcomes)
        spent = statistics.median(sum(one.computing) for one in outcomes)
        print(f"{name}: {rate:.0f} cycles/s, {rate / theirs:.1f} times pearmut's; {spent:.2f} ms computing a cycle")


def _starts(python: Path, folder: Path) -> None:
    """From the command to the first page, best of a few by turns."""
    address = str(folder / "cold.db")
    store = open_store(address)
    prepare(store)
    store.close()
    took: dict[str, list[float]] = {"pearmut": [], "goldmark": []}
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with _serving(python, folder / "0") as (port, _process):
            asyncio.run(server._first_page(port, "/annotate"))
            took["pearmut"].append(time.perf_counter() - began)
        began = time.perf_counter()
        with server.serving(address, workers=0) as (port, _process):
            asyncio.run(server._first_page(port))
            took["goldmark"].append(time.perf_counter() - began)
    for name, seconds in took.items():
        print(f"{name}: {min(seconds):.2f} s from a cold start to the first page, best of {ROUNDS}")


if __name__ == "__main__":
    main()
