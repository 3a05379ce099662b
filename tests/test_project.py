"""The files that a hosting site and its tools read say what is true."""

from __future__ import annotations

import itertools
import os
import re
import socket
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest
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


def test_a_release_is_built_from_its_tag_with_checksums_and_a_signed_statement() -> None:
    release = read(".github/workflows/release.yml")
    assert release[True] == {"push": {"tags": ["v*"]}}, "YAML reads `on` as yes"
    assert release["permissions"] == {"contents": "read"}
    files = release["jobs"]["files"]
    assert files["permissions"] == {"contents": "write", "id-token": "write", "attestations": "write"}
    done = [step.get("run", step.get("uses", "")) for step in files["steps"]]
    order = ("make release", "goldmark --version", "actions/attest-build-provenance", "gh release create")
    places = [next(at for at, one in enumerate(done) if part in one) for part in order]
    assert places == sorted(places), "what is published was checked and signed before"
    words = [step["run"] for step in release["jobs"]["image"]["steps"] if "run" in step]
    assert (REPOSITORY / re.findall(r"--file (\S+)", words[0])[0]).is_file()
    told = subprocess.run(["make", "--dry-run", "release"], cwd=REPOSITORY, check=True, capture_output=True, text=True)
    assert "hatchling build" in told.stdout
    assert "sha256sum" in told.stdout


def test_a_build_is_the_same_when_it_is_repeated(tmp_path: Path) -> None:
    """So that whoever builds the same commit can compare checksums."""
    for folder in ("one", "two"):
        words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path / folder)]
        subprocess.run(words, cwd=REPOSITORY, check=True, capture_output=True)
    one, two = (next((tmp_path / folder).glob("*.whl")).read_bytes() for folder in ("one", "two"))
    assert one == two


def test_the_forms_for_issues_ask_something() -> None:
    for path in sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*.yml")):
        if path.name != "config.yml":
            form = read(path.relative_to(REPOSITORY).as_posix())
            assert form["name"]
            assert form["description"]
            assert [part["id"] for part in form["body"] if part["type"] != "markdown"], path.name


def test_the_wheel_holds_what_the_program_shows(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(words, cwd=REPOSITORY, check=True, capture_output=True)
    names = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    docs = {f"goldmark/documentation/{path.relative_to(REPOSITORY)}" for path in (REPOSITORY / "docs").rglob("*.*")}
    assert {*docs, "goldmark/documentation/mkdocs.yml", "goldmark/web/static/css/goldmark.css"} <= names


@pytest.mark.slow
def test_the_wheel_runs_the_demo_in_an_empty_environment(tmp_path: Path) -> None:
    """As whoever installs it does: nothing of the repository is there, only what the wheel says that it needs."""
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(words, cwd=REPOSITORY, check=True, capture_output=True)
    bare = tmp_path / "bare"
    folder = bare / ("Scripts" if os.name == "nt" else "bin")
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(bare)], check=True, cwd=tmp_path)
    wheel = str(next(tmp_path.glob("*.whl")))
    install = [*uv, "pip", "install", "--quiet", "--python", str(folder / "python"), wheel]
    subprocess.run(install, check=True, cwd=tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "GOLDMARK"))}
    demo = subprocess.Popen(
        [str(folder / "goldmark"), "demo", "start", "--port", str(port)],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert demo.stderr is not None
        said = list(itertools.takewhile(lambda line: "Ctrl+C" not in line, demo.stderr))
        door = next(line.split()[-1] for line in said if "/join/" in line)
        for address in (door, f"http://127.0.0.1:{port}/", f"http://127.0.0.1:{port}/docs/tutorials/accuracy/"):
            with urllib.request.urlopen(address, timeout=60) as reply:
                assert reply.status == 200
                assert b"Goldmark" in reply.read()
    finally:
        demo.terminate()
        demo.communicate(timeout=60)
