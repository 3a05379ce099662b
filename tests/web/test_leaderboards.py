"""Leaderboards by page and by API: what a stranger, a team and a manager see and may do."""

from __future__ import annotations

import io
import json
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks.leaderboard import large_board
from goldmark.accounts.roles import Role
from goldmark.jobs import Worker
from goldmark.leaderboards.definition.boards import create_board
from goldmark.leaderboards.definition.file import board_from_files
from goldmark.web.runtime.handlers import load_handlers
from goldmark.web.static_board import export_board, exported
from tests.leaderboards.ground import answer_all
from tests.web.house import House, board_files, hidden_token

API = "/api/v1/leaderboards"
BOARD = f"{API}/zoo"


def outputs(words: str = "{} legs", count: int = 4) -> bytes:
    return "\n".join(json.dumps({"id": f"q{n}", "output": words.format(4 * n)}) for n in range(count)).encode()


def send(client: Any, system: str, content: bytes | None = None, board: str = BOARD, **more: Any) -> Any:
    files = {"file": ("outputs.jsonl", outputs(f"{system} {{}} legs") if content is None else content)}
    return client.post(f"{board}/submissions", data={"system": system, "team": "Alder Lab", **more}, files=files)


def someone(house: House, name: str) -> Any:
    """A program of a new account without any role but the lowest."""
    account = house.services.accounts.create(name, Role.ANNOTATOR, None, author="test")
    token = house.services.accounts.new_token(account.id, "test")[1]
    return house.client(headers={"authorization": f"Bearer {token}"})


def test_from_a_file_to_published_standings(house: House) -> None:
    manager, team, stranger = house.program("manager"), house.program("annotator"), house.client()
    files = [
        ("files", (one.name, one.content.read()))
        for one in board_files("herd", metrics="[chrf]", human="{start: approval, price: 0.1}", judgements="true")
    ]
    assert manager.post(f"{API}/upload", files=files).status_code == 201
    herd = f"{API}/herd"
    sent = send(team, "Good", board=herd, description="A model.", link="https://example.org", authors=["Ann", "Bo"])
    assert sent.status_code == 201, sent.text
    number = sent.json()["id"]
    assert sent.json()["authors"] == ["Ann", "Bo"]
    assert stranger.get(f"{herd}/standings").json()["standings"] == []
    load_handlers()
    Worker(house.services.store).run_until_empty()
    [row] = team.get(f"{herd}/standings").json()["standings"]
    assert row["metrics"]["chrf"]["state"] == "done"
    assert manager.post(f"{herd}/submissions/{number}/approve", json={}).status_code == 200
    assert manager.post(f"{herd}/rounds/1/open", json={}).json()["campaign"] == "herd-round-1"
    answer_all(house.services.store, "herd-round-1", {"Good": 3})
    closed = manager.post(f"{herd}/rounds/1/close", json={})
    assert closed.json()["facts"]["labels"] == 4
    assert team.post(f"{herd}/submissions/{number}/publish", json={}).json()["state"] == "published"
    [row] = stranger.get(f"{herd}/standings").json()["standings"]
    assert (row["best"], row["scores"]["correct"]["value"]) == (1, 0.75)
    assert row["judged"]["cost"] == pytest.approx(0.4)
    system = row["submission"]["system_id"]
    example = stranger.get(f"{herd}/systems/{system}").json()["examples"][1]
    assert (example["output"], example["scores"]) == ("Good 4 legs", {"correct": 0.75})
    for page in ("", "/metrics", "/history", "/plan", f"/systems/{system}", "/standings.csv", "/standings.tex"):
        reply = house.client(headers={"accept": "text/html"}).get(f"/leaderboards/herd{page}")
        assert reply.status_code == 200, page
    assert "Good" in stranger.get(f"{herd}/standings.csv").text
    page = house.client().get("/leaderboards/herd").text
    assert 'class="whisker"' in page
    assert "herd-round-1" not in page


def test_a_private_board_is_not_there_for_others(house: House) -> None:
    files = board_files("secret", public="false", submit="{who: teams, teams: {Alder Lab: [annotator]}}")
    create_board(house.services.store, board_from_files(files), author="test")
    assert house.client().get(f"{API}/secret").status_code == 404
    assert house.client().get("/leaderboards/secret").status_code == 404
    assert "secret" not in house.client().get("/leaderboards").text
    assert house.program("annotator").get(f"{API}/secret").json()["team"] == "Alder Lab"
    assert house.program("curator").get(f"{API}/secret").status_code == 200
    eve = someone(house, "eve")
    assert eve.get(f"{API}/secret").status_code == 404
    assert send(eve, "Mine", board=f"{API}/secret").status_code == 404
    hidden = send(house.program("annotator"), "Hidden", board=f"{API}/secret").json()["id"]
    for what in ("publish", "withdraw", "metric"):
        sent = {"metric": "chrf"} if what == "metric" else {}
        there, nowhere = (
            eve.post(f"{API}/{one}/submissions/{hidden}/{what}", json=sent) for one in ("secret", "sacred")
        )
        assert there.status_code == nowhere.status_code == 404
        assert there.text.replace("secret", "sacred") == nowhere.text
    members = {"team": "Alder Lab", "account": "eve"}
    assert {eve.post(f"{API}/{one}/teams", json=members).text for one in ("secret", "sacred")} == {
        eve.post(f"{BOARD}/teams", json=members).text
    }


def test_private_submissions_stay_private(house: House) -> None:
    mine = send(house.program("annotator"), "Hidden").json()
    other = someone(house, "other")
    for client in (house.client(), other):
        assert "Hidden" not in client.get(f"{BOARD}/standings").text
        assert client.get(f"{BOARD}/systems/{mine['system_id']}").status_code == 404
        assert "Hidden" not in client.get("/leaderboards/zoo", headers={"accept": "text/html"}).text
        assert "Hidden" not in client.get("/leaderboards/zoo/history", headers={"accept": "text/html"}).text
        assert b"Hidden" not in client.get("/leaderboards/zoo/export.zip").content
    refused = other.post(f"{BOARD}/submissions/{mine['id']}/publish", json={})
    assert (refused.status_code, refused.json()["code"]) == (404, "SUBMISSION-06")
    missing = other.post(f"{BOARD}/submissions/{mine['id'] + 1}/publish", json={})
    said = (
        one.json()["message"].replace(str(number), "N")
        for one, number in ((refused, mine["id"]), (missing, mine["id"] + 1))
    )
    assert len(set(said)) == 1, "a private submission is told from none by nothing"
    taken = send(other, "hidden", team="Birch Lab")
    assert (taken.status_code, taken.json()["code"]) == (403, "SUBMISSION-04")


def test_a_private_system_changes_no_public_byte(house: House) -> None:
    """Nothing that a stranger gets of the board is another with it: neither the page, its data nor the export."""
    paths = ["", "/standings", "/standings.csv", "/correlations", "/pairs", "/drift", "/inputs.jsonl"]

    def public() -> list[bytes]:
        calls = [house.client().get(f"{BOARD}{path}").content for path in paths]
        pages = [house.client().get(f"/leaderboards/zoo{path}").content for path in ("", "/history", "/data")]
        return [*calls, *pages, *exported(house.services, "zoo").values()]

    before = public()
    send(house.program("annotator"), "Secret", outputs("secret {}"))
    load_handlers()
    Worker(house.services.store).run_until_empty()
    assert public() == before


def test_a_team_manages_itself(house: House) -> None:
    """A link lets people in, a new link shuts the old one, members remove each other and leave."""
    founder, second, third = (someone(house, name) for name in ("founder", "second", "third"))
    send(founder, "Oak 1", team="Oak Lab")
    made = founder.post(f"{BOARD}/teams/invitation", json={}).json()
    old = made["address"].partition("invitation=")[2]
    assert "Join <bdi>Oak Lab</bdi>" in house.browser("annotator").get(f"/leaderboards/zoo/join?invitation={old}").text
    joined = second.post(f"{BOARD}/teams/join", json={"invitation": old}).json()
    assert joined == {"team": "Oak Lab", "members": ["founder", "second"]}
    assert "Oak 1" in second.get(f"{BOARD}/standings").text, "who is in the team sees what is private"
    assert founder.post(f"{BOARD}/teams/invitation", json={"renew": True}).json()["address"] != made["address"]
    assert third.post(f"{BOARD}/teams/join", json={"invitation": old}).status_code == 403
    assert third.post(f"{BOARD}/teams/remove", json={"account": "second"}).status_code == 404
    known, unknown = (
        founder.post(f"{BOARD}/teams", json={"team": "Oak Lab", "account": name}) for name in ("third", "?")
    )
    assert (known.status_code, known.text) == (403, unknown.text), "nobody is added without being asked"
    added = house.program("manager").post(f"{BOARD}/teams", json={"team": "Oak Lab", "account": "owner"})
    assert added.json()["members"] == ["founder", "owner", "second"]
    assert founder.post(f"{BOARD}/teams/remove", json={"account": "owner"}).status_code == 200
    for role, offered in (("annotator", False), ("manager", True)):
        send(house.program(role), f"Ash of {role}", team=f"{role} Lab")
        assert ("Add an account" in house.browser(role).get("/leaderboards/zoo/submit").text) is offered
    send(third, "Elm 1", team="Elm Lab")
    link = founder.post(f"{BOARD}/teams/invitation", json={}).json()["address"].partition("invitation=")[2]
    refused = third.post(f"{BOARD}/teams/join", json={"invitation": link})
    assert refused.json()["code"] == "TEAM-03"
    assert third.post(f"{BOARD}/teams/remove", json={"account": "third"}).json()["members"] == []
    assert third.post(f"{BOARD}/teams/join", json={"invitation": link}).status_code == 200
    left = second.post(f"{BOARD}/teams/remove", json={"account": "founder"}).json()
    assert left["members"] == ["second", "third"]
    assert "Oak 1" not in founder.get(f"{BOARD}/standings").text


def test_strangers_take_part_where_the_owner_lets_them(house: House) -> None:
    for name, more in (("open", {"submit": "{strangers: true}"}), ("shut", {"public": "false"})):
        create_board(house.services.store, board_from_files(board_files(name, **more)), author="test")
    stranger = house.client()
    wanted = {"name": "ann of birch", "password": "three unrelated words"}
    assert "/leaderboards/open/register" in house.client(headers={"accept": "text/html"}).get("/leaderboards/open").text
    assert stranger.post(f"{API}/zoo/register", json=wanted).json()["code"] == "TEAM-10", "a board that has not opened"
    assert stranger.post(f"{API}/shut/register", json=wanted).status_code == 404, "a private board is not there"
    page = house.client(headers={"accept": "text/html"})
    form = {**wanted, "csrf": hidden_token(page.get("/leaderboards/open/register").text)}
    assert page.post("/leaderboards/open/register", data=form).status_code == 303
    assert page.get("/leaderboards/open/submit").status_code == 200, "signed in at once"
    listed = house.program("owner").get("/api/v1/accounts").json()["accounts"]
    assert [one["name"] for one in listed if one["registered"]] == ["ann of birch"]
    assert house.browser("owner").get("/accounts").text.count("registered themselves") == 1
    assert send(page_program(house, "ann of birch"), "New", board=f"{API}/open", team="Birch").status_code == 201
    # What another board gives to everybody with an account is not theirs: nobody gave them one.
    team = page_program(house, "ann of birch")
    assert team.get(f"{API}/shut").status_code == 404
    assert send(team, "New", team="Birch").json()["code"] == "TEAM-04"
    assert stranger.post(f"{API}/open/register", json={**wanted, "name": "Ann of birch"}).status_code == 409
    tries = [stranger.post(f"{API}/open/register", json={"name": "cy", "password": "short"}) for _ in range(10)]
    assert tries[0].json()["code"] == "ACCOUNT-05"
    assert tries[-1].status_code == 429, "a few in an hour from one address"


def page_program(house: House, name: str) -> Any:
    """A program with a token of somebody's own."""
    accounts = house.services.accounts
    token = accounts.new_token(accounts.find(name).id, "test")[1]
    return house.client(headers={"authorization": f"Bearer {token}"})


def test_what_a_competition_does_not_tell(house: House) -> None:
    """No byte that a stranger or a team gets says what is right, how near an output comes, or which items count."""
    more = {"subset": "{size: 2}", "metrics": "[chrf]", "human": "{start: automatic, gold: true}"}
    create_board(house.services.store, board_from_files(board_files("contest", **more)), author="test")
    contest, team = f"{API}/contest", house.program("annotator")
    sent = send(team, "Alder", outputs("many {} many"), board=contest).json()
    team.post(f"{contest}/submissions/{sent['id']}/publish", json={})
    load_handlers()
    Worker(house.services.store).run_until_empty()
    system = sent["system_id"]
    judged = house.client().get(f"{contest}/systems/{system}").json()
    assert (judged["being_judged"], judged["examples"]) == (True, []), "a round has begun"
    page = house.client(headers={"accept": "text/html"}).get(f"/leaderboards/contest/systems/{system}").text
    assert "People judge them just now" in page
    assert "many 1 many" not in page
    house.program("manager").post(f"{contest}/rounds/1/close", json={"anyway": True})
    for client in (house.client(), team):
        got = client.get(f"{contest}/systems/{system}").json()["examples"]
        assert [(one["references"], one["judged"], one["metrics"]) for one in got] == [([], None, {})] * 4
        assert "seed" not in client.get(contest).text
        inputs = client.get(f"{contest}/inputs.jsonl")
        assert [set(json.loads(line)) for line in inputs.text.splitlines()] == [{"id", "context", "language"}] * 4
        page = client.get(f"/leaderboards/contest/systems/{system}", headers={"accept": "text/html"}).text
        assert "Reference:" not in page
        assert "people judge" not in page
    rows = house.program("curator").get(f"{contest}/standings").json()["standings"]
    gold = next(one["submission"]["system_id"] for one in rows if one["submission"]["kind"] == "gold")
    assert house.client().get(f"{contest}/systems/{gold}").json()["examples"] == []
    owner = house.program("curator").get(f"{contest}/systems/{system}").json()["examples"]
    assert sum(one["judged"] for one in owner) == 2
    assert all(one["references"] for one in owner)
    page = house.client(headers={"accept": "text/html"}).get("/leaderboards/contest/data").text
    assert "which ones is not told" in page
    assert "inputs.jsonl?phase=test" in page


def test_settings_are_changed_in_the_browser(house: House) -> None:
    create_board(house.services.store, board_from_files(board_files("pond")), author="test")
    browser, page = house.browser("manager"), "/leaderboards/pond/settings"
    assert "Everything, as in the file" in browser.get(page).text
    fields = {
        "title": "The pond",
        "about": "Frogs.",
        "submit.closes": "2027-03-01",
        "submit.days": "7",
        "metrics": "bleu\nchrf",
    }
    done = browser.post(page, {**fields, "submit.at_most": "3", "references": "yes", "reason": "it begins"})
    assert (done.status_code, done.headers["location"]) == (303, f"{page}?done=settings")
    told = house.program("manager").get(f"{API}/pond/settings").json()
    assert (told["title"], told["settings"]["submit"]["at_most"]) == ("The pond", 3)
    assert told["settings"]["metrics"] == ["bleu", "chrf"]
    assert told["settings"]["references"] is True
    refused = browser.post(page, {**fields, "submit.closes": "soon", "about": "kept"})
    assert refused.status_code == 422
    assert "is no moment" in refused.text
    assert "kept" in refused.text
    never = {"submit": {"closes": "9999-12-31"}}
    refused = house.program("manager").put(f"{API}/pond/settings", json={"settings": never, "reason": "no end"})
    assert (refused.status_code, "1970 to 9000" in refused.text) == (422, True)
    wrong = browser.post(f"{page}/whole", {"text": "public: true\nsubset: {size: 3}\n"})
    assert "stay the same for every system" in wrong.text
    assert browser.post(f"{page}/whole", {"text": "public: false\n"}).status_code == 303
    assert house.client().get(f"{API}/pond").status_code == 404
    assert "it begins" in browser.get("/leaderboards/pond/history").text


@pytest.mark.parametrize("asked", ["bytes=0-1", "bytes=0-1,4-5", "bytes=900000-", "bytes=5-1", "lines=1-2", "none"])
def test_no_file_stays_for_a_part_that_it_has_not(
    house: House, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger asks for parts of the inputs again and again; each answer has a file of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    reply = house.client().get(f"{BOARD}/inputs.jsonl", headers={"range": asked})
    assert reply.status_code in (206, 400, 416)
    assert list(tmp_path.glob("goldmark-*")) == []


def test_problems_are_told_on_the_page(house: House) -> None:
    browser = house.browser("annotator")
    reply = browser.post(
        "/leaderboards/zoo/submit",
        {"system": "Good", "team": "Lab", "description": "kept"},
        files={"file": ("outputs.jsonl", outputs(count=3) + b'\n{"id": "q9", "output": "<b>x</b>"}')},
    )
    assert reply.status_code == 422
    assert "outputs.jsonl:4" in reply.text
    assert "there is no output for &#34;q3&#34;" in reply.text
    assert "kept" in reply.text  # what was filled in is there to be sent again
    done = browser.post(
        "/leaderboards/zoo/submit", {"system": "Good", "team": "Lab"}, files={"file": ("o.jsonl", outputs())}
    )
    assert (done.status_code, done.headers["location"]) == (303, "/leaderboards/zoo/submit?done=submitted")


def test_hostile_words_are_only_shown(house: House) -> None:
    evil = "<script>alert(1)</script>"
    sent = send(house.program("manager"), f"Evil {evil}", outputs(f"{evil} {{}}"), description=evil, team=evil).json()
    house.program("manager").post(f"{BOARD}/submissions/{sent['id']}/publish", json={})
    for page in ("", f"/systems/{sent['system_id']}", "/history", "/metrics"):
        assert evil not in house.client().get(f"/leaderboards/zoo{page}").text
    assert evil not in exported(house.services, "zoo")["index.html"].decode()


def test_a_large_upload_needs_somebody_who_is_known(house: House) -> None:
    """A zip bomb ends in words; a body beyond the limit is refused before it is read."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("outputs.jsonl", b" " * 30_000_000)
    reply = send(house.program("annotator"), "Bomb", bomb.getvalue())
    assert (reply.status_code, reply.json()["code"]) == (422, "SUBMISSION-01")
    large = b"x" * 2_500_000
    assert send(house.client(), "Large", large).status_code == 401
    assert send(house.program("annotator"), "Large", large).status_code == 422
    declared = {"content-length": str(300_000_000)}
    assert house.program("annotator").post(f"{BOARD}/submissions", headers=declared).status_code == 413


def test_sorting_and_filtering_by_address(house: House) -> None:
    manager = house.program("manager")
    for name, team in (("Zeta", "A"), ("Alpha", "B"), ("Mid", "B")):
        sent = send(manager, name, team=team).json()
        manager.post(f"{BOARD}/submissions/{sent['id']}/publish", json={})

    def names(query: str) -> list[str]:
        page = house.client().get(f"/leaderboards/zoo{query}").text
        return sorted((name for name in ("Zeta", "Alpha", "Mid") if f"<bdi>{name}</bdi>" in page), key=page.index)

    assert names("?sort=system") == ["Alpha", "Mid", "Zeta"]
    assert names("?sort=system&order=down") == ["Zeta", "Mid", "Alpha"]
    assert names("?search=alph") == ["Alpha"]
    assert names("?sort=nothing&axis=nothing") == ["Mid", "Alpha", "Zeta"]


def test_the_export_is_whole_and_always_the_same(house: House, tmp_path: Path) -> None:
    manager = house.program("manager")
    sent = send(manager, "Good").json()
    manager.post(f"{BOARD}/submissions/{sent['id']}/publish", json={})
    first = export_board(house.services, "zoo", tmp_path / "one")
    export_board(house.services, "zoo", tmp_path / "two")
    assert sorted(path.name for path in first) == [
        "boards.css",
        "goldmark.css",
        "index.html",
        "standings.csv",
        "standings.json",
    ]
    for path in first:
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    page = (tmp_path / "one" / "index.html").read_text(encoding="utf-8")
    assert "Good" in page
    assert 'href="/' not in page
    assert "http://" not in page
    data = json.loads((tmp_path / "one" / "standings.json").read_text(encoding="utf-8"))
    assert data["standings"][0]["submission"]["system"] == "Good"
    again = house.client().get("/leaderboards/zoo/export.zip").content
    assert again == house.client().get("/leaderboards/zoo/export.zip").content


def test_plans(house: House) -> None:
    row = house.client().get(f"{BOARD}/plan?error=0.02").json()["rows"][0]
    assert row["annotations"] == 625
    page = house.client().get("/leaderboards/zoo/plan?want=error&amount=nonsense")
    assert page.status_code == 422
    assert "is no number" in page.text


def test_a_board_is_made_of_fields(house: House) -> None:
    """No file but the data has to be written; a refused form says which field, and nothing is made."""
    browser = house.browser("manager")
    items = b'{"id": "1", "context": {"Question": "Why?"}, "references": ["Because."]}\n'
    given = {
        "leaderboard": "why",
        "protocol": "rating-qa/1",
        "metrics": "chrf",
        "public": "no",
        "human.start": "approval",
    }
    sent = {"files": [("files", ("items.jsonl", items, "application/json"))]}
    refused = browser.post("/leaderboards/new/form", {**given, "metrics": "chrff"}, **sent)
    assert refused.status_code == 422
    assert "chrff" in refused.text
    made = browser.post("/leaderboards/new/form", given, **sent)
    assert (made.status_code, made.headers["location"]) == (303, "/leaderboards/why/settings?done=board-created")
    assert "metrics:\n- chrf" in browser.get("/leaderboards/why/settings").text
    # Where nobody is asked, metrics alone score; and a board says which language its people are spoken to in.
    browser.post("/leaderboards/new/form", {**given, "leaderboard": "alone", "protocol": "none"}, **sent)
    assert "none: metrics score" in browser.get("/leaderboards/alone/settings").text
    browser.post("/leaderboards/why/settings", {"title": "Why", "human.language": "de"})
    assert "language: de" in browser.get("/leaderboards/why/settings").text


def test_many_systems_come_on_several_pages(house: House) -> None:
    """No page of a board grows with it; the newest stands first, and search and order go along."""
    large_board(house.services.store, systems=110, items=5)
    manager = house.browser("manager")
    pages = [manager.get(f"/leaderboards/large?sort=system&page={number}").text for number in range(1, 6)]
    seen = [re.findall(r"<bdi>(S\d+)</bdi></a>", one) for one in pages]
    assert [len(one) for one in seen] == [25, 25, 25, 25, 10]
    assert [name for one in seen for name in one] == sorted(f"S{number}" for number in range(1, 111))
    assert 'href="?page=2&amp;sort=system"' in pages[0]
    assert re.findall(r"<bdi>(S\d+)</bdi></a>", manager.get("/leaderboards/large?search=S110").text) == ["S110"]
    for address in ("", "/manage", "/history", "/metrics"):
        assert len(manager.get(f"/leaderboards/large{address}").content) < 60_000
    assert "90 older rounds" in manager.get("/leaderboards/large/manage").text
    oldest = manager.get("/leaderboards/large/history?page=3").text
    assert ">S1<" in oldest
    assert "round 1 " in oldest
