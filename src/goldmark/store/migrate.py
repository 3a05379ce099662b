"""Making and renewing the tables, step by step, on both databases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, inspect, text

from goldmark.errors import Conflict
from goldmark.store.engine import DatabaseUnreachable, SqliteStore, Store, make_private

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"
# The newest step, written here so that a server need not load Alembic to see that all is well; a test compares.
NEWEST = "0023"
# The tables after that step, as SQLite describes them; made by `python -m tests.newest_tables`, and a test compares.
NEWEST_TABLES = MIGRATIONS / "newest.sql"


class DatabaseOutdated(Conflict):
    code = "STORE-04"
    message = "the database is at version {have}, this Goldmark needs {need}; run: goldmark database upgrade"


class DatabaseTooNew(Conflict):
    code = "STORE-05"
    message = "the database is at version {have}, which this Goldmark ({need}) does not know; install a newer Goldmark"


class Versions(NamedTuple):
    before: str | None
    after: str


def version_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def prepare(store: Store) -> None:
    """Make the tables of a new database; refuse one that needs an upgrade, which is a person's decision."""
    have = _look(store)
    if have is None:
        upgrade(store)
    elif have < NEWEST:
        raise DatabaseOutdated(have=have, need=NEWEST)
    elif have > NEWEST:
        raise DatabaseTooNew(have=have, need=NEWEST)


def upgrade(store: Store) -> Versions:
    """Bring the tables to the newest version. Two processes may try at once; one does it."""
    before = _look(store)
    if before is not None and before > NEWEST:
        raise DatabaseTooNew(have=before, need=NEWEST)
    with store.engine().begin() as connection:
        upgrade_within(connection)
    return Versions(before, NEWEST)


def upgrade_within(connection: Connection) -> None:
    """The same as a part of a transaction, which may go on to do more, and is all or nothing."""
    if connection.dialect.name == "sqlite" and not inspect(connection).get_table_names():
        _make_newest(connection)
        return
    from alembic import command

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(7245193)"))
    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _make_newest(connection: Connection) -> None:
    """What all steps together make of an empty SQLite database, without taking them: a first start is to be quick."""
    for statement in NEWEST_TABLES.read_text(encoding="utf-8").split(";\n\n"):
        connection.exec_driver_sql(statement)
    connection.execute(text("INSERT INTO alembic_version VALUES (:newest)"), {"newest": NEWEST})


def alembic_config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def _look(store: Store) -> str | None:
    from sqlalchemy.exc import DBAPIError

    if isinstance(store, SqliteStore):
        make_private(store.path)
    try:
        with store.engine().connect() as connection:
            return version_of(connection)
    except DBAPIError as error:
        raise DatabaseUnreachable(address=store.address, why=str(error.orig).strip()) from error
