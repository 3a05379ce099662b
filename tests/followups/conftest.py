"""Follow-ups read what other rooms show to be the same from both databases."""

from __future__ import annotations

import pytest

from goldmark.store import Store


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    return sqlite_store
