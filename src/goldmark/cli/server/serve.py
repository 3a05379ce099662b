"""`goldmark serve`: start the web server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from goldmark.cli.options import (
    Host,
    OnDatabase,
)
from goldmark.cli.server.run_server import become_server
from goldmark.cli.store import database_address

app = App(name="serve")


@app.default
def serve(
    *,
    host: Host = "127.0.0.1",
    port: Annotated[int, Parameter(help="0 lets the system choose a free one.")] = 8000,
    call: OnDatabase = OnDatabase(),
    processes: Annotated[int, Parameter(help="More than one needs PostgreSQL.")] = 1,
    workers: Annotated[
        int, Parameter(help="Processes beside the server that do jobs.", validator=Number(gte=0, lte=64))
    ] = 1,
    public: Annotated[str, Parameter(help="The address people use, such as https://eval.example.org.")] = "",
    backups: Annotated[
        Path | None, Parameter(help="A folder for backups, made every so often and tried. Default: GOLDMARK_BACKUPS.")
    ] = None,
    backup_every: Annotated[float, Parameter(help="Hours between two backups.", validator=Number(gt=0))] = 24.0,
    backups_kept: Annotated[int, Parameter(help="How many backups stay.", validator=Number(gte=1))] = 14,
    log: Annotated[
        Literal["text", "json"] | None,
        Parameter(
            help="What goes to standard error: words, or JSON with every request. Default: GOLDMARK_LOG, or text."
        ),
    ] = None,
) -> None:
    """Start the web server and print where it is. Stop it with Ctrl+C; nothing is lost."""
    become_server(
        database_address(call),
        host=host,
        port=port,
        processes=processes,
        workers=workers,
        public=public or os.environ.get("GOLDMARK_PUBLIC", ""),
        backups=str(backups or ""),
        backup_every=backup_every,
        backups_kept=backups_kept,
        json_logs=(log or os.environ.get("GOLDMARK_LOG")) == "json",
    )
