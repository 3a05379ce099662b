"""`goldmark agreement spans` as a person or a program meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.texts.gsml import COLUMNS

HEADER = ",".join((*COLUMNS, "ANNOTATOR"))
ROWS = """a.txt,1,1,Ann,1,1,1,1,NAME,Eve,,x
a.txt,1,2,9,3,3,3,3,NUMBER,8,,x
a.txt,1,1,Ann,1,1,1,1,NAME,Eve,,y
a.txt,1,2,9 points,3,4,3,4,NUMBER,8,,y
b.txt,1,3,lost,2,2,2,2,WORD,won,,x
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Ann scored 9 points .")
    (tmp_path / "texts" / "b.txt").write_text("They lost .")
    (tmp_path / "all.csv").write_text(f"{HEADER}\n{ROWS}")
    return tmp_path


def test_json_holds_every_measure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "seen.csv").write_text("TEXT_ID,ANNOTATOR\na.txt,x\na.txt,y\nb,x\nb,y\n")
    assert run(["agreement", "spans", "all.csv", "--texts", "texts", "--seen", "seen.csv", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    # Tokens: x marked 2 in a and 1 in b, y marked 3 in a; two are the same: F1 = 2*2 / (3 + 3).
    assert data["token_f1"]["value"] == pytest.approx(2 / 3)
    assert data["category_percent"]["value"] == 1
    assert data["category_percent"]["matches_used"] == 2
    assert data["gamma"]["texts_used"] == 2
    assert 0 < data["gamma"]["value"] < 1
    assert data["token_alpha"]["interval"] is not None
    assert [pair["annotators"] for pair in data["pairs"]] == [["x", "y"]]
    assert data["note"] is None
    assert "seen:seen.csv|texts:2|annotators:2|spans:5|" in data["signature"]


def test_without_seen_only_marked_texts_count_and_this_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["agreement", "spans", "all.csv", "--texts", "texts"]) == 0
    out = capsys.readouterr().out
    assert "--seen" in out
    assert "gamma (spans and categories)" in out
    assert "1 texts" in out
    assert "Pairs of annotators" in out


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ("TEXT_ID,WHO\na,x\n", "needs 'ANNOTATOR'; seen.csv has TEXT_ID, WHO"),
        ("TEXT_ID,ANNOTATOR\na,x\na,y\nb,x\nc,x\n", "seen.csv:5  text 'c' is not known"),
        ("TEXT_ID,ANNOTATOR\na,x\nb,x\n", "y marked something in text a, but seen.csv does not say that y saw it"),
    ],
)
def test_a_faulty_list_of_who_saw_what_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], seen: str, words: str
) -> None:
    (folder / "seen.csv").write_text(seen)
    assert run(["agreement", "spans", "all.csv", "--texts", "texts", "--seen", "seen.csv"]) == 1
    assert words in capsys.readouterr().err


def test_a_list_without_annotators_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "gold.csv").write_text(",".join(COLUMNS) + "\n")
    assert run(["agreement", "spans", "gold.csv", "--texts", "texts"]) == 1
    assert "gold.csv:1  column ANNOTATOR missing" in capsys.readouterr().err
