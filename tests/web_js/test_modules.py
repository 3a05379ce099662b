"""Runs the `*.test.mjs` beside it: the page's logic without a page, in the Node that Playwright brings along."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

HERE = Path(__file__).parent
STATIC = Path(__file__).resolve().parents[2] / "src" / "goldmark" / "web" / "static" / "js"
ANNOTATORS = [*(STATIC / name for name in ("conditions.js", "dom.js", "theme.js", "work.js"))]
ANNOTATORS += [path for folder in ("kinds", "spans", "work") for path in (STATIC / folder).glob("*.js")]
NODE = compute_driver_executable()[0]


@pytest.mark.parametrize("module", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.name)
def test_module(module: Path) -> None:
    done = subprocess.run([NODE, "--test", "--no-warnings", str(module)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout or "ℹ fail 0" in done.stdout


def test_every_module_can_be_read_in_one_sitting() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in STATIC.rglob("*.js")}
    assert {str(path.relative_to(STATIC)): length for path, length in lengths.items() if length > 300} == {}


def test_nothing_on_annotators_pages_reads_html_but_the_one_place_for_cleaned_instructions() -> None:
    forbidden = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function")
    for path in ANNOTATORS:
        source = path.read_text()
        assert not [word for word in forbidden if word in source], path.name
        assert ("DOMParser" in source) == (path.name == "dom.js")
