"""The file of a large campaign is made by a worker, and fetched when it is there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from goldmark.campaigns.transfer.export_job import EXPORT
from goldmark.jobs import Worker, enqueue
from goldmark.jobs.made_files import KEPT, MAKING, files_folder, sweep_files
from goldmark.web.computing import computing
from tests.web.house import House

HERE = "/campaigns/zoo/export"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDMARK_FILES", str(tmp_path / "files"))


def test_a_manager_has_a_file_made_and_fetches_it(either_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house = either_house
    browser = house.browser("manager")
    assert f'formaction="{HERE}/jsonl"' in browser.get(HERE).text  # a small one comes at once
    at_once = browser.get(f"{HERE}/csv").content
    monkeypatch.setattr(computing, "LARGE", 0)
    assert f'action="{HERE}/jobs/csv"' in browser.get(HERE).text
    assert browser.post(f"{HERE}/jobs/csv", {}).headers["location"] == f"{HERE}?done=export-begun"
    assert "waiting" in browser.get(HERE).text
    assert Worker(house.services.store, kinds=[EXPORT]).run_one()
    page = browser.get(HERE).text
    (number,) = {part.split("/")[0] for part in page.split(f"{HERE}/jobs/")[1:] if part.split("/")[0].isdigit()}
    made = browser.get(f"{HERE}/jobs/{number}/file")
    assert made.content == at_once
    assert 'filename="zoo.csv.zip"' in made.headers["content-disposition"]


def test_pseudonyms_are_a_tick_on_the_page(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, program = house.browser("manager"), house.program("manager")
    assert 'name="pseudonyms"' in browser.get(HERE).text
    plain, other = browser.get(f"{HERE}/jsonl").text, browser.get(f"{HERE}/jsonl?pseudonyms=yes").text
    assert '"annotator":"Ann"' in plain
    assert "Ann" not in other
    asked: dict[str, str | bool] = {"format": "jsonl", "pseudonyms": True}
    assert "person-" in program.get("/api/v1/campaigns/zoo/export", params=asked).text
    monkeypatch.setattr(computing, "LARGE", 0)
    browser.post(f"{HERE}/jobs/jsonl", {"pseudonyms": "yes"})
    assert Worker(house.services.store, kinds=[EXPORT]).run_one()
    (made,) = files_folder(house.services.store).iterdir()
    assert "person-" in made.read_text()
    assert "Ann" not in made.read_text()


def test_a_program_waits_for_its_file(either_house: House) -> None:
    house = either_house
    program = house.program("manager")
    jobs = "/api/v1/campaigns/zoo/export/jobs"
    assert program.post(jobs, params={"format": "nonsense"}).status_code == 404
    asked = program.post(jobs, params={"format": "tidy", "with_tests": True, "since": "2026-01-01"})
    assert asked.status_code == 202
    number = asked.json()["id"]
    file = f"{jobs}/{number}/file"
    early = program.get(file)
    assert (early.status_code, early.json()["code"]) == (409, "JOB-06")
    assert Worker(house.services.store, kinds=[EXPORT]).run_one()
    job = program.get(f"/api/v1/jobs/{number}").json()
    assert (job["state"], job["result"]["name"]) == ("done", "zoo.tidy.zip")
    wanted: dict[str, str | bool] = {"format": "tidy", "with_tests": True, "since": "2026-01-01"}
    assert program.get(file).content == program.get("/api/v1/campaigns/zoo/export", params=wanted).content
    other = house.services.store.write(lambda connection: enqueue(connection, "other", {}, author="test")).id
    assert program.get(f"{jobs}/{other}/file").status_code == 404
    (files_folder(house.services.store) / job["result"]["file"]).unlink()
    assert program.get(file).json()["code"] == "JOB-07"


def test_owners_see_who_took_what_is_hidden_out(either_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house = either_house
    browser, program = house.browser("manager"), house.program("manager")
    assert browser.get(f"{HERE}/csv").status_code == 200
    assert program.get("/api/v1/campaigns/zoo/export", params={"pseudonyms": True}).status_code == 200
    assert program.get("/api/v1/campaigns/zoo/export", params={"format": "nonsense"}).status_code == 404
    monkeypatch.setattr(computing, "LARGE", 0)
    number = program.post("/api/v1/campaigns/zoo/export/jobs", params={"format": "jsonl"}).json()["id"]
    assert Worker(house.services.store, kinds=[EXPORT]).run_one()
    assert program.get(f"/api/v1/campaigns/zoo/export/jobs/{number}/file").status_code == 200
    for _ in range(3):  # whoever turns pages looks once
        assert browser.get("/campaigns/zoo/participants").status_code == 200
        assert program.get("/api/v1/campaigns/zoo/participants").status_code == 200
    events = house.program("owner").get("/api/v1/accounts/activity").json()["events"]
    told = [(one["kind"], one["author"], one["facts"]) for one in events if one["subject"] == "zoo"]
    taken = {"from": "testclient"}
    assert told[:4] == [
        ("platform ids seen", "manager", {**taken, "by": "browser"}),
        ("file taken out", "manager", {**taken, "by": "token", "format": "jsonl", "pseudonyms": "no"}),
        ("file taken out", "manager", {**taken, "by": "token", "format": "jsonl", "pseudonyms": "yes"}),
        ("file taken out", "manager", {**taken, "by": "browser", "format": "csv", "pseudonyms": "no"}),
    ]
    owner = house.browser("owner")
    assert owner.get("/accounts/activity").text.count("file taken out") == 3
    assert "file taken out" not in owner.get("/accounts").text, "decisions are not drowned in it"


def test_what_a_killed_worker_left_of_a_file_goes_after_a_day(house: House) -> None:
    folder = files_folder(house.services.store)
    for name, age in (("old", 2 * KEPT), ("new", 60)):
        half = folder / f"{MAKING}{name}"
        half.mkdir()
        (half / "made.jsonl").write_text("somebody's answers")
        os.utime(half, (time.time() - age,) * 2)
    sweep_files(folder)
    assert [one.name for one in folder.iterdir()] == [f"{MAKING}new"]
