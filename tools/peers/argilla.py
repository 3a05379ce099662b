"""Argilla's client, run without a server: records, settings and rows of `datasets`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from tools.peers.server import install

WANTED = ("argilla==2.8.0", "datasets==5.2.0", "requests")
SCRIPT = Path(__file__).with_name("argilla_records.py")


def export(environment: Path, work: Path) -> Iterator[tuple[str, bytes]]:
    python = install(environment, *WANTED) / "python"
    subprocess.run(
        [str(python), "-I", str(SCRIPT), str(work)], check=True, env={"HF_HUB_OFFLINE": "1", "HOME": str(work)}
    )
    for name in ("settings.json", "records.json", "rows.parquet"):
        yield name, (work / name).read_bytes()
