"""A benchmark round from the inputs to the standings, by somebody who never has the answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldmark.accounts.roles import Role
from goldmark.cli import run as command
from goldmark.datasets.benchmark.predictions import write_predictions
from goldmark.datasets.benchmark.run import answer, score_file
from goldmark.datasets.benchmark.sealed import seal
from goldmark.datasets.benchmark.tasks import TASKS as BENCHMARK_TASKS
from goldmark.datasets.release.build import Options, build
from goldmark.datasets.release.loader import Dataset
from goldmark.datasets.sources.spans import SpansFile
from goldmark.jobs import Worker
from goldmark.leaderboards.definition.boards import create_board
from goldmark.leaderboards.definition.file import read_board
from goldmark.leaderboards.definition.tasks import TASKS
from goldmark.web.runtime.handlers import load_handlers
from tests.web.house import House
from tools.simulate.errors import simulated_texts

API = "/api/v1/leaderboards"


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The public folder and the key of 200 texts, of which 60 % are erroneous."""
    folder = tmp_path_factory.mktemp("sealed")
    lines = [one.as_spans() for one in simulated_texts(200, rng=np.random.default_rng(5), erroneous=0.6)]
    (folder / "texts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    build(SpansFile(folder / "texts.jsonl"), folder / "data", Options(shares=(5, 1, 4)))
    seal(Dataset(folder / "data"), folder / "public", folder / "key")
    return folder / "public", folder / "key"


def participant(house: House, name: str) -> Any:
    account = house.services.accounts.create(name, Role.ANNOTATOR, None, author="test")
    return house.client(headers={"authorization": f"Bearer {house.services.accounts.new_token(account.id, 'x')[1]}"})


@pytest.mark.parametrize("task", ["detect", "spans", "type", "correct", "rationale"])
def test_a_round_from_the_inputs_to_the_standings(
    task: str, house: House, sealed: tuple[Path, Path], tmp_path: Path
) -> None:
    public, key = sealed
    assert command(["benchmark", "publish", str(key), "--task", task, "--out", str(tmp_path / "board")]) == 0
    plan = read_board(tmp_path / "board" / "leaderboard.yaml")
    create_board(house.services.store, plan, author="owner")
    board = f"{API}/{plan.name}"
    team = participant(house, "alder")

    # What they get is what the public folder has, and no byte of an answer.
    given = [json.loads(line) for line in team.get(f"{board}/inputs.jsonl").text.splitlines()]
    assert [one["input"] for one in given] == Dataset(public).inputs(task)
    assert all(one.keys() <= {"id", "context", "language", "input"} for one in given)

    _, items, answers = answer(Dataset(public), task, "random", seed=1)
    content = b"".join(write_predictions(BENCHMARK_TASKS[task], items, answers))
    (tmp_path / "answers.jsonl").write_bytes(content)
    sent = team.post(f"{board}/submissions", data={"system": "Dice", "team": "Alder"}, files={"file": ("a", content)})
    assert sent.status_code == 201, sent.text
    load_handlers()
    Worker(house.services.store).run_until_empty()
    team.post(f"{board}/submissions/{sent.json()['id']}/publish", json={})

    [row] = participant(house, "reader").get(f"{board}/standings").json()["standings"]
    owner = score_file(Dataset(key), task, tmp_path / "answers.jsonl").scores.figures
    for figure in TASKS[task].figures:
        cell = row["metrics"][f"task:figure={figure}"]
        assert (cell["state"], cell["value"]) == ("done", owner[figure].value), str(cell)
        assert [cell["low"], cell["high"]] == list((owner[figure].interval or (None, None))[:2])
    if plan.asked_by:
        assert row["best"] is None, "people have not judged it"
        assert {"bleu", "rougeL"} <= row["metrics"].keys()
    else:
        assert (row["best"], row["worst"]) == (1, 1)
    for page in ("", "/data", "/history", "/submit", f"/systems/{row['submission']['system_id']}", "/standings.csv"):
        assert house.browser("manager").get(f"/leaderboards/{plan.name}{page}").status_code == 200, page


def test_answers_that_cannot_be_read_are_told_by_line(house: House, sealed: tuple[Path, Path], tmp_path: Path) -> None:
    assert command(["benchmark", "publish", str(sealed[1]), "--task", "spans", "--out", str(tmp_path / "b")]) == 0
    plan = read_board(tmp_path / "b" / "leaderboard.yaml")
    create_board(house.services.store, plan, author="owner")
    first, second = plan.items[0].name, plan.items[1].name
    lines = [{"id": first, "erroneous": [[0, 9999]]}, {"id": second, "output": "words"}, {"id": "who", "erroneous": []}]
    content = "\n".join(map(json.dumps, lines)).encode()
    sent = participant(house, "birch").post(
        f"{API}/{plan.name}/submissions", data={"system": "S", "team": "Birch"}, files={"file": ("a.jsonl", content)}
    )
    assert sent.status_code == 422
    said = [one["what"] for one in sent.json()["problems"]][:3]
    assert "must be a list of [start, end] within the" in said[0]
    assert "write it as" in said[1]
    assert '"who" is no item of this board' in said[2]
