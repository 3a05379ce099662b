"""Databases of every earlier version open, upgrade, are worked in, and give the same answers and figures."""

from __future__ import annotations

import gzip
import re
import sqlite3
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goldmark.web.app import create_app
from goldmark.web.services import Services
from tests.compatibility import reading
from tests.compatibility.conftest import HERE, VERSIONS, Command, Kept
from tests.postgres import empty_database

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Starlette wants a client that is not released yet
    from starlette.testclient import TestClient

OLDER = sorted(HERE.glob("*/older/*.sql.gz"))

# Of a figure that draws at random: how near to itself it promises to be.
PRECISION = {"gamma": 0.02}


@pytest.fixture
def client(command: Command) -> Iterator[TestClient]:
    with TestClient(create_app(Services.open(command.address)), follow_redirects=True) as opened:
        yield opened


def test_there_is_something_to_test() -> None:
    assert VERSIONS
    assert len(OLDER) >= 7


def test_answers_and_figures_are_what_they_were(kept: Kept, command: Command, tmp_path: Path) -> None:
    assert command.data("database", "check")["problems"] == []
    for name, said in kept.expected["campaigns"].items():
        export = command.export(name, tmp_path)
        assert reading.answers(export) == said["answers"], name
        assert reading.states(export) == said["states"], name
        # Models counted as people do; now one has to say so.
        results = command.data("campaign", "results", name, "--resamples", "100", "--with-models")
        found = reading.figures(results)
        assert found.keys() >= said["figures"].keys(), name
        for table, rows in said["figures"].items():
            wanted = [
                [*key, None if value is None else pytest.approx(value, rel=PRECISION.get(key[-1]))]
                for *key, value in rows
            ]
            keys = [key for *key, _ in rows]  # measures that were added since stand beside those of then
            assert [row for row in found[table] if row[:-1] in keys] == wanted, (name, table)


def test_standings_and_study_are_what_they_were(kept: Kept, command: Command) -> None:
    found = reading.standings(command.data("leaderboard", "standings", "questions"))
    # Who stands before whom and every score; which ranks are possible follows from a rule that has improved since.
    assert [row[1:] for row in found] == [
        [pytest.approx(cell) if isinstance(cell, float) else cell for cell in row[1:]]
        for row in kept.expected["standings"]
    ]
    report = command.data("study", "analyse", "who-wrote")
    assert reading.study(report) == kept.expected["study"]


def test_what_was_paid_is_what_was_paid(kept: Kept, command: Command) -> None:
    """Since campaigns were first published on platforms."""
    if "ledger" in kept.expected:
        assert reading.ledger(command.data("crowd", "ledger", "crowded")) == kept.expected["ledger"]


def test_jobs_that_waited_are_done(kept: Kept, command: Command) -> None:
    """A queue holds kinds of jobs by name and their arguments as JSON; a newer worker knows them still."""
    waiting = [one["id"] for one in command.data("jobs", "list", "--state", "waiting")["jobs"]]
    assert len(waiting) >= 2
    with sqlite3.connect(command.address) as connection:
        connection.execute("UPDATE job SET due_at = created_at WHERE state = 'waiting'")
    command("jobs", "work", "--until-empty", "--processes", "1")
    jobs = {one["id"]: one for one in command.data("jobs", "list")["jobs"]}
    # What a clock has done is forgotten.
    assert {jobs[number]["state"] for number in waiting if number in jobs} == {"done"}
    assert any("metric" in jobs[number]["kind"] for number in waiting if number in jobs)
    assert "failed" not in {one["state"] for one in jobs.values()}


@pytest.mark.slow
def test_every_page_that_an_owner_can_reach_opens(kept: Kept, command: Command, client: TestClient) -> None:
    """From the first page along every link, whatever the addresses are."""
    link = command.data("user", "link", "owner")["link"]
    client.headers["accept"] = "text/html"
    enter = re.sub(r"^https?://[^/]+", "", link)
    form = dict(re.findall(r'<input[^>]* name="(\w+)" value="([^"]*)"', client.get(enter).text))
    assert client.post(enter, data={**form, "password": "four unrelated words here"}).status_code == 200
    queue, seen, kinds = ["/"], set[str](), Counter[str]()
    while queue:
        path = queue.pop(0)
        reply = client.get(path)
        # Or the page says that there is nothing to compare yet, or that a format holds marks only.
        assert reply.status_code in (200, 409, 422), (path, reply.status_code, reply.text[:500])
        if "html" not in reply.headers["content-type"]:
            continue
        for target in re.findall(r'href="(/[^"#]*)', reply.text):
            target = target.replace("&amp;", "&")
            # One page of each kind: which campaign or unit it is about makes no other kind.
            kind = re.sub(r"\d+", "0", re.sub(r"^/campaigns/[^/?]+", "/campaigns/x", target))
            kind = re.sub(r"/results\b.*", "/results", kind.partition("?")[0])
            if target not in seen and not target.startswith("/static/") and not kinds[kind]:
                seen.add(target)
                kinds[kind] += 1
                queue.append(target)
    assert len(kinds) > 40, sorted(kinds)


def test_links_and_tokens_let_the_same_people_in(kept: Kept, client: TestClient) -> None:
    tokens = kept.expected["tokens"]

    def call(method: str, path: str, who: str, body: Any = None) -> Any:
        return client.request(method, f"/api/v1{path}", headers={"authorization": f"Bearer {tokens[who]}"}, json=body)

    assert call("GET", "/me", "manager").json()["name"] == "manager"
    assert call("GET", "/me", "gone").status_code == 401
    assert client.get(f"/a/{tokens['Bo of plain']}").status_code == 200
    # Bo finds the draft that they left, and hands it in.
    held = call("POST", "/work/next", "Bo of plain", {}).json()["assignment"]
    assert held["draft"]["answers"] == {"correct": "neutral"}
    body = {"answers": {"correct": "agree"}, "client_key": "after-the-upgrade", "seconds_active": 3.0}
    assert call("POST", f"/work/assignments/{held['id']}/responses", "Bo of plain", body).status_code == 200
    # The reader of a study and the worker of a campaign with test questions go on where they are.
    assert call("POST", "/work/next", "Cy of questions-round-2", {}).json()["assignment"] is not None
    assert call("POST", "/work/lesson", "crowd-6 of taught", {}).json()["item"]["id"] == "3.1"
    assert call("POST", "/work/next", "Dee of animals", {}).json()["assignment"] is None
    if "reads" in tokens:  # since tokens have scopes, and people come from platforms
        assert call("GET", "/campaigns/plain", "reads").status_code == 200
        assert call("POST", "/campaigns/plain/close", "reads", {}).status_code == 403
        assert call("POST", "/work/next", "3 of crowded", {}).json()["assignment"] is not None


def test_a_study_goes_on_with_the_texts_of_each_condition(kept: Kept, client: TestClient) -> None:
    two_more_readers(client, kept.expected["tokens"]["owner"])


def test_an_imported_study_goes_on_with_the_texts_of_each_condition(kept: Kept, fresh: Command) -> None:
    fresh("campaign", "import", str(kept.folder / "exports" / "who-wrote.jsonl"))
    fresh("user", "create", "owner", "--role", "owner")
    with TestClient(create_app(Services.open(fresh.address))) as client:
        two_more_readers(client, fresh("user", "token", "owner").strip())


def two_more_readers(client: TestClient, owner_token: str) -> None:
    """Units are kept in strata; two more readers of the old study get texts of people and of one machine each."""
    owner = {"authorization": f"Bearer {owner_token}"}
    here = "/api/v1/campaigns/who-wrote"
    campaign = client.get(here, headers=owner).json()
    for condition in campaign["settings"]["conditions"]:
        condition["places"] += 1
    body = {"title": campaign["title"], "settings": campaign["settings"]}
    assert client.put(f"{here}/settings", headers=owner, json=body).status_code == 200
    invite = re.findall(r"/join/([^\"\s]+)", client.get(here, headers=owner).text)[0]
    machines = set()
    for name in ("late-1", "late-2"):
        join = {"invite": invite, "participant": {"platform": "prolific", "id": name}}
        token = {"authorization": f"Bearer {client.post('/api/v1/join', json=join).json()['token']}"}
        client.post("/api/v1/work/consent", headers=token, json={})
        for number in range(4):
            held = client.post("/api/v1/work/next", headers=token, json={}).json()["assignment"]
            answers = {"source": "definitely_human", "why": "because it reads like one of ours"}
            said = {"answers": answers, "client_key": f"{name}-answer-{number}", "seconds_active": 3.0}
            client.post(f"/api/v1/work/assignments/{held['id']}/responses", headers=token, json=said)
        newest = client.get(f"{here}/responses", headers=owner).json()["responses"][:4]
        writers = Counter(one["unit"].partition("-")[0] for one in newest)
        assert writers["human"] == 2
        (machine,) = writers.keys() - {"human"}
        machines.add(machine)
    assert machines == {"older", "newer"}


@pytest.mark.parametrize("dump", OLDER, ids=lambda path: f"{path.parents[1].name}-{path.name[:4]}")
def test_a_database_of_each_older_step_upgrades(
    dump: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(dump.parents[1].name)
    monkeypatch.setenv("GOLDMARK_SECRET", kept.expected["secret"])
    path = tmp_path / "goldmark.db"
    made = sqlite3.connect(path)
    made.executescript(gzip.decompress(dump.read_bytes()).decode())
    names = [name for (name,) in made.execute("SELECT name FROM campaign")]
    made.close()
    command = Command(str(path), capsys)
    command("database", "upgrade")
    assert command.data("database", "check")["problems"] == []
    assert "plain" in names
    for name in names:
        assert given(reading.answers(command.export(name, tmp_path))) == given(
            kept.expected["campaigns"][name]["answers"]
        ), name


def given(answers: list[list[Any]]) -> list[list[Any]]:
    """What people said, without what counts: before there were exclusions, nobody's answer could be excluded."""
    return [[unit, person, revision, said] for unit, person, revision, _, said in answers]


def test_a_backup_restores_into_postgres(
    kept: Kept, postgres: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = Command(empty_database(postgres), capsys)
    command("database", "restore", kept.unpack(tmp_path / "backup"))
    assert command.data("database", "check")["problems"] == []
    for name, said in kept.expected["campaigns"].items():
        assert reading.answers(command.export(name, tmp_path)) == said["answers"], name
