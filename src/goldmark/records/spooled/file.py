"""A file without a name for what there may be too much of to hold: SQLite keeps it until nobody has it open."""

from __future__ import annotations

import sqlite3

MEMORY = 8_192  # kB of the file that are held
PAGE = 16_384  # bytes: a unit takes half of a small page, and the other half would stay empty


def unnamed_file() -> sqlite3.Connection:
    """One that nobody else sees, made only when what is in it does not fit into memory."""
    file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    for setting in (f"page_size = {PAGE}", "journal_mode = OFF", "synchronous = OFF", f"cache_size = -{MEMORY}"):
        file.execute(f"PRAGMA {setting}")
    file.execute("BEGIN")
    return file
