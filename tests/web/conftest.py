"""A house for every test that changes it, and a shared one for those that only look."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.databases import fresh
from tests.web.house import House, build, copied


@pytest.fixture
def house(sqlite_database: str) -> Iterator[House]:
    built = copied(sqlite_database)
    yield built
    built.close()


@pytest.fixture
def either_house(database: str) -> Iterator[House]:
    """The same on SQLite and on PostgreSQL."""
    built = build(database)
    yield built
    built.close()


@pytest.fixture(scope="module")
def shared_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    built = copied(fresh(tmp_path_factory.mktemp("house")))
    yield built
    built.close()
