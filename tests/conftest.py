"""What all tests share."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler.loadfile import LoadFileScheduling  # type: ignore[import-untyped]

from goldmark.store import Store, open_store
from tests.databases import fresh, share_compiled
from tests.postgres import Databases, running
from tests.rewritten import rewrite_once

# How long an example takes depends on what else the machine does; only what it finds out may fail a test. A few that
# are always the same find what a change broke; `make test-slow` draws hundreds of new ones.
settings.register_profile("few", deadline=None, max_examples=12, derandomize=True)
settings.register_profile("many", deadline=None, max_examples=300)
settings.load_profile("few")
share_compiled()

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

FOLDER = "GOLDMARK_TEST_FOLDER"
MEMORY = Path("/dev/shm")
ENOUGH = 4 << 30  # bytes; in a container there may be very little


def pytest_configure(config: pytest.Config) -> None:
    """All files of a test run lie in one folder, in memory where there is room: then nobody waits for a disk.

    Nothing that a test shows is lost by it: what was written is there for every process, and no test cuts the power.
    """
    if hasattr(config, "workerinput"):
        return
    roomy = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH
    for left in MEMORY.glob("goldmark-tests-*-*") if roomy else ():  # by a run that was killed
        if not Path("/proc", left.name.split("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=f"goldmark-tests-{os.getpid()}-", dir=MEMORY if roomy else None)
    os.environ[FOLDER] = os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.tempdir = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # when the database server is down as well
    # Two threads for a small matrix wait for each other longer than one takes, and the other processes have the cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if config.getoption("numprocesses", None) and not sys.dont_write_bytecode:
        rewrite_once(config, HERE, HERE.parent / "plugins")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """As `--dist loadfile`, but one process has all journeys: a browser costs more to start than most of them."""
    return _OneBrowser(config, log)


class _OneBrowser(LoadFileScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return "tests/e2e" if nodeid.startswith("tests/e2e/") else str(super()._split_scope(nodeid))


def pytest_collection_finish() -> None:
    """What is there now stays: looking again and again for garbage among it takes a tenth of the time.

    What comes later is looked through less often than usual, which takes a twentieth: there is memory enough for that.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


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


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """Argon2 is slow on purpose; here it is argon2 still, with the least memory and time that it takes."""
    from pwdlib import PasswordHash
    from pwdlib.hashers.argon2 import Argon2Hasher

    cheap = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("goldmark.accounts.passwords.hasher", lambda: cheap)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of our own."""
    with running(Path(os.environ[FOLDER]) / "postgres") as address:
        yield address


@pytest.fixture(scope="session")
def postgres_databases(postgres: str) -> Iterator[Databases]:
    databases = Databases(postgres)
    yield databases
    databases.close()


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
def postgres_database(postgres_databases: Databases) -> Iterator[str]:
    with postgres_databases.one() as address:
        yield address


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = open_store(database)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(sqlite_database: str) -> Iterator[Store]:
    """For rooms that stand on others: that the databases are alike is shown where they are read and written."""
    opened = open_store(sqlite_database)
    yield opened
    opened.close()
