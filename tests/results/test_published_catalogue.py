from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.files.error_files import ERROR_LIST
from goldmark.results.published import catalogue

DOCS = Path(__file__).resolve().parents[2] / "docs"
STATISTICS = ("ranking", "power", "correlation", "tests")  # pages of statistics that are no table of a paper


@pytest.mark.parametrize("analysis", [*catalogue.ANALYSES, ERROR_LIST], ids=lambda analysis: analysis.name)
def test_every_table_has_its_page(analysis: catalogue.Analysis) -> None:
    page = (DOCS / analysis.page).read_text(encoding="utf-8")
    assert f"goldmark table {analysis.name}" in page
    assert analysis.source in page
    for file in analysis.files:
        for column in file.columns:
            assert f"`{column.name}`" in page, f"{analysis.page} does not explain column {column.name}"


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_has_its_page(name: str) -> None:
    page = (DOCS / "statistics" / f"{name}.md").read_text(encoding="utf-8")
    for heading in ("## What it means", "## When to use it", "## Formula", "## Missing data", "## Source"):
        assert heading in page


def test_wrong_names_and_files_are_told() -> None:
    with pytest.raises(catalogue.UnknownTable, match="there are combinations"):
        catalogue.run("combination", [])
    with pytest.raises(catalogue.WrongFiles, match=r"errors, then texts \(if there is one\)"):
        catalogue.run(ERROR_LIST, [])
    with pytest.raises(catalogue.UnknownColumn, match="error, annotator, gold"):
        catalogue.run("combinations", [Frame.of([{"error": 1}])], names={"worker": "x"})
