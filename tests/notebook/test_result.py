"""A result prints, shows and turns into whatever comes next; nothing in a text is markup, formula or command."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pandas as pd
import pytest

import goldmark as gm
from goldmark.notebook.result import NoFigures, NoPicture, NoSuchTable, NotOneRow, Result, SeveralTables
from goldmark.records.tables import Cell, Table
from goldmark.results.pictures.files.forms import UnknownPicture

HOSTILE = '<script>alert("1")</script> & \x1b[31m=1+1'
ROWS: list[dict[str, Cell]] = [
    {"system": "alder", "value": 1 / 3, "low": 0.25, "high": 0.5, "n": 12, "reason": ""},
    {"system": HOSTILE, "value": None, "low": None, "high": None, "n": 0, "reason": "nobody rated it"},
]
TABLE = Table.of("Means", ROWS, notes=("of & all",), signature="figure:mean|seed:17|v:0")
PAIRS = Table.of("Pairs", [{"first": "alder", "p": 0.04}], name="pairs")
RESULT = Result.of([TABLE, PAIRS], "means")


def test_it_prints_aligned_with_notes_and_signature() -> None:
    told = str(RESULT).splitlines()
    assert told[0] == "Means"
    assert "0.333 [0.250, 0.500]" in told[4]
    assert "of & all" in told
    assert "figure:mean|seed:17|v:0" in told
    assert "Pairs" in told
    assert "\x1b" not in str(RESULT)
    assert repr(RESULT) == str(RESULT)


def test_a_notebook_shows_it_with_every_cell_escaped() -> None:
    shown = RESULT._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;alert(&quot;1&quot;)" in shown
    assert "of &amp; all" in shown
    assert re.findall("<th[^>]*>([^<]*)</th>", shown) == ["system", "value", "n", "note", "first", "p"]


def test_rows_and_frames_have_all_digits_and_say_how_they_were_made() -> None:
    assert RESULT.to_dicts()[0] == {**ROWS[0], "signature": TABLE.signature}
    assert RESULT.row(system="alder")["value"] == 1 / 3
    frame = RESULT.to_pandas()
    assert frame["value"].tolist()[0] == 1 / 3
    assert pd.isna(frame["value"][1])
    assert frame.attrs["signature"] == TABLE.signature
    assert RESULT.to_polars()["value"].to_list() == [1 / 3, None]
    assert RESULT["pairs"].to_dicts() == [{"first": "alder", "p": 0.04}]
    assert list(RESULT) == ["means", "pairs"]
    with pytest.raises(NotOneRow, match="0 rows have system='elm'"):
        RESULT.row(system="elm")
    with pytest.raises(NotOneRow, match="2 rows"):
        RESULT.row()


def test_files(tmp_path: Path) -> None:
    assert RESULT.to_csv(tmp_path / "means.csv") == (tmp_path / "means.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(RESULT.to_csv())))
    assert float(rows[0]["value"]) == 1 / 3
    assert r"\begin{table}" in RESULT.to_latex(tmp_path / "means.tex")
    assert (tmp_path / "means.tex").exists()


def test_one_table_has_to_be_meant() -> None:
    several = Result({"a": TABLE, "b": PAIRS}, several=True, reasons={"c": "nobody compared"})
    with pytest.raises(SeveralTables, match=r"results\['a'\]; there are a, b"):
        several.to_pandas()
    assert several["b"].to_dicts() == [{"first": "alder", "p": 0.04}]
    with pytest.raises(NoSuchTable, match=r"no table 'c' \(nobody compared\); there are a, b"):
        several["c"]
    with pytest.raises(KeyError):
        several["d"]
    with pytest.raises(NoFigures):
        Result({}, several=True).to_dicts()


def test_long_tables_are_cut_only_where_people_read() -> None:
    many = Result.of([Table.of("Many", [{"n": number} for number in range(1_000)])], "many")
    assert "… and 950 more rows" in str(many)
    assert many._repr_html_().count("<tr>") == 51
    assert len(many.to_dicts()) == 1_000


def test_pictures(tmp_path: Path) -> None:
    ratings = [
        {"system": s, "item": i, "annotator": a, "value": len(s) % 3} for s in ("x", "yy") for i in "12" for a in "ab"
    ]
    found = gm.results(ratings, resamples=50)
    assert "<svg" in (found["ratings"].plot()._repr_svg_() or "")
    drawn = found["ratings"].plot(tmp_path / "means.svg")
    assert (tmp_path / "means.svg").read_bytes() == drawn.content
    with pytest.raises(UnknownPicture):
        found["ratings"].plot("means.gif")
    with pytest.raises(NoPicture):
        RESULT["pairs"].plot()
