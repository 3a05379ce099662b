"""Where a test asks nothing of a database in particular, SQLite is enough."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goldmark.store import Store, open_store


@pytest.fixture
def sqlite(sqlite_database: str) -> Iterator[Store]:
    opened = open_store(sqlite_database)
    yield opened
    opened.close()
