"""Baselines on simulated errors: `linear` beats `random` clearly, and the same seed gives the same answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldmark.cli import run as command
from goldmark.datasets.benchmark.run import NothingToAnswer, run, score_file, table
from goldmark.datasets.benchmark.tasks import TASKS, UnknownTask
from goldmark.datasets.release.build import Options, build, files_of
from goldmark.datasets.release.integrity import check
from goldmark.datasets.release.loader import Dataset
from goldmark.datasets.sources.spans import SpansFile
from tools.simulate.errors import simulated_texts


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 texts, 60 % of them erroneous, every tenth read by a second person who agrees."""
    folder = tmp_path_factory.mktemp("simulated")
    lines: list[dict[str, Any]] = []
    for number, one in enumerate(simulated_texts(400, rng=np.random.default_rng(3), erroneous=0.6)):
        lines.append(one.as_spans())
        if number % 10 == 0:
            lines.append({**one.as_spans(), "annotator": "another"})
    (folder / "texts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    build(SpansFile(folder / "texts.jsonl"), folder / "data", Options(shares=(6, 2, 2)))
    return folder / "data"


# Detecting needs more than 240 texts to learn from; benchmarks/baselines.py shows it on 2,000.
@pytest.mark.parametrize("task", ["spans", "type", "correct", "rationale"])
def test_linear_beats_random_clearly(task: str, simulated: Path) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("pycrfsuite")
    data = Dataset(simulated)
    main = TASKS[task].main
    chance, linear = (run(data, task, model, seed=17).scores.figures[main] for model in ("random", "linear"))
    assert chance.interval
    assert linear.interval
    assert linear.interval.low > chance.interval.high
    assert linear.value is not None
    assert linear.value > 0.3


def test_the_same_seed_gives_the_same_answers(simulated: Path) -> None:
    data = Dataset(simulated)
    assert run(data, "spans", "random", seed=3).answers == run(data, "spans", "random", seed=3).answers
    assert run(data, "spans", "random", seed=3).answers != run(data, "spans", "random", seed=4).answers


def test_people_stand_beside_a_model(simulated: Path) -> None:
    result = run(Dataset(simulated), "detect", "random", seed=1)
    rows = {(row["model"], row["figure"]): row["value"] for row in table([result]).records()}
    assert rows["human", "accuracy"] == 1.0
    assert 0 < float(rows["random", "accuracy"] or 0) < 1


def test_answers_of_a_run_score_the_same_from_a_file(
    simulated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "answers.jsonl"
    assert (
        command(
            ["benchmark", "run", str(simulated), "--task", "type", "--model", "random", "--out", str(out), "--json"]
        )
        == 0
    )
    ran = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert command(["benchmark", "score", str(simulated), str(out), "--task", "type", "--json"]) == 0
    read = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert [row["value"] for row in ran] == [row["value"] for row in read]
    assert command(["benchmark", "run", str(simulated), "--task", "type", "--model", "random", "--out", str(out)]) == 1
    assert command(["benchmark", "tasks", str(simulated)]) == 0
    assert "Error correction" in capsys.readouterr().out


def test_what_a_dataset_does_not_allow_is_refused(simulated: Path, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"id": "a", "text": "All is well."}\n')
    build(SpansFile(tmp_path / "one.jsonl"), tmp_path / "one")
    with pytest.raises(UnknownTask, match="it allows none"):
        run(Dataset(tmp_path / "one"), "detect", "random", seed=1)
    with pytest.raises(NothingToAnswer):
        score_file(_without_test(simulated, tmp_path), "detect", tmp_path / "none.jsonl")


def _without_test(simulated: Path, tmp_path: Path) -> Dataset:
    build(SpansFile(simulated.parent / "texts.jsonl"), tmp_path / "all", Options(shares=(1, 0, 0)))
    return Dataset(tmp_path / "all")


def test_an_unknown_model_is_a_sentence(simulated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["benchmark", "run", str(simulated), "--task", "type", "--model", "nowhere"]) == 1
    assert "BENCHMARK-02" in capsys.readouterr().err


@pytest.mark.parametrize("task", ["correct", "rationale"])
def test_a_task_that_people_can_judge_becomes_a_leaderboard(task: str, simulated: Path, tmp_path: Path) -> None:
    from goldmark.leaderboards.definition.file import read_board

    assert command(["benchmark", "publish", str(simulated), "--task", task, "--out", str(tmp_path / "board")]) == 0
    plan = read_board(tmp_path / "board" / "leaderboard.yaml")
    assert plan.name == f"texts-{task}"
    assert all(item.references and item.context for item in plan.items)


def test_a_sealed_benchmark_gives_nothing_away(
    simulated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the inputs to a score, by somebody who has the public folder only and by the owner who has the key."""
    public, key, answers = tmp_path / "public", tmp_path / "key", tmp_path / "answers.jsonl"
    assert command(["benchmark", "seal", str(simulated), "--out", str(public), "--key", str(key), "--json"]) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    assert set(items) == set(Dataset(simulated).manifest.tasks)
    assert check(public) == check(key) == []

    asked = {task: {one["id"] for one in Dataset(public).inputs(task) or ()} for task in items}
    assert sum(map(len, asked.values())) == len(set().union(*asked.values())), "a text is asked in one task alone"
    own = Dataset(simulated)
    known = {error["rationale"] for split in ("train", "dev") for row in own.rows(split) for error in row["errors"]}
    secret = [
        error["rationale"] for row in own.rows("test") for error in row["errors"] if error["rationale"] not in known
    ]
    everything = b"".join((public / name).read_bytes() for name in files_of(public))
    assert len(secret) > 5
    for one in [*secret, *(f'"{row["id"]}"' for row in own.rows("test"))]:
        assert one.encode() not in everything
    gold = {row["id"]: row for row in Dataset(key).rows("test")}
    share = sum(gold[one]["erroneous"] for one in asked["detect"]) / len(asked["detect"])
    assert abs(share - sum(row["erroneous"] for row in gold.values()) / len(gold)) < 0.1

    participant = ["benchmark", "run", str(public), "--task", "type", "--model", "random"]
    assert command(participant) == 2, "there is nothing to score with"
    assert command([*participant, "--out", str(answers)]) == 0
    assert len(answers.read_text().splitlines()) == items["type"]
    capsys.readouterr()
    assert command(["benchmark", "score", str(key), str(answers), "--task", "type", "--json"]) == 0
    scored = json.loads(capsys.readouterr().out)
    assert items["type"] in [row["items"] for row in scored["tables"][0]["rows"]]
    assert command(["benchmark", "score", str(key), str(answers), "--task", "spans"]) == 1, "answers to another task"
