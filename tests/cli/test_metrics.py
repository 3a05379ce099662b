from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [
        f"{system},{item},{0.1 * item + 0.2 * system},{0.1 * item + 0.2 * system + 0.01 * (item % 3)},{item % 4},note"
        for system in range(4)
        for item in range(8)
    ]
    path.write_text("sys,seg,people,bleu,length,remark\n" + "\n".join(rows), encoding="utf-8")
    return path


def test_metrics_are_found_and_ordered(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["metrics", "correlate", str(scores), "--human", "people", "--item", "seg", "--system", "sys"]
    assert run([*command, "--resamples", "50", "--permutations", "50", "--json"]) == 0
    correlations, pairs = json.loads(capsys.readouterr().out)["tables"]
    assert {row["metric"] for row in correlations["rows"]} == {"bleu", "length"}
    assert {row["level"] for row in correlations["rows"]} == {"segment", "system"}
    assert {row["first"] for row in pairs["rows"]} == {"bleu"}


def test_a_chosen_metric_level_and_picture(scores: Path, tmp_path: Path) -> None:
    command = ["metrics", "correlate", str(scores), "--human", "people", "--metric", "bleu", "--level", "segment"]
    path = tmp_path / "p.png"
    assert run([*command, "--method", "kendall", "--interval", "fisher", "--plot", str(path)]) == 0
    assert path.exists()


def test_no_system_column(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["metrics", "correlate", str(scores), "--human", "people", "--level", "system"]) == 1
    assert "needs 'system'" in capsys.readouterr().err
