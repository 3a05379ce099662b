"""One server for each SQLite file.

Two would each collect answers into commits of their own, and wait for each other at every one by asking now and then
whether the file is free; each would move the log without knowing how far the other has; each would start workers and
backups, and tell commands another address of people's links. Commands and workers write now and then, beside a server.

The lock is one of the system's on a file beside the database, so it ends with the process, however that ends. The file
says who holds it, and stays: if it were taken away while somebody opens it, two could hold a lock each.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from goldmark.errors import Failed
from goldmark.store.engine import database_url, make_private

PATIENCE = 2.0  # seconds for whoever looks at the lock at this moment, or is just leaving


class ServedAlready(Failed):
    code = "SERVE-03"
    message = (
        "{database} is served already, {by}, and a SQLite file takes one server: stop that one, name another file, or "
        "use PostgreSQL for several"
    )


@contextmanager
def the_only_server(address: str) -> Iterator[Callable[[str], None]]:
    """Nobody else serves this database meanwhile; what is given says where. PostgreSQL takes as many as there are."""
    path = _beside(address)
    if path is None:
        yield lambda base: None
        return
    make_private(path)
    with path.open("ab+") as file:
        end = time.monotonic() + PATIENCE
        while not _locked(file):
            if time.monotonic() > end:
                raise ServedAlready(database=path.with_suffix(""), by=_said(path))
            time.sleep(0.05)
        me = f"by process {os.getpid()}"
        _say(file, me)
        try:
            yield lambda base: _say(file, f"{me}, at {base}")
        finally:
            _say(file, "")


def served_by(address: str) -> str:
    """By whom a SQLite file is served at this moment; empty if by nobody."""
    path = _beside(address)
    if path is None or not os.access(path, os.W_OK):  # whose file it is not opens no database of it either
        return ""
    with path.open("rb+") as file:
        return "" if _locked(file) else _said(path)


def _beside(address: str) -> Path | None:
    url = database_url(address)
    if url.get_backend_name() != "sqlite":
        return None
    # The file that a link leads to: whoever names it otherwise names the same.
    return Path(f"{Path(str(url.database)).resolve()}.server")


def _said(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8").strip() or "by a process that does not say where"
    return "by another user of this machine"


def _say(file: BinaryIO, words: str) -> None:
    file.truncate(0)
    file.write(words.encode())
    file.flush()


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    BEHIND = 1 << 20  # where nothing is written: there, what is locked cannot be read

    def _locked(file: BinaryIO) -> bool:
        file.seek(BEHIND)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # this file system has no locks: then nobody can tell
            return True
        return True
