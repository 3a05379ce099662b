"""`goldmark study` from file to report, and `goldmark annotators erase`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.cli import run
from goldmark.web.services import Services
from tests.studies.small import HUMANLIKE, Running, changed


@pytest.fixture
def database(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GOLDMARK_DATABASE", sqlite_database)
    return sqlite_database


def test_check_plan_and_create(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["study", "check", str(HUMANLIKE), "--json"]) == 0
    digest = json.loads(capsys.readouterr().out)["digest"]
    assert run(["study", "plan", str(HUMANLIKE)]) == 0
    told = capsys.readouterr()
    assert "1,950 people and 9,750 answers" in told.out
    assert digest[:16] in told.err
    assert run(["study", "create", str(HUMANLIKE), "--start", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["cells"], made["state"], made["digest"]) == (15, "running", digest)
    assert run(["study", "create", str(HUMANLIKE)]) == 1  # it is there already
    # Until somebody joins it can be another; texts and protocol are those that it has.
    other = tmp_path / "other.yaml"
    other.write_text(HUMANLIKE.read_text().replace("participants: 130", "participants: 140"))
    capsys.readouterr()
    assert run(["study", "change", "who-wrote-it", str(other), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] != digest
    other.write_text(
        HUMANLIKE.read_text().replace("seed: 17", "seed: 18").replace("protocol: humanlike", "protocol: tgea")
    )
    assert run(["study", "change", "who-wrote-it", str(other)]) == 1
    refused = capsys.readouterr().err
    assert "it was 17 when the study was created" in refused
    assert "it was humanlike/1 when the study was created" in refused
    assert run(["study", "analyse", "nothing"]) == 1
    assert "there is no campaign 'nothing'" in capsys.readouterr().err


def test_a_wrong_file_is_explained_and_nothing_is_made(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study.yaml").write_text("study: x\nparticipants: many\n", "utf-8")
    assert run(["study", "check", str(tmp_path / "study.yaml")]) == 1
    told = capsys.readouterr().err
    assert "study.yaml:2" in told
    assert '"participants" must be a whole number' in told


def test_analyse_exclusions_code_and_erase(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    services = Services.open(database)
    running = Running(services, changed(HUMANLIKE, participants=2))
    for number in range(6):
        running.send(f"p{number}", running.guess(lambda levels: 0.6, np.random.default_rng(number)))
    assert services.store.read(lambda connection: find_campaign(connection, "who-wrote-it"))
    services.store.close()
    picture = tmp_path / "scores.png"
    assert run(["study", "analyse", "who-wrote-it", "--resamples", "100", "--plot", str(picture)]) == 0
    told = capsys.readouterr().out
    assert "analysed: 6" in told
    assert "What to keep in mind" in told
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert run(["campaign", "export", "who-wrote-it", str(tmp_path / "all.jsonl")]) == 0
    capsys.readouterr()
    arguments = ["study", "analyse", "who-wrote-it", "--bundle", str(tmp_path / "all.jsonl"), "--resamples", "100"]
    assert run([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["flow"]["analysed"] == 6
    assert run(["study", "exclusions", "who-wrote-it", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["waiting"] == []
    assert run(["study", "code", "who-wrote-it", "--name", "codes", "--people", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] == "who-wrote-it"
    assert run(["study", "code", "who-wrote-it", "--results", "codes", "--json"]) == 0
    capsys.readouterr()
    assert run(["study", "code", "who-wrote-it"]) == 2
    assert run(["study", "change", "who-wrote-it", str(HUMANLIKE)]) == 1
    assert "somebody has joined 'who-wrote-it', so its plan stays as it is" in capsys.readouterr().err
    assert run(["annotators", "platform-ids", "who-wrote-it"]) == 0
    assert "annotator-1\tsimulation\tp0" in capsys.readouterr().out
    assert run(["annotators", "erase", "who-wrote-it"]) == 2
    assert run(["annotators", "erase", "who-wrote-it", "annotator-1", "--reason", "asked"]) == 0
    assert run(["annotators", "erase", "who-wrote-it", "--all", "--json"]) == 0
    told = capsys.readouterr().out
    assert json.loads(told)["erased"] == 5
