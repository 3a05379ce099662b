"""A cell that a spreadsheet would run is made harmless, and every cell comes back exactly."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goldmark.texts.readers.spreadsheet import FORMULA_STARTS, csv_line, csv_lines, neutralise, restore

NASTY = st.text(alphabet=st.sampled_from([*FORMULA_STARTS, "'", '"', "a", " ", ","])) | st.text()


@given(NASTY)
def test_restore_undoes_neutralise(cell: str) -> None:
    assert restore(neutralise(cell)) == cell


@given(NASTY)
@example("-0")
def test_no_neutralised_cell_starts_a_formula(cell: str) -> None:
    safe = neutralise(cell)
    if safe[:1] in [*FORMULA_STARTS]:
        assert math.isfinite(float(safe)), "only a number may begin as a formula does"


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("-3", "-3"),
        ("-3+x", "'-3+x"),
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


@given(st.lists(st.lists(NASTY, min_size=2, max_size=4), max_size=4))
def test_csv_comes_back_with_the_line_where_each_row_begins(rows: list[list[str]]) -> None:
    text = "".join(csv_line(row) for row in rows)
    read = list(csv_lines(text))
    assert [cells for _, cells in read] == rows


def test_csv_holds_numbers_truth_and_nothing() -> None:
    assert csv_line(["a,b", -1.5, True, None, "-1.5", 'say "x"']) == '"a,b",-1.5,true,,-1.5,"say ""x"""\n'
    assert list(csv_lines('a,b\n"1\n2",3\n\n4,5\n')) == [(1, ["a", "b"]), (2, ["1\n2", "3"]), (5, ["4", "5"])]
