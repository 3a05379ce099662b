"""What `make demo` installs is a part of what `make setup` does, at the same versions."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def pins(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))


def test_running_needs_a_part_of_what_tests_need_at_the_same_versions() -> None:
    runs, tests = pins("requirements-run.lock"), pins("requirements.lock")
    assert runs.items() <= tests.items()
    assert {"fastapi", "sqlalchemy", "sacrebleu", "hatchling"} <= runs.keys()
    assert not {"pytest", "playwright", "mypy", "mkdocs-material"} & runs.keys()
