"""`goldmark agreement` as a person or a program meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run

# Krippendorff's (2011) example in long form; see tests/stats/test_alpha.py for its source.
EXAMPLE = {"A": "123321412...", "B": "1233224125.3", "C": ".3332342251.", "D": "12332441251."}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"u{unit},{who},{'' if value == '.' else value}"
        for who, values in EXAMPLE.items()
        for unit, value in enumerate(values)
    ]
    (tmp_path / "ratings.csv").write_text("\n".join(["item,coder,score", *rows]) + "\n")
    return tmp_path


COLUMNS = ["--unit", "item", "--annotator", "coder", "--value", "score"]


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_json_shape_and_published_values(
    folder: Path, capsys: pytest.CaptureFixture[str], level: str, expected: float
) -> None:
    assert run(["agreement", "ratings.csv", *COLUMNS, "--level", level, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["alpha"]["value"] == pytest.approx(expected, abs=0.0005)
    assert len(data["alpha"]["interval"]) == 2
    assert (data["alpha"]["units_used"], data["alpha"]["units_skipped"]) == (11, 1)
    assert data["alpha"]["reason"].startswith("11 units: with fewer than 20")
    assert set(data["percent"]) == set(data["fleiss"]) == set(data["alpha"])
    assert data["fleiss"]["value"] is None
    assert "same number of labels" in data["fleiss"]["reason"]
    assert len(data["cohen"]["pairs"]) == 6
    assert {(entry["count"], entry["what"]) for entry in data["left_out"]} == {(1, "units"), (7, "labels")}
    assert f"data:ratings.csv|level:{level}|labels:41|units:12|annotators:4|" in data["signature"]


def test_the_table_for_people_says_what_was_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["agreement", "ratings.csv", *COLUMNS, "--level", "ordinal"]) == 0
    out = capsys.readouterr().out
    assert "Krippendorff's alpha (ordinal)" in out
    assert "0.815 [" in out
    assert "left out: 1 unit," in out


def test_json_lines_and_named_ranks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("a", "x", "low"), ("a", "y", "high"), ("b", "x", "high"), ("b", "y", "high"), ("c", "x", None)]
    lines = [json.dumps({"unit": unit, "annotator": who, "value": value}) for unit, who, value in rows]
    (folder / "words.jsonl").write_text("\n".join(lines))
    arguments = ["agreement", "words.jsonl", "--level", "ordinal", "--json"]
    assert run([*arguments, "--order", "low,middle,high"]) == 0
    # low high / high high: Do = De as for two values at the nominal level: n = 4, Do = 2/4, De = 2*1*3/12: alpha 0.
    assert json.loads(capsys.readouterr().out)["alpha"]["value"] == pytest.approx(0)
    assert run(arguments) == 1
    assert "words.jsonl:1  column 'value' holds 'low'; a number is needed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["ratings.csv"], 1, "needs 'unit', 'annotator', 'value'; ratings.csv has item, coder, score"),
        (["none.csv"], 1, "there is no file none.csv"),
        (["ratings.csv", *COLUMNS, "--level", "metric"], 2, "nominal"),
        (["twice.csv"], 1, "twice.csv:3  x labelled a already (twice.csv:2); keep one of the two"),
        (["minus.csv", "--level", "ratio"], 1, "minus.csv:2  column 'value' holds '-1'; at least 0 is needed"),
    ],
)
def test_mistakes_of_usage_are_explained(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    (folder / "twice.csv").write_text("unit,annotator,value\na,x,1\na,x,2\n")
    (folder / "minus.csv").write_text("unit,annotator,value\na,x,-1\na,y,2\n")
    assert run(["agreement", *arguments]) == code
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("a,x,1\nb,x,2\n", "only one annotator"),
        ("a,x,1\nb,y,2\n", "no unit was labelled by two annotators"),
        ("a,x,1\na,y,1\n", "every label that can be compared is"),
        ("a,x,\na,y,\n", "there are no labels"),
    ],
)
def test_nulls_are_explained(folder: Path, capsys: pytest.CaptureFixture[str], rows: str, reason: str) -> None:
    (folder / "few.csv").write_text(f"unit,annotator,value\n{rows}")
    for level in ("nominal", "interval"):
        assert run(["agreement", "few.csv", "--level", level, "--json"]) == 0
        alpha = json.loads(capsys.readouterr().out)["alpha"]
        assert alpha["value"] is None
        assert alpha["interval"] is None
        assert reason in alpha["reason"]
        assert run(["agreement", "few.csv", "--level", level]) == 0
        assert reason in capsys.readouterr().out


SHARED = "unit,item,system,condition,annotator,kind,question,test,excluded,weight"


def exported(folder: Path, name: str, columns: str, *rows: str) -> str:
    """`u x q false false 3`: unit, annotator, question, test, excluded, and what the table adds."""
    lines = [f"{SHARED},{columns}"]
    for row in rows:
        unit, annotator, question, test, excluded, *more = row.split()
        lines.append(",".join([unit, "i", "s", "", annotator, "person", question, test, excluded, "1", *more]))
    (folder / name).write_text("\n".join(lines) + "\n")
    return name


RATINGS = (
    "a x overall false false 1",
    "a y overall false false 1",
    "b x overall false false 1",
    "b y overall false false 1",
    "c x overall false false 1",
    "c y overall false false 2",
    "d x overall false false 2",
    "d y overall false false 2",
    "e x overall true false 1",
    "e y overall true false 2",
    "a z overall false true 2",
)


def test_ratings_of_an_exported_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = exported(folder, "ratings.csv", "value", *RATINGS, "a x fluency false false 5")
    assert run(["agreement", name]) == 1
    assert "'question': overall, fluency; choose one with --keep question=overall" in capsys.readouterr().err
    assert run(["agreement", name, "--keep", "question=overall", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    # 11 11 12 22: Do = 2/8, De = 2*5*3/(8*7) = 15/28, alpha = 1 - 7/15.
    assert data["alpha"]["value"] == pytest.approx(8 / 15)
    assert {"alpha", "percent", "cohen", "fleiss", "ac1", "labels", "annotators", "left_out", "signature"} == set(data)
    assert [(entry["count"], entry["what"]) for entry in data["left_out"]] == [(1, "rows"), (2, "rows"), (1, "rows")]
    assert "data:ratings.csv|keep-question:overall|level:nominal|labels:8|" in data["signature"]
    assert run(["agreement", name, "--keep", "question=overall", "--level", "interval"]) == 0
    said = capsys.readouterr().out
    assert "left out: 2 rows, answers to test questions; --keep test=true,false counts them too" in said
    assert "left out: 1 row, work that is excluded" in said
    both = ["--keep", "question=overall", "--keep", "test=true,false", "--keep", "excluded=true,false"]
    assert run(["agreement", name, *both, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["labels"] == 11


def test_choices_of_an_exported_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{row.rpartition(' ')[0]} label{row[-1]} true" for row in RATINGS]
    assert run(["agreement", exported(folder, "choices.csv", "label,chosen", *rows), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["alpha"]["value"] == pytest.approx(8 / 15)
    # Options that were not chosen are no labels; of several that were, one at a time can be compared.
    several = ["a x q false false A true", "a x q false false B true", "a y q false false A true"]
    several += ["a y q false false B false", "b x q false false B true", "b y q false false B true"]
    name = exported(folder, "choices.csv", "label,chosen", *several)
    assert run(["agreement", name]) == 1
    assert "choices.csv:3: x chose several labels for a" in (said := capsys.readouterr().err)
    assert "--keep label=A --value chosen" in said
    assert run(["agreement", name, "--keep", "label=B", "--value", "chosen", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["labels"], data["percent"]["value"]) == (4, 0.5)


@pytest.mark.parametrize("cell", ['"[{""start"": 0, ""end"": 2}]"', "[]", '"{""a"": 1}"'])
def test_lists_and_objects_are_not_labels(folder: Path, capsys: pytest.CaptureFixture[str], cell: str) -> None:
    (folder / "answers.csv").write_text(
        f"unit,annotator,question,answer\na,x,mistakes,{cell}\na,y,mistakes,[]\na,x,fine,yes\na,y,fine,yes\nb,x,fine,no\n"
        "b,y,fine,yes\n"
    )
    for more in ([], ["--keep", "question=mistakes"]):
        assert run(["agreement", "answers.csv", "--value", "answer", *more]) == 1
        said = capsys.readouterr().err
        assert "answers.csv:2  column 'answer' holds JSON" in said
        assert "--format tidy" in said
        assert "--keep question=" in said
    assert run(["agreement", "answers.csv", "--value", "answer", "--keep", "question=fine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["percent"]["value"] == 0.5


def test_json_in_a_plain_file_is_refused_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plain.csv").write_text("unit,annotator,value\na,x,yes\na,y,[1]\n")
    assert run(["agreement", "plain.csv"]) == 1
    assert "plain.csv:3  column 'value' holds JSON ([1])" in capsys.readouterr().err
