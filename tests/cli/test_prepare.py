"""The `goldmark prepare` commands: what they write, what they print, and with which exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run

LONG = "The ferry left late because of fog. Nobody on board minded much. By noon it was back in port."


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    made = [
        {"id": "a", "text": LONG, "genre": "news"},
        {"id": "b", "text": "Too short."},
        {"id": "c", "text": LONG.replace("fog", "mist")},
        {"id": "d", "text": "Quite another matter was discussed at the meeting on Monday evening."},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    return path


def test_cut(texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "cut.jsonl"
    assert run(["prepare", "cut", str(texts), "--words", "9", "--out", str(out), "--json"]) == 0
    assert rows(out)[0] == {
        "id": "a",
        "text": "The ferry left late because of fog. Nobody on board minded much.",
        "genre": "news",
    }
    assert json.loads(capsys.readouterr().out) == {"texts": 4, "cut": 2, "out": str(out)}


def test_clean_says_why(texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "clean.jsonl"
    assert run(["prepare", "clean", str(texts), "--out", str(out)]) == 0
    assert [row["id"] for row in rows(out)] == ["a", "d"]
    said = capsys.readouterr()
    assert said.out.startswith("kept 2 of 4 texts, dropped 2")
    assert "b: 9 characters, not more than 15" in said.err
    # 19 words have 17 runs of three; one changed word touches 3 of them: 14/17 are shared.
    assert "c: 82% of it is in a" in said.err


def test_words_are_prompts(tmp_path: Path) -> None:
    corpus, out = tmp_path / "corpus.jsonl", tmp_path / "words.jsonl"
    words = " ".join(f"{word}/NN " * (10 - place) for place, word in enumerate(["aa", "bb", "cc", "dd", "ee"]))
    corpus.write_text(json.dumps({"id": "1", "text": words}) + "\n")
    assert run(["prepare", "words", str(corpus), "--tagger", "tagged", "--out", str(out)]) == 0
    assert rows(out) == [{"id": "cc", "prompt": "cc", "times": 8, "rank": 0.4}]


def test_match_pairs_people_and_machines(texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine, out = tmp_path / "machine.jsonl", tmp_path / "study.jsonl"
    machine.write_text(json.dumps({"id": "1", "text": "The ferry sank. It sank again."}) + "\n")
    command = ["prepare", "match", "--human", str(texts), "--machine", f"tiny={machine}", "--words", "3"]
    assert run([*command, "--out", str(out), "--json"]) == 0
    assert [row["source"] for row in rows(out)] == ["human", "machine"]
    assert json.loads(capsys.readouterr().out)["written"] == 2
    assert run(["prepare", "match", "--human", str(texts), "--machine", "tiny", "--out", str(out)]) == 1
    assert "NAME=FILE" in capsys.readouterr().err


def test_sets_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, out = tmp_path / "outputs.csv", tmp_path / "sets.jsonl"
    lines = [f"{item}{system},{item} by {system},{item},{system}" for item in ("i", "j") for system in "pqrs"]
    given.write_text("\n".join(["id,text,item,system", *lines, "k,alone,k,p"]) + "\n", encoding="utf-8")
    assert run(["prepare", "sets", str(given), "--each", "1", "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "made 2 sets of 4 from 8 texts of 4 systems; every text is in 1, every two systems meet 2 times" in told.out
    assert "k: left out, 1 of the 4 texts that a set has" in told.err
    assert [row["id"] for row in rows(out)] == ["i-1", "j-1"]
    assert all(str(row["texts"]).count(" by ") == 4 for row in rows(out))
    assert run(["prepare", "sets", str(given), "--size", "5", "--out", str(out)]) == 1
    assert "no item has 5 texts" in capsys.readouterr().err


def test_a_prompt_that_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"id": "1"}\n')
    assert run(["prepare", "generate", str(prompts), "--model", "x", "--out", str(tmp_path / "o.jsonl")]) == 1
    assert "prompts.jsonl:1  the row has no text under prompt" in capsys.readouterr().err


def test_wrong_usage_is_exit_2(texts: Path) -> None:
    assert run(["prepare", "cut", str(texts)]) == 2
