"""Long writes as tests want them: two rows a piece, and broken off after some pieces as by a kill."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.event import listen, remove

from goldmark.jobs import Worker, owed
from goldmark.store import Store, pieces
from goldmark.store.pieces import InPieces
from goldmark.web.runtime.handlers import load_handlers


class Killed(BaseException):
    """The process is gone: nothing is tidied up."""


def cut_small(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every piece is one step of two rows. Returns how many rows each had, as they come."""
    monkeypatch.setattr(pieces, "HELD", 0.0)
    monkeypatch.setattr(pieces, "MOST", 2)
    monkeypatch.setattr(owed, "GRACE", timedelta(0))
    written, piece = list[int](), InPieces._piece

    def noting(self: InPieces, some: Sequence[Any], work: Callable[..., Any]) -> Sequence[tuple[int, Any]]:
        made = piece(self, some, work)
        written.append(sum(many for many, _ in made))
        return made

    monkeypatch.setattr(InPieces, "_piece", noting)
    return written


@contextmanager
def killed_before_piece(monkeypatch: pytest.MonkeyPatch, number: int) -> Iterator[None]:
    """Whoever is about to write this piece dies."""
    piece, begun = InPieces._piece, 0

    def dying(self: InPieces, some: Sequence[Any], work: Callable[..., Any]) -> Sequence[tuple[int, Any]]:
        nonlocal begun
        begun += 1
        if begun == number:
            raise Killed
        return piece(self, some, work)

    with monkeypatch.context() as here:
        here.setattr(InPieces, "_piece", dying)
        with pytest.raises(Killed):
            yield


@contextmanager
def asked_of_writer(store: Store) -> Iterator[list[str]]:
    """The statements that SQLite's writer is given meanwhile, without those that go straight to the driver."""
    seen: list[str] = []

    def note(*given: Any) -> None:
        seen.append(given[2])

    listen(store.engine(), "before_cursor_execute", note)
    try:
        yield seen
    finally:
        remove(store.engine(), "before_cursor_execute", note)


@contextmanager
def steps_of_writer(store: Store) -> Iterator[list[int]]:
    """How many steps SQLite's machine takes in each transaction, in tens: what it costs, on any machine."""
    writer: Any = store
    writer, write, steps = writer._writer, writer._writer._write, list[int]()

    def noting(group: Any) -> Any:
        def counted(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
            def do(connection: Any) -> Any:
                driver, taken = connection.connection.dbapi_connection, 0

                def step() -> int:
                    nonlocal taken
                    taken += 1
                    return 0

                driver.set_progress_handler(step, 10)
                try:
                    return work(connection)
                finally:
                    driver.set_progress_handler(None, 0)
                    steps.append(taken)

            return do

        return write([(counted(work), done) for work, done in group])

    writer._write = noting
    try:
        yield steps
    finally:
        writer._write = write


def worked_off(store: Store) -> int:
    """How many jobs a worker has done that comes later."""
    return Worker(store, load=load_handlers).run_until_empty()
