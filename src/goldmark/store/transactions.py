"""Functions that are one transaction each."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

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
