from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.records.tables import Table
from goldmark.reports.plots import NothingToDraw, UnknownPicture, dots

TABLE = Table(
    "Scores of $x",
    ("system", "mean", "mean_low", "mean_high"),
    (("a$b$", 0.5, 0.4, 0.6), ("c", 0.2, None, None), ("d", None, None, None)),
)


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_a_picture_is_written(tmp_path: Path, suffix: str, start: bytes) -> None:
    path = tmp_path / f"scores.{suffix}"
    dots(TABLE, "mean", ("system",), path)
    assert path.read_bytes().startswith(start)


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownPicture, match=r"\.png, \.pdf, \.svg"):
        dots(TABLE, "mean", ("system",), tmp_path / "scores.xyz")


def test_a_table_without_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NothingToDraw):
        dots(Table("t", ("a", "mean"), (("x", None),)), "mean", ("a",), tmp_path / "t.png")
