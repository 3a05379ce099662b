"""`goldmark campaign training`: everybody's way to the work, and a decision."""

from __future__ import annotations

import json

import pytest

from goldmark.cli import run
from goldmark.store import open_store
from tests.quality.classroom import TAUGHT, Classroom


@pytest.fixture
def database(sqlite_database: str) -> str:
    store = open_store(sqlite_database)
    room = Classroom.build(store, TAUGHT.replace("  attempts: 2", "  attempts: 2\n  decide: reviewer"))
    room.go_through(room.person(), wrong=("q1",))
    room.person("Bo")
    store.close()
    return sqlite_database


def test_everybody_and_a_decision(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "training", "class", "--database", database]) == 0
    said = capsys.readouterr().err
    assert "Ada: awaiting; try 1 awaiting: Passages found 50% of 70%" in said
    assert "Bo: learn" in said
    arguments = ["campaign", "training", "class", "--decide", "Ada", "--verdict", "passed", "--reason", "Fine."]
    assert run([*arguments, "--json", "--database", database]) == 0
    (ada, bo) = json.loads(capsys.readouterr().out)["learners"]
    assert (ada["stage"], ada["attempts"][-1]["state"], ada["attempts"][-1]["reason"]) == ("work", "passed", "Fine.")
    assert (bo["stage"], bo["attempts"]) == ("learn", [])


def test_half_a_decision_is_refused(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "training", "class", "--decide", "Ada", "--database", database]) == 2
    assert "--verdict passed" in capsys.readouterr().err
    refused = ["campaign", "training", "class", "--decide", "Bo", "--verdict", "passed", "--reason", "x"]
    assert run([*refused, "--database", database]) == 1
    assert "LEARN-05" in capsys.readouterr().err
