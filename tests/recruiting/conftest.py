"""Stand-ins for platforms, and databases that need not be of both kinds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.simulate.platforms.server import StandIn
from goldmark.store import Store, open_store
from tests.recruiting.ground import platform_of


@pytest.fixture
def lite(sqlite_database: str) -> Iterator[Store]:
    opened = open_store(sqlite_database)
    yield opened
    opened.close()


@pytest.fixture(params=["mturk", "prolific"])
def there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with platform_of(request.param, monkeypatch) as made:
        yield made


@pytest.fixture
def mturk(monkeypatch: pytest.MonkeyPatch) -> Iterator[MTurkStandIn]:
    with platform_of("mturk", monkeypatch) as made:
        yield made


@pytest.fixture
def prolific(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProlificStandIn]:
    with platform_of("prolific", monkeypatch) as made:
        yield made
