from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.texts.readers.tidy import NoSuchFile, NothingInside, NotReadable, read_tidy

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


def test_csv_keeps_lines_of_rows_after_a_quoted_line_break(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('text,label\n"two\nlines",x\nplain,y\n', encoding="utf-8")
    frame = read_tidy(path)
    assert frame.cells == {"text": ["two\nlines", "plain"], "label": ["x", "y"]}
    assert list(frame.lines) == [2, 4]
    assert frame.where(1) == "a.csv:4"


@pytest.mark.parametrize("header", ["a b", "a\tb", "a;b", "a,b"])
def test_the_separator_follows_from_the_header(tmp_path: Path, header: str) -> None:
    path = tmp_path / "a.csv"
    separator = header[1]
    path.write_text(f"{header}\n1{separator}2\n", encoding="utf-8")
    assert read_tidy(path).cells == {"a": ["1"], "b": ["2"]}


def test_a_header_of_blanks_over_rows_of_tabs(tmp_path: Path) -> None:
    path = tmp_path / "wmt.csv"  # how the WMT judgement lists are written
    path.write_text("worker score\nw1\t0.5\n", encoding="utf-8")
    assert read_tidy(path).cells == {"worker": ["w1"], "score": ["0.5"]}


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1, "b": null}\n\n{"a": true, "c": [1]}\n', encoding="utf-8")
    frame = read_tidy(path)
    assert frame.cells == {"a": ["1", "true"], "b": ["", ""], "c": ["", "[1]"]}
    assert list(frame.lines) == [1, 3]


def test_every_ragged_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1\n1,2\n1,2,3\n", encoding="utf-8")
    with pytest.raises(ProblemsFound) as found:
        read_tidy(path)
    assert [problem.where for problem in found.value.problems] == ["a.csv:2", "a.csv:4"]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", NothingInside),
        (b"a,b\n", NothingInside),
        (b"a,a\n1,2\n", ProblemsFound),
        (b"a,b\n\xff,1\n", NotReadable),
    ],
)
def test_what_cannot_be_read_is_explained(tmp_path: Path, content: bytes, error: type[GoldmarkError]) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(error):
        read_tidy(path)


def test_absent_file(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile):
        read_tidy(tmp_path / "no.csv")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(words, words), min_size=1))
def test_what_csv_writes_is_read_back(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("a", "b"), *rows])
    assert list(zip(*read_tidy(path).cells.values(), strict=True)) == rows
