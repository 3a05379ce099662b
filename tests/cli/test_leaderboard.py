"""`goldmark leaderboard` from a file to an export, with nothing but the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.samples.boards import BOARDS, board_file, outputs_file
from goldmark.store import open_store
from tests.leaderboards.ground import answer_all, write_board

NAME = "sample-questions"


@pytest.fixture
def database(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GOLDMARK_DATABASE", sqlite_database)
    return sqlite_database


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, object]:
    assert run(["leaderboard", *arguments, "--json"]) == code
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_the_sample_boards_are_right(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = said(capsys, "check", str(board_file(name)))
    assert found["ok"] is True
    assert str(found["leaderboard"]).startswith("sample-")


@pytest.mark.parametrize("name", BOARDS)
def test_the_sample_outputs_are_accepted(name: str, database: str, capsys: pytest.CaptureFixture[str]) -> None:
    board = str(said(capsys, "create", str(board_file(name)))["leaderboard"])
    for system in ("alder", "birch"):
        file = str(outputs_file(name, system))
        found = said(capsys, "submit", board, file, "--system", system, "--team", "Alder Lab")
        assert (found["version"], found["state"]) == (1, "private")


def test_a_metric_that_cannot_be_computed_here_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_board(tmp_path, metrics=["chrf", "ter", "comet:checkpoint=/nowhere"], human={"start": "never"})
    found = said(capsys, "check", str(path))
    assert found["ok"] is True
    assert [str(one).partition(":")[0] for one in found["warnings"]] == ["comet"]  # type: ignore[attr-defined]
    assert said(capsys, "check", str(path), "--no-try-metrics")["warnings"] == []


def test_a_board_is_rehearsed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_board(tmp_path, human={"test_questions": {"positive": 0.1, "negative": 0.1}})
    found = said(capsys, "rehearse", str(path), "--answers", "100", "--draws", "1")
    [row] = [row for row in found["tables"][0]["rows"] if row["planned"]]  # type: ignore[index]
    assert (row["answers"], row["blamed"]) == (100, 0)
    assert "would be found" in str(said(capsys, "check", str(path))["warnings"])
    assert run(["leaderboard", "rehearse", str(write_board(tmp_path))]) == 1
    assert "no test questions" in capsys.readouterr().err


def test_settings_are_printed_and_changed(tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "create", str(write_board(tmp_path)))
    (tmp_path / "settings.yaml").write_text("public: true\nsubmit: {at_most: 2}\n", encoding="utf-8")
    said(capsys, "change", "questions", str(tmp_path / "settings.yaml"), "--title", "Sums")
    shown = said(capsys, "settings", "questions")
    assert (shown["title"], shown["settings"]["submit"]["at_most"]) == ("Sums", 2)  # type: ignore[index]
    assert run(["leaderboard", "settings", "questions"]) == 0
    assert "at_most: 2" in capsys.readouterr().out
    (tmp_path / "settings.yaml").write_text("publik: true\n", encoding="utf-8")
    assert run(["leaderboard", "change", "questions", str(tmp_path / "settings.yaml")]) == 1
    assert "settings.yaml:1" in capsys.readouterr().err


def test_a_wrong_file_is_told_and_makes_nothing(
    tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "board.yaml").write_text("leaderboard: x\nprotocol: rating-qa\n", encoding="utf-8")
    found = said(capsys, "check", str(tmp_path / "board.yaml"), code=1)
    assert found["ok"] is False
    assert run(["leaderboard", "create", str(tmp_path / "board.yaml")]) == 1
    assert '"data" is missing' in capsys.readouterr().err
    assert run(["leaderboard", "submit", "nothing", str(tmp_path / "gone"), "--system", "a", "--team", "b"]) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert run(["leaderboard", "standings", "nothing"]) == 1
    assert "there is no leaderboard 'nothing'" in capsys.readouterr().err


def test_from_a_file_to_an_export(tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "create", str(board_file("question-answering")))
    file = str(outputs_file("question-answering", "alder"))
    said(capsys, "submit", NAME, file, "--system", "Alder", "--team", "Alder Lab", "--author", "Ann")
    assert run(["jobs", "work", "--until-empty", "--processes", "1"]) == 0
    capsys.readouterr()
    said(capsys, "approve", NAME, "1")
    assert run(["leaderboard", "tick"]) == 0  # the round opens on a weekday at ten; now or later
    opened = said(capsys, "rounds", NAME)["rounds"]
    assert isinstance(opened, list)
    if opened[0]["state"] == "planned":
        assert said(capsys, "open", NAME, "1")["state"] == "open"
    store = open_store(database)
    answer_all(store, f"{NAME}-round-1", {"": 3})
    store.close()
    assert said(capsys, "score", NAME, "1")["state"] == "scored"
    assert run(["leaderboard", "standings", NAME]) == 0
    assert "Alder" not in capsys.readouterr().out
    said(capsys, "publish", NAME, "1")
    assert run(["leaderboard", "standings", NAME, "--format", "csv", "--correlations"]) == 0
    table = capsys.readouterr().out
    assert "Alder" in table
    assert "0.75" in table
    said(capsys, "export", NAME, str(tmp_path / "site"))
    assert "Alder" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    said(capsys, "withdraw", NAME, "1", "--reason", "a bug")
    assert run(["leaderboard", "standings", NAME]) == 0
    assert "Alder" not in capsys.readouterr().out
    assert run(["leaderboard", "list"]) == 0
    assert NAME in capsys.readouterr().out


def test_scores_from_elsewhere(tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "create", str(board_file("question-answering")))
    lines = [f"{s},Q{n:02},a{n},{x}" for s, x in (("A", 0.9), ("B", 0.2)) for n in range(1, 13)]
    (tmp_path / "ratings.csv").write_text("who,item,judge,score\n" + "\n".join(lines), encoding="utf-8")
    more = ("--system", "who", "--annotator", "judge")
    found = said(capsys, "import", NAME, str(tmp_path / "ratings.csv"), "--team", "Lab", *more)
    assert found["state"] == "scored"
    assert run(["leaderboard", "standings", NAME]) == 0
    printed = capsys.readouterr().out
    assert printed.index("A ") < printed.index("B ")
    (tmp_path / "ratings.csv").write_text("who,item,judge,score\nA,Q99,a,1\n", encoding="utf-8")
    assert run(["leaderboard", "import", NAME, str(tmp_path / "ratings.csv"), "--team", "Lab", *more]) == 1
    assert '"Q99" is no item that people judge' in capsys.readouterr().err


def test_plans(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["leaderboard", "plan", "--error", "0.02", "--tests", "0.1", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["tables"][0]["rows"][0]
    assert 625 in (row.values() if isinstance(row, dict) else row)
    assert run(["leaderboard", "plan"]) == 1
    assert "give a number of annotations" in capsys.readouterr().err
