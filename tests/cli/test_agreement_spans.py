"""`goldmark agreement spans` as a person or a program meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldmark.cli import run
from goldmark.exchange.campaign.marks import campaign_of
from goldmark.exchange.formats import export_campaign, import_campaign
from goldmark.texts.readers.gsml import COLUMNS, spaced_text

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
    assert "1 texts" in " ".join(out.split())
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


def figures(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run(["agreement", "spans", *arguments, "--json"]) == 0, capsys.readouterr().err
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def mark(start: int, end: int, label: str) -> dict[str, Any]:
    return {"id": f"m{start}{end}", "start": start, "end": end, "label": label}


def test_an_exported_folder_counts_people_who_marked_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {name: spaced_text(name, "Ann scored 9 points .") for name in ("a.txt", "b")}
    answers = {("a.txt", "x"): [mark(0, 1, "X.y")], ("a.txt", "y"): [mark(0, 1, "X.y")], ("a.txt", "z"): []}
    answers |= {("b", "x"): [mark(2, 3, "X.z")], ("b", "y"): []}
    export_campaign(campaign_of(texts, answers, question="mistakes"), "gsml", tmp_path / "out")
    data = figures(capsys, str(tmp_path / "out"))
    # In a: x and y share their token, z has none; in b: only x. x-y: 2*1 of 2+1 tokens; x-z and y-z: 0 of 1.
    assert [(*pair["annotators"], pair["token_f1"]) for pair in data["pairs"]] == [
        ("x", "y", pytest.approx(2 / 3)),
        ("x", "z", 0),
        ("y", "z", 0),
    ]
    assert "seen.csv" in data["note"]
    assert "seen:seen.csv|texts:2|annotators:3|spans:3" in data["signature"]
    # The list by itself, beside its table and texts, says the same, and so does an export of what was imported.
    again = figures(capsys, str(tmp_path / "out" / "gsml.csv"), "--categories", "X.y,X.z")
    assert again == data
    export_campaign(import_campaign(tmp_path / "out", "gsml"), "gsml", tmp_path / "again")
    assert figures(capsys, str(tmp_path / "again"))["pairs"] == data["pairs"]


TIDY = "unit,item,system,condition,annotator,kind,question,test,excluded,weight,id,role,start,end,label,comment,tokens"


def tidy(folder: Path, *rows: str, header: str = TIDY) -> Path:
    """`u x q 0-2 NAME`, or `u x q` for nothing; then perhaps columns by name, as `test=true`."""
    names = header.split(",")
    lines = [header]
    for row in rows:
        unit, annotator, question, *said = row.split()
        cells = {"unit": unit, "annotator": annotator, "question": question, "tokens": "5", "test": "false"}
        cells |= {"kind": "person", "excluded": "false", "weight": "1", "comment": "[]"}
        plain = [word for word in said if "=" not in word]
        if plain:
            cells["start"], cells["end"] = plain[0].split("-")
            cells["label"] = plain[1]
        cells |= dict(word.split("=") for word in said if "=" in word)
        lines.append(",".join(cells.get(name, "") for name in names))
    (folder / "spans.csv").write_text("\n".join(lines) + "\n")
    return folder / "spans.csv"


def test_a_table_of_spans_needs_no_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["a x m 0-1 NAME", "a x m 2-3 NUMBER", "a y m 0-1 NAME", "a y m 2-4 NUMBER", "b x m 1-2 WORD", "b y m"]
    data = figures(capsys, str(tidy(tmp_path, *rows)))
    assert data["token_f1"]["value"] == pytest.approx(2 / 3)  # as in the first test: 2*2 / (3 + 3)
    assert data["gamma"]["texts_used"] == 2
    assert (data["note"], data["left_out"]) == (None, [])
    assert "data:spans.csv|seen:in-table|texts:2|annotators:2|spans:5|" in data["signature"]
    assert figures(capsys, str(tmp_path))["token_f1"] == data["token_f1"]  # the folder it stands in


def test_test_questions_and_excluded_rows_are_left_out_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["a x m 0-1 NAME", "a y m 0-1 NAME", "b x m 1-2 WORD test=true", "b y m test=true", "a z m excluded=true"]
    path = str(tidy(tmp_path, *rows))
    data = figures(capsys, path)
    assert data["token_f1"]["value"] == 1
    assert [entry["count"] for entry in data["left_out"]] == [2, 1]
    assert run(["agreement", "spans", path]) == 0
    assert "left out: 2 rows, answers to test questions" in capsys.readouterr().out
    data = figures(capsys, path, "--keep", "test=true,false", "--keep", "excluded=true,false")
    assert data["left_out"] == []
    assert "|annotators:3|" in data["signature"]


def test_several_questions_or_roles_are_refused_with_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tidy(tmp_path, "a x m 0-1 NAME", "a y n 0-1 NAME", "a y m"))
    assert run(["agreement", "spans", path]) == 1
    assert "'question': m, n; choose one with --keep question=m" in capsys.readouterr().err
    assert figures(capsys, path, "--keep", "question=m")["token_f1"]["value"] == 0
    linked = ["a x m 0-1 NAME role=error", "a x m 3-4 NAME role=cause", "a y m 0-1 NAME role=error", "a z m"]
    path = str(tidy(tmp_path, *linked))
    assert run(["agreement", "spans", path]) == 1
    assert "'role': error, cause; choose one with --keep role=error" in capsys.readouterr().err
    data = figures(capsys, path, "--keep", "role=error")
    assert "|annotators:3|spans:2|" in data["signature"]  # z, who marked nothing, has no role
    assert data["left_out"] == [{"count": 1, "what": "rows", "why": "role is not error"}]
    # y saw the text as well, and linked nothing.
    assert "|annotators:3|spans:1|" in figures(capsys, path, "--keep", "role=cause")["signature"]
    nameless = str(tidy(tmp_path, "a x m 0-1 NAME", "a x m 3-4 NAME role=cause", "a y m"))
    assert run(["agreement", "spans", nameless]) == 1
    assert "'role': none, cause" in capsys.readouterr().err
    assert "|spans:1|" in figures(capsys, nameless, "--keep", "role=none")["signature"]
    assert run(["agreement", "spans", nameless, "--keep", "role=reason"]) == 1
    assert "role is none, cause" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("a x m 3-3 NAME", "spans.csv:2  3 to 3 is no span of text 'a' of 5 tokens"),
        ("a x m 4-6 NAME", "4 to 6 is no span"),
        ("a x m start=1", "1 to nothing is no span"),
        ("a x m label=NAME", "the label 'NAME' has no start and no end"),
        ("a x m 0-1 NAME tokens=", "column 'tokens' is empty"),
        ("a x m 0-1 NAME tokens=6", "text 'a' has 5 tokens here and 6 above"),
        ("a x m 0-1 [1]", "column 'label' holds JSON ([1])"),
    ],
)
def test_rows_that_cannot_be_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: str, words: str
) -> None:
    assert run(["agreement", "spans", str(tidy(tmp_path, row, "a y m 0-1 NAME"))]) == 1
    assert words in capsys.readouterr().err


def test_what_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["agreement", "spans", str(tmp_path)]) == 1
    assert "holds neither gsml.csv nor spans.csv" in capsys.readouterr().err
    old = tidy(tmp_path, "a x m 0-1 NAME", header="unit,annotator,question,id,start,end,label,attributes")
    assert run(["agreement", "spans", str(old)]) == 1
    assert "needs 'tokens'; spans.csv has unit, annotator" in (said := capsys.readouterr().err)
    assert "--format tidy" in said
    (tmp_path / "list.csv").write_text(f"{HEADER}\n{ROWS}")
    assert run(["agreement", "spans", str(tmp_path / "list.csv")]) == 1
    assert "--texts FOLDER" in capsys.readouterr().err
    assert run(["agreement", "spans", str(tmp_path / "list.csv"), "--keep", "question=m"]) == 1
    assert "leave it out" in capsys.readouterr().err


def test_marks_of_one_person_may_overlap(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nested = "a.txt,1,9,Ann scored,1,2,1,2,CONTEXT,,,x\na.txt,1,8,Ann scored,1,2,1,2,CONTEXT,,,y\n"
    (folder / "all.csv").write_text(f"{HEADER}\n{ROWS}{nested}")
    data = figures(capsys, "all.csv", "--texts", "texts")
    # x: {NAME, CONTEXT} {CONTEXT} {NUMBER} - -, y: the same and {NUMBER} on the fourth word.
    # 10 values: twice {N,C}, twice {C}, three {U}, three empty. One word of five differs, by 1: Do = 2/10.
    # De = 2 * (2*2*.5 + 2*3 + 2*3 + 2*3 + 2*3 + 3*3) / (10*9) = 70/90. alpha = 1 - 0.2 * 90 / 70 = 52/70.
    assert data["token_alpha"]["value"] == pytest.approx(52 / 70)
    assert "|overlap:jaccard-sets-best-cover|" in data["signature"]
    assert data["category_percent"]["value"] == 1
    assert data["category_percent"]["matches_used"] == 3
