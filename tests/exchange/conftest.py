"""Files know nothing of databases: a campaign's way into one is tested in tests/campaigns."""

from __future__ import annotations

import pytest

from goldmark.store import Store


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    return sqlite_store
