"""Whoever waits at length, or sends much, waits among their own: annotators have threads that nobody else takes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from goldmark.web.computing.computing import Computing
from goldmark.web.runtime import operation
from goldmark.web.runtime.threads import OTHERS
from tests.web.house import House

MANY = 60  # more than there are threads
PATIENCE = 30.0


@contextmanager
def crowded(ask: Callable[[], Any], over: threading.Event) -> Iterator[tuple[ThreadPoolExecutor, list[Future[Any]]]]:
    """So many ask at the same time, until it is over."""
    with ThreadPoolExecutor(MANY + 1) as people:
        try:
            yield people, [people.submit(ask) for _ in range(MANY)]
        finally:
            over.set()


def test_annotators_are_answered_while_managers_wait_for_slow_pages(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, held = threading.Event(), threading.Semaphore(0)

    def slow(*_: Any, **__: Any) -> Any:
        held.release()
        over.wait()
        raise RuntimeError("nobody needs these figures")

    monkeypatch.setattr(Computing, "of", slow)
    ann = house.client(headers={"authorization": f"Bearer {house.person}"})
    manager = house.client(
        headers={"authorization": f"Bearer {house.tokens['manager']}"}, raise_server_exceptions=False
    )
    with crowded(lambda: manager.get("/api/v1/campaigns/zoo/quality"), over) as (people, waiting):
        for _ in range(OTHERS.many):
            assert held.acquire(timeout=PATIENCE)
        for method, path in (("GET", "/api/v1/work"), ("POST", "/api/v1/work/next"), ("GET", f"/a/{house.person}")):
            assert people.submit(ann.request, method, path).result(PATIENCE).status_code == 200
        for path in ("/signin", "/healthz", "/readyz"):
            assert people.submit(ann.get, path).result(PATIENCE).status_code == 200
        assert not any(one.done() for one in waiting)
    assert {one.result().status_code for one in waiting} == {500}


def test_strangers_who_ask_whether_it_is_ready_wait_behind_one_of_them(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the writer is held, which readiness asks for."""
    monkeypatch.setattr(operation._Readiness, "of", lambda _, store: operation.not_ready(store))  # nothing is kept
    over, held = threading.Event(), threading.Event()
    ann = house.client(headers={"authorization": f"Bearer {house.person}"})

    def hold(_: Any) -> None:
        held.set()
        over.wait()

    writing = house.services.store.write_soon(hold)
    assert held.wait(PATIENCE)
    with crowded(lambda: ann.get("/readyz"), over) as (people, waiting):
        for _ in range(3):
            assert people.submit(ann.get, "/api/v1/work").result(PATIENCE).status_code == 200
        assert not any(one.done() for one in waiting)
    writing.result()
    assert {one.result().status_code for one in waiting} == {200}
