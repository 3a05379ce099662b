"""`goldmark aggregate` as a person or a program meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run

# Two people agree on q and r, and differ on p; the third labelled only r, and left p empty.
ROWS = "task,worker,label,gold\np,ann,x,x\np,bea,y,x\np,cid,,x\nq,ann,x,x\nq,bea,x,x\nr,ann,y,\nr,bea,y,\nr,cid,x,\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text(ROWS)
    return tmp_path


def test_ties_and_accuracy_of_the_vote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["aggregate", "labels.csv", "--method", "majority", "--truth", "gold", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {item["item"]: item["label"] for item in data["items"]} == {"p": None, "q": "x", "r": "y"}
    assert data["items"][0]["tied"] == ["x", "y"]
    assert data["tied"] == 1
    assert data["labels_skipped"] == 1
    # Truth is known of p (a tie of two: half) and q (right): 1.5 of 2.
    assert data["accuracy"]["value"] == pytest.approx(0.75)
    assert data["accuracy"]["items_skipped"] == 1
    assert data["ending"] is None
    assert data["signature"].startswith("method:majority|labels:7|items:3|annotators:3|values:2|")


@pytest.mark.parametrize("method", ["dawid-skene", "one-coin", "mace"])
def test_models_say_how_they_ended(folder: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    assert run(["aggregate", "labels.csv", "--method", method, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ending"]["converged"] is True
    assert [row["annotator"] for row in data["annotators"]] == ["ann", "bea", "cid"]
    for item in data["items"]:
        assert sum(item["posterior"].values()) == pytest.approx(1)
    assert (data["annotators"][0]["confusion"] is not None) == (method == "dawid-skene")
    assert "accuracy" not in data


def test_a_person_sees_ties_notes_and_annotators(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["aggregate", "labels.csv", "--method", "majority", "--truth", "gold"]) == 0
    out = capsys.readouterr().out
    for words in (
        "x / y",
        "1 of 3 items are tied",
        "1 rows without a label",
        "accuracy 0.7500",
        "Annotators (majority)",
    ):
        assert words in out
    assert run(["aggregate", "labels.csv", "--of", "annotators", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "annotator,labels,reliability"


def test_items_come_in_the_order_of_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ten.csv").write_text("task,worker,label\n" + "".join(f"{n},a,x\n" for n in (10, 9, 1, 100)))
    assert run(["aggregate", "ten.csv", "--format", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["10", "9", "1", "100"]


@pytest.mark.parametrize(
    ("rows", "arguments", "code", "words"),
    [
        (ROWS, ["--item", "patient"], 1, "needs 'patient'; labels.csv has task, worker, label, gold"),
        (ROWS, ["--method", "guess"], 2, ""),
        (ROWS, ["--seed", "-3"], 2, ""),
        ("task,worker,label\n,a,x\np,,x\n", [], 1, "2 problems"),
        ("task,worker,label\np,a,\n", [], 1, "no label to aggregate"),
        ("task,worker,label,gold\np,a,x,x\np,b,x,y\n", ["--truth", "gold"], 1, "labels.csv:3"),
        ("", [], 1, "no rows"),
    ],
)
def test_mistakes_are_explained(
    folder: Path, capsys: pytest.CaptureFixture[str], rows: str, arguments: list[str], code: int, words: str
) -> None:
    (folder / "labels.csv").write_text(rows)
    assert run(["aggregate", "labels.csv", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == "" or code == 2
    assert words in captured.err


def test_choices_of_an_exported_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["a,x,q,false,yes,true", "a,y,q,false,yes,true", "a,z,q,false,no,true", "b,x,q,false,no,true"]
    rows += ["b,y,q,true,yes,true", "b,x,r,false,5,true", "b,z,q,false,yes,false"]
    header = "unit,annotator,question,test,label,chosen"
    (folder / "choices.csv").write_text("\n".join([header, *rows]) + "\n")
    assert run(["aggregate", "choices.csv", "--method", "majority"]) == 1
    assert "--keep question=q" in capsys.readouterr().err
    assert run(["aggregate", "choices.csv", "--method", "majority", "--keep", "question=q", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {item["item"]: item["label"] for item in data["items"]} == {"a": "yes", "b": "no"}
    assert [entry["count"] for entry in data["left_out"]] == [1, 1, 1]  # another question, a test, not chosen
    (folder / "choices.csv").write_text(f"{header}\na,x,q,false,[],true\n")
    assert run(["aggregate", "choices.csv"]) == 1
    assert "--format tidy" in capsys.readouterr().err
