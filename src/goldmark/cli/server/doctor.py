"""`goldmark doctor`: find what is wrong with an installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from goldmark.cli.options import Call
from goldmark.cli.output import emit, plain
from goldmark.cli.store import database_address
from goldmark.records.figures import counted

app = App(name="doctor")


@app.default
def doctor(
    *,
    backups: Annotated[
        Path | None, Parameter(help="The folder of backups by schedule. Default: GOLDMARK_BACKUPS.")
    ] = None,
    call: Call = Call(),
) -> int:
    """Look at Python, the database, disk, keys, address, workers and backups; say what to do about each trouble."""
    from goldmark.web.runtime.doctor.diagnosis import diagnose

    found = diagnose(database_address(call), backups)
    wrong = sum(one.state == "wrong" for one in found)
    worth = sum(one.state == "look" for one in found)
    lines = [f"{one.state:>6}  {one.what}: {one.said}{f'; {one.remedy}' if one.remedy else ''}" for one in found]
    summary = f"{counted(wrong, 'thing')} wrong, {worth} worth a look" if wrong or worth else "everything is in order"
    emit(call, {"ok": not wrong, "findings": [plain(one) for one in found]}, summary, lines=lines)
    return 1 if wrong else 0
