"""The server, run by a command: in its process, or as `python -m` this module in its place."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from goldmark.cli import do

STOPPED = 130  # the exit code of a program that Ctrl+C ended


def run_server(address: str, **how: Any) -> None:
    """Load the server and run it until told to stop; how, `goldmark.web.runtime.server.run` says."""
    from goldmark.web.runtime.loading import only_what_stays

    with only_what_stays():
        from goldmark.web.runtime.server import run
    run(address, **how)


def become_server(address: str, **options: Any) -> None:
    """The server in the place of this command, which has read its options: what read them need not stay in memory.

    The address goes another way: everybody on this machine sees arguments, and it may hold a password.
    """
    if os.name == "nt":  # there, the new program would run beside this one
        serve(address, **options)
    else:
        command = [sys.executable, "-P", "-m", __name__, json.dumps(options)]
        os.execve(sys.executable, command, {**os.environ, "GOLDMARK_DATABASE": address})  # noqa: S606 - our own program


def serve(address: str, *, backups: str, backup_every: float, backups_kept: int, json_logs: bool, **how: Any) -> None:
    """What `goldmark serve` does once its options are read."""
    from goldmark.web.runtime.loading import only_what_stays
    from goldmark.web.runtime.logs import teller

    say = teller(as_json=json_logs, whole=True)
    if json_logs:
        os.environ["GOLDMARK_LOG"] = "json"  # for the programs beside the server
    with only_what_stays():
        from goldmark.store.upkeep.kept_backups import BackupPlan, backup_folder

    folder = backup_folder(Path(backups) if backups else None)
    plan = BackupPlan(folder, backup_every, backups_kept) if folder else None
    run_server(address, backups=plan, say=say, **how)


if __name__ == "__main__":
    try:
        sys.exit(do(lambda: serve(os.environ["GOLDMARK_DATABASE"], **json.loads(sys.argv[1]))))
    except KeyboardInterrupt:
        sys.exit(STOPPED)
