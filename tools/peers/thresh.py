"""thresh's library, run: annotations loaded and exported by it, and datasets that it converts.

Its page is not in the package index, so what people mark there is given to the library as the page writes it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from tools.peers.server import install

WANTED = ("thresh==1.1.1", "deepdiff", "pyyaml")
SCRIPT = Path(__file__).with_name("thresh_entries.py")


def export(environment: Path, work: Path) -> Iterator[tuple[str, bytes]]:
    python = install(environment, *WANTED) / "python"
    subprocess.run([str(python), "-I", str(SCRIPT), str(work)], check=True, cwd=work)
    for path in sorted((work / "out").rglob("*.*")):
        yield path.relative_to(work / "out").as_posix(), path.read_bytes()
