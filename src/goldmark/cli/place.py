"""Which database a command works on, and who is giving it."""

from __future__ import annotations

import getpass
import os
from typing import Annotated

from cyclopts import Parameter

from goldmark.store import Store, open_store

DEFAULT_DATABASE = "goldmark.db"

Database = Annotated[
    str | None,
    Parameter(
        name="--database",
        help="SQLite file or postgresql:// address. Default: GOLDMARK_DATABASE, else goldmark.db in this folder.",
    ),
]
WithExcluded = Annotated[
    bool,
    Parameter(negative="", help="Let excluded annotators count, to see what excluding them changed."),
]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Data for machines on standard output.")]


def database_address(given: str | None) -> str:
    return given or os.environ.get("GOLDMARK_DATABASE") or DEFAULT_DATABASE


def open_database(given: str | None) -> Store:
    """The database, its tables made if it is new, and refused if another version of Goldmark made them."""
    from goldmark.store.migrate import prepare

    store = open_store(database_address(given))
    prepare(store)
    return store


def author() -> str:
    """Who is at the keyboard, for the record of decisions."""
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):
        return "command line"
