"""The tables of a new SQLite database, in one file: `python -m tests.newest_tables` writes it after a new step."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from alembic import command

from goldmark.store import open_store
from goldmark.store.migrate import NEWEST_TABLES, alembic_config


def stepped(path: Path) -> None:
    """Make a database by taking every step, one after the other."""
    store = open_store(str(path))
    with store.engine().begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    store.close()


def described(path: Path) -> list[str]:
    """Every table and index as SQLite keeps it, in the order in which they were made; no blanks at ends of lines."""
    with closing(sqlite3.connect(path)) as database:
        made = database.execute("SELECT sql FROM sqlite_master WHERE sql NOTNULL ORDER BY rowid")
        return ["\n".join(line.rstrip() for line in sql.splitlines()) for (sql,) in made]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stepped.db"
        stepped(path)
        NEWEST_TABLES.write_text(";\n\n".join(described(path)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
