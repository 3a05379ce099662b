"""The one writer of SQLite: what it does besides writing."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select

from goldmark.store import Store, open_store, writer
from goldmark.store.tables import event
from goldmark.store.writer import LONG, Log

PAGES = 60  # that one of these transactions writes


@pytest.fixture
def lite(sqlite_database: str) -> Iterator[Store]:
    opened = open_store(sqlite_database)
    yield opened
    opened.close()


def much(connection: Connection) -> None:
    told = {"author": "x", "kind": "x", "subject": "x", "reason": "", "at": datetime.now(UTC)}
    connection.execute(insert(event), [{**told, "facts": {"x": "y" * 4000}} for _ in range(PAGES)])


def log_of(store: Store) -> Log:
    lite: Any = store
    log: Log = lite._log
    return log


def test_a_commit_does_not_move_the_log(lite: Store) -> None:
    asked = lite.write(lambda connection: connection.exec_driver_sql("PRAGMA wal_autocheckpoint").scalar())
    assert asked == 0


def test_the_log_is_moved_all_the_same_and_begins_anew(lite: Store, sqlite_database: str) -> None:
    begun, written = log_of(lite).length().salt, 0
    while log_of(lite).length().salt == begun or written * PAGES < LONG:
        lite.write(much)
        lite.give_way(0)
        written += 1
        assert written < 1000, "the log grows for ever"
    lite.close()
    again = open_store(sqlite_database)
    assert again.read(lambda connection: connection.execute(select(func.count(event.c.id))).scalar()) == written * PAGES
    again.close()


def test_who_reads_at_length_is_in_nobodys_way(lite: Store) -> None:
    """The log waits for them, and is moved when they have read."""
    count = select(func.count(event.c.id))

    def read(connection: Connection) -> tuple[Any, Any]:
        before = connection.execute(count).scalar()
        for _ in range(3 * LONG // PAGES):
            lite.write(much)
        return before, connection.execute(count).scalar()

    before, after = lite.snapshot(read)
    assert before == after == 0
    begun = log_of(lite).length().salt
    for _ in range(1000):
        lite.write(much)
        lite.give_way(0)
        if log_of(lite).length().salt != begun:
            return
    raise AssertionError("the log grows for ever")


def test_the_length_of_the_log_is_what_sqlite_says(lite: Store, sqlite_database: str) -> None:
    for _ in range(3):
        lite.write(much)
    with closing(sqlite3.connect(sqlite_database)) as connection:
        said = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    assert log_of(lite).length().pages == said[1]


@pytest.mark.parametrize("part", ["look", "_move"])
def test_whoever_writes_next_is_answered_whatever_befalls_the_log(
    lite: Store, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """Without the writer's thread nobody would ever write again, and nobody would be told."""
    monkeypatch.setattr(writer, "MUCH", 1)
    failed = []

    def fails(*given: Any) -> None:
        failed.append(given)
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Log, part, fails)
    written = 0
    while len(failed) < 2:  # the log has a thread of its own, which comes when it comes
        lite.write_soon(much).result(60)
        lite.give_way(0.001)
        written += 1
        assert written < 1000, "it is not tried again"


def test_no_garbage_is_looked_for_while_somebody_writes(lite: Store) -> None:
    assert gc.isenabled()
    assert not lite.write(lambda _: gc.isenabled())
    with pytest.raises(ZeroDivisionError):
        lite.write(lambda _: 1 // 0)
    assert gc.isenabled()
