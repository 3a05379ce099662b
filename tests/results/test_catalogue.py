"""The list of tables: each is described, none twice, and every one can be made of something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from goldmark.observations.schema import TABLES
from goldmark.plugins import UnknownPlugin
from goldmark.results.catalogue import RESULTS
from goldmark.results.one_table import ways
from goldmark.results.published.catalogue import ANALYSES
from goldmark.results.result_table import ResultTable
from tests import tables_page

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("one", RESULTS.values(), ids=lambda one: one.name)
def test_every_table_has_its_page(one: ResultTable) -> None:
    page = (DOCS / "statistics" / f"{one.page}.md").read_text(encoding="utf-8")
    assert f"`{one.name}`" in page or f"goldmark table {one.name}" in page
    assert one.source in page
    for heading in ("## What it means", "## When to use it", "## Formula", "## Missing data", "## Source"):
        assert heading in page


def test_the_reference_lists_them_as_they_are() -> None:
    assert tables_page.PAGE.read_text(encoding="utf-8") == tables_page.page(), "run: python -m tests.tables_page"


@pytest.mark.parametrize("one", RESULTS.values(), ids=lambda one: one.name)
def test_every_table_can_be_made_of_something(one: ResultTable) -> None:
    assert one.make is not None or one.analysis is not None
    assert set(one.reads) <= set(TABLES)
    assert ways(one)
    assert not (one.stored and one.reads)
    assert (
        one.campaigns != "campaign"
        or one.name in ("coverage", "agreement", "agreement-pairs", "people", "progress")
        or not one.make
    )


def test_every_table_of_a_paper_is_among_them_and_none_is_twice() -> None:
    names = [one.name for one in RESULTS.values()]
    assert len(names) == len(set(names))
    assert {one.name for one in ANALYSES} <= set(names)
    with pytest.raises(UnknownPlugin, match="there are coverage, ratings"):
        RESULTS.find("rating")


def test_listing_the_tables_loads_no_statistics_that_none_of_them_needs_yet() -> None:
    """`scipy.stats` takes 25 MB and two seconds; a single table needs two functions of it."""
    listed = "from goldmark.results.catalogue import RESULTS; RESULTS.usable()"
    code = f"import sys; {listed}; print('scipy.stats' in sys.modules)"
    made = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert made.stdout.strip() == "False"
