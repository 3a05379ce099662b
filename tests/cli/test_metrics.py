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


def test_metrics_beside_the_ratings_of_a_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From outputs to correlations: what `compute` writes is matched with a campaign's ratings."""
    texts, references = tmp_path / "outputs.jsonl", tmp_path / "references.jsonl"
    rows = [(system, item, "a b c d"[: 1 + 2 * (item % 4)] + " x" * system) for system in range(6) for item in range(8)]
    texts.write_text(
        "\n".join(
            json.dumps({"id": f"i{item}", "system": f"=S{system}", "output": text}) for system, item, text in rows
        )
    )
    references.write_text("\n".join(json.dumps({"id": f"i{item}", "reference": "a b c d"}) for item in range(8)))
    segments = tmp_path / "scores.csv"
    compute = ["metrics", "compute", str(texts), "--references", str(references), "--metrics", "chrf"]
    assert run([*compute, "--segments", str(segments)]) == 0
    assert "\n'=S0,i0," in segments.read_text()  # no spreadsheet runs it
    lines = [
        f"{item}/{system},i{item},=S{system},a{label},{question},false,false,{item % 4 / 4 - system / 20 + label / 9}"
        for question in ("fluent", "overall")
        for system, item, _ in rows
        for label in range(2)
    ]
    ratings = tmp_path / "ratings.csv"
    head = "unit,item,system,annotator,question,test,excluded,value\n"
    ratings.write_text(head + "\n".join(lines), encoding="utf-8")
    capsys.readouterr()
    command = ["metrics", "correlate", str(segments), "--ratings", str(ratings)]
    assert run([*command, "--question", "overall", "--resamples", "50", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["tables"][0]
    found = {(row["level"], row["method"]): row for row in table["rows"]}
    assert found["segment", "pearson"]["n"] == 48
    assert found["segment", "pearson"]["correlation"] > 0.8
    assert found["system", "kendall"]["n"] == 6
    assert "matched: 48 of 48 judged outputs" in table["notes"]
    assert "interval:segment=systems,system=fisher" in table["signature"]
    assert run(command) == 1
    assert "several values of 'question': fluent, overall" in capsys.readouterr().err
    segments.write_text("item,system,chrf\nq1,S1,3\n", encoding="utf-8")
    assert run([*command, "--question", "overall"]) == 1
    assert "none of the 48 judged outputs of ratings.csv is among the 1 of scores.csv" in capsys.readouterr().err
