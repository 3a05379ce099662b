from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.records.tables import Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.output.tables import latex_escape, reading, to_csv, to_frame, to_html, to_json, to_latex, to_text

SCORES = Table(
    title="Scores",
    columns=("system", "score", "score_low", "score_high", "n", "p"),
    rows=(("A_1", 0.7134, 0.664, 0.7581, 12, 0.0001), ("B", None, None, None, 0, None)),
    notes=("1 row was left out: it had no score",),
    signature="method:mean|seed:17|v:0.1.0",
)


def test_intervals_are_folded_for_people() -> None:
    read = reading(SCORES)
    assert read.heads == ("system", "score", "n", "p")
    assert read.rows == (("A_1", "0.713 [0.664, 0.758]", "12", "<0.001"), ("B", "–", "0", "–"))


def test_the_first_rows_are_written_as_among_all() -> None:
    read = reading(SCORES, most=1)
    assert read.rows == reading(SCORES).rows[:1]
    assert (read.heads, read.numeric) == (reading(SCORES).heads, reading(SCORES).numeric)


def test_terminal_shows_notes_and_signature() -> None:
    text = to_text(SCORES)
    assert "0.713 [0.664, 0.758]" in text
    assert text.rstrip().endswith("1 row was left out: it had no score\nmethod:mean|seed:17|v:0.1.0")


def test_a_narrow_terminal_gets_blocks_with_the_names_repeated() -> None:
    columns = ("system", *(f"figure_{number}" for number in range(8)))
    text = to_text(Table("t", columns, (("alpha", *(0.125 * n for n in range(8))),)), width=40)
    assert max(len(line) for line in text.split("\n")) <= 40
    assert text.count("alpha") > 1
    for number in range(8):
        assert text.count(f"figure {number}") == 1
        assert f"{0.125 * number:.3f}" in text


@pytest.mark.parametrize("width", [5, 20, 30, 60])
def test_no_width_is_too_narrow(width: int) -> None:
    assert "Scores"[:width] in to_text(SCORES, width=width)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("x", 0.12345, "0.123"),
        ("x", 0.0, "0.000"),
        ("x", 0.00004, "4e-05"),
        ("x", -0.0003, "-0.0003"),
        ("x", True, "yes"),
        ("p", 0.0, "<0.001"),
        ("p_corrected", 0.04, "0.040"),
        ("freedom", 59.0, "59"),
        ("freedom", 36.06, "36.1"),
        ("percent_human", 46.6667, "46.67"),
    ],
)
def test_how_a_value_is_said(column: str, value: float, said: str) -> None:
    assert reading(Table("t", (column,), ((value,),))).rows == ((said,),)


def test_a_column_without_words_is_not_shown() -> None:
    read = reading(Table("t", ("a", "reason"), ((1, ""), (2, ""))))
    assert read.heads == ("a",)
    assert "reason" in to_csv(Table("t", ("a", "reason"), ((1, ""),)))


def test_reasons_stand_below_the_table_each_once() -> None:
    few, same = "few people answered", "it never varies"
    rows = (("a", 1, few), ("b", None, same), ("c", 2, few), ("d", 3, ""))
    table = Table("t", ("system", "value", "reason"), rows, notes=("a note",))
    read = reading(table)
    assert read.heads == ("system", "value", "note")
    assert [row[2] for row in read.rows] == ["a", "b", "a", ""]
    assert read.remarks == (f"a: {few}", f"b: {same}")
    assert to_text(table).rstrip().endswith(f"a: {few}\nb: {same}\na note")
    assert to_latex(table).count(few) == to_html(table).count(few) == 1
    assert to_csv(table).count(few) == 2  # a program reads rows


def test_what_holds_of_every_row_needs_no_letter() -> None:
    read = reading(Table("t", ("system", "reason"), (("a", "few"), ("b", "few"))))
    assert (read.heads, read.remarks) == (("system",), ("Few",))


def test_a_table_without_any_figure_is_its_reason() -> None:
    rows = [{"question": one, "value": None, "n": None, "reason": "nobody answered"} for one in "ab"]
    read = reading(Table.of("Title", rows))
    assert read.bare
    assert read.remarks == ("Nobody answered",)
    assert not reading(Table.of("Title", [*rows, {**rows[0], "value": 0.5, "n": 3}])).bare
    assert not reading(Table.of("Title", [*rows, {**rows[0], "value": 0.5, "n": 3}]), most=1).bare  # for a later row


def test_one_long_row_stands_upright() -> None:
    row = {f"column {number}": number for number in range(12)}
    assert reading(Table.of("Title", [row])).upright
    assert not reading(Table.of("Title", [row, row])).upright


def test_a_generated_name_cannot_command_the_terminal() -> None:
    text = to_text(Table("t", ("system",), (("\x1b[2J[bold]x[/bold]\n",),)))
    assert "\x1b" not in text
    assert "[bold]x[/bold]" in text


def test_csv_keeps_full_precision() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(SCORES))))
    assert rows[0] == list(SCORES.columns)
    assert rows[1][1:5] == ["0.7134", "0.664", "0.7581", "12"]
    assert rows[2][1] == ""


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＠A1", "'=1"])
def test_csv_text_is_never_a_formula(cell: str) -> None:
    table = Table("t", ("system", "score"), ((cell, -1.0),))
    row = list(csv.reader(io.StringIO(to_csv(table), newline="")))[1]
    assert row == [f"'{cell}", "-1.0"]  # numbers stay numbers


def test_latex() -> None:
    lines = to_latex(SCORES).split("\n")
    assert r"\begin{tabular}{lrrr}" in lines
    assert r"A\_1 & 0.713 [0.664, 0.758] & 12 & \textless{}0.001 \\" in lines
    assert "% method:mean|seed:17|v:0.1.0" in lines


def test_latex_minus_and_brackets() -> None:
    """Behind a rule or a line, both would be read as an argument of it."""
    text = to_latex(Table("t", ("[name]", "z", "z_low", "z_high"), (("[x]", -0.5, -0.6, 0.1),)))
    assert "\\toprule\n{}[name] & z" in text
    assert r"{}[x] & $-$0.500 [$-$0.600, 0.100] \\" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    odd = Table(
        "100 % & more_",
        ("*name", "[z]", "[z]_low", "[z]_high"),
        (("[x] $ # ^ ~ \\ { } < > |", -0.5, -0.6, 0.1), ("*", None, None, None)),
        notes=("a_b & c",),
        signature="x_y|v:1 %",
    )
    body = to_latex(SCORES) + to_latex(odd) + to_latex(Table("nothing", (), ()))
    document = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" + body + "\\end{document}\n"
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@given(st.text())
def test_escaped_latex_has_no_bare_special(text: str) -> None:
    escaped = latex_escape(text)
    for special in "&%$#_":
        assert escaped.count(special) == escaped.count("\\" + special)
    assert "\n" not in escaped


def test_json_is_valid_and_exact() -> None:
    data = json.loads(json.dumps(to_json(SCORES), allow_nan=False))
    assert data["rows"][0]["score"] == 0.7134
    assert data["rows"][1]["score"] is None


def test_data_frame_and_back() -> None:
    frame = to_frame(SCORES)
    assert frame.columns == list(SCORES.columns)
    assert frame["score"].to_list() == [0.7134, None]
    again = Frame.of_columns({name: frame[name] for name in frame.columns})
    assert again.cells["system"] == ["A_1", "B"]
    assert again.cells["score"] == ["0.7134", ""]
