"""What is wrong with an installation, and what to do about it. Nothing is changed by looking."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from goldmark.errors import GoldmarkError
from goldmark.store import Store, open_store
from goldmark.store.engine import SqliteStore
from goldmark.store.tables import event
from goldmark.store.upkeep.kept_backups import MADE, BackupPlan, backup_folder
from goldmark.store.upkeep.one_server import served_by
from goldmark.web.runtime.doctor import surroundings
from goldmark.web.runtime.doctor.contents import contents
from goldmark.web.runtime.doctor.finding import Diagnosis

OLD_BACKUP = timedelta(days=2)
DAMAGED = ("malformed", "not a database", "disk I/O error")


def diagnose(address: str, backups: Path | None = None) -> list[Diagnosis]:
    """Everything that can be told without starting a server."""
    found = [*surroundings.machine()]
    try:
        store = open_store(address)
    except GoldmarkError as error:
        return [*found, Diagnosis("database", "wrong", str(error))]
    found += [*surroundings.keys(address), *surroundings.address_of_people(address), *surroundings.sessions()]
    found += surroundings.others()
    try:
        found += _database(store, address)
        found += _backups(backup_folder(backups), store)
    except (GoldmarkError, SQLAlchemyError, OSError) as error:
        said = f"{store.address} cannot be read: {_first_line(error)}"
        found.append(Diagnosis("database", "wrong", said, _remedy(store, str(error))))
    finally:
        store.close()
    return found


def _database(store: Store, address: str) -> Iterator[Diagnosis]:
    if isinstance(store, SqliteStore):
        if not store.path.exists():
            yield Diagnosis("database", "look", f"there is no {store.path} yet", "`goldmark serve` makes it")
            return
        yield from surroundings.database_files(store)
        if by := served_by(address):
            yield Diagnosis("server", "ok", f"this database is served {by}")
    yield from surroundings.made_files(store)
    yield from contents(store, address)


def _backups(folder: Path | None, store: Store) -> Iterator[Diagnosis]:
    if folder is None and (last := _last_backup(store)):
        age = datetime.now(UTC) - last
        said = f"the last one by schedule is {age.total_seconds() / 3600:.0f} hours old, says the database"
        remedy = "see why none was made since" if age > OLD_BACKUP else ""
        yield Diagnosis("backups", "wrong" if remedy else "ok", said, remedy)
        return
    if folder is None:
        remedy = "goldmark serve --backups FOLDER makes and tries one a day"
        yield Diagnosis("backups", "look", "none are made by schedule, as far as this command knows", remedy)
        return
    if folder.is_dir() and not os.access(folder, os.W_OK):
        yield Diagnosis("backups", "wrong", f"{folder} cannot be written by this user", "change its owner")
    kept = BackupPlan(folder).kept()
    if not kept:
        yield Diagnosis(
            "backups", "wrong", f"there is none in {folder}", "goldmark database keep-backups FOLDER --once"
        )
        return
    age = timedelta(seconds=time.time() - BackupPlan(folder).newest(time.time()))
    old = age > OLD_BACKUP
    said = f"{len(kept)} in {folder}, the newest {age.total_seconds() / 3600:.0f} hours old"
    yield Diagnosis("backups", "wrong" if old else "ok", said, "see why none was made since" if old else "")


def _last_backup(store: Store) -> datetime | None:
    if isinstance(store, SqliteStore) and not store.path.exists():
        return None
    made = select(func.max(event.c.at)).where(event.c.kind == MADE, event.c.campaign_id.is_(None))
    try:
        found: datetime | None = store.read(lambda connection: connection.scalar(made))
    except SQLAlchemyError:  # the tables are of another version, which was told
        return None
    return found


def _remedy(store: Store, said: str) -> str:
    if not isinstance(store, SqliteStore):
        return "is PostgreSQL running, does it know this user and database, may this machine connect (pg_hba.conf)?"
    if any(word in said for word in DAMAGED):
        return "keep a copy as it is, and restore the last backup into a new file"
    return "may this user read and write it, and its folder?"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
