"""A benchmark round from the inputs to the standings, by somebody who never has the answers."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

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
from goldmark.leaderboards.human.scheduling.scheduler import tick
from goldmark.people.annotators import invite
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


PLAN = {
    "start": "automatic",
    "together": 2,
    "labels_per_unit": 2,
    "test_questions": {"positive": 0.1, "negative": 0.1},
    "pay": {"per_unit": 0.2},
}


@pytest.mark.parametrize("task", ["rationale", pytest.param("correct", marks=pytest.mark.slow)])
def test_people_judge_what_a_dataset_scores(task: str, house: House, sealed: tuple[Path, Path], tmp_path: Path) -> None:
    """Two teams answer a file of inputs, metrics score at once, people judge in a round; the standings have both."""
    public, key = sealed
    assert command(["benchmark", "publish", str(key), "--task", task, "--out", str(tmp_path / "board")]) == 0
    path = tmp_path / "board" / "leaderboard.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "subset": {"size": 8}, "human": PLAN}))
    store, plan = house.services.store, read_board(path)
    create_board(store, plan, author="owner")
    board = f"{API}/{plan.name}"
    right = {item.name: dict(item.answer or {}) for item in plan.items}
    load_handlers()
    for system, team in (("Dice", "alder"), ("Oracle", "birch")):
        sender = participant(house, team)
        given = [json.loads(line) for line in sender.get(f"{board}/inputs.jsonl").text.splitlines()]
        if system == "Dice":
            _, items, answers = answer(Dataset(public), task, "random", seed=1)
            content = b"".join(write_predictions(BENCHMARK_TASKS[task], items, answers))
        else:
            content = "\n".join(json.dumps({"id": one["id"], "output": right[one["id"]]}) for one in given).encode()
        sent = sender.post(
            f"{board}/submissions", data={"system": system, "team": team}, files={"file": ("a", content)}
        )
        assert sent.status_code == 201, sent.text
        assert sender.post(f"{board}/submissions/{sent.json()['id']}/publish", json={}).status_code == 200
    Worker(store).run_until_empty()  # metrics, and the clock, which opens the round
    kinds = Counter(one["arguments"]["metric"] for one in _metric_jobs(house, plan.name))
    assert kinds == {"task": 2, "bleu": 2, "rougeL": 2}, "all figures of a task are made by one job"

    campaign = f"{plan.name[:50]}-round-1"
    good = {(str(one.context[0]["text"]), str(one.references[0])) for one in plan.items}
    people = ("Ann", "Bo", "Cy")
    clients = {name: _person(house, campaign, name) for name in people}
    seen = [answered for _ in range(60) for name in people if (answered := _judge(clients[name], good))]
    assert len(seen) >= 8 * 2 * 2
    said = json.dumps(seen)
    assert not any(word in said for word in ("Dice", "Oracle", "alder", "submission", '"answer"'))

    tick(store, datetime.now(UTC))
    best, worst = participant(house, "reader").get(f"{board}/standings").json()["standings"]
    assert (best["submission"]["system"], worst["submission"]["system"]) == ("Oracle", "Dice")
    assert best["scores"]["quality"]["value"] == 1.0
    assert worst["scores"]["quality"]["value"] < 0.5
    assert (best["judged"]["labels"], best["judged"]["items"], best["judged"]["missing"]) == (16, 8, 0)
    first = f"task:figure={TASKS[task].figures[0]}"
    assert best["metrics"][first]["value"] > worst["metrics"][first]["value"]
    levels = house.program("manager").get(f"{board}/correlations").json()
    assert levels["rows"], levels
    for page in ("", "/metrics", "/history", "/manage", "/plan", f"/systems/{best['submission']['system_id']}"):
        assert house.browser("manager").get(f"/leaderboards/{plan.name}{page}").status_code == 200, page


def _metric_jobs(house: House, board: str) -> list[dict[str, Any]]:
    from goldmark.jobs.queue import listing

    found = house.services.store.read(lambda connection: listing(connection))
    return [{"arguments": one.arguments} for one in found if one.subject == board and "metric" in one.arguments]


def _person(house: House, campaign: str, name: str) -> Any:
    token = invite(house.services.store, house.services.links, campaign, name, author="owner")[1]
    return house.client(headers={"authorization": f"Bearer {token}"})


def _judge(person: Any, good: set[tuple[str, str]]) -> dict[str, Any] | None:
    """One unit: what is known to be right beside this text is agreed to, all else is not."""
    given: dict[str, Any] = person.post("/api/v1/work/next", json={}).json()
    if given.get("assignment") is None:
        return None
    unit = given["assignment"]["unit"]
    agreed = (unit["context"][0]["text"], unit["texts"]["text"]["characters"]) in good
    body = {
        "answers": {"quality": "strongly_agree" if agreed else "strongly_disagree"},
        "client_key": f"key-{given['assignment']['id']:08}",
        "seconds_active": 9.0,
    }
    sent = person.post(f"/api/v1/work/assignments/{given['assignment']['id']}/responses", json=body)
    assert sent.status_code in (200, 201), sent.text
    return given


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
