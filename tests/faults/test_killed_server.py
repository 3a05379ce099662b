"""A server killed without warning, several times, under working annotators: nothing lost, nothing doubled."""

from __future__ import annotations

import contextlib
import http.client
import threading
import time
from collections import Counter
from collections.abc import Callable
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
from goldmark.store.tables import assignment, response, unit
from goldmark.store.upkeep.health import check
from tests.campaigns.house import unit as make_unit
from tests.faults.programs import Program, Server

LABELS = 3


def test_no_acknowledged_answer_is_lost_or_doubled(sqlite_database: str) -> None:
    nothing_lost_and_nothing_doubled(sqlite_database, units=12, annotators=4, kills=1)


@pytest.mark.slow
def test_nor_under_twenty_annotators_and_four_kills(database: str) -> None:
    nothing_lost_and_nothing_doubled(database, units=150, annotators=20, kills=4)


@pytest.mark.slow
def test_two_servers_of_which_one_is_always_dying(postgres_database: str) -> None:
    nothing_lost_and_nothing_doubled(postgres_database, units=60, annotators=8, kills=4, servers=2)


def test_the_processes_of_a_server_whose_first_was_killed_leave(postgres_database: str) -> None:
    """The one that was started dies alone; the port is free for the next."""
    server = Server(postgres_database, 2, {"GOLDMARK_SECRET": "a key for this test"})
    server.start()
    try:
        _wait(lambda: _answers(server.port))
        server.kill_first()
        _wait(lambda: not _answers(server.port))
    finally:
        server.kill()


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    return False


def _wait(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.1)


class Roaming(Program):
    """Every request goes to another server, as behind a proxy."""

    ports: tuple[int, ...] = ()

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self.port = self.ports[(self.ports.index(self.port) + 1) % len(self.ports)]
        return super()._post(path, body)


def nothing_lost_and_nothing_doubled(
    database: str, *, units: int, annotators: int, kills: int, servers: int = 1
) -> None:
    store = open_store(database)
    create(
        store,
        name="faults",
        title="Faults",
        protocol=load("accuracy"),
        settings=Settings(labels_per_unit=LABELS),
        units=[make_unit(f"u{number}") for number in range(units)],
        author="test",
    )
    move(store, "faults", "started", author="test")
    links = SignedLinks(signing_key(database))
    tokens = [people.invite(store, links, "faults", f"p{n}", author="test")[1] for n in range(annotators)]
    store.close()

    many = 2 if database.startswith("postgresql") and servers == 1 else 1
    running = [Server(database, processes=many) for _ in range(servers)]
    programs = [Roaming(running[0].port, token, seed) for seed, token in enumerate(tokens)]
    Roaming.ports = tuple(server.port for server in running)
    crowd = [threading.Thread(target=program.run) for program in programs]
    for server in running:
        server.start()
    try:
        for thread in crowd:
            thread.start()
        for kill in range(kills):
            _wait_for_progress(programs, units * LABELS // (3 * kills))
            running[kill % servers].kill()
            running[kill % servers].start()
        for thread in crowd:
            thread.join(timeout=600)
    finally:
        for server in running:
            server.kill()

    assert [program.failure for program in programs if program.failure] == []
    assert sum(program.repeated for program in programs) > 0, "the kills hit nobody; the test proves nothing"
    acknowledged = [one for program in programs for one in program.acknowledged]
    store = open_store(database)
    kept = store.read(
        lambda connection: connection.execute(select(response.c.assignment_id, response.c.client_key)).all()
    )
    labels = store.read(lambda connection: connection.execute(select(unit.c.done, unit.c.taken)).all())
    meetings = store.read(
        lambda connection: connection.execute(select(assignment.c.unit_id, assignment.c.annotator_id)).all()
    )
    assert set(acknowledged) <= {tuple(row) for row in kept}, "an acknowledged answer is lost"
    assert max(Counter(row.assignment_id for row in kept).values()) == 1, "an answer is doubled"
    assert {tuple(row) for row in labels} == {(LABELS, LABELS)}, "a unit has not exactly its labels"
    assert len(set(meetings)) == len(meetings) == units * LABELS, "somebody saw a unit twice"
    assert check(store).problems == ()
    store.close()


def _wait_for_progress(programs: list[Roaming], more: int) -> None:
    """Until the crowd has done some more, so that the kill comes in the middle of work."""
    before = sum(len(program.acknowledged) for program in programs)
    while sum(len(program.acknowledged) for program in programs) < before + more:
        assert not any(program.failure for program in programs)
        time.sleep(0.02)
