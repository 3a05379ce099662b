"""Templates are compiled once, and anew when they have changed; where nothing may be written they work all the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from goldmark.web.pages.render import CompiledTemplates


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "page.html").write_text("one {{ word }}")
    return tmp_path


def drawn(folder: Path, kept: Path) -> str:
    """As a server that has just started draws it."""
    fresh = Environment(loader=FileSystemLoader(folder), autoescape=True, bytecode_cache=CompiledTemplates(str(kept)))
    return fresh.get_template("page.html").render(word="<b>")


def test_compiled_once_and_again_when_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(folder, folder) == "one &lt;b&gt;"
    with monkeypatch.context() as nobody:
        nobody.setattr(Environment, "compile", lambda *_: pytest.fail("compiled again"))
        assert drawn(folder, folder) == "one &lt;b&gt;"
    (folder / "page.html").write_text("two {{ word }}")
    assert drawn(folder, folder) == "two &lt;b&gt;"


def test_where_nothing_may_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(folder, folder / "not there") == "one &lt;b&gt;"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert drawn(folder, folder) == "one &lt;b&gt;"
    assert [one.name for one in folder.iterdir()] == ["page.html"]
