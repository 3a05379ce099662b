"""How large a campaign and how many people one server carries.

Campaigns of texts with 120 words are created, exported and imported by command, at one size and at a quarter of it:
memory that is flat says that any size goes. The same of one with many answers, and how long texts that are added hold
the one writer of SQLite. Then a thousand people who have a unit open, a hundred of whom answer every ten seconds.
Processor time and memory of the commands are those of their processes, so other work on the machine hardly changes
them; replies' times it does. What starting costs, `start` measures.

`BENCH_UNITS` says how many texts the larger campaign has (50,000 unless told), `BENCH_RESPONSES` how many answers are
imported (66,700).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import psutil

from benchmarks import server
from benchmarks._filled import fill, marked
from goldmark.campaigns.definition.units.additions import add_texts
from goldmark.protocols import load
from goldmark.store import open_store
from goldmark.store.migrate import prepare
from goldmark.store.writer import GroupWriter

UNITS = int(os.environ.get("BENCH_UNITS", "50000"))
RESPONSES = int(os.environ.get("BENCH_RESPONSES", "66700"))
WORDS = 120
CONNECTED, SUBMITTING, EVERY, HERE, SECONDS = 1000, 100, 10.0, 60.0, 40.0


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", uuid.uuid4().hex)
    print(f"load of the machine before: {_load()}")
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        for units in (UNITS // 4, UNITS):
            _campaign(Path(folder), units, str(Path(folder) / f"{units}.db"))
        with server._database("postgresql") as address:
            _campaign(Path(folder), UNITS, address)
        _answered(Path(folder))
        _held(Path(folder))
        for kind, processes in (("sqlite", 1), ("postgresql", 2)):
            with server._database(kind) as address:
                _crowd(kind, address, processes)
    print(f"load of the machine after: {_load()}")


def _load() -> str:
    return ", ".join(f"{one:.1f}" for one in os.getloadavg())


def _campaign(folder: Path, units: int, database: str) -> None:
    """Create, export and import by command, as somebody with a large campaign would."""
    kind = "PostgreSQL" if "://" in database else "SQLite"
    rng = random.Random(units)
    words = [f"word{n}" for n in range(5000)]
    with (folder / "texts.jsonl").open("w") as texts:
        for number in range(units):
            text = " ".join(rng.choices(words, k=WORDS)) + "."
            texts.write(json.dumps({"id": f"u{number}", "text": text, "system": f"s{number % 4}"}) + "\n")
    (folder / "campaign.yaml").write_text(
        f"campaign: large{units}\nprotocol: rating-summary\ntexts: texts.jsonl\nlabels_per_unit: 3\n"
    )
    out = str(folder / f"{units}-{kind}.jsonl")
    for verb, arguments in (
        ("create", ("create", str(folder / "campaign.yaml"))),
        ("export", ("export", f"large{units}", out)),
        ("import", ("import", out, "--name", "again")),
    ):
        spent, megabytes = _command("campaign", *arguments, "--database", database)
        told = f"{spent:.1f} s computing, {megabytes:.0f} MB"
        print(f"{verb} {units:,} texts of {WORDS} words, {kind}: {told}", flush=True)


def _answered(folder: Path) -> None:
    """A campaign with many answers out and in again."""
    database, out = str(folder / "answered.db"), str(folder / "answered.jsonl")
    store = open_store(database)
    prepare(store)
    fill(store, "answered", load("accuracy"), marked, RESPONSES)
    store.close()
    for verb, arguments in (("export", ("answered", out)), ("import", (out, "--name", "again"))):
        spent, megabytes = _command("campaign", verb, *arguments, "--database", database)
        print(f"{verb} {RESPONSES:,} responses: {spent:.1f} s computing, {megabytes:.0f} MB", flush=True)


def _held(folder: Path) -> None:
    """How long each piece of many texts holds the writer: between two moments at which others may write."""
    database, path = str(folder / "held.db"), folder / "more.jsonl"
    store = open_store(database)
    prepare(store)
    fill(store, "held", load("accuracy"), marked, 300)
    text = " ".join(f"word{number}" for number in range(WORDS))
    path.write_text("".join(json.dumps({"id": f"more{one}", "text": f"{text} {one}."}) + "\n" for one in range(5_000)))
    by_clock, computing, write = list[float](), list[float](), GroupWriter._write

    def timed(self: GroupWriter, group: Any) -> Any:
        began, worked = time.perf_counter(), time.thread_time()
        try:
            return write(self, group)
        finally:
            by_clock.append(1000 * (time.perf_counter() - began))
            computing.append(1000 * (time.thread_time() - worked))

    GroupWriter._write = timed  # type: ignore[method-assign]
    add_texts(store, "held", [path], tokeniser="rules", sentences="rules", author="benchmark")
    GroupWriter._write = write  # type: ignore[method-assign]
    store.close()
    for name, found in (("by the clock", by_clock), ("computing", computing)):
        told = f"median {statistics.median(found):.1f}, at most {max(found):.1f} ms"
        print(f"the writer is held while 5,000 texts are added, {len(found)} pieces, {name}: {told}", flush=True)


def _command(*arguments: str) -> tuple[float, float]:
    """Processor time of a command and of what it started, and the largest memory of one of its processes."""
    measured = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "use = resource.getrusage(resource.RUSAGE_CHILDREN); print(use.ru_utime + use.ru_stime, use.ru_maxrss / 1000);"
        "sys.exit(done.returncode)"
    )
    command = [sys.executable, "-c", measured, sys.executable, "-m", "goldmark", *arguments]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return float(said[0]), float(said[1])


def _crowd(kind: str, address: str, processes: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 8192), hard), hard))
    tokens = server._prepare(address, CONNECTED, 5000, 3)
    with server.serving(address, processes) as (port, process):
        waits: dict[str, list[float]] = {"submit": [], "here": []}
        spent = asyncio.run(_all(port, tokens, waits, psutil.Process(process.pid)))
        megabytes = server._memory(process)
    for name, found in waits.items():
        cuts = [1000 * one for one in statistics.quantiles(found, n=100)]
        print(f"{kind}, {CONNECTED} connected, {len(found)} times {name}: p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms")
    print(f"  {spent / SECONDS:.1%} of a processor, {megabytes:.0f} MB with worker", flush=True)


async def _all(port: int, tokens: list[str], waits: dict[str, list[float]], serving: psutil.Process) -> float:
    rng = random.Random(1)
    at_once = asyncio.Semaphore(20)

    async def opened(token: str) -> bytes:
        async with at_once:
            return await _once(port, "/api/v1/work/next", token, "")

    units = await asyncio.gather(*(opened(token) for token in tokens))
    before, end = server.computed(serving), time.perf_counter() + SECONDS

    async def person(number: int, token: str, unit: bytes) -> None:
        submits = number < SUBMITTING
        every = EVERY if submits else HERE
        await asyncio.sleep(rng.uniform(0, every))
        while time.perf_counter() < end:
            path, body = server.answer_to(unit) if submits else ("/api/v1/work/here", "{}")
            began = time.perf_counter()
            said = await _once(port, path, token, body)
            waits["submit" if submits else "here"].append(time.perf_counter() - began)
            unit = said if submits else unit
            await asyncio.sleep(every)

    working = [person(*one) for one in zip(range(len(tokens)), tokens, units, strict=True)]
    await asyncio.wait([asyncio.create_task(one) for one in working], timeout=SECONDS + 1)
    return server.computed(serving) - before


async def _once(port: int, path: str, token: str, body: str) -> bytes:
    """A connection for each question: servers close those that say nothing for some seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        return await server._ask(reader, writer, path, token, body)
    finally:
        writer.close()


if __name__ == "__main__":
    main()
