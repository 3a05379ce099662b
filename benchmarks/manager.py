"""What a manager's acts cost the server, and whether annotators notice them.

A server with two campaigns of many answers and a third in which twenty people work at an even pace. A manager opens
every page and asks every call that there is, whatever they are, and then adds texts, imports and exports. For each: the
processor time of the server's own process, that of the processes beside it, bytes and memory. On a machine with other
work only these say something; how long annotators waited meanwhile (the slowest one in a hundred) stands beside how
long they waited while nobody managed anything.

`GOLDMARK_BENCH_RESPONSES` says how many answers of ratings there are (66,700 unless told) and `GOLDMARK_BENCH_TIMES`
how many times as many of marks (5). `GOLDMARK_BENCH_DATABASE` names a file to keep the database in and to use again.
`GOLDMARK_BENCH_WITHOUT` is an expression for addresses that are left out: figures of marks take minutes, elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import select

from benchmarks import server
from benchmarks._filled import fill, marked, rated
from benchmarks._multiplied import decide, multiply
from goldmark.accounts.links import SignedLinks
from goldmark.accounts.roles import Role
from goldmark.accounts.service import AccountService
from goldmark.accounts.signing_keys import signing_key
from goldmark.people import annotators as people
from goldmark.protocols import load
from goldmark.store import Store, open_store
from goldmark.store.tables import annotator, assignment, campaign, unit
from goldmark.web.routes import API, PAGES
from goldmark.web.sign_in import SESSION

RESPONSES = int(os.environ.get("GOLDMARK_BENCH_RESPONSES", "66700"))
TIMES = int(os.environ.get("GOLDMARK_BENCH_TIMES", "5"))
PEOPLE, CROWD, EVERY = 20, 200, 0.25  # who works, who has worked, and seconds between two answers of one
MOST_SECONDS, MOST_BYTES = 0.3, 60_000
NOT_A_MANAGERS = re.compile(r"^/(api/v1/work|join|a|crowd|done|link)\b")
WITHOUT = re.compile(os.environ.get("GOLDMARK_BENCH_WITHOUT") or "(?!)")
FILES = re.compile(r"/export|/dataset$|\.(csv|zip|jsonl)$|/gold$")  # asked for at the end, by themselves


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", "a benchmark has nothing to hide from anybody")
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        address = os.environ.get("GOLDMARK_BENCH_DATABASE") or str(Path(folder) / "bench.db")
        if not Path(address).exists():
            _fill(address)
        store = open_store(address)
        manager = Manager(store, address)
        tokens = [
            people.invite(store, manager.links, "bench", uuid.uuid4().hex, author="bench")[1] for _ in range(PEOPLE)
        ]
        print(f"{RESPONSES * TIMES:,} responses of marks, {RESPONSES:,} of ratings", flush=True)
        with server.serving(address) as (port, process):
            asyncio.run(_all(manager, port, process, tokens, Path(folder)))
        store.close()


def _fill(address: str) -> None:
    server._prepare(address, 0, 20_000, 300)
    store = open_store(address)
    row = fill(store, "marks", load("accuracy"), marked, RESPONSES, CROWD)
    decide(store, row, "mistakes")
    multiply(store, row, TIMES)
    row = fill(store, "ratings", load("rating-summary"), rated, RESPONSES, CROWD)
    decide(store, row, None)
    store.close()


class Manager:
    """Somebody who may do everything, in a browser and by program."""

    def __init__(self, store: Store, address: str) -> None:
        self.store = store
        self.links = SignedLinks(signing_key(address))
        accounts = AccountService(store)
        account = accounts.create(f"manager-{uuid.uuid4().hex[:8]}", Role.OWNER, None, author="bench")
        self.token = accounts.new_token(account.id, "bench")[1]
        self.session = accounts.session_for(account.id)

    def paths(self, name: str) -> Iterator[tuple[str, bool]]:
        """Every address that shows something of a campaign or of the server, and whether it is a page."""
        known: dict[str, Any] = {
            f"{table.name}_id": self._one_of(table, name) for table in (unit, annotator, assignment)
        }
        known |= {"name": name, "response_id": known["assignment_id"], "version": 1, "job_id": 1, "system_id": 1}
        known |= {"status": "answered", "coding": name, "form": "csv", "format_name": "jsonl", "path": "index"}
        known["table"] = "errors" if name == "marks" else "ratings"
        for groups, is_page in ((PAGES, True), (API, False)):
            for route in (route for group in groups for route in group.routes):
                path = route.path.replace(":path", "")
                if "GET" in (route.methods or ()) and not NOT_A_MANAGERS.match(path):
                    own = {**known, "name": "accuracy"} if "/protocols/" in path else known
                    yield path.format(**own), is_page

    def _one_of(self, table: Any, name: str) -> int:
        query = select(table.c.id).join(campaign).where(campaign.c.name == name).limit(1)
        return int(self.store.read(lambda connection: connection.execute(query).scalar_one()))

    def get(self, port: int, path: str, is_page: bool = False) -> tuple[int, int]:
        """The status of the reply, and its bytes."""
        cookie = {"cookie": f"{SESSION}={self.session}", "accept": "text/html"}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3600)
        connection.request("GET", path, headers=cookie if is_page else {"authorization": f"Bearer {self.token}"})
        reply, size = connection.getresponse(), 0
        while some := reply.read(1 << 20):
            size += len(some)
        connection.close()
        return reply.status, size


async def _all(manager: Manager, port: int, process: subprocess.Popen[str], tokens: list[str], folder: Path) -> None:
    serving = psutil.Process(process.pid)
    waits: list[tuple[float, float]] = []  # when a reply was asked for, and how long it took
    manager.get(port, "/", True)
    await asyncio.sleep(20)  # whatever follows a start
    spent = _computed(serving)
    await asyncio.sleep(20)
    idle = (_computed(serving) - spent) / 20  # it looks after its jobs, and that is no page's cost
    print(f"a fresh server: {_megabytes(serving):.0f} MB, {1000 * idle:.1f} ms of processor time a second")
    seen: set[str] = set()
    for name in ("marks", "ratings"):
        for path, is_page in manager.paths(name):
            if path in seen or FILES.search(path) or WITHOUT.search(path):
                continue
            seen.add(path)
            await asyncio.to_thread(_show, manager, port, serving, path, is_page, idle)
    working = [asyncio.create_task(_work(port, one, waits)) for one in tokens]
    await asyncio.sleep(3)
    began = time.perf_counter()
    await asyncio.sleep(10)
    print(f"twenty people work and nobody manages: p99 {_p99(waits, began):.0f} ms; {_megabytes(serving):.0f} MB")
    await _acts(manager, port, serving, waits, folder)
    for one in working:
        one.cancel()
    with contextlib.suppress(psutil.NoSuchProcess):
        print(f"at the end: {_megabytes(serving):.0f} MB")


def _show(manager: Manager, port: int, serving: psutil.Process, path: str, is_page: bool, idle: float) -> None:
    """One page or call: its cost, and a sign where that is more than is wanted."""
    here, beside, began = _computed(serving), _beside(serving), time.perf_counter()
    status, size = manager.get(port, path, is_page)
    spent = _computed(serving) - here - idle * (time.perf_counter() - began)
    large = is_page and size > MOST_BYTES and not path.endswith(".svg")  # a picture is no page
    much = "  <-- too much" if spent > MOST_SECONDS or large else ""
    print(
        f"{status} {size / 1000:8.1f} kB {spent:6.2f} s here {_beside(serving) - beside:6.2f} s elsewhere "
        f"{_megabytes(serving):5.0f} MB  {path}{much}",
        flush=True,
    )


async def _acts(
    manager: Manager, port: int, serving: psutil.Process, waits: list[tuple[float, float]], folder: Path
) -> None:
    spent, before = _computed(serving), len(waits)
    await asyncio.sleep(5)
    each = (_computed(serving) - spent) / max(1, len(waits) - before)  # seconds that an answer costs

    async def act(name: str, does: Callable[[], Any]) -> None:
        began, spent, before = time.perf_counter(), _computed(serving), len(waits)
        said = await asyncio.to_thread(does)
        seconds, computing = time.perf_counter() - began, _computed(serving) - spent - each * (len(waits) - before)
        print(
            f"{name:34} {seconds:6.1f} s, {computing:6.2f} s in the server; "
            f"annotators' p99 {_p99(waits, began):6.0f} ms   {_megabytes(serving):4.0f} MB   {said}",
            flush=True,
        )
        began = time.perf_counter()
        await asyncio.sleep(5)
        print(f"{'':34} and then nothing for five seconds: p99 {_p99(waits, began):.0f} ms", flush=True)

    here = "/api/v1/campaigns/ratings"
    for path in ("quality", "results", "status/agreement", "reviews/figures", "dataset"):
        await act(path, lambda path=path: manager.get(port, f"{here}/{path}"))  # type: ignore[misc]
    for format_name in ("jsonl", "csv", "parquet"):
        path = f"{here}/export?format={format_name}"
        await act(f"export {format_name}", lambda path=path: manager.get(port, path))  # type: ignore[misc]
    texts = folder / "texts.jsonl"
    texts.write_text("".join(f'{{"id": "new-{uuid.uuid4().hex}", "text": "{"word " * 120}"}}\n' for _ in range(5_000)))
    address = str(manager.store.url.database)
    await act("5,000 texts by command", lambda: _ran(address, "add-texts", "ratings", str(texts)))
    target = str(folder / "ratings.jsonl")
    await act("export by command", lambda: _ran(address, "export", "ratings", target))
    await act("import by command", lambda: _ran(address, "import", target, "--name", f"again-{uuid.uuid4().hex[:8]}"))


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


def _beside(process: psutil.Process) -> float:
    """Of the processes that it started and that still run."""
    seconds = 0.0
    for one in process.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            seconds += _computed(one)
    return seconds


def _megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss / 1e6)


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
