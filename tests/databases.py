"""Fresh databases by copying one: making every table anew takes a quarter of a second, hundreds of times."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from goldmark.store import open_store
from goldmark.store.migrate import upgrade


def fresh(folder: Path, name: str = "goldmark.db") -> str:
    """The address of a new, migrated SQLite database in this folder."""
    path = folder / name
    path.write_bytes(_migrated())
    return str(path)


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "goldmark.db"
        store = open_store(str(path))
        upgrade(store)
        store.close()
        return path.read_bytes()
