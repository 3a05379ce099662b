"""A leaderboard owner's journey in a real browser: declare, receive, judge, exclude a spammer, publish."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect

from goldmark.campaigns.definition.uploads import Uploaded
from goldmark.jobs import Worker
from goldmark.leaderboards.definition.boards import create_board
from goldmark.leaderboards.definition.file import board_from_files
from goldmark.web.runtime.handlers import load_handlers
from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import NARROW, Served, signed_in
from tests.leaderboards.ground import answer_all
from tests.web.house import House, board_files, build

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    built = build(fresh(tmp_path_factory.mktemp("boards")))
    served = Served(built.services)
    yield built, served.address
    served.stop()


def outputs(words: str) -> bytes:
    return "\n".join(json.dumps({"id": f"q{n}", "output": f"{words} {4 * n} legs"}) for n in range(4)).encode()


@pytest.mark.slow  # test_leaderboards.py beside the other tests of pages goes the same way without a browser
def test_from_a_file_to_public_standings(house: tuple[House, str], visit: Visit) -> None:
    built, address = house
    owner = visit(f"{address}/leaderboards", **signed_in(house, "owner"))
    owner.get_by_role("link", name="New leaderboard").click()
    clean(owner)
    # A mistake in the file is told with its line, and nothing is made.
    wrong = board_files("herd", metrics="[blue]")
    owner.get_by_label("Files").set_input_files([_payload(one) for one in wrong])
    owner.get_by_role("region", name="Or upload").get_by_role("button", name="Check and create").click()
    expect(owner.get_by_role("alert")).to_contain_text("leaderboard.yaml:5")
    assert owner.get_by_label("Files").evaluate("field => field.files.length") == 2  # the files are still chosen
    clean(owner)
    plan = "{start: approval, labels_per_unit: 2, price: 0.1}"
    right = board_files("herd", title="Legs of zebras", metrics="[chrf]", human=plan, judgements="true")
    owner.get_by_label("Files").set_input_files([_payload(one) for one in right])
    owner.get_by_role("region", name="Or upload").get_by_role("button", name="Check and create").click()
    expect(owner.get_by_role("status")).to_contain_text("was created")
    expect(owner.get_by_text("Nothing has been published yet")).to_be_visible()
    clean(owner)

    team = visit(f"{address}/leaderboards/herd/submit", **signed_in(house, "annotator"))
    clean(team)
    for system in ("Good", "Poor"):
        team.get_by_label("Outputs").set_input_files(
            {"name": f"{system}.jsonl", "mimeType": "application/json", "buffer": outputs(system)}
        )
        team.get_by_label("System", exact=True).fill(system)
        if system == "Good":
            team.get_by_label("Team").fill("Alder Lab")
        team.get_by_role("button", name="Check and submit").click()
        expect(team.get_by_role("region", name="Your submissions").get_by_role("link", name=system)).to_be_visible()
        expect(team.get_by_role("status")).to_contain_text("Received")
    expect(team.get_by_text("version 1")).to_have_count(2)  # each was sent once
    clean(team)
    load_handlers()
    Worker(built.services.store).run_until_empty()
    team.reload()
    expect(team.get_by_text("chrf").first).to_be_visible()

    owner.goto(f"{address}/leaderboards/herd/manage")
    clean(owner)
    for system in ("Good", "Poor"):
        owner.get_by_role("button", name=f"Approve {system}").click()
        expect(owner.get_by_role("status")).to_contain_text("Approved")
    Worker(built.services.store).run_until_empty()  # no schedule: the clock opens the round at once
    owner.reload()
    campaign = "herd-round-1"
    expect(owner.get_by_role("link", name=campaign)).to_be_visible()
    store = built.services.store
    answer_all(store, campaign, {"Good": 4, "Poor": 1}, "Ann")
    answer_all(store, campaign, {"Good": 0, "Poor": 4}, "Spammer")
    people = built.program("manager").get(f"/api/v1/campaigns/{campaign}/annotators").json()["annotators"]
    spammer = next(one["id"] for one in people if one["name"] == "Spammer")
    excluded = built.program("manager").post(
        f"/api/v1/campaigns/{campaign}/annotators/{spammer}/exclude", json={"reason": "answers the wrong way round"}
    )
    assert excluded.status_code == 200, excluded.text
    answer_all(store, campaign, {"Good": 4, "Poor": 1}, "Bo")  # what was taken from the spammer
    owner.get_by_text("Close and score").first.click()
    owner.get_by_role("button", name="Close and score").last.click()
    expect(owner.get_by_role("status")).to_contain_text("scored")
    clean(owner)

    stranger = visit(f"{address}/leaderboards/herd")
    expect(stranger.get_by_text("Nothing has been published yet")).to_be_visible()
    team.goto(f"{address}/leaderboards/herd")
    for system in ("Good", "Poor"):
        team.get_by_role("link", name=system).click()
        team.get_by_role("button", name="Publish").click()
        expect(team.get_by_role("status")).to_contain_text("Published")
        clean(team)
        team.get_by_role("link", name="Standings").click()
    stranger.reload()
    rows = stranger.locator("table.standings tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("Good")
    expect(rows.nth(0)).to_contain_text("1.000")  # the spammer does not count
    expect(rows.nth(1)).to_contain_text("0.250")
    for page in ("", "/metrics", "/history", "/plan"):
        stranger.goto(f"{address}/leaderboards/herd{page}")
        clean(stranger)
    # By keyboard: the heading of a column sorts, and the address keeps it.
    stranger.goto(f"{address}/leaderboards/herd")
    stranger.get_by_role("link", name="System", exact=True).focus()
    press(stranger, "Enter")
    expect(stranger).to_have_url(f"{address}/leaderboards/herd?sort=system&order=down")
    expect(rows.nth(0)).to_contain_text("Poor")
    with stranger.expect_download() as saved:
        stranger.get_by_role("link", name="CSV").click()
    assert saved.value.suggested_filename == "herd.csv"


@pytest.mark.slow
def test_pages_fit_a_phone(house: tuple[House, str], visit: Visit) -> None:
    _, address = house
    page = visit(f"{address}/leaderboards", **signed_in(house, "owner"), **NARROW)
    for path in ("", "/new", "/zoo", "/zoo/submit", "/zoo/manage", "/zoo/metrics", "/zoo/history", "/zoo/plan"):
        page.goto(f"{address}/leaderboards{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        clean(page)


def _payload(one: Any) -> Any:
    return {"name": one.name, "mimeType": "application/octet-stream", "buffer": one.content.read()}


@pytest.mark.slow
def test_a_stranger_takes_part_in_a_competition(house: tuple[House, str], visit: Visit, tmp_path: Path) -> None:
    """The owner lets strangers in; one makes an account, gets the inputs of a phase, submits and invites by link."""
    built, address = house
    files = board_files("race", title="A race", metrics="[chrf]", development="{items: practice.jsonl}")
    items = "\n".join(json.dumps({"id": f"d{n}", "context": {"Q": f"{n}?"}, "reference": f"{n}"}) for n in range(2))
    files.append(Uploaded("practice.jsonl", io.BytesIO(items.encode())))
    create_board(built.services.store, board_from_files(files), author="test")
    owner = visit(f"{address}/leaderboards/race/settings", **signed_in(house, "owner"))
    owner.get_by_label("Strangers may make an account").check()
    owner.get_by_label("Reason for the change").first.fill("the race begins")
    owner.get_by_role("button", name="Save").first.click()
    expect(owner.get_by_role("status")).to_be_visible()

    stranger = visit(f"{address}/leaderboards/race", **NARROW)
    stranger.get_by_role("link", name="Take part").click()
    clean(stranger)
    stranger.get_by_label("Name").fill("runner")
    stranger.get_by_label("Password", exact=True).fill("three unrelated words")
    stranger.get_by_role("button", name="Make the account").click()
    expect(stranger.get_by_role("status")).to_contain_text("signed in")
    stranger.get_by_role("link", name="Data", exact=True).click()
    clean(stranger)
    with stranger.expect_download() as download:
        stranger.get_by_role("link", name="Download the inputs").first.click()
    download.value.save_as(tmp_path / "inputs.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "inputs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["d0", "d1"]
    content = "\n".join(json.dumps({"id": row["id"], "output": "1"}) for row in rows).encode()
    stranger.get_by_role("link", name="Submit", exact=True).first.click()
    clean(stranger)
    sent: FilePayload = {"name": "outputs.jsonl", "mimeType": "application/json", "buffer": content}
    stranger.get_by_label("Outputs").set_input_files(sent)
    stranger.get_by_label("development").check()
    stranger.get_by_label("System", exact=True).fill("Ones")
    stranger.get_by_label("Team").fill("Runners")
    stranger.get_by_role("button", name="Check and submit").click()
    expect(stranger.get_by_role("status")).to_contain_text("Received")
    stranger.get_by_role("button", name="Invite by link").click()
    expect(stranger.get_by_text("Whoever has this link")).to_be_visible()
    clean(stranger)
