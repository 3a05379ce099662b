"""`goldmark database`: upgrade, back up, restore and check."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, database_address
from goldmark.store import open_store

app = App(name="database")


@app.command
def upgrade(*, database: Database = None, json: Json = False) -> None:
    """Make the tables, or bring those of an older Goldmark up to date. Make a backup first."""
    from goldmark.store.migrate import upgrade as bring_up

    store = open_store(database_address(database))
    versions = bring_up(store)
    store.close()
    if json:
        print_json({"database": store.address, "before": versions.before, "after": versions.after})
    elif versions.before == versions.after:
        talk(f"{store.address} is at version {versions.after} already")
    else:
        talk(f"{store.address} went from version {versions.before or 'none'} to {versions.after}")


@app.command
def backup(target: Path, *, database: Database = None, json: Json = False) -> None:
    """Copy the whole database into a file, safely while annotators work."""
    from goldmark.store.backup import backup as copy

    store = open_store(database_address(database))
    size = copy(store, target)
    store.close()
    if json:
        print_json({"database": store.address, "backup": str(target), "bytes": size})
    else:
        talk(f"{store.address} was copied to {target} ({size / 1e6:.1f} MB)")


@app.command
def restore(source: Path, *, database: Database = None, json: Json = False) -> None:
    """Put a backup into a new, empty database."""
    from goldmark.store.backup import restore as put_back

    address = database_address(database)
    put_back(source, address)
    if json:
        print_json({"backup": str(source), "database": address})
    else:
        talk(f"{source} was restored; check it with: goldmark database check --database {address}")


@app.command
def check(*, database: Database = None, json: Json = False) -> int:
    """Look for damage and for counts that do not add up."""
    from goldmark.store.health import check as examine

    store = open_store(database_address(database))
    health = examine(store)
    store.close()
    if json:
        print_json({**health._asdict(), "problems": list(health.problems), "ok": not health.problems})
    else:
        for problem in health.problems:
            talk(problem)
        state = f"{len(health.problems)} problems" if health.problems else "in order"
        talk(f"{health.address}: {health.campaigns} campaigns, {health.responses} responses, {state}")
    return 1 if health.problems else 0
