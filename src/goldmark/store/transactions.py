"""Functions that are one transaction each."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, func, select

from goldmark.store.engine import Store

Given = ParamSpec("Given")
Result = TypeVar("Result")


def in_transaction(
    work: Callable[Concatenate[Connection, Given], Result],
) -> Callable[Concatenate[Store, Given], Result]:
    """Called with a store, the function works on one connection of it; what it returns is on disk."""

    @wraps(work)
    def whole(store: Store, /, *args: Given.args, **more: Given.kwargs) -> Result:
        return store.write(lambda connection: work(connection, *args, **more))

    return whole


def one_at_a_time(connection: Connection, what: str) -> None:
    """Nobody else passes here for the same thing until the transaction ends: before looking whether it is there.

    PostgreSQL has nothing to lock of a row that does not exist yet. Whoever writes to SQLite writes alone.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(what, 0))))
