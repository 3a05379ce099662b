"""Help comes at once: whatever does a command's work is loaded when the command is given, not when it is described."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from goldmark.cli.nouns import NOUNS

# What commands are described by; everything else does work.
OF_GOLDMARK = ("goldmark.cli", "goldmark.errors", "goldmark.records", "goldmark.results.pictures.files")
HEAVY = ("alembic", "fastapi", "jinja2", "numpy", "polars", "pydantic", "scipy", "sqlalchemy", "yaml")


ASKED = [["--version"], ["--help"], *([noun, "--help"] for noun in NOUNS)]
# Each in a process of its own, which begins where all have got after telling the version.
PROGRAM = """
import json, os, sys
from goldmark.cli import run
run(["--version"])
for asked in json.loads(sys.argv[1]):
    sys.stdout.flush()
    if not os.fork():
        code = run(asked)
        print("loaded", json.dumps([code, sorted(sys.modules)]), flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, set[str]]:
    """The modules that there are after each."""
    arguments = [sys.executable, "-c", PROGRAM, json.dumps(ASKED)]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    found = [json.loads(line.removeprefix("loaded")) for line in done.stdout.splitlines() if line.startswith("loaded")]
    assert [code for code, _ in found] == [0] * len(ASKED), done.stderr
    return {" ".join(asked): set(names) for asked, (_, names) in zip(ASKED, found, strict=True)}


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_help_loads_nothing_that_works(arguments: list[str], loaded: dict[str, set[str]]) -> None:
    found = loaded[" ".join(arguments)]
    assert [name for name in HEAVY if name in found] == []
    own = [f"{name}." for name in found if name.startswith("goldmark.")]
    allowed = [f"{name}." for name in OF_GOLDMARK]
    assert [name for name in own if not any(name.startswith(one) or one.startswith(name) for one in allowed)] == []
