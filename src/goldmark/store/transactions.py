"""Functions that are one transaction each."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, func, select

from goldmark.store.engine import Store

Given = ParamSpec("Given")
Result = TypeVar("Result")
Seen = TypeVar("Seen")
Made = TypeVar("Made")


class _Changed(Exception):
    """What something was made of is no longer so."""


def in_transaction(
    work: Callable[Concatenate[Connection, Given], Result],
) -> Callable[Concatenate[Store, Given], Result]:
    """Called with a store, the function works on one connection of it; what it returns is on disk."""

    @wraps(work)
    def whole(store: Store, /, *args: Given.args, **more: Given.kwargs) -> Result:
        return store.write(lambda connection: work(connection, *args, **more))

    return whole


def prepared_beside(
    store: Store,
    look: Callable[[Connection], Seen],
    prepare: Callable[[Seen], Made],
    keep: Callable[[Connection, Seen, Made], Result],
) -> Result:
    """What takes long is made of what `look` sees while others write; if that has changed by then, it is made anew.

    On PostgreSQL `look` holds what must not change from its second look on until the end.
    """

    def if_unchanged(connection: Connection, seen: Seen, made: Made) -> Result:
        if look(connection) != seen:
            raise _Changed
        return keep(connection, seen, made)

    while True:
        seen = store.read(look)
        made = prepare(seen)
        with suppress(_Changed):
            return store.write(partial(if_unchanged, seen=seen, made=made))


def one_at_a_time(connection: Connection, what: str) -> None:
    """Nobody else passes here for the same thing until the transaction ends: before looking whether it is there.

    PostgreSQL has nothing to lock of a row that does not exist yet. Whoever writes to SQLite writes alone.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(what, 0))))
