"""Loading the server from a command, quickly."""

from __future__ import annotations

import gc
from typing import Any


def run_server(address: str, **how: Any) -> None:
    """Load the server and run it until told to stop; how, `goldmark.web.runtime.server.run` says."""
    # Loading makes a great many objects that all stay; looking for garbage among them costs a quarter of the time.
    gc.disable()
    from goldmark.web.runtime.server import run

    gc.freeze()
    gc.enable()
    run(address, **how)
