"""`goldmark database`: upgrade, back up, restore and check."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from goldmark.cli.options import Call, Flag
from goldmark.cli.output import emit, plain, talk
from goldmark.cli.store import database_address, opened
from goldmark.records.figures import counted

app = App(name="database")


@app.command
def upgrade(*, call: Call = Call()) -> None:
    """Make the tables, or bring those of an older Goldmark up to date. Make a backup first."""
    from goldmark.store.migrate import upgrade as bring_up

    with opened(call, prepared=False) as store:
        before, after = bring_up(store)
    changed = f"went from version {before or 'none'} to {after}"
    said = f"{store.address} {f'is at version {after} already' if before == after else changed}"
    emit(call, {"database": store.address, "before": before, "after": after}, said)


@app.command
def backup(target: Annotated[Path, Parameter(help="The file to write.")], *, call: Call = Call()) -> None:
    """Copy the whole database into a file, safely while annotators work."""
    from goldmark.store.upkeep.backup import backup as copy

    with opened(call, prepared=False) as store:
        size = copy(store, target)
    emit(
        call,
        {"database": store.address, "backup": target, "bytes": size},
        f"{store.address} was copied to {target} ({size / 1e6:.1f} MB)",
    )


@app.command
def keep_backups(
    folder: Annotated[Path, Parameter(help="Where they go; other files there are left alone.")],
    *,
    every: Annotated[float, Parameter(help="Hours between two backups.", validator=Number(gt=0))] = 24.0,
    keep: Annotated[int, Parameter(help="How many stay; the oldest leave.", validator=Number(gte=1))] = 14,
    once: Annotated[Flag, Parameter(help="Make one now, and stop: for a schedule of your own.")] = False,
    beside_server: Annotated[bool, Parameter(negative="", show=False)] = False,
    call: Call = Call(),
) -> None:
    """Make backups by schedule, each restored and checked before it counts. `goldmark serve --backups` does it too."""
    from goldmark.store.upkeep.kept_backups import BackupPlan, KeptBackup

    def said(made: KeptBackup) -> str:
        held = f"{counted(made.responses, 'response')} ({made.bytes / 1e6:.1f} MB)"
        return f"{made.path} holds {held}; it was restored and checked"

    plan = BackupPlan(folder, every, keep)
    with opened(call) as store:
        if once:
            made = plan.make(store)
            emit(call, plain(made), said(made))
            return
        from goldmark.web.runtime.logs import teller
        from goldmark.web.runtime.workers import end_with_server, stop_politely

        say = teller()
        stop_politely()
        if beside_server:
            end_with_server()
        with suppress(KeyboardInterrupt):
            plan.keep_making(store, done=lambda made: say(said(made)), failed=talk)


@app.command
def restore(source: Annotated[Path, Parameter(help="The backup to read.")], *, call: Call = Call()) -> None:
    """Put a backup into a new, empty database."""
    from goldmark.store.upkeep.backup import restore as put_back

    address = database_address(call)
    put_back(source, address)
    said = f"{source} was restored; check it with: goldmark database check --database {address}"
    emit(call, {"backup": source, "database": address}, said)


@app.command
def check(*, call: Call = Call()) -> int:
    """Look for damage and for counts that do not add up."""
    from goldmark.store.upkeep.health import check as examine

    with opened(call, prepared=False) as store:
        health = examine(store)
    state = counted(len(health.problems), "problem") if health.problems else "in order"
    summary = (
        f"{health.address}: {counted(health.campaigns, 'campaign')}, {counted(health.responses, 'response')}, {state}"
    )
    emit(call, {**plain(health), "ok": not health.problems}, *health.problems, summary)
    return 1 if health.problems else 0
