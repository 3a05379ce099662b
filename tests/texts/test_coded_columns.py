"""The fast way of reading says the same as the careful one, or leaves the file to it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.texts.readers.coded_columns import read_coded
from goldmark.texts.readers.tidy import read_tidy

CELL = st.text(st.sampled_from('ab1 ,"\n\té'), max_size=4)


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8), st.sampled_from(",;\t"))
def test_codes_stand_for_the_cells_that_the_careful_way_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], separator: str
) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows([("u", "a", "v"), *rows])
    path = tmp_path_factory.mktemp("coded") / "table.csv"
    path.write_bytes(out.getvalue().encode())
    coded = read_coded(path, ["v", "u"])
    assert coded is not None
    frame = read_tidy(path)
    for column, name in zip(coded, ["v", "u"], strict=True):
        assert [column.names[code] for code in column.codes] == [cell.strip() for cell in frame.cells[name]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.jsonl", b'{"u": 1}\n'),
        ("spaces.csv", b"u a v\n1 2 3\n"),
        ("ragged.csv", b"u,a,v\n1,2\n"),
        ("twice.csv", b"u,u,v\n1,2,3\n"),
        ("other.csv", b"x,y\n1,2\n"),
        ("latin.csv", b"u,a,v\n\xe9,1,2\n"),
        ("empty.csv", b""),
    ],
)
def test_whatever_is_unusual_is_left_to_the_careful_way(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert read_coded(tmp_path / name, ["u", "v"]) is None


def test_a_file_that_is_not_there_is_left_to_it_too(tmp_path: Path) -> None:
    assert read_coded(tmp_path / "none.csv", ["u"]) is None
