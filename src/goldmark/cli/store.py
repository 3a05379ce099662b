"""Which database a command works on, and who is giving it."""

from __future__ import annotations

import gc
import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from goldmark.cli.options import OnDatabase

if TYPE_CHECKING:
    from goldmark.accounts.links import SignedLinks
    from goldmark.store import Store

DEFAULT_DATABASE = "goldmark.db"


def database_address(call: OnDatabase) -> str:
    return call.database or os.environ.get("GOLDMARK_DATABASE") or DEFAULT_DATABASE


@contextmanager
def opened(call: OnDatabase, *, prepared: bool = True) -> Iterator[Store]:
    """The database, its tables made if it is new, and refused if another version of Goldmark made them."""
    from goldmark.store import open_store
    from goldmark.store.migrate import prepare

    store = open_store(database_address(call))
    try:
        if prepared:
            prepare(store)
        gc.freeze()  # what is loaded stays: looking through it for garbage would hold the writer for a moment
        yield store
    finally:
        store.close()


def links_of(call: OnDatabase) -> SignedLinks:
    """What makes links into the campaigns of this database."""
    from goldmark.accounts.links import SignedLinks

    return SignedLinks.of(database_address(call))


def public_address(given: str | None, call: OnDatabase) -> str:
    """The address before every link that is printed."""
    from goldmark.accounts.links import known_address

    return (given or known_address(database_address(call))).rstrip("/")


def author() -> str:
    """Who is at the keyboard, for the record of decisions."""
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):
        return "command line"
