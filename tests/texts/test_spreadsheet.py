"""A cell that a spreadsheet would run is made harmless, and every cell comes back exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.texts.spreadsheet import FORMULA_STARTS, neutralise, restore

NASTY = st.text(alphabet=st.sampled_from([*FORMULA_STARTS, "'", '"', "a", " ", ","])) | st.text()


@given(NASTY)
def test_restore_undoes_neutralise(cell: str) -> None:
    assert restore(neutralise(cell)) == cell


@given(NASTY)
def test_no_neutralised_cell_starts_a_formula(cell: str) -> None:
    assert neutralise(cell)[:1] not in [*FORMULA_STARTS]


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("-3", "'-3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("'=1+1", "''=1+1"),
        ("'quoted'", "'quoted'"),
        ("'s", "'s"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_only_cells_that_need_it_are_changed(cell: str, safe: str) -> None:
    assert neutralise(cell) == safe
