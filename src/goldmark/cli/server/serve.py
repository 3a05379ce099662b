"""`goldmark serve`: start the web server."""

from __future__ import annotations

import os
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from goldmark.cli.options import Database
from goldmark.cli.output import talk
from goldmark.cli.server.run_server import run_server
from goldmark.cli.store import database_address

app = App(name="serve")


@app.default
def serve(
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(help="0 lets the system choose a free one.")] = 8000,
    database: Database = None,
    processes: Annotated[int, Parameter(help="More than one needs PostgreSQL.")] = 1,
    workers: Annotated[
        int, Parameter(help="Processes beside the server that do jobs.", validator=Number(gte=0, lte=64))
    ] = 1,
    public: Annotated[str, Parameter(help="The address people use, such as https://eval.example.org.")] = "",
) -> None:
    """Start the web server and print where it is. Stop it with Ctrl+C; nothing is lost."""
    public = public or os.environ.get("GOLDMARK_PUBLIC", "")
    run_server(
        database_address(database),
        host=host,
        port=port,
        processes=processes,
        workers=workers,
        public=public,
        say=talk,
    )
