"""The pages on texts name every format, tokeniser, splitter and key."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.texts.readers.formats import READERS
from goldmark.texts.readers.rows import KNOWN
from goldmark.texts.segmentation.sentences import SPLITTERS
from goldmark.texts.segmentation.tokens import TOKENISERS

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", sorted({*READERS, *KNOWN, *SPLITTERS, *TOKENISERS}))
def test_the_reference_names(name: str) -> None:
    assert f"`{name}`" in (DOCS / "reference/text-formats.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "how-to/import-texts.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith('{"id"')]
    assert all(json.loads(row) for row in rows)
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(rows), encoding="utf-8")
    for command in re.findall(r"\$ goldmark (text (?:check|show) texts\.jsonl(?: --id \S+)?)\n", page):
        assert run(command.replace("texts.jsonl", str(path)).split()) == 0
        assert capsys.readouterr().out in page
