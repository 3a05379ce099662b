"""One answer from the annotator's page on: exported, imported elsewhere, counted and released, always the same."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import goldmark as gm
from goldmark.cli import run
from tests.databases import fresh
from tests.web.house import House

CORRECTION = 'four — „4“ 🦓 <b>"x"</b>'


def answer_everything(house: House) -> None:
    """Bo comes by a link and marks the same word of every text, with a correction that is hard to carry."""
    invited = house.program("manager").post("/api/v1/campaigns/zoo/annotators", json={"names": ["Bo"]}).json()
    token = invited["annotators"][0]["link"].rpartition("/")[2]
    worker = house.client(headers={"authorization": f"Bearer {token}"})
    task = worker.post("/api/v1/work/next").json()["assignment"]
    while task:
        mark = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": CORRECTION}
        said = {"answers": {"mistakes": [mark]}, "client_key": f"key-of-{task['id']}", "seconds_active": 7.5}
        reply = worker.post(f"/api/v1/work/assignments/{task['id']}/responses", json=said)
        assert reply.status_code == 200, reply.text
        task = reply.json()["next"]["assignment"]


def tables(found: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one for one in found["tables"]}


def test_one_answer_is_the_same_at_every_stop(house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer_everything(house)
    manager = house.program("manager")
    here = tables(manager.get("/api/v1/campaigns/zoo/results").json())
    bundle = tmp_path / "zoo.jsonl"
    bundle.write_bytes(manager.get("/api/v1/campaigns/zoo/export", params={"format": "jsonl"}).content)

    other = fresh(tmp_path, "other.db")
    assert run(["campaign", "import", str(bundle), "--database", other]) == 0
    capsys.readouterr()
    assert run(["campaign", "results", "zoo", "--database", other, "--json"]) == 0
    assert tables(json.loads(capsys.readouterr().out)) == here
    # Two texts of alder's and one of birch's, each with one mark of Bo's.
    found = {(row["system"], row["label"]): row["value"] for row in here["errors"]["rows"]}
    assert found["birch", "NAME"] == 1.0
    in_python = gm.results(gm.read_campaign(bundle))["errors"].to_dicts()
    assert [row["value"] for row in in_python] == [row["value"] for row in here["errors"]["rows"]]
    assert [row["low"] for row in in_python] == [row["low"] for row in here["errors"]["rows"]]

    reply = manager.get("/api/v1/campaigns/zoo/dataset", params={"choose": "all"})
    released = zipfile.ZipFile(io.BytesIO(reply.content))
    texts = [name for name in released.namelist() if "/jsonl/" in name]
    rows = [json.loads(line) for name in texts for line in released.read(name).splitlines()]
    assert sum(json.dumps(CORRECTION) in json.dumps(row) for row in rows) == 3
    assert run(["dataset", "build", "zoo", "--choose", "all", "--out", str(tmp_path / "zoo"), "--database", other]) == 0
    for name in texts:
        assert (tmp_path / "zoo" / name.partition("/")[2]).read_bytes() == released.read(name)
