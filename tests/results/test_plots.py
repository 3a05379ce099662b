from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from goldmark.records.tables import Table
from goldmark.results.pictures.files.forms import UnknownPicture
from goldmark.results.pictures.files.svg import standalone
from goldmark.results.pictures.files.to_file import NothingToDraw, draw_column
from goldmark.results.pictures.kinds.histograms import histograms
from goldmark.results.pictures.picture_text import width_of
from goldmark.results.pictures.shapes import Box, TextMark
from goldmark.results.pictures.sheet import Layout

TABLE = Table(
    "Scores of $x",
    ("system", "mean", "mean_low", "mean_high"),
    (("a$b$", 0.5, 0.4, 0.6), ("c", 0.2, None, None), ("d", None, None, None)),
)


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_a_picture_is_written(tmp_path: Path, suffix: str, start: bytes) -> None:
    path = tmp_path / f"scores.{suffix}"
    draw_column(TABLE, "mean", ("system",), path)
    assert path.read_bytes().startswith(start)


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownPicture, match=r"\.svg, \.png, \.pdf"):
        draw_column(TABLE, "mean", ("system",), tmp_path / "scores.xyz")


def test_a_table_without_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NothingToDraw):
        draw_column(Table("t", ("a", "mean"), (("x", None),)), "mean", ("a",), tmp_path / "t.png")


def test_rows_without_a_number_are_named_and_texts_are_no_formulas(tmp_path: Path) -> None:
    path = tmp_path / "scores.svg"
    draw_column(TABLE, "mean", ("system",), path)
    drawn = path.read_text(encoding="utf-8")
    assert all(words in drawn for words in ("Scores of $x", "a$b$", "not known", ">mean, with its interval<"))


def test_histograms_share_a_scale_and_write_scores_where_there_is_room() -> None:
    many = [(f"{score / 100:.2f}–{(score + 1) / 100:.2f}", score, None) for score in range(60)]
    drawn = histograms("Scores", [("<b>few</b>", [("0", 0, 0.0), ("1", 30, 100.0)]), ("many", many)], Layout())
    boxes = [mark for mark in drawn.marks if isinstance(mark, Box)]
    assert (len(boxes), boxes[1].title) == (62, "1: 30")
    heights = {box.title: box.height for box in boxes}
    assert heights["1: 30"] == pytest.approx(heights["0.30–0.31: 30"])
    assert heights["0: 0"] == 0
    below = sorted(
        (mark for mark in drawn.marks if isinstance(mark, TextMark) and "–" in mark.text), key=lambda mark: mark.x
    )
    assert 1 < len(below) < 60
    for mark, following in pairwise(below):
        assert mark.x + width_of(mark.text, mark.size) / 2 <= following.x - width_of(following.text, following.size) / 2
    assert "&lt;b&gt;few" in standalone(drawn)
