"""What a manager's acts cost the server, and whether annotators notice them.

A campaign with many answers, twenty people who work in another one at an even pace, and a manager who opens pages,
exports and imports. For each act: seconds until it is done, processor time of the server process beyond what the
annotators' answers took, and the slowest one in a hundred of their replies meanwhile, beside what they wait when nobody
manages. On a machine with other work, only the processor time and the memory say something.

`GOLDMARK_BENCH_RESPONSES` says how many answers the campaign has (20,000 unless told); the largest measured was 66,700.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from benchmarks import server
from benchmarks._filled import fill, marked, rated
from goldmark.accounts.roles import Role
from goldmark.accounts.service import AccountService
from goldmark.protocols import load
from goldmark.store import open_store
from goldmark.store.migrate import prepare

RESPONSES = int(os.environ.get("GOLDMARK_BENCH_RESPONSES", "20000"))
PEOPLE, EVERY = 20, 0.25  # annotators, and seconds between two answers of one


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", uuid.uuid4().hex)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        address = str(Path(folder) / "bench.db")
        tokens = server._prepare(address, PEOPLE, 20_000, 3)
        token = _filled(address)
        print(f"{RESPONSES:,} responses of spans and as many of ratings", flush=True)
        with server.serving(address) as (port, process):
            asyncio.run(_all(port, process, tokens, token, address, Path(folder)))


def _filled(address: str) -> str:
    store = open_store(address)
    prepare(store)
    fill(store, "spans", load("accuracy"), marked, RESPONSES)
    fill(store, "ratings", load("rating-summary"), rated, RESPONSES)
    accounts = AccountService(store)
    account = accounts.create("manager", Role.OWNER, None, author="bench")
    _, token = accounts.new_token(account.id, "bench")
    store.close()
    return token


async def _all(
    port: int, process: subprocess.Popen[str], tokens: list[str], token: str, address: str, folder: Path
) -> None:
    serving = psutil.Process(process.pid)
    waits: list[tuple[float, float]] = []  # when a reply was asked for, and how long it took
    working = [asyncio.create_task(_work(port, one, waits)) for one in tokens]
    await asyncio.sleep(2)
    spent, before = _computed(serving), len(waits)
    await asyncio.sleep(5)
    each = (_computed(serving) - spent) / (len(waits) - before)  # seconds that an answer costs
    print(f"{'nobody manages':28} {'':34} annotators' p99 {_p99(waits, 0):6.0f} ms   {_megabytes(serving):4.0f} MB")

    async def act(name: str, does: Callable[[], str]) -> None:
        began, spent, before = time.perf_counter(), _computed(serving), len(waits)
        said = await asyncio.to_thread(does)
        seconds, computing = time.perf_counter() - began, _computed(serving) - spent - each * (len(waits) - before)
        print(
            f"{name:28} {seconds:6.1f} s, {computing:6.2f} s in the server; "
            f"annotators' p99 {_p99(waits, began):6.0f} ms   {_megabytes(serving):4.0f} MB   {said}",
            flush=True,
        )
        await asyncio.sleep(1)

    def run(*arguments: str) -> Callable[[], str]:
        return lambda: _ran(address, *arguments)

    def page(path: str) -> Callable[[], str]:
        return lambda: _got(port, path, token)

    for campaign in ("spans", "ratings"):
        await act(f"quality of {campaign}", page(f"/api/v1/campaigns/{campaign}/quality"))
        await act("  again", page(f"/api/v1/campaigns/{campaign}/quality"))
        await act("  one person", page(f"/api/v1/campaigns/{campaign}/quality/{_person(address, campaign)}"))
        await act("  results", page(f"/api/v1/campaigns/{campaign}/results"))
        await act("  agreement", page(f"/api/v1/campaigns/{campaign}/status/agreement"))
        await act("  review figures", page(f"/api/v1/campaigns/{campaign}/reviews/figures"))
        await act("  suggestions", page(f"/api/v1/campaigns/{campaign}/suggestions"))
        for format_name in ("jsonl", "csv", "parquet", "tidy"):
            await act(f"  export {format_name}", page(f"/api/v1/campaigns/{campaign}/export?format={format_name}"))
        target = str(folder / f"{campaign}.jsonl")
        await act("  export by command", run("export", campaign, target))
        await act("  import by command", run("import", target, "--name", f"{campaign}2"))
    for one in working:
        one.cancel()


async def _work(port: int, token: str, waits: list[tuple[float, float]]) -> None:
    """One annotator at an even pace."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reply = await server._ask(reader, writer, "/api/v1/work/next", token, "")
    while True:
        await asyncio.sleep(EVERY)
        path, body = server.answer_to(reply)
        began = time.perf_counter()
        reply = await server._ask(reader, writer, path, token, body)
        waits.append((began, time.perf_counter() - began))


def _p99(waits: list[tuple[float, float]], since: float) -> float:
    some = [took for began, took in waits if began >= since - EVERY]
    return 1000 * statistics.quantiles(some, n=100)[98] if len(some) > 1 else float("nan")


def _computed(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss / 1e6)


def _person(address: str, campaign: str) -> int:
    from sqlalchemy import select

    from goldmark.store.tables import annotator
    from goldmark.store.tables import campaign as campaigns

    store = open_store(address)
    query = select(annotator.c.id).join(campaigns).where(campaigns.c.name == campaign).limit(1)
    found = store.read(lambda connection: connection.execute(query).scalar_one())
    store.close()
    return int(found)


def _got(port: int, path: str, token: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", path, headers={"authorization": f"Bearer {token}"})
    reply = connection.getresponse()
    size = 0
    while some := reply.read(1 << 20):
        size += len(some)
    connection.close()
    return f"{reply.status}, {size / 1000:,.0f} kB"


def _ran(address: str, *arguments: str) -> str:
    command = [sys.executable, "-m", "goldmark", "campaign", *arguments, "--database", address]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    most, beside = 0.0, psutil.Process(running.pid)
    while running.poll() is None:
        try:
            most = max(most, _megabytes(beside))
        except psutil.Error:
            break
        time.sleep(0.05)
    _, said = running.communicate()
    last: Any = said.decode().strip().splitlines() or [""]
    return f"at most {most:.0f} MB; {last[-1][:60]}"
