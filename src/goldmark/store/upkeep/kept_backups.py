"""Backups by schedule. One that was never restored is a hope: each is put back into a database of its own and looked
through before it counts, and only then may an older one leave."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from goldmark.errors import Failed, GoldmarkError
from goldmark.store import events
from goldmark.store.engine import Store, open_store
from goldmark.store.tables import response
from goldmark.store.upkeep.backup import backup, restore
from goldmark.store.upkeep.health import check

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATTERN = "goldmark-*.backup"
MADE = "backup made"
RETRY = timedelta(minutes=10)  # after one that failed
TRYING = ".trying-"  # how folders begin in which one is tried
CLOCKS_DIFFER = 60.0  # seconds, between two machines or a machine and its disk


class BackupNotSound(Failed):
    code = "STORE-11"
    message = (
        "a backup was made and did not come back as it should: {why}; it was thrown away, the older ones are there"
    )


class KeptBackup(NamedTuple):
    """A backup that was restored and checked."""

    path: Path
    bytes: int
    responses: int


def backup_folder(given: Path | None) -> Path | None:
    """Where backups by schedule go: as was said, else as GOLDMARK_BACKUPS says; None: none are made."""
    said = os.environ.get("GOLDMARK_BACKUPS")
    return given or (Path(said) if said else None)


class BackupPlan(NamedTuple):
    """Where backups go, how many hours lie between two, and how many stay."""

    folder: Path
    every: float = 24.0
    keep: int = 14

    def options(self) -> tuple[str, ...]:
        return str(self.folder.resolve()), "--every", str(self.every), "--keep", str(self.keep)

    def kept(self) -> list[Path]:
        """Oldest first. Their names tell when they were made."""
        return sorted(self.folder.glob(PATTERN))

    def newest(self, now: float) -> float:
        """When the newest was made, 0 if there is none. One from the future is of a clock that was wrong."""
        made = (path.stat().st_mtime for path in self.kept())
        return max((when for when in made if when <= now + CLOCKS_DIFFER), default=0.0)

    def _sweep(self) -> None:
        """What those left who were killed while they tried one: each as large as two databases."""
        for left in self.folder.glob(f"{TRYING}*"):
            with suppress(OSError), _held(left):
                shutil.rmtree(left)

    def make(self, store: Store) -> KeptBackup:
        """One now. What it says is on disk was read back from a copy that was restored."""
        self.folder.mkdir(parents=True, exist_ok=True)
        count = select(func.count()).select_from(response)
        before = store.read(lambda connection: connection.execute(count).scalar_one())
        target = self.folder / f"goldmark-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}Z.backup"
        self._sweep()
        with tempfile.TemporaryDirectory(prefix=TRYING, dir=self.folder) as room, _held(Path(room)):
            untried = Path(room) / "untried.backup"
            size = backup(store, untried)
            found = _tried(untried, Path(room) / "restored.db")
            if found < before:
                raise BackupNotSound(why=f"it holds {found} responses, and there were {before}")
            untried.rename(target)
        # Not by its name: after a clock was set back it would stand before older ones.
        others = [path for path in self.kept() if path != target]
        for old in others[: max(0, len(others) + 1 - self.keep)]:
            old.unlink()
        facts = {"file": target.name, "bytes": size, "responses": found}
        store.write(
            lambda connection: events.record(
                connection, None, author="schedule", kind=MADE, subject=target.name, facts=facts
            )
        )
        return KeptBackup(target, size, found)

    def keep_making(self, store: Store, *, done: Callable[[KeptBackup], None], failed: Callable[[str], None]) -> None:
        """For ever. A server that starts often makes no more of them: the age of the newest counts."""
        while True:
            wait = self.newest(time.time()) + 3600 * self.every - time.time()
            if wait > 0:
                time.sleep(min(wait, 60.0))
                continue
            try:
                done(self.make(store))
            except (GoldmarkError, OSError, SQLAlchemyError) as error:  # the last: the database is away for a while
                failed(f"no backup was made: {error}")
                time.sleep(RETRY.total_seconds())


@contextmanager
def _held(room: Path) -> Iterator[None]:
    """The folder in which a backup is tried, as long as its program lives; BlockingIOError if another one has it."""
    if fcntl is None:
        yield
        return
    number = os.open(room, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(number)


def _tried(made: Path, target: Path) -> int:
    """How many responses a backup holds once it is restored; it raises what is wrong with it."""
    restore(made, str(target))
    restored = open_store(str(target))
    try:
        health = check(restored)
    finally:
        restored.close()
    if health.problems:
        raise BackupNotSound(why="; ".join(health.problems[:3]))
    return health.responses
