from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run


def test_power_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["study", "power", "--effect", "0.35", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["n"], data["found"]) == (130, "people")
    assert "t-two-sample" in data["signature"]


def test_power_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["study", "power", "--accuracy", "0.58", "--texts", "5", "--n", "130"]) == 0
    assert "Cohen's d = 0.359" in capsys.readouterr().out


def test_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.csv"
    rows = [f"e{i},t{j},{'machine' if j % 2 else 'human'},{1 + (i + j) % 4}" for i in range(6) for j in range(4)]
    path.write_text("evaluator,text,truth,answer\n" + "\n".join(rows), encoding="utf-8")
    assert run(["study", "results", str(path), "--json", "--resamples", "50"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"][0]["rows"][0]["evaluators"] == 6
