"""What draws the kinds of questions that plug-ins bring: a JavaScript module beside the Python module of each.

It is served from the folder of our own, so that it imports what they import and in the same way.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from goldmark.protocols.kinds import KINDS

FOLDER = "js/kinds"


@cache
def scripts() -> Mapping[str, Path]:
    """The modules of plug-ins by their place under /static."""
    beside = {name: Path(inspect.getfile(kind)).with_name(f"{name}.js") for name, kind in KINDS.usable().items()}
    return {f"{FOLDER}/{name}.js": path for name, path in beside.items() if path.is_file()}
