"""The table of baselines in the documentation says what the command says today."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.baselines_page import HALUQUESTQA, OTHER, PAGE, SIMULATED, haluquestqa, rows_of, simulated, written


def _stands(made: list[str]) -> list[str]:
    """Of the rows those that the page has otherwise, or not at all."""
    rows = {row.strip() for row in written(PAGE.read_text(encoding="utf-8"))}
    return [row for row in made if row.strip() not in rows]


@pytest.mark.slow
def test_every_row_of_the_table_is_fresh(tmp_path: Path) -> None:
    pytest.importorskip("pycrfsuite")
    assert _stands(list(rows_of(SIMULATED, simulated(tmp_path)))) == []
    if HALUQUESTQA.is_dir():
        assert _stands(list(rows_of(OTHER, haluquestqa(tmp_path)))) == []
