"""`goldmark campaign test-questions`: from a file with gold outputs to who answers them how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run
from tests.databases import fresh


@pytest.fixture
def database(tmp_path: Path) -> str:
    address = fresh(tmp_path)
    rows = [
        {"id": f"u{number}", "text": f"Answer {number} .", "context": {"Q": f"{number}?"}, "gold": f"Gold {number} ."}
        for number in range(10)
    ]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "c.yaml").write_text("campaign: quiz\nprotocol: rating-qa\ntexts: texts.jsonl\n")
    assert run(["campaign", "create", str(tmp_path / "c.yaml"), "--database", address]) == 0
    return address


def test_adding_and_showing(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    rates = ["--positive", "0.1", "--negative", "0.05"]
    assert run(["campaign", "test-questions", "quiz", "--gold", "gold", *rates, "--database", database, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rates"] == {"positive": 0.1, "negative": 0.05, "seed": 0}
    assert [one["sign"] for one in told["questions"]].count("positive") == 7
    assert told["people"] == []
    assert run(["campaign", "test-questions", "quiz", "--positive", "0.2", "--database", database]) == 0
    assert "positive\t7 test questions\t20.00% of what a person gets" in capsys.readouterr().out


def test_what_is_wrong_is_said_and_nothing_is_added(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong, word in (
        (["--gold", "golden", "--positive", "0.1"], "0 items have a gold output"),
        (["--gold", "gold"], "at a rate of 0 nobody would get one"),
        (["--positive", "0.9"], "at most half"),
        (["--curated", "nothing"], "no campaign 'nothing'"),
    ):
        assert run(["campaign", "test-questions", "quiz", *wrong, "--database", database]) == 1
        assert word in capsys.readouterr().err
    assert run(["campaign", "test-questions", "quiz", "--database", database, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["questions"] == []


def test_check_counts_test_questions_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": f"u{number}", "text": f"A {number} .", "gold": f"G {number} ."} for number in range(4)]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    path = tmp_path / "c.yaml"
    path.write_text(
        "campaign: quiz\nprotocol: rating-qa\ntexts: texts.jsonl\ntest_questions: {positive: 0.1, gold: gold}\n"
    )
    assert run(["campaign", "check", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["units"], told["test_questions"], told["labels"]) == (4, 4, 4)
    assert (told["context"], told["hidden"]) == ([], ["gold"])
    assert run(["campaign", "check", str(path)]) == 0
    assert "people see beside the text: nothing; hidden from them: gold" in capsys.readouterr().err
