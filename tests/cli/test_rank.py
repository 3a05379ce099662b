from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run

ROWS = "worker,sys,seg,points\n" + "".join(
    f"w{i % 3},{name},s{i},{points}\n" for i in range(12) for name, points in (("A", 0.8 + 0.01 * i), ("B", 0.2))
)
COLUMNS = ["--system", "sys", "--item", "seg", "--annotator", "worker", "--score", "points"]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_json_has_systems_pairs_and_signature(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(scores), *COLUMNS, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in data["systems"]] == ["A", "B"]
    # Mean of 0.80 ... 0.91 is 0.855.
    assert data["systems"][0]["mean"] == pytest.approx(0.855)
    assert data["systems"][0]["rank"] == {"best": 1, "worst": 1}
    low, high = data["systems"][0]["interval"]
    assert low < 0.855 < high
    assert data["pairs"][0]["significant"] is True
    assert data["pairs"][0]["interval"][0] > 0
    assert "ranks:step-down|draws:2000|seed:17" in data["signature"]


def test_ranks_by_a_test(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(scores), *COLUMNS, "--test", "rank-sum", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["pairs"][0]["significant"] is True
    assert "ranks:rank-sum,holm" in data["signature"]


def test_what_intervals_draw(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(scores), *COLUMNS, "--draw", "items", "--level", "0.9", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert "clusters:items|level:0.9|" in data["signature"]
    assert any("annotators are taken as they are" in note for note in data["notes"])


def test_ratings_of_a_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ratings.csv"
    lines = [
        f"i{item} / {system},i{item},{system},a{item % 4},{question},{'true' if item == 7 else 'false'},false,{value}"
        for question in ("fluent", "overall")
        for item in range(8)
        for system, value in (("A", 0.75), ("B", 0.25))
    ]
    head = "unit,item,system,annotator,question,test,excluded,value\n"
    path.write_text(head + "\n".join(lines), encoding="utf-8")
    assert run(["rank", str(path), "--score", "value", "--keep", "question=overall", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [(row["system"], row["mean"], row["judgements"]) for row in data["systems"]] == [
        ("A", 0.75, 7),
        ("B", 0.25, 7),
    ]
    assert run(["rank", str(path), "--keep", "question=overall", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == data
    assert run(["rank", str(path)]) == 1
    assert "several values of 'question': fluent, overall" in capsys.readouterr().err


def test_a_person_sees_intervals_and_signature(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(scores), *COLUMNS, "--pairs"]) == 0
    out = capsys.readouterr().out
    assert "0.855 [" in out
    assert "Pairs of systems" in out
    assert "ranks:step-down" in out
    assert "Every two systems" in out


def test_wrong_columns_are_told(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(scores)]) == 1
    assert "scores.csv has worker, sys, seg, points" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--test", "guess"], ["--keep", "nonsense"], ["--seed", "x"], ["--unknown"]])
def test_wrong_usage(scores: Path, wrong: list[str]) -> None:
    assert run(["rank", str(scores), *COLUMNS, *wrong]) == 2


def test_plot_is_written(scores: Path, tmp_path: Path) -> None:
    assert run(["rank", str(scores), *COLUMNS, "--plot", str(tmp_path / "p.svg")]) == 0
    assert (tmp_path / "p.svg").stat().st_size > 1000
