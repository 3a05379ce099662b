"""`goldmark score` as a person or a program meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.texts.readers.gsml import COLUMNS

HEADER = ",".join(COLUMNS)
GOLD = "a.txt,1,1,Ann,1,1,1,1,NAME,Eve,\na.txt,1,2,9,3,3,3,3,NUMBER,8,\nb.txt,1,3,lost,2,2,2,2,WORD,won,\n"
MINE = "a.txt,1,1,Ann,1,1,1,1,WORD,,\na.txt,1,2,points,4,4,4,4,NUMBER,,\nb.txt,1,3,lost,2,2,2,2,WORD,,\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Ann scored 9 points .")
    (tmp_path / "texts" / "b.txt").write_text("They lost .")
    (tmp_path / "gold.csv").write_text(f"{HEADER}\n{GOLD}")
    (tmp_path / "mine.csv").write_text(f"{HEADER}\n{MINE}")
    return tmp_path


def test_json_has_rows_counts_intervals_and_a_signature(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "gold.csv", "mine.csv", "--texts", "texts", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["rows"]) == ["overall", "NAME", "NUMBER", "WORD", "CONTEXT", "NOT_CHECKABLE", "OTHER"]
    overall = data["rows"]["overall"]
    # Ann and lost are found, 9 is missed, points is invented.
    assert [overall[key] for key in ("recall", "precision", "token_recall", "token_precision")] == [2 / 3] * 4
    assert (overall["found"], overall["gold"], overall["submitted"]) == (2, 3, 3)
    assert len(overall["intervals"]["recall"]) == 2
    assert data["rows"]["OTHER"]["recall"] is None
    assert data["rows"]["OTHER"]["reason"] == "the gold list has no mistake of category OTHER"
    assert data["signature"].startswith("gold:gold.csv|submitted:mine.csv|match:token-overlap-once|texts:2|")


def test_the_table_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "gold.csv", "mine.csv", "--texts", "texts"]) == 0
    out = capsys.readouterr().out
    assert "token precision" in out
    assert "0.667" in out
    assert "match:token-overlap-once" in out


def test_what_was_missed_and_invented_is_listed_and_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = ["--missed", "missed.csv", "--invented", "invented.csv"]
    assert run(["score", "gold.csv", "mine.csv", "--texts", "texts", "--list", "--json", *written]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["tokens"] for row in data["missed"]] == ["9"]
    assert [row["tokens"] for row in data["invented"]] == ["points"]
    assert [(row["category"], row["submitted_as"]) for row in data["found_as_other_category"]] == [("NAME", "WORD")]
    assert (folder / "missed.csv").read_text() == f"{HEADER}\na.txt,1,2,9,3,3,3,3,NUMBER,8,\n"
    assert (folder / "invented.csv").read_text() == f"{HEADER}\na.txt,1,2,points,4,4,4,4,NUMBER,,\n"
    assert run(["score", "gold.csv", "mine.csv", "--texts", "texts", "--list", "--format", "csv"]) == 0
    assert "found as WORD,a,1,1,1,Ann,NAME,Eve," in capsys.readouterr().out


def test_compare_gives_difference_interval_and_p(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "compare", "gold.csv", "gold.csv", "mine.csv", "--texts", "texts", "--json"]) == 0
    recall = json.loads(capsys.readouterr().out)["rows"]["overall"]["recall"]
    assert recall["difference"] == pytest.approx(1 / 3)
    assert len(recall["interval"]) == 2
    # Only text a differs, and swapping it turns the difference round: every swapping differs as much.
    assert recall["p"] == 1
    assert run(["score", "compare", "gold.csv", "gold.csv", "mine.csv", "--texts", "texts"]) == 0
    assert "difference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["gold.csv", "none.csv", "--texts", "texts"], 1, "none.csv cannot be read: there is no such file"),
        (["gold.csv", "mine.csv", "--texts", "none"], 1, "none is not a folder"),
        (["gold.csv", "mine.csv", "--texts", "texts", "--categories", "NAME,WORD"], 1, "gold.csv:3  category 'NUMBER'"),
        (["gold.csv", "mine.csv", "--texts", "texts", "--missed", "no/where.csv"], 1, "cannot be written"),
        (["gold.csv", "--texts", "texts"], 2, "SUBMITTED"),
        (["gold.csv", "mine.csv", "--texts", "texts", "--resamples", "0"], 2, "--resamples"),
    ],
)
def test_mistakes_of_usage_are_explained(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    assert run(["score", *arguments]) == code
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_other_categories_can_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["score", "gold.csv", "mine.csv", "--texts", "texts", "--categories", "NUMBER, WORD,NAME", "--json"]) == 0
    )
    assert list(json.loads(capsys.readouterr().out)["rows"]) == ["overall", "NUMBER", "WORD", "NAME"]


def test_scoring_starts_without_heavy_libraries(folder: Path) -> None:
    """Half a second for everything leaves no room for them: scipy alone takes longer to import."""
    code = (
        "import sys; from goldmark.cli import run;"
        "run(['score', 'gold.csv', 'mine.csv', '--texts', 'texts', '--json']);"
        "print([name for name in ('scipy', 'polars', 'pydantic', 'sqlalchemy', 'fastapi') if name in sys.modules],"
        " file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True)
    assert done.stderr.strip() == "[]"


def test_texts_beside_the_gold_list_need_not_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "gold.csv", "mine.csv", "--json"]) == 0
    found = capsys.readouterr().out
    assert run(["score", "gold.csv", "mine.csv", "--texts", "texts", "--json"]) == 0
    assert found == capsys.readouterr().out
    assert run(["score", "compare", "gold.csv", "mine.csv", "gold.csv", "--resamples", "100", "--json"]) == 0

    (folder / "texts").rename(folder / "elsewhere")
    capsys.readouterr()
    assert run(["score", "gold.csv", "mine.csv"]) == 1
    assert "give the folder that holds one .txt file per text" in capsys.readouterr().err


def test_a_call_that_lacks_something_says_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    for call, said in (
        (["score"], "goldmark score needs GOLD: Gold mistake list (CSV). See goldmark score --help."),
        (["campaign", "create"], "goldmark campaign create needs FILE"),
        (["user", "token"], "goldmark user token needs NAME"),
        (["rank", "scores.csv", "--seed"], "--seed needs a value. See goldmark rank --help."),
    ):
        assert run(call) == 2
        told = " ".join(capsys.readouterr().err.replace("│", " ").split())
        assert said in told
