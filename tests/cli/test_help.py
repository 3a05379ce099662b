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


def loaded(*arguments: str) -> set[str]:
    code = (
        "import json, sys; from goldmark.cli import run; code = run(sys.argv[1:]); print();"
        "print(json.dumps([code, sorted(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    code_, found = json.loads(done.stdout.splitlines()[-1])
    assert code_ == 0, done.stderr
    return set(found)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], *([noun, "--help"] for noun in NOUNS)], ids=" ".join)
def test_help_loads_nothing_that_works(arguments: list[str]) -> None:
    found = loaded(*arguments)
    assert [name for name in HEAVY if name in found] == []
    own = [f"{name}." for name in found if name.startswith("goldmark.")]
    allowed = [f"{name}." for name in OF_GOLDMARK]
    assert [name for name in own if not any(name.startswith(one) or one.startswith(name) for one in allowed)] == []
