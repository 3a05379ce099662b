"""The page on exports names every format, and every kind of row with all its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.exchange.campaign.rows import COLUMNS
from goldmark.exchange.campaign.tabular import TABLES
from goldmark.exchange.formats import FORMATS

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/export-formats.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted({*FORMATS, *TABLES.values()}))
def test_it_names(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("kind", COLUMNS)
def test_it_lists_all_columns_of(kind: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{kind}` |"))
    assert all(f"`{column}`" in row for column in COLUMNS[kind])
