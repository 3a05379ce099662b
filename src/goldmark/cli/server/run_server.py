"""Loading the server from a command, quickly."""

from __future__ import annotations

from typing import Any


def run_server(address: str, **how: Any) -> None:
    """Load the server and run it until told to stop; how, `goldmark.web.runtime.server.run` says."""
    from goldmark.web.runtime.loading import only_what_stays

    with only_what_stays():
        from goldmark.web.runtime.server import run
    run(address, **how)
