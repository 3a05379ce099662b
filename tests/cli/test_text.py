"""The `goldmark text` commands: what they print, where, and with which exit code."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from goldmark.cli import run


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    rows = [
        {
            "id": "u1",
            "text": "C.J. Miles won. He left.",
            "prompt": "C.J. Miles",
            "system": "A",
            "context": {"B": "x"},
        },
        {"id": "u2", "text": "Bad \u202e\u001b[31m text.", "given": [{"start": 0, "end": 1, "label": "WORD"}]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_check_says_what_files_hold(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["text", "check", str(texts), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "problems": [],
        "units": 2,
        "texts": 2,
        "sentences": 3,
        "tokens": 13,  # C.J. Miles won . He left .  and  Bad <bidi+escape> [ 31m text .
        "context": ["B"],
        "hidden": ["system"],
    }
    assert run(["text", "check", str(texts)]) == 0
    assert "hidden     system" in capsys.readouterr().out


def test_check_reports_every_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"id": "u1"}\n{"text": "x"}\n', encoding="utf-8")
    assert run(["text", "check", str(path)]) == 1
    streams = capsys.readouterr()
    assert streams.out == ""
    assert "texts.jsonl:1" in streams.err
    assert "2 problems; nothing was imported" in streams.err
    assert run(["text", "check", str(path), "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["problems"]) == 2


def test_show_prints_sentences_and_cannot_drive_the_terminal(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["text", "show", str(texts)]) == 0
    out = capsys.readouterr().out
    assert "   1  C.J. Miles won .\n   2  He left .\n  prompt: tokens 0-2\n" in out
    assert "hidden from annotators: system" in out
    assert run(["text", "show", str(texts), "--id", "u2"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\u202e" in out
    assert "given: tokens 0-1 WORD" in out
    assert run(["text", "show", str(texts), "--id", "u1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shown"]["texts"]["text"]["prompt"] == [0, 2]


def test_mistakes_of_the_user_have_exit_codes(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["text", "show", str(texts), "--id", "u9"]) == 1
    assert run(["text", "check", str(texts), "--tokeniser", "spacy"]) == 1
    assert "there are characters, german, given, icu, jieba, rules, whitespace" in capsys.readouterr().err
    assert run(["text", "show", str(texts), "--colour"]) == 2


def test_tokenise(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["text", "tokenise", "He won. She left."]) == 0
    assert capsys.readouterr().out == "He won .\nShe left .\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("É won.".encode())))
    assert run(["text", "tokenise", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "tokens": [[0, 1], [2, 5], [5, 6]],
        "sentences": [[0, 3]],
        "words": ["É", "won", "."],
    }
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert run(["text", "tokenise"]) == 1
    assert "byte 0" in capsys.readouterr().err


@pytest.mark.parametrize("noun", ["text", "texts"])
def test_introduce_errors_writes_texts_and_the_list_of_errors(
    noun: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"id": "g1", "text": "The Herons won by 27. Chidi Umeh led.", "system": "A"}) + "\n")
    out, mistakes = tmp_path / "out.jsonl", tmp_path / "list.csv"
    command = [noun, "introduce-errors", str(source), "--domain", "lantern", "--out", str(out), "--list", str(mistakes)]
    assert run([*command, "--seed", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["texts"], facts["introduced"], facts["sentences_drawn"]) == (1, 2, 2)
    (row,) = (json.loads(line) for line in out.read_text().splitlines())
    assert row["system"] == "A"
    assert len(row["introduced"]) == 2
    assert len(mistakes.read_text().splitlines()) == 3
    assert run([*command[:-1], str(mistakes), "--seed", "1"]) == 0
    assert "introduced 2 errors into 1 text" in capsys.readouterr().err


def test_an_unknown_domain_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": "g1", "text": "Words."}\n')
    assert run(["text", "introduce-errors", str(source), "--domain", "soccer", "--out", str(tmp_path / "o")]) == 1
    assert "basketball, lantern" in capsys.readouterr().err
