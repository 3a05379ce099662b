"""Whether something failed because a disk is full, whoever met that first: a file, SQLite or PostgreSQL."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_OF_POSTGRESQL = "53100"  # disk_full


def is_full_disk(error: BaseException) -> bool:
    return any(_says_so(one) for one in _causes(error))


def _says_so(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return getattr(error, "sqlstate", None) == _OF_POSTGRESQL


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what a library wrapped in it, and what it came from."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        wrapped = getattr(error, "orig", None)
        if isinstance(wrapped, BaseException):
            yield wrapped
        error = error.__cause__ or error.__context__
