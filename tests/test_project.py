"""The files that a hosting site and its tools read say what is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

import goldmark

REPOSITORY = Path(__file__).resolve().parents[1]


def read(name: str) -> Any:
    return yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))


def test_the_citation_names_this_version() -> None:
    assert read("CITATION.cff")["version"] == goldmark.__version__


def test_workflows_and_hooks_run_what_there_is() -> None:
    targets = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    steps = [step for job in read(".github/workflows/check.yml")["jobs"].values() for step in job["steps"]]
    made = {step["run"].removeprefix("make ") for step in steps if "run" in step}
    assert made == {"check", "test", "audit"}
    assert made <= targets
    for hook in read(".pre-commit-config.yaml")["repos"][0]["hooks"]:
        named = [REPOSITORY / word for word in hook["entry"].split() if word.startswith("tests/")]
        assert all(path.exists() for path in named)


def test_the_forms_for_issues_ask_something() -> None:
    for path in sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*.yml")):
        if path.name != "config.yml":
            form = read(path.relative_to(REPOSITORY).as_posix())
            assert form["name"]
            assert form["description"]
            assert [part["id"] for part in form["body"] if part["type"] != "markdown"], path.name
