"""The page on exports names every format, and every kind of row with all its columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from goldmark.exchange.campaign.rows import COLUMNS
from goldmark.exchange.campaign.tabular import TABLES
from goldmark.exchange.formats import FORMATS
from goldmark.observations.files import write_tables
from goldmark.observations.source import RecordSource
from tests import exchange_page
from tests.exchange.every_protocol import hard_campaign

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "reference/export-formats.md").read_text(encoding="utf-8")
ANALYSIS = DOCS / "how-to/analysis-tools.md"


@pytest.mark.parametrize("name", sorted({*FORMATS, *TABLES.values()}))
def test_it_names(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("kind", COLUMNS)
def test_it_lists_all_columns_of(kind: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{kind}` |"))
    assert all(f"`{column}`" in row for column in COLUMNS[kind])


def test_the_table_of_what_survives_is_up_to_date() -> None:
    assert exchange_page.PAGE.read_text("utf-8") == exchange_page.page(), "run: python -m tests.exchange_page"


@pytest.fixture(scope="module")
def tidy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of a campaign with ratings, and the marks of another."""
    folder = tmp_path_factory.mktemp("analysis")
    for name, protocol in (("tidy", "rating-qa/1"), ("marked", "accuracy/1")):
        write_tables(RecordSource(hard_campaign(protocol)), folder / name, kind="parquet")
    (folder / "marked" / "spans.parquet").replace(folder / "tidy" / "spans.parquet")
    return folder


def snippets() -> dict[str, str]:
    return dict(re.findall(r'```python title="([^"]+)"\n(.*?)```', ANALYSIS.read_text("utf-8"), flags=re.DOTALL))


@pytest.mark.parametrize("tool", snippets())
def test_a_line_for_an_analysis_tool_runs(tool: str, tidy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in re.findall(r"^(?:import|from) (\w+)", snippets()[tool], flags=re.MULTILINE):
        pytest.importorskip(module)
    monkeypatch.chdir(tidy)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tidy / "cache"))
    exec(compile(snippets()[tool], tool, "exec"), {})
