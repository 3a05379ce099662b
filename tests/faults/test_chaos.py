"""Chaos: a server that is killed, restarted, put to sleep, left without disk and given other clocks while people work.

A history of everything that was asked and answered is kept, and checked against the database at the end: no answer that
was acknowledged is lost, doubled or altered, nobody got or sent what is another's, and every count adds up.
`GOLDMARK_CHAOS_SECONDS` says how long it goes on.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import random
import signal
import subprocess
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.signing_keys import signing_key
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, move
from goldmark.people import annotators as people
from goldmark.protocols import load
from goldmark.store import open_store
from goldmark.store.migrate import prepare
from goldmark.store.tables import annotator, assignment, response, unit
from goldmark.store.upkeep.health import check
from tests.campaigns.house import unit as make_unit
from tests.faults.programs import Program, Server, Unsure

SECONDS = float(os.environ.get("GOLDMARK_CHAOS_SECONDS", "60"))
PEOPLE, LABELS = 12, 3
MOVED_CLOCK = Path(__file__).parent / "moved_clock"
HOUR = 3600
DISK = 48  # megabytes


@dataclass
class Person(Program):
    """An annotator who writes down everything, and works until time is up."""

    stop: threading.Event = field(default_factory=threading.Event)
    shown: list[tuple[int, str]] = field(default_factory=list)  # assignment, the text that came with it
    sent: set[tuple[int, str]] = field(default_factory=set)  # assignment, key: whether it was kept is not known
    refused: Counter[str] = field(default_factory=Counter)

    def _work(self) -> None:
        rng = random.Random(self.seed)
        while not self.stop.is_set():
            following: dict[str, Any] | None = self._ask("/api/v1/work/next", {})
            while following is not None and following["assignment"] is not None and not self.stop.is_set():
                number = following["assignment"]["id"]
                self.shown.append((number, following["assignment"]["unit"]["texts"]["text"]["characters"]))
                time.sleep(rng.uniform(0.01, 0.1))
                following = self._answer(number)
            time.sleep(0.05)

    def _answer(self, number: int) -> dict[str, Any] | None:
        key = uuid.uuid4().hex
        mistakes = [{"id": "e1", "start": 0, "end": 1, "label": "NAME", "correction": key}]
        self.sent.add((number, key))
        body = {"answers": {"mistakes": mistakes}, "client_key": key, "seconds_active": 1.0}
        try:
            reply = self._ask(f"/api/v1/work/assignments/{number}/responses", body)
        except AssertionError as error:  # it took too long, and its place is another's: told, so nothing is lost
            self.refused[str(error)[:120]] += 1
            return None
        self.acknowledged.append((number, key))
        following: dict[str, Any] = reply["next"]
        return following

    def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        while True:
            try:
                return self._post(path, body)
            except (OSError, http.client.HTTPException, Unsure):
                self.repeated += 1
                if self.stop.is_set():
                    raise _Over from None
                time.sleep(0.05)

    def run(self) -> None:
        with contextlib.suppress(_Over):
            super().run()


class _Over(BaseException):
    """Time is up while the server is away."""


class Chaos:
    """What can happen to a server, one thing after the other."""

    def __init__(self, server: Server, folder: Path, disk: Path | None, rng: random.Random) -> None:
        self.server, self.disk, self.rng = server, disk, rng
        self.clock = folder / "clock"
        self.clock.write_text("0")
        self.done: Counter[str] = Counter()
        server.environment.update({"PYTHONPATH": str(MOVED_CLOCK), "GOLDMARK_MOVED_CLOCK": str(self.clock)})

    def faults(self) -> dict[str, Callable[[], None]]:
        found = {"killed": self.killed, "restarted": self.restarted, "asleep": self.asleep}
        found["clock moved"] = self.clock_moved
        if self.disk is not None:
            found["disk full"] = self.disk_full
        return found

    def run(self, seconds: float) -> None:
        over, faults = time.monotonic() + seconds, self.faults()
        while time.monotonic() < over:
            self.wait_until_up()
            time.sleep(self.rng.uniform(0.5, 5.0))  # sometimes people work for a while, sometimes they just begin
            name = self.rng.choice(sorted(faults))
            faults[name]()
            self.done[name] += 1
            if not self.server.is_alive():
                self.server.start()

    def wait_until_up(self) -> None:
        for _ in range(1200):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=5)
            try:
                connection.request("GET", "/healthz")
                if connection.getresponse().status == 200:
                    return
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
            finally:
                connection.close()
        raise AssertionError("the server does not come back")

    def killed(self) -> None:
        self.server.kill()

    def restarted(self) -> None:
        self.server.end()

    def asleep(self) -> None:
        self.server.signal(signal.SIGSTOP)
        time.sleep(self.rng.uniform(0.5, 3.0))
        self.server.signal(signal.SIGCONT)

    def disk_full(self) -> None:
        """Nothing more can be written; in half of the cases the server dies of something else meanwhile."""
        assert self.disk is not None
        ballast = self.disk / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(65536))
        time.sleep(self.rng.uniform(0.5, 3.0))
        if self.rng.random() < 0.5:
            self.server.kill()
        ballast.unlink()

    def clock_moved(self) -> None:
        """To the next day, an hour back, or right again: leases run out, and times run backwards."""
        self.clock.write_text(str(self.rng.choice([0, 26 * HOUR, -HOUR, HOUR * 3 // 2])))


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Path | None]]:
    """A database, and for SQLite the small disk on which it lies, where such can be made."""
    if request.param == "postgresql":
        yield request.getfixturevalue("postgres_database"), None
        return
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "tmpfs", disk], capture_output=True)
    path = disk / "goldmark.db"
    store = open_store(str(path))
    prepare(store)
    store.close()
    yield str(path), disk if made.returncode == 0 else None
    if made.returncode == 0:
        subprocess.run(["umount", "-l", disk], check=False)


@pytest.mark.slow
def test_what_was_acknowledged_survives_everything(place: tuple[str, Path | None], tmp_path: Path) -> None:
    database, disk = place
    store = open_store(database)
    units = int(SECONDS * 80)  # more than they can do, so that every fault finds them at work
    create(
        store,
        name="chaos",
        title="Chaos",
        protocol=load("accuracy"),
        settings=Settings(labels_per_unit=LABELS),
        units=[make_unit(f"u{number}", f"Text number {number} .") for number in range(units)],
        author="test",
    )
    move(store, "chaos", "started", author="test")
    links = SignedLinks(signing_key(database))
    tokens = [people.invite(store, links, "chaos", f"p{n}", author="test")[1] for n in range(PEOPLE)]
    store.close()
    server = Server(database, processes=2 if disk is None and database.startswith("postgresql") else 1)
    chaos = Chaos(server, tmp_path, disk, random.Random(17))
    crowd = [Person(server.port, token, seed) for seed, token in enumerate(tokens)]
    threads = [threading.Thread(target=person.run) for person in crowd]
    server.start()
    try:
        for thread in threads:
            thread.start()
        chaos.run(SECONDS)
        chaos.wait_until_up()
        time.sleep(3)  # a last quiet while
    finally:
        for person in crowd:
            person.stop.set()
        for thread in threads:
            thread.join(timeout=60)
        server.kill()
    assert [person.failure for person in crowd if person.failure] == []
    acknowledged = sum(len(person.acknowledged) for person in crowd)
    repeated = sum(person.repeated for person in crowd)
    refused = sum((person.refused for person in crowd), Counter[str]())
    kind = "PostgreSQL" if database.startswith("postgresql") else "SQLite"
    print(f"{kind}: {dict(chaos.done)}; {acknowledged} acknowledged, {repeated} asked again, {dict(refused)} refused")
    assert sum(chaos.done.values()) >= 2
    assert repeated > 0, "nobody noticed anything; this proves nothing"
    assert 0 < acknowledged < units * LABELS, "nobody got anything done, or nothing was left to do; this proves nothing"
    _check_history(database, crowd)


def _check_history(database: str, crowd: list[Person]) -> None:
    store = open_store(database)

    def everything(connection: Any) -> list[list[Any]]:
        held = (
            select(assignment.c.id, assignment.c.unit_id, annotator.c.name.label("who"), unit.c.name.label("unit"))
            .join(annotator, annotator.c.id == assignment.c.annotator_id)
            .join(unit, unit.c.id == assignment.c.unit_id)
        )
        given = select(response.c.assignment_id, response.c.client_key, response.c.answers)
        counts = select(unit.c.name, unit.c.taken, unit.c.done)
        return [connection.execute(one).all() for one in (held, given, counts)]

    held, kept, counts = store.read(everything)
    owner = {row.id: row for row in held}
    stored = [(row.assignment_id, row.client_key) for row in kept]
    assert max(Counter(key for _, key in stored).values(), default=0) <= 1, "an answer is there twice"
    for number, person in enumerate(crowd):
        name = f"p{number}"
        lost = set(person.acknowledged) - set(stored)
        assert lost == set(), f"{name}: {len(lost)} acknowledged answers are lost"
        for shown, text in person.shown:
            assert owner[shown].who == name, "somebody was given what is another's"
            assert text == f"Text number {owner[shown].unit[1:]} ."
    senders = {(where, key): f"p{number}" for number, person in enumerate(crowd) for where, key in person.sent}
    for row in kept:
        assert senders[row.assignment_id, row.client_key] == owner[row.assignment_id].who, "kept under another's name"
        answers = row.answers if isinstance(row.answers, str) else str(row.answers)
        assert row.client_key in answers, "an answer was altered"
    meetings = [(row.unit_id, row.who) for row in held]
    assert len(set(meetings)) == len(meetings), "somebody saw a unit twice"
    assert all(row.done <= row.taken <= LABELS for row in counts), "a unit has more labels than were asked for"
    assert check(store).problems == ()
    store.close()
