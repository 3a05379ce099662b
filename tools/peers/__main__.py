"""`python -m tools.peers FOLDER [PROGRAM ...]`: install the programs below FOLDER, run them, and renew our fixtures.

What each exports goes to tests/exchange/made_elsewhere, where `test_made_elsewhere.py` beside it reads it. It takes
minutes and two gigabytes; factgenie, pearmut and potato also need a Chromium, pearmut a Python of 3.12 or later.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tools.peers import argilla, doccano, factgenie, label_studio, pearmut, potato, thresh

PROGRAMS = {
    "argilla": argilla.export,
    "doccano": doccano.export,
    "factgenie": factgenie.export,
    "label-studio": label_studio.export,
    "pearmut": pearmut.export,
    "potato": potato.export,
    "thresh": thresh.export,
}
FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "exchange" / "made_elsewhere"


def main(folder: Path, *only: str) -> None:
    for name in only or PROGRAMS:
        with tempfile.TemporaryDirectory() as work:
            files = dict(PROGRAMS[name](folder / name, Path(work)))
        shutil.rmtree(FIXTURES / name, ignore_errors=True)
        for path, content in files.items():
            target = FIXTURES / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        print(f"{name}: {', '.join(files)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
