"""Starting the server from a command, quickly."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goldmark.web.services import Services


def run_server(
    address: str,
    *,
    host: str,
    port: int,
    processes: int = 1,
    workers: int = 1,
    public: str = "",
    say: Callable[[str], None],
    before: Callable[[Services, str], list[str]] | None = None,
) -> None:
    """Load the server and run it until told to stop."""
    # Loading makes a great many objects that all stay; looking for garbage among them costs a quarter of the time.
    gc.disable()
    from goldmark.web.running import run

    gc.freeze()
    gc.enable()
    run(
        address,
        host=host,
        port=port,
        processes=processes,
        workers=workers,
        public=public,
        say=say,
        before=before,
    )
