"""The `goldmark protocol` commands: what they print, where, and with which exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from goldmark.protocols import builtin_names

BAD = "protocol: p/1\ntitle: P\nsteps:\n  - questions:\n      - {id: a, kind: choise}\n"


def test_check_tells_line_and_suggestion_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(BAD, encoding="utf-8")
    assert run(["protocol", "check", str(path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert f'{path}:5  "choise" is not a kind of question here; did you mean "choice"?' in said.err
    assert "1 problem; the protocol cannot be used yet [PROBLEMS-01]" in said.err


def test_check_for_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(BAD, encoding="utf-8")
    assert run(["protocol", "check", str(path), "--json"]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert problem["part"] == "steps.0.questions.0.kind"


def test_check_says_whether_the_order_of_two_texts_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = "protocol: p/1\ntitle: P\ntexts: [a, b]\nsteps:\n  - questions:\n      - {id: better, kind: compare}\n"
    for more, told in (
        ("", "its two texts are shown in an order that is drawn"),
        ("      - {id: fluent_a, kind: text}\n", 'shown as given, because there is "fluent_a", but no "fluent_b"'),
    ):
        path = tmp_path / "headlines.yaml"
        path.write_text(start + more, encoding="utf-8")
        assert run(["protocol", "check", str(path)]) == 0
        said = capsys.readouterr()
        assert said.out == ""
        assert told in said.err
    assert run(["protocol", "new", "plain", "--folder", str(tmp_path)]) == 0
    capsys.readouterr()
    assert run(["protocol", "check", str(tmp_path / "plain.yaml")]) == 0
    assert "two texts" not in capsys.readouterr().err


def test_a_missing_file_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["protocol", "check", "nowhere.yaml"]) == 1
    assert "the file nowhere.yaml cannot be read: No such file or directory [PROTOCOL-02]" in capsys.readouterr().err


def test_list_names_every_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["protocol", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == builtin_names()
    assert lines[0].startswith("accuracy/1 ")
    assert run(["protocol", "list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(builtin_names())


def test_show_prints_the_text_the_page_or_the_resolved_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["protocol", "show", "accuracy-dates"]) == 0
    assert "extends: accuracy/1" in capsys.readouterr().out
    assert run(["protocol", "show", "accuracy-dates", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"][0]["questions"][0]["id"] == "mistakes"
    assert run(["protocol", "show", "accuracy-dates", "--resolved"]) == 0
    assert "extends" not in json.loads(capsys.readouterr().out)
    assert run(["protocol", "show", "acuracy"]) == 1
    assert 'did you mean "accuracy"?' in capsys.readouterr().err


def test_schema_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["protocol", "schema"]) == 0
    assert "SpansQuestion" in json.loads(capsys.readouterr().out)["$defs"]


def test_a_new_protocol_is_right_and_never_overwrites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["protocol", "new", "my-plots", "--folder", str(tmp_path)]) == 0
    path = tmp_path / "my-plots.yaml"
    assert "protocol: my-plots/1" in path.read_text(encoding="utf-8")
    assert run(["protocol", "check", str(path)]) == 0
    assert run(["protocol", "new", "my-plots", "--folder", str(tmp_path)]) == 1
    assert "already there" in capsys.readouterr().err
    assert run(["protocol", "new", "My Plots", "--folder", str(tmp_path)]) == 1
    assert run(["protocol", "new", "other", "--folder", str(tmp_path / "nowhere")]) == 1
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_protocols_are_saved_for_the_browser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = ["--database", str(tmp_path / "g.db")]
    file = tmp_path / "ours.yaml"
    file.write_text("protocol: ours/1\nextends: accuracy/1\ntitle: Ours\n", encoding="utf-8")
    assert run(["protocol", "save", str(file), "--json", *database]) == 0
    (kept,) = json.loads(capsys.readouterr().out)
    assert (kept["protocol"], kept["title"]) == ("ours/1", "Ours")
    file.write_text("protocol: accuracy/2\nextends: mqm/1\n", encoding="utf-8")
    assert run(["protocol", "save", str(file), *database]) == 1
    assert "is built in and stays as it is" in capsys.readouterr().err
