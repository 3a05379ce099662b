"""What a database says of itself: tables, settings, people, jobs, times."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection, func, inspect, select
from sqlalchemy.schema import CreateIndex

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.roles import Role
from goldmark.accounts.signing_keys import BEGAN, SIGNS, STAYS, Keys, is_unknown, known_keys, noted
from goldmark.records.figures import counted
from goldmark.store import Store
from goldmark.store.engine import CONNECTIONS
from goldmark.store.migrate import NEWEST, version_of
from goldmark.store.states import UNSEEN
from goldmark.store.tables import account, campaign, job, metadata, response, second_factor
from goldmark.store.upkeep.health import check
from goldmark.web.runtime.doctor.finding import Diagnosis

LATE = timedelta(minutes=5)  # for a job that could be done, and for a sign of life of one that is
CLOCKS_DIFFER = timedelta(seconds=5)
MUST_BE = {  # settings of PostgreSQL, and what goes wrong otherwise
    "server_encoding": ("UTF8", "texts in other scripts cannot be kept"),
    "fsync": ("on", "acknowledged answers are lost when the power fails"),
    "synchronous_commit": ("on", "acknowledged answers are lost when PostgreSQL breaks off"),
    "full_page_writes": ("on", "tables are damaged when the power fails"),
    "autovacuum": ("on", "tables grow and everything gets slower"),
}
ALSO = {"synchronous_commit": ("remote_apply", "remote_write", "local")}  # on this machine's disk all the same


def contents(store: Store, address: str) -> Iterator[Diagnosis]:
    version = store.read(version_of)
    if version != NEWEST:
        said = f"{store.address} is at version {version or 'none'}, this Goldmark at {NEWEST}"
        newer = version is not None and version > NEWEST
        remedy = "install a newer Goldmark" if newer else "make a backup, then: goldmark database upgrade"
        yield Diagnosis("tables", "wrong", said, remedy)
        return
    yield from store.read(lambda connection: list(_indexes(connection)))
    health = check(store)
    said = f"{store.address}: {counted(health.campaigns, 'campaign')}, {counted(health.responses, 'response')}"
    yield Diagnosis("database", "ok", said)
    for problem in health.problems[:20]:
        yield Diagnosis("database", "wrong", problem, "keep a copy as it is, and restore the last backup beside it")
    for look in LOOKS:
        yield from store.read(lambda connection, look=look: list(look(connection)))  # type: ignore[misc]
    if store.locks_rows:
        yield from store.read(lambda connection: list(_settings(connection)))
        if not store.has_room(look=True):
            remedy = "make room where PostgreSQL keeps its data: a full disk refuses answers"
            yield Diagnosis("disk", "wrong", "PostgreSQL finds no room for a megabyte more", remedy)
    kept = Path(f"{address}.key")
    if os.environ.get("GOLDMARK_SECRET") or (kept.exists() and kept.stat().st_size):  # never made by looking
        yield from _key(store, address)
    elif not kept.exists() and store.read(lambda connection: noted(connection, SIGNS)):
        said = "the key with which this database was served is lost: links that were sent out do not work without it"
        yield Diagnosis("signing key", "wrong", said, "put back your copy of it, or of GOLDMARK_SECRET")


def _key(store: Store, address: str) -> Iterator[Diagnosis]:
    keys, links = known_keys(address), SignedLinks.of(address)
    if store.read(lambda connection: is_unknown(connection, keys)):
        said = "this is another key than that with which the database was last served: its links do not work with it"
        yield Diagnosis("signing key", "wrong", said, "use the server's GOLDMARK_SECRET or key file")
    else:
        yield from store.read(lambda connection: list(_key_that_stays(connection, keys, links)))
    yield from store.read(lambda connection: list(_second_factors(connection, links)))


def _indexes(connection: Connection) -> Iterator[Diagnosis]:
    there = inspect(connection)
    for table in metadata.sorted_tables:
        if not there.has_table(table.name):
            remedy = "restore the last backup into a new database"
            yield Diagnosis("tables", "wrong", f"there is no table {table.name}", remedy)
            continue
        known = {one["name"] for one in there.get_indexes(table.name)}
        for index in table.indexes:
            if index.name not in known:
                made = " ".join(str(CreateIndex(index).compile(connection)).split())
                said = f"the index {index.name} is missing: what it finds is looked for in the whole table"
                yield Diagnosis("tables", "wrong", said, f"make a backup, then let the database do: {made}")


def _settings(connection: Connection) -> Iterator[Diagnosis]:
    """Of PostgreSQL."""

    def value(name: str) -> str:
        return str(connection.exec_driver_sql(f"SELECT current_setting('{name}')").scalar_one())

    for name, (wanted, otherwise) in MUST_BE.items():
        if (found := value(name)) != wanted and found not in ALSO.get(name, ()):
            yield Diagnosis("PostgreSQL", "wrong", f"{name} is {found}, not {wanted}: {otherwise}", f"set {name}")
    if connection.exec_driver_sql("SELECT pg_is_in_recovery()").scalar_one():
        remedy = "name the one that is written to in GOLDMARK_DATABASE"
        yield Diagnosis("PostgreSQL", "wrong", "it is a copy that cannot be written", remedy)
    most = int(value("max_connections")) - int(value("superuser_reserved_connections"))
    each = 2 * CONNECTIONS
    if most < 2 * each:
        said = f"it takes {most} connections, and a server process may want {each}, a worker some more"
        yield Diagnosis("PostgreSQL", "look", said, f"max_connections: {each} for each process of each server, and 10")
    apart = abs(connection.exec_driver_sql("SELECT clock_timestamp()").scalar_one() - datetime.now(UTC))
    if apart > CLOCKS_DIFFER:
        said = f"its clock and that of this machine differ by {apart.total_seconds():.0f} s"
        yield Diagnosis("clock", "wrong", said, "set the clocks (NTP): leases and sessions go by them")


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
    marks = [(links.key_mark(row.nonce), links.app_key_made_with(row.made_with, 0, row.nonce), row) for row in made]
    if older := sum(known is not None and row.made_with != mark for mark, known, row in marks):
        said = f"{counted(older, 'second factor')} made with an older signing key, and end when it is taken away"
        yield Diagnosis("accounts", "look", said, "let these people set up their app anew: Your account, Second factor")
    if other := sum(known is None for _, known, _ in marks):
        remedy = "use the key with which they were set up, or: goldmark user reset-second-factor NAME"
        yield Diagnosis("accounts", "wrong", f"{other} second factors were set up with another signing key", remedy)


def _key_that_stays(connection: Connection, keys: Keys, links: SignedLinks) -> Iterator[Diagnosis]:
    """Whether fingerprints and lots are made with the key with which they began."""
    if noted(connection, BEGAN) not in (None, links.people_mark()):
        said = "fingerprints of people and their lots are made with another key than at this database's first start"
        yield Diagnosis("signing key", "wrong", said, f"set {STAYS} to the first signing key: it is never replaced")
    elif keys.older and not os.environ.get(STAYS):
        said = f"{STAYS} is not set, so fingerprints of people are made with the oldest key that is named"
        yield Diagnosis("signing key", "look", said, f"set {STAYS} to that key before you take it away")


def _jobs(connection: Connection) -> Iterator[Diagnosis]:
    now = datetime.now(UTC)
    late = select(func.count()).where(job.c.state == "waiting", job.c.due_at < now - LATE)
    if waiting := connection.scalar(late):
        remedy = "start a worker: goldmark jobs work (goldmark serve starts one unless --workers 0)"
        yield Diagnosis("jobs", "wrong", f"{waiting} wait for more than 5 minutes and nobody does them", remedy)
    silent = select(func.count()).where(job.c.state == "running", job.c.heartbeat_at < now - LATE)
    if count := connection.scalar(silent):
        said = f"{count} are being done by a worker of which nothing was heard for more than 5 minutes"
        yield Diagnosis("jobs", "wrong", said, "start a worker: goldmark jobs work; it takes them over")
    week = (job.c.state == "failed") & (job.c.finished_at > now - timedelta(days=7))
    failed = connection.execute(select(job.c.kind, func.count()).where(week).group_by(job.c.kind)).all()
    if failed:
        kinds = ", ".join(f"{count} of {kind}" for kind, count in sorted(map(tuple, failed)))
        remedy = "see why: goldmark jobs list --state failed"
        yield Diagnosis("jobs", "look", f"failed in the last seven days: {kinds}", remedy)


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
