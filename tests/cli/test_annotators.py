"""`goldmark annotators` as a person or a program meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run

ROWS = "worker,correct,n\nann,19,20\nbea,40,41\ncid,3,20\ndan,0,0\nbot,0,100000\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests.csv").write_text(ROWS)
    return tmp_path


@pytest.mark.parametrize("model", [[], ["--criterion", "class"], ["--prior", "jeffreys"], ["--prior", "fixed"]])
def test_json_names_the_flagged(folder: Path, capsys: pytest.CaptureFixture[str], model: list[str]) -> None:
    assert run(["annotators", "fit", "tests.csv", *model, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert sorted(data["flagged"]) == ["bot", "cid"]
    assert data["converged"] is True
    probabilities = {worker["worker"]: worker["probability_noisy"] for worker in data["workers"]}
    assert set(probabilities) == {"ann", "bea", "cid", "dan", "bot"}
    assert probabilities["bea"] < probabilities["dan"] < probabilities["bot"]
    assert sum(data["kinds"]["all"]["mixture"]["weights"]) == pytest.approx(1)
    assert (data["kinds"]["all"]["fit"] is None) == ("--prior" in model)
    assert data["signature"].startswith("method:noisy-annotators|")


def test_kinds_and_other_column_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        {"who": "yes", "ok": 20, "asked": 20, "polarity": "positive"},
        {"who": "yes", "ok": 0, "asked": 20, "polarity": "negative"},
        {"who": "fine", "ok": 19, "asked": 20, "polarity": "negative"},
    ]
    (folder / "tests.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    names = ["--worker", "who", "--correct", "ok", "--n", "asked", "--kind", "polarity"]
    assert run(["annotators", "fit", "tests.jsonl", *names, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["flagged"] == ["yes"]
    assert set(data["kinds"]) == {"positive", "negative"}
    assert data["workers"][0]["by_kind"]["positive"] < 0.1 < 0.99 < data["workers"][0]["by_kind"]["negative"]


def test_a_person_sees_table_mixture_and_signature(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["annotators", "fit", "tests.csv"]) == 0
    out = capsys.readouterr().out
    assert "2 of 5 annotators flagged" in out
    assert "The fitted mixture" in out
    assert "seed:0" in out
    assert run(["annotators", "fit", "tests.csv", "--format", "csv"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[0] == "worker,correct,n,probability_noisy,flagged"
    assert len(captured.out.splitlines()) == 6
    assert "seed:0" in captured.err


def test_every_bad_row_is_named_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.csv").write_text("worker,correct,n\na,5,4\nb,x,2\n,1,2\nd,-1,2\ne,1,1e30\nf,1.5,2\n")
    assert run(["annotators", "fit", "bad.csv"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    for line in (2, 3, 4, 5, 6, 7):
        assert f"bad.csv:{line}  " in captured.err
    assert "5 right answers to 4 questions" in captured.err
    assert "6 problems; nothing was computed" in captured.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["fit", "absent.csv"], 1, "no file"),
        (["fit", "tests.csv", "--worker", "wrker"], 1, "has worker, correct, n"),
        (["fit", "tests.csv", "--kind", "polarity"], 1, "polarity"),
        (["fit", "tests.csv", "--criterion", "class", "--prior", "uniform"], 1, "class criterion"),
        (["fit", "tests.csv", "--prior", "fixed", "--components", "3"], 1, "no fixed prior of 3"),
        (["fit", "tests.csv", "--components", "40"], 1, "40 components cannot be told apart"),
        (["fit", "tests.csv", "--components", "0"], 2, ""),
        (["fit", "tests.csv", "--criterion", "luck"], 2, ""),
        (["fit", "tests.csv", "--seed", "-1"], 2, ""),
        (["simulate", "--rounds", "0"], 2, ""),
        (["simulate", "--questions", "tests.csv"], 1, "tests.csv:5"),
    ],
)
def test_mistakes_are_explained(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    assert run(["annotators", *arguments]) == code
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err


def test_simulate_prints_the_rows_of_the_study(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "counts.csv").write_text("n\n" + "3\n8\n30\n" * 20)
    assert run(["annotators", "simulate", "--rounds", "2", "--questions", "counts.csv", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["rows"]) == 24
    assert data["rounds"] == 2
    assert {row["questions"] for row in data["rows"]} == {"1-4", "5-14", "15+"}
    for row in data["rows"]:
        for figure in (row["precision"], row["recall"]):
            assert (figure["value"] is None) <= bool(figure["reason"])
    assert "rounds:2|annotators:60" in data["signature"]
    assert run(["annotators", "simulate", "--rounds", "1", "--questions", "counts.csv"]) == 0
    assert "2-component learned class" in capsys.readouterr().out
