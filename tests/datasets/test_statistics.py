"""The figures of TGEA's table 4 by hand, and the same as `goldmark table dataset` computes from tidy files."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.datasets.release.description import different_tokens
from goldmark.datasets.release.description.figure import type_bars, type_figure
from goldmark.datasets.release.description.statistics import Statistics
from goldmark.datasets.release.rows import corrected, row_of
from goldmark.datasets.release.selection import SelectedReading
from goldmark.datasets.sources.readings import Reading, ReadText
from tests.datasets.house import mark, text


def add(counted: Statistics, split: str, read: ReadText) -> None:
    counted.add(row_of(read, SelectedReading(read.readings[0], "only", ("A",)), read.id), split)


def three() -> Statistics:
    counted = Statistics()
    add(counted, "train", text("T1", "a b c d e", Reading("A")))
    # two errors: 1-3 with associated 4-5 (distance from token 2 to token 4: 2), 5-6 with associated 5-7 (overlap: 0)
    first = mark(1, 3, "x.y", rationale="it is so", associated=((4, 5),))
    second = mark(5, 6, "z", id="e2", associated=((5, 7),), correction="q")
    add(counted, "train", text("T2", "a b c d e f g h", Reading("A", (first, second))))
    add(
        counted,
        "test",
        text("T3", "a z", Reading("A", (mark(0, 1, "x.w", rationale="no , no", associated=((1, 2),)),))),
    )
    return counted


def test_sizes_by_hand() -> None:
    sizes, _ = three().tables()
    rows = {row["split"]: row for row in sizes.records()}
    assert rows["all"] == {
        "split": "all",
        "texts": 3,
        "errors_0": 1,
        "errors_1": 1,
        "errors_2": 1,
        "erroneous_percent": pytest.approx(200 / 3),
        "tokens": 5 + 8 + 2,
        "vocabulary": 9,  # a to h, and z
        "tokens_per_text": 5.0,
        "tokens_per_error": pytest.approx((2 + 1 + 1) / 3),
        "tokens_per_associated": pytest.approx((1 + 2 + 1) / 3),
        "distance": pytest.approx((2 + 0 + 1) / 3),
        "tokens_per_rationale": 3.0,  # "it is so" and "no , no"
    }
    assert rows["dev"]["texts"] == 0
    assert rows["dev"]["tokens_per_text"] is None
    assert (rows["train"]["texts"], rows["train"]["errors_2"], rows["test"]["errors_1"]) == (2, 1, 1)


def test_different_tokens_are_counted_alike_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(different_tokens, "HELD", 3)
    assert [row["vocabulary"] for row in three().tables()[0].records()] == [8, 0, 2, 9]


def test_types_by_hand() -> None:
    _, types = three().tables()
    shares = [
        (row["type"], row["subtype"], row["errors"], round(float(row["percent"] or 0), 2)) for row in types.records()
    ]
    assert shares == [("x", "", 2, 66.67), ("x", "w", 1, 33.33), ("x", "y", 1, 33.33), ("z", "", 1, 33.33)]


def test_texts_with_many_errors_share_a_column() -> None:
    counted = Statistics()
    marks = tuple(mark(place, place + 1, "x", id=f"e{place}") for place in range(7))
    add(counted, "train", text("T1", "a b c d e f g h", Reading("A", marks)))
    (row, *_) = counted.tables()[0].records()
    assert (row["errors_5"], row["errors_more"]) == (0, 1)


def test_the_table_of_tidy_files_says_the_same(tmp_path: Path) -> None:
    from goldmark.results.options import AnalysisOptions
    from goldmark.results.published.tgea.dataset import ERRORS, TEXTS, dataset
    from goldmark.texts.readers.tidy import read_tidy

    (tmp_path / "texts.csv").write_text(
        "text,tokens,split\nT1,a b c d e,train\nT2,a b c d e f g h,train\nT3,a z,test\n"
    )
    (tmp_path / "errors.csv").write_text(
        "text,start,end,associated_start,associated_end,rationale,type,subtype\n"
        'T2,1,3,4,5,it is so,x,y\nT2,5,6,5,7,,z,\nT3,0,1,1,2,"no , no",x,w\n'
    )
    frames = [
        columns.check(read_tidy(tmp_path / name)) for columns, name in ((TEXTS, "texts.csv"), (ERRORS, "errors.csv"))
    ]
    theirs, _ = dataset(frames[0], frames[1], AnalysisOptions())
    ours, _ = three().tables()
    assert [row for row in ours.records() if row["split"] != "dev"] == theirs.records()


def test_a_corrected_text_has_no_double_space() -> None:
    read = text("T", "The small little village, the village lies here.")
    marks = [mark(2, 3, correction=""), mark(4, 7, correction="")]
    assert corrected(read.characters, read.tokens, marks) == "The small village lies here."
    assert (
        corrected(read.characters, read.tokens, [mark(0, 1, correction="")])
        == "small little village, the village lies here."
    )
    assert corrected(read.characters, read.tokens, [mark(0, 1, correction=None)]) is None
    assert corrected(read.characters, read.tokens, [mark(0, 2, correction="A"), mark(1, 3, correction="b")]) is None
    assert corrected(read.characters, read.tokens, []) == read.characters


def test_the_figure_shows_every_type_and_trusts_no_name() -> None:
    counted = Statistics()
    add(counted, "train", text("T1", "a b", Reading("A", (mark(0, 1, "<script>.x"),))))
    picture = type_figure(counted.types(), 'Types in "<b>"')
    assert "<script>" not in picture
    assert "&lt;script&gt;" in picture
    assert "100.0 % (1)" in picture
    assert (
        type_bars(counted.types())
        == "<script>  100.0 %       1  " + "#" * 40 + "\n  x       100.0 %       1  " + "#" * 40 + "\n"
    )
