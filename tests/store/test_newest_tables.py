"""A new SQLite database is made at once, and is the one that all steps together would have made."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from goldmark.store import open_store
from goldmark.store.migrate import NEWEST, NEWEST_TABLES, upgrade
from tests.newest_tables import described, stepped

FIRST_START = """
import sys
from goldmark.store import open_store
from goldmark.store.migrate import prepare
store = open_store(sys.argv[1])
prepare(store)
store.close()
print("alembic" in sys.modules)
"""


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}


def test_a_new_database_is_what_all_steps_would_have_made(tmp_path: Path) -> None:
    at_once, by_steps = tmp_path / "at_once.db", tmp_path / "by_steps.db"
    store = open_store(str(at_once))
    assert upgrade(store) == (None, NEWEST)
    store.close()
    stepped(by_steps)
    wanted = described(by_steps)
    assert described(at_once) == wanted
    assert NEWEST_TABLES.read_text(encoding="utf-8") == ";\n\n".join(wanted) + "\n", "python -m tests.newest_tables"
    assert rows(at_once) == rows(by_steps)


def test_a_first_start_takes_no_steps(tmp_path: Path) -> None:
    """To load what takes them, and to take them, was a third of the processor time of a first start."""
    path = tmp_path / "new.db"
    command = [sys.executable, "-c", FIRST_START, str(path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
    assert rows(path)["alembic_version"] == [(NEWEST,)]
