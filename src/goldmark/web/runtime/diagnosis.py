"""What is wrong with an installation, and what to do about it. Nothing is changed by looking."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from goldmark import __version__
from goldmark.accounts.links import SignedLinks, known_address, signing_key
from goldmark.accounts.roles import Role
from goldmark.errors import GoldmarkError
from goldmark.records.figures import counted
from goldmark.store import Store, open_store
from goldmark.store.engine import SqliteStore
from goldmark.store.migrate import NEWEST, version_of
from goldmark.store.states import UNSEEN
from goldmark.store.tables import account, campaign, job, response, second_factor
from goldmark.store.upkeep.health import check
from goldmark.store.upkeep.kept_backups import BackupPlan, backup_folder

LEAST_FREE = 1e9  # bytes
LARGEST_LOG = 256e6  # bytes of SQLite's write-ahead log; it is folded in long before that
LATE = timedelta(minutes=5)  # for a job that could be done
OLD_BACKUP = timedelta(days=2)
EXTRAS = {
    "psycopg": "postgres",
    "matplotlib": "plots",
    "httpx": "client",
    "sacrebleu": "metrics",
    "jieba": "chinese",
    "boto3": "mturk",
}


class Diagnosis(NamedTuple):
    """One thing that was looked at."""

    what: str
    state: Literal["ok", "look", "wrong"]
    said: str
    remedy: str = ""


def diagnose(address: str, backups: Path | None = None) -> list[Diagnosis]:
    """Everything that can be told without starting a server."""
    found = [*_machine(), *_keys(address)]
    try:
        store = open_store(address)
    except GoldmarkError as error:
        return [*found, Diagnosis("database", "wrong", str(error))]
    try:
        found += _database(store, address)
    except (GoldmarkError, SQLAlchemyError, OSError) as error:
        found.append(Diagnosis("database", "wrong", f"{store.address} cannot be read: {_first_line(error)}"))
    finally:
        store.close()
    return [*found, *_backups(backup_folder(backups))]


def _machine() -> Iterator[Diagnosis]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Diagnosis("version", "ok", f"Goldmark {__version__} on Python {version}")
    there = [extra for module, extra in EXTRAS.items() if find_spec(module)]
    yield Diagnosis("extras", "ok", f"installed: {', '.join(there) or 'none'}")


def _keys(address: str) -> Iterator[Diagnosis]:
    given, file = os.environ.get("GOLDMARK_SECRET", ""), Path(f"{address}.key")
    if given:
        short = len(given) < 16
        what = "GOLDMARK_SECRET is shorter than 16 characters" if short else "GOLDMARK_SECRET is set"
        yield Diagnosis("signing key", "wrong" if short else "ok", what, "make a longer one" if short else "")
    elif "://" in address:
        remedy = "set it to a long random value, the same for all servers"
        yield Diagnosis("signing key", "wrong", "GOLDMARK_SECRET is not set, and PostgreSQL needs it", remedy)
    elif file.exists():
        loose = os.name == "posix" and file.stat().st_mode & 0o077
        said = f"{file} can be read by other users of this machine" if loose else f"it is in {file}; keep a copy"
        yield Diagnosis("signing key", "wrong" if loose else "ok", said, f"chmod 600 {file}" if loose else "")
    public = known_address(address)
    if urlsplit(public).hostname in ("127.0.0.1", "localhost", "::1"):
        remedy = "name the address people use with --public or GOLDMARK_PUBLIC"
        yield Diagnosis("address", "look", f"links begin with {public}, which works only on this machine", remedy)
    elif not public.startswith("https://"):
        yield Diagnosis(
            "address", "wrong", f"{public} sends passwords and links unencrypted", "put a proxy with TLS before it"
        )
    else:
        yield Diagnosis("address", "ok", public)


def _database(store: Store, address: str) -> Iterator[Diagnosis]:
    if isinstance(store, SqliteStore):
        if not store.path.exists():
            yield Diagnosis("database", "look", f"there is no {store.path} yet", "`goldmark serve` makes it")
            return
        yield from _files(store)
    version = store.read(version_of)
    if version != NEWEST:
        said = f"{store.address} is at version {version or 'none'}, this Goldmark at {NEWEST}"
        newer = version is not None and version > NEWEST
        remedy = "install a newer Goldmark" if newer else "make a backup, then: goldmark database upgrade"
        yield Diagnosis("tables", "wrong", said, remedy)
        return
    health = check(store)
    said = f"{store.address}: {counted(health.campaigns, 'campaign')}, {counted(health.responses, 'response')}"
    yield Diagnosis("database", "ok", said)
    for problem in health.problems[:20]:
        yield Diagnosis("database", "wrong", problem, "keep a copy as it is, and restore the last backup beside it")
    for look in LOOKS:
        yield from store.read(lambda connection, look=look: list(look(connection)))  # type: ignore[misc]
    if os.environ.get("GOLDMARK_SECRET") or Path(f"{address}.key").exists():  # never made by looking
        links = SignedLinks(signing_key(address))
        yield from store.read(lambda connection: list(_second_factors(connection, links)))


def _files(store: SqliteStore) -> Iterator[Diagnosis]:
    if not os.access(store.path, os.W_OK) or not os.access(store.path.parent, os.W_OK):
        yield Diagnosis(
            "files", "wrong", f"{store.path} and its folder cannot be written by this user", "change their owner"
        )
    if os.name == "posix" and store.path.stat().st_mode & 0o077:
        said = f"{store.path} can be read by others on this machine: hidden facts, ids, hashes of passwords"
        yield Diagnosis("files", "look", said, f"chmod 600 {store.path}*, unless they are meant to")
    free = shutil.disk_usage(store.path.parent).free
    needed = max(LEAST_FREE, store.path.stat().st_size)
    remedy = "make room: a full disk refuses answers" if free < needed else ""
    state: Literal["ok", "wrong"] = "wrong" if free < needed else "ok"
    yield Diagnosis("disk", state, f"{free / 1e9:.1f} GB are free beside the database", remedy)
    log = Path(f"{store.path}-wal")
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        said = f"{log} has {log.stat().st_size / 1e6:.0f} MB: something has been reading for very long"
        yield Diagnosis("disk", "look", said, "end old exports and commands; it is folded in then")


def _people(connection: Connection) -> Iterator[Diagnosis]:
    owners = select(func.count()).where(account.c.role == Role.OWNER.title, account.c.disabled_at.is_(None))
    count = connection.scalar(owners) or 0
    if not count:
        remedy = "`goldmark serve` prints a link that makes one, or: goldmark user create NAME --role owner"
        yield Diagnosis("accounts", "look", "nobody is owner", remedy)
    else:
        yield Diagnosis("accounts", "ok", counted(count, "owner"))


def _second_factors(connection: Connection, links: SignedLinks) -> Iterator[Diagnosis]:
    made = connection.execute(select(second_factor.c.nonce, second_factor.c.made_with)).all()
    if other := sum(row.made_with != links.key_mark(row.nonce) for row in made):
        remedy = "use the key with which they were set up, or: goldmark user reset-second-factor NAME"
        yield Diagnosis("accounts", "wrong", f"{other} second factors were set up with another signing key", remedy)


def _jobs(connection: Connection) -> Iterator[Diagnosis]:
    now = datetime.now(UTC)
    late = select(func.count()).where(job.c.state == "waiting", job.c.due_at < now - LATE)
    if waiting := connection.scalar(late):
        remedy = "start a worker: goldmark jobs work (goldmark serve starts one unless --workers 0)"
        yield Diagnosis("jobs", "wrong", f"{waiting} wait for more than 5 minutes and nobody does them", remedy)
    failed = select(func.count()).where(job.c.state == "failed", job.c.finished_at > now - timedelta(days=7))
    if count := connection.scalar(failed):
        yield Diagnosis("jobs", "look", f"{count} failed in the last seven days", "goldmark jobs list --state failed")


def _clock(connection: Connection) -> Iterator[Diagnosis]:
    newest = connection.scalar(select(response.c.server_time).order_by(response.c.id.desc()).limit(1))
    if newest is not None and newest > datetime.now(UTC) + timedelta(minutes=2):
        remedy = "set the clock (NTP): leases and sessions go by it"
        yield Diagnosis(
            "clock", "wrong", f"the newest answer is from {newest:%Y-%m-%d %H:%M} UTC, later than now", remedy
        )


def _half_imported(connection: Connection) -> Iterator[Diagnosis]:
    left = connection.scalar(select(func.count()).where(campaign.c.state.in_(UNSEEN)))
    if left:
        said = f"{left} campaigns or sets of texts are on their way in, or were when their import was killed"
        yield Diagnosis("imports", "look", said, "nobody sees them; the next large import completes or removes them")


LOOKS: tuple[Callable[[Connection], Iterator[Diagnosis]], ...] = (_people, _jobs, _clock, _half_imported)


def _backups(folder: Path | None) -> Iterator[Diagnosis]:
    if folder is None:
        remedy = "goldmark serve --backups FOLDER makes and tries one a day"
        yield Diagnosis("backups", "look", "none are made by schedule, as far as this command knows", remedy)
        return
    kept = BackupPlan(folder).kept()
    if not kept:
        yield Diagnosis(
            "backups", "wrong", f"there is none in {folder}", "goldmark database keep-backups FOLDER --once"
        )
        return
    age = timedelta(seconds=time.time() - kept[-1].stat().st_mtime)
    old = age > OLD_BACKUP
    said = f"{len(kept)} in {folder}, the newest {age.total_seconds() / 3600:.0f} hours old"
    yield Diagnosis("backups", "wrong" if old else "ok", said, "see why none was made since" if old else "")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
