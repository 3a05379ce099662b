"""No page and no call grows with its campaign: twice the texts, people, answers and decisions, the same bytes and rows.

Every page and every call of the application is asked for, whatever there are. Figures of a large campaign are computed
by another process; what that reads is not counted, what the server reads is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from benchmarks._filled import fill, marked
from benchmarks._multiplied import decide, multiply
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.protocols import load
from goldmark.quality.noisy_monitor import NoisyMonitor
from goldmark.store import open_store
from goldmark.store.tables import annotator, assignment, unit
from goldmark.web import routes
from goldmark.web.computing import computing
from goldmark.web.computing.computing import Computing, Opened
from goldmark.web.runtime.route_groups import RouteGroup
from tests.databases import fresh
from tests.web.house import Browser, House, build

NAME = "grown"
ANNOTATORS = ("goldmark.web.pages.annotators", "goldmark.web.pages.crowd")  # whose pages these are
UNITS, PEOPLE = 340, 211  # more than any page shows; and of their decisions more than any list has
LARGEST = 60_000  # bytes
# Tables with a row for everybody, as files and figures have them.
WHOLE = re.compile(r"/results|/figures|/agreement|/bonus|/books|/export|/gold|/dataset|^/api/v1/work")
# To keep, with all that they are about.
FILES = re.compile(r"/export/|\.(csv|zip|yaml|jsonl|svg|\{form\})$|/source$|/docs/")


class Server:
    """A house with a campaign of so many times the usual size, and the rows that it reads itself."""

    def __init__(self, folder: Path, times: int) -> None:
        address = fresh(folder)
        store = open_store(address)
        row = fill(store, NAME, load("accuracy"), marked, 3 * UNITS, PEOPLE)
        decide(store, row, "mistakes")
        multiply(store, row, times)
        self.ids = {
            f"{table.name}_id": store.read(
                lambda connection, table=table: connection.scalar(  # type: ignore[misc]
                    select(table.c.id).where(table.c.campaign_id == row.id).limit(1)
                )
            )
            for table in (unit, annotator, assignment)
        }
        store.close()
        self.house: House = build(address)
        self.elsewhere = open_store(address)
        watching = NoisyMonitor()
        opened = Opened(self.elsewhere, ContentCache(self.elsewhere), lambda: watching)
        self.house.services.computing.elsewhere = opened  # type: ignore[attr-defined]
        self.rows = 0
        self.browser: Browser = self.house.browser("owner")
        event.listen(self.house.services.store._reading, "checkout", self._count)  # type: ignore[attr-defined]

    def _count(self, connection: Any, *_: Any) -> None:
        def made(_: Any, row: tuple[Any, ...]) -> tuple[Any, ...]:
            self.rows += 1
            return row

        connection.row_factory = made

    def open(self, path: str) -> tuple[int, int, int]:
        self.browser.get(path)  # what is kept from now on is no cost of this page
        self.rows = 0
        reply = self.browser.get(path)
        return reply.status_code, len(reply.content), self.rows

    def close(self) -> None:
        self.elsewhere.close()
        self.house.close()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    def run(self: Any, large: bool, work: Any, name: str, asked: Any) -> Any:
        return work(self.elsewhere if large else self._opened, name, *asked)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(computing, "LARGE", 500)
        patched.setattr(Computing, "_run", run)
        pair = Server(tmp_path_factory.mktemp("one"), 1), Server(tmp_path_factory.mktemp("two"), 2)
        yield pair
        for one in pair:
            one.close()


def asked_for(groups: Iterable[RouteGroup]) -> list[str]:
    found = {
        route.path
        for group in groups
        if group.module not in ANNOTATORS
        for route in group.routes
        if "GET" in (route.methods or ())
    }
    return sorted(path for path in found if not FILES.search(path))


def pages() -> list[str]:
    return asked_for(routes.PAGES)


def test_there_are_pages() -> None:
    assert len(pages()) > 60
    assert len(calls()) > 40


def calls() -> list[str]:
    return [path for path in asked_for(routes.API) if not WHOLE.search(path)]


def both(servers: tuple[Server, Server], path: str) -> list[tuple[int, int, int]]:
    seen = []
    for server in servers:
        given = {**server.ids, "response_id": server.ids["assignment_id"], "version": 1}
        given |= {"status": "answered", "table": "errors"}
        given["name"] = "accuracy" if "/protocols" in path else NAME
        seen.append(server.open(path.format(**given, secret="x", coding=NAME, system_id=1, job_id=1, path="index")))
    return seen


@pytest.mark.parametrize("path", [*pages(), *calls()])
def test_nothing_grows_with_its_campaign(servers: tuple[Server, Server], path: str) -> None:
    (status, size, rows), (again, later_size, later_rows) = both(servers, path)
    assert status == again
    assert status < 500
    assert size < LARGEST
    assert later_size < 1.05 * size + 200
    assert later_rows <= rows + 5
