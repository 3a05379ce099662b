from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.cli import run


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """Two systems, six items, six people; the second system is better, and people differ."""
    path = tmp_path / "ratings.csv"
    rows = [
        f"{system},i{item},p{person},{min(5, max(1, 2 + place + (item * person) % 3 - (person > 3)))}\n"
        for place, system in enumerate(("old", "new"))
        for item in range(6)
        for person in range(6)
    ]
    path.write_text("system,item,annotator,score\n" + "".join(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["linear", "ordinal"])
def test_a_model_is_fitted(ratings: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "fit", str(ratings), "--kind", kind, "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    systems, (pair,), variances = (table["rows"] for table in tables[:3])
    assert [row["system"] for row in systems] == ["new", "old"]
    assert pair["value"] == pytest.approx(systems[0]["value"] - systems[1]["value"])
    assert pair["value_low"] < pair["value"] < pair["value_high"]
    if kind == "linear":
        assert pair["value"] == pytest.approx(1.0)
    assert {row["effect"] for row in variances} >= {"item", "annotator", "residual"}
    assert len(tables) == (4 if kind == "ordinal" else 3)
    assert f"figure:{kind}-mixed-model|random:" in tables[0]["signature"]


def test_effects_can_be_left_out(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "fit", str(ratings), "--without", "annotator:system", "--without", "text"]) == 0
    assert "random:item+annotator|" in capsys.readouterr().out


def test_reliability(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "reliability", str(ratings), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert [row["people"] for row in rows] == list(range(1, 11))
    assert all(rows[k]["agreement"] < rows[k + 1]["agreement"] for k in range(9))
    assert all(row["agreement"] <= row["consistency"] for row in rows)


def test_what_is_wrong_is_said(ratings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "fit"]) == 2
    assert "one of the two" in capsys.readouterr().err
    assert run(["model", "fit", str(ratings), "--annotator", "who"]) == 1
    assert "who" in capsys.readouterr().err
    lone = tmp_path / "lone.csv"
    lone.write_text("system,item,annotator,score\nA,1,p,3\nB,1,p,4\n", encoding="utf-8")
    assert run(["model", "fit", str(lone)]) == 1
    assert "MODEL-02" in capsys.readouterr().err
    assert run(["model", "reliability", str(lone)]) == 1
