"""`gm.Client` against a real server: what managers do in the browser, and what becomes of trouble on the way."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import goldmark as gm
from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.definition.file import read_campaign
from goldmark.campaigns.transfer.restore import restore
from goldmark.cli import run
from goldmark.errors import Kind
from goldmark.exchange.campaign.archive import TargetInUse
from goldmark.notebook.client import Client, RemoteCampaign, UnknownPerson
from goldmark.notebook.transport import (
    HttpxMissing,
    NotAnAddress,
    NotGoldmark,
    NoToken,
    Refused,
    Transport,
    Unreachable,
)
from goldmark.notebook.uploads import NoTextsGiven, TextsTwice
from goldmark.samples import sample
from goldmark.samples.campaigns import record_of_sample
from goldmark.texts.readers.tidy import NoSuchFile
from tests.databases import fresh
from tests.notebook.server import serving
from tests.web.house import House

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
QA = "sample-rating-qa"
TEXTS = pd.DataFrame(
    {
        "id": ["g1", "g2"],
        "text": ["The Foxes won by nine.", "The Bears lost."],
        "system": ["alder", "birch"],
        "year": [2026, 2027],
        "seed": [np.nan, 3.0],
        "context.Score": ["99-90", None],
    }
)


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str, str]]:
    database = fresh(tmp_path_factory.mktemp("client"))
    with serving(database) as (house, url):
        found = sample("rating-qa")
        restore(house.services.store, record_of_sample(found, read_campaign(found.campaign), NOW), author="test")
        yield house, url, database


@pytest.fixture
def client(at: tuple[House, str, str]) -> Iterator[Client]:
    house, url, _ = at
    with gm.Client(url, house.tokens["manager"]) as made:
        yield made


def new(client: Client, name: str, **more: Any) -> RemoteCampaign:
    return client.create({"campaign": name, "protocol": "accuracy", "labels_per_unit": 1, **more}, TEXTS, start=True)


def answer(house: House, link: str) -> None:
    """Do everything that there is to do through a personal link."""
    token = link.rsplit("/", 1)[1]
    while (task := house.services.work.next(token).task) is not None:
        house.services.responses.submit(token, task.id, Submission({"mistakes": []}, f"key-{task.id}", None, 60.0))


# --- campaigns


def test_from_a_data_frame_to_results(client: Client, at: tuple[House, str, str], tmp_path: Path) -> None:
    house = at[0]
    games = new(client, "games")
    assert games.state == "running"
    assert {row["name"] for row in client.campaigns().to_dicts()} >= {"zoo", QA, "games"}
    links = games.invite("Ada", "Bo")
    assert list(links) == ["Ada", "Bo"]
    assert links == {name: games.invite(name)[name] for name in links}
    assert [row["link"] for row in games.annotators().to_dicts()] == list(links.values())

    watched = games.watch(every=0.01)
    before = next(watched)
    assert (before.labels_done, before.labels_wanted, before.units) == (0, 2, 2)
    assert str(before) == "0 of 2 labels (0%), 0 of 2 units finished, 0 of 2 annotators working"
    answer(house, links["Ada"])
    assert [one.labels_done for one in watched] == [2]

    whole = gm.read_campaign(games.export(tmp_path / "games.jsonl"))
    (unit,) = [row for row in whole["texts"].to_dicts() if row["unit"] == "g1"]
    assert (unit["system"], unit["year"], "seed" in unit) == ("alder", "2026", True)
    assert unit["seed"] == ""
    tidy = games.export(tmp_path / "tidy", format="tidy")
    assert (tidy / "spans.csv").is_file()
    assert gm.results(tidy)["errors"].to_dicts() == games.results()["errors"].to_dicts()
    assert games.export(tmp_path / "tidy.zip", format="tidy").stat().st_size
    with pytest.raises(TargetInUse):
        games.export(tmp_path / "games.jsonl")
    assert games.close("done").state == "closed"
    assert [one.share_done for one in games.watch()] == [1.0]


def test_a_campaign_file_is_sent_with_what_it_names(client: Client, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    TEXTS[["id", "text"]].to_csv(tmp_path / "texts" / "a.csv", index=False)
    protocol = gm.load_protocol("accuracy").source.replace("accuracy/1", "mine/1")
    (tmp_path / "mine.yaml").write_text(protocol)
    file = tmp_path / "by-file.yaml"
    file.write_text("campaign: by-file\nprotocol: mine.yaml\ntexts: texts/a.csv\n")
    made = client.create(file)
    assert (made.name, made.state, made.facts()["protocol"]) == ("by-file", "draft", "mine/1")
    with pytest.raises(TextsTwice):
        client.create(str(file), TEXTS)
    file.write_text("campaign: by-file-2\nprotocol: mine.yaml\ntexts: none.csv\nlabels: 3\n")
    with pytest.raises(Refused) as refused:
        client.create(file)
    assert refused.value.code == "PROBLEMS-01"
    assert any("none.csv" in note for note in refused.value.__notes__)
    assert any(problem.where.startswith("campaign.yaml") for problem in refused.value.problems)


def test_keys_protocols_and_texts_in_many_forms(client: Client, tmp_path: Path) -> None:
    protocol = gm.load_protocol("accuracy")
    (tmp_path / "p.yaml").write_text(protocol.source)
    TEXTS[["id", "text"]].to_csv(tmp_path / "t.csv", index=False)
    rows = [{"id": "x", "text": "One two."}]
    forms: list[tuple[Any, Any]] = [
        (protocol, pl.DataFrame(rows)),
        (str(tmp_path / "p.yaml"), rows),
        ("accuracy", tmp_path / "t.csv"),
        ("accuracy", {"path": str(tmp_path / "t.csv"), "tokeniser": "whitespace"}),
        ("accuracy", {"rows": rows}),
    ]
    for number, (asked, texts) in enumerate(forms):
        made = client.create({"campaign": f"form-{number}", "protocol": asked}, texts)
        assert made.progress().units in (1, 2)
    with pytest.raises(NoTextsGiven):
        client.create({"campaign": "no-texts", "protocol": "accuracy"})
    with pytest.raises(NoSuchFile):
        client.create({"campaign": "no-texts", "protocol": "accuracy"}, tmp_path / "none.csv")


def test_long_lists_of_people_come_whole(client: Client) -> None:
    games = new(client, "many-people")
    names = [f"p{number:03}" for number in range(123)]
    games.invite(*names)
    assert [row["name"] for row in games.annotators().to_dicts()] == names
    assert [row["name"] for row in games.quality().to_dicts()] == names
    assert games.exclude("p122")["annotator"] == "p122"
    assert [row["state"] for row in games.quality().to_dicts()][-1] == "excluded"


def test_texts_and_answers_come_in_and_people_are_excluded(client: Client) -> None:
    games = new(client, "more-games")
    assert games.add_texts([{"id": "g3", "text": "Nobody scored.", "system": "alder"}]) == 1
    done = games.import_answers(
        [{"unit": "g3", "annotator": "Cy", "mistakes": []}, {"unit": "g1", "annotator": "Cy", "mistakes": []}]
    )
    assert (done["answers"], done["new_annotators"]) == (2, ["Cy"])
    assert "Cy" in [row["name"] for row in games.quality().to_dicts()]
    assert games.exclude("Cy", reason="a test")["labels"] == 2
    assert games.progress().labels_excluded == 2
    assert games.restore("Cy")["changed"] is True
    with pytest.raises(UnknownPerson, match="'Dee'; it has Cy"):
        games.exclude("Dee")
    assert games.pause("lunch").state == "paused"


def test_results_are_those_of_the_command(
    client: Client, at: tuple[House, str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["campaign", "results", QA, "--json", "--database", at[2]]) == 0
    told = {one["name"]: one["rows"] for one in json.loads(capsys.readouterr().out)["tables"]}
    found = client.campaign(QA).results()
    here = gm.results(gm.read_campaign(at[2], QA))
    assert {name: found[name].to_dicts() for name in found} == told
    assert str(found) == str(here)
    assert found.notes == here.notes
    one = client.campaign(QA).results(
        table="ratings", by="annotator", system=["alder", "birch"], since=date(2026, 1, 1)
    )
    since = datetime(2026, 1, 1, tzinfo=UTC)
    same = gm.results(
        gm.read_campaign(at[2], QA), table="ratings", by="annotator", system=["alder", "birch"], since=since
    )
    assert one.to_dicts() == same.to_dicts()
    assert found["ratings"].plot().content == here["ratings"].plot().content
    seeded = client.campaign(QA).results(table="ratings", seed=3)
    assert seeded.to_dicts() == gm.results(gm.read_campaign(at[2], QA), table="ratings", seed=3).to_dicts()
    assert seeded.to_dicts() != found["ratings"].to_dicts()
    assert client.campaign(QA).report(tmp_path / "report.html").read_text().startswith("<!doctype html>")
    with pytest.raises(Refused) as refused:
        client.campaign(QA).results(table="win-rates")
    assert refused.value.code == "RESULTS-12"


# --- leaderboards


def test_a_system_is_submitted(client: Client, at: tuple[House, str, str]) -> None:
    assert [row["name"] for row in client.leaderboards().to_dicts()] == ["zoo"]
    zoo = client.leaderboard("zoo")
    outputs = pd.DataFrame({"id": [f"q{n}" for n in range(4)], "output": ["4", "8", "12", "16"]})
    made = zoo.submit("Alder 2", outputs, team="Alder Lab", authors=["Ada", "Bo"])
    assert (made["system"], made["state"], made["authors"]) == ("Alder 2", "private", ["Ada", "Bo"])
    assert zoo.publish(made["id"])["state"] == "published"
    standings = zoo.standings()
    assert standings.row(system="Alder 2")["team"] == "Alder Lab"
    csv = at[0].program("manager").get("/api/v1/leaderboards/zoo/standings.csv").text
    assert standings.to_csv() == csv
    with pytest.raises(Refused) as refused:
        zoo.submit("Birch", outputs[:1], team="Birch Lab")
    assert refused.value.problems


def test_taking_part_from_a_machine_of_ones_own(
    at: tuple[House, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing but an address and a token: inputs, a packed submission, its state, publishing, the standings."""
    house, url, _ = at
    monkeypatch.chdir(tmp_path)

    def told(*arguments: str, code: int = 0) -> Any:
        assert run(["leaderboard", *arguments, "--server", url, "--json"]) == code
        words = capsys.readouterr()
        return json.loads(words.out) if code == 0 else words.err

    assert run(["leaderboard", "inputs", "zoo", "inputs.jsonl", "--server", url]) == 0
    rows = [json.loads(line) for line in Path("inputs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [set(row) for row in rows] == [{"id", "context", "language"}] * 4, "no reference and no hidden fact"
    lines = "\n".join(json.dumps({"id": row["id"], "output": "four legs"}) for row in rows)
    Path("outputs.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    sending = ("submit", "zoo", "outputs.jsonl.gz", "--system", "From afar", "--team", "Far Lab")
    monkeypatch.delenv("GOLDMARK_TOKEN", raising=False)
    assert "GOLDMARK_TOKEN" in told(*sending, code=1)
    monkeypatch.setenv("GOLDMARK_TOKEN", house.tokens["annotator"])
    made = told(*sending)
    assert (made["system"], made["version"], made["phase"], made["state"]) == ("From afar", 1, "test", "private")
    assert made["id"] in [one["id"] for one in told("submissions", "zoo")["submissions"]]
    Path("short.jsonl").write_text(lines.split("\n")[0], encoding="utf-8")
    said = told("submit", "zoo", "short.jsonl", "--system", "From afar", code=1)
    assert 'there is no output for "q1"' in said
    assert told("publish", "zoo", str(made["id"]))["state"] == "published"
    assert "From afar" in json.dumps(told("standings", "zoo", "--pairs"))
    assert told("withdraw", "zoo", str(made["id"]), "--reason", "a test")["state"] == "withdrawn"
    assert not Path("goldmark.db").exists(), "no database is needed"


# --- trouble


def test_errors_are_the_server_s_own(client: Client, at: tuple[House, str, str]) -> None:
    with pytest.raises(Refused) as missing:
        client.campaign("gmaes")
    assert (missing.value.code, missing.value.kind, missing.value.status) == ("CAMPAIGN-01", Kind.MISSING, 404)
    assert "gmaes" in str(missing.value)
    with pytest.raises(Refused):
        client.campaign("../accounts")  # a name is no path
    with pytest.raises(Refused) as nobody:
        gm.Client(at[1], "gm_wrong").campaigns()
    assert nobody.value.status == 401
    with pytest.raises(Refused) as curator:
        gm.Client(at[1], at[0].tokens["curator"]).campaign("zoo").start()
    assert curator.value.kind is Kind.FORBIDDEN


def test_a_token_is_needed_and_never_shown(
    monkeypatch: pytest.MonkeyPatch, at: tuple[House, str, str], client: Client
) -> None:
    monkeypatch.delenv("GOLDMARK_TOKEN", raising=False)
    with pytest.raises(NoToken):
        gm.Client(at[1])
    monkeypatch.setenv("GOLDMARK_TOKEN", at[0].tokens["curator"])
    from_environment = gm.Client(at[1] + "/")
    assert from_environment.campaign("zoo").state == "running"
    assert repr(from_environment) == f"Client('{at[1]}')"
    assert at[0].tokens["curator"] not in repr(vars(from_environment))
    with pytest.raises(NotAnAddress):
        gm.Client("eval.example.org", "gm_x")


def test_without_httpx_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(HttpxMissing, match=r"pip install 'goldmark\[client\]'"):
        gm.Client("http://127.0.0.1", "gm_x")


class Shaky(BaseHTTPRequestHandler):
    """A server that fails twice before it answers, and counts."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append("GET")
        if self.path.endswith("/login"):
            self._say(302, b"", location="https://elsewhere.example.org/login")
        elif self.path.endswith("/html"):
            self._say(200, b"<html>Welcome</html>", kind="text/html")
        elif len(self.asked) == 1:
            self.connection.close()
        elif len(self.asked) == 2:
            self._say(503, b"starting")
        else:
            self._say(200, b'{"name": "zoo", "state": "running"}', kind="application/json")

    def do_POST(self) -> None:
        self.asked.append("POST")
        self.connection.close()

    def _say(self, status: int, body: bytes, *, kind: str = "text/plain", location: str = "") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        if location:
            self.send_header("location", location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def shaky() -> Iterator[tuple[str, list[str]]]:
    Shaky.asked = []
    server = HTTPServer(("127.0.0.1", 0), Shaky)
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", Shaky.asked
    server.shutdown()
    server.server_close()


def test_asking_is_tried_again_and_changing_is_not(shaky: tuple[str, list[str]]) -> None:
    url, asked = shaky
    waits: list[float] = []
    calls = Transport(url, "gm_x", sleep=waits.append)
    assert calls.get("/campaigns/zoo")["state"] == "running"
    assert (asked, waits) == (["GET"] * 3, [0.5, 1.0])
    with pytest.raises(Unreachable):
        calls.post("/campaigns/zoo/start")
    assert asked.count("POST") == 1
    calls.close()


def test_another_server_is_told_from_goldmark_and_gets_no_token(shaky: tuple[str, list[str]]) -> None:
    url, asked = shaky
    calls = Transport(url, "gm_x", sleep=lambda _: None)
    with pytest.raises(NotGoldmark, match="it points to https://elsewhere"):
        calls.get("/login")
    with pytest.raises(NotGoldmark, match="answered 200, not as a Goldmark server does"):
        calls.get("/html")
    assert asked == ["GET"] * 2
    calls.close()


def test_nobody_there() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        calls = Transport(url, "gm_x", sleep=lambda _: None)
        with pytest.raises(Unreachable, match="is the server running"):
            calls.get("/campaigns")
        calls.close()
