"""Replies to an annotator are the same, byte for byte and header for header, whatever is hidden.

Each campaign is there twice, with hidden facts of other words and other lengths. What differs between two runs anyway,
tokens, times and keys, is struck out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from sqlalchemy import select, update

from goldmark.campaigns.lifecycle import find_campaign, move
from goldmark.people import annotators
from goldmark.people.invitations import open_campaign
from goldmark.reviews import review
from goldmark.store.tables import assignment, unit
from goldmark.web.services import Services
from tests.campaigns.plans import plan_from_parts
from tests.databases import fresh
from tests.web.house import Served, TestClient, one_app

EXAMPLES = Path(__file__).parents[2] / "examples"
TOKEN = re.compile(r"\d+-[0-9a-f]{12}\.[\w-]{43}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)")
HIDDEN = re.compile(r"system|reference|gold|expected|stratum")


class Twin(NamedTuple):
    """One of the two: how its hidden facts are written."""

    words: str

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        changed = {key: f"{value}{self.words}" for key, value in row.items() if HIDDEN.match(key)}
        return {**row, **changed, "model": self.words, "seed": len(self.words)}


class Reply(NamedTuple):
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str


TWINS = (Twin("x"), Twin(" a much longer name of a system, with ümläute and more"))


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "texts.jsonl").read_text("utf-8").splitlines()]


def right_answers(folder: Path) -> dict[str, dict[str, Any]]:
    given = map(json.loads, (folder / "answers.jsonl").read_text("utf-8").splitlines())
    return {one["unit"]: one["answers"] for one in given if one["problem"] is None}


@contextmanager
def served(folder: Path, settings: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Iterator[Services]:
    services = Services.open(fresh(folder), checks_later=True)
    name = str(settings["campaign"])
    open_campaign(services.store, services.links, plan_from_parts(settings, rows=rows), author="test")
    move(services.store, name, "started", author="test")
    yield services
    services.store.close()


class Annotator:
    """Asks for everything and notes what came."""

    def __init__(self, services: Services, name: str, called: str = "Ada") -> None:
        self.services, self.replies = services, list[Reply]()
        token = annotators.invite(services.store, services.links, name, called, author="test")[1]
        self.page = f"/a/{token}"
        app = Served(one_app(), services)
        self.client = TestClient(app, headers={"authorization": f"Bearer {token}"}, raise_server_exceptions=False)

    def ask(self, method: str, path: str, **more: Any) -> Any:
        got = self.client.request(method, path, follow_redirects=False, **more)
        body = TIME.sub("(time)", TOKEN.sub("(token)", got.text))
        length = {"content-length": str(len(body.encode()))} if "content-length" in got.headers else {}
        headers = tuple(sorted({**{key: TOKEN.sub("", value) for key, value in got.headers.items()}, **length}.items()))
        self.replies.append(Reply(got.status_code, headers, body))
        return got.json() if got.headers.get("content-type") == "application/json" else {}

    def unit_of(self, number: int) -> str:
        named = select(unit.c.name).join(assignment, assignment.c.unit_id == unit.c.id).where(assignment.c.id == number)
        return str(self.services.store.read(lambda connection: connection.execute(named).scalar_one()))

    def is_test(self, number: int) -> bool:
        counts = select(unit.c.counts).join(assignment, assignment.c.unit_id == unit.c.id)
        one = counts.where(assignment.c.id == number)
        return not self.services.store.read(lambda connection: connection.execute(one).scalar_one())

    def work(self, answers: Mapping[str, Any]) -> None:
        for path in (self.page, "/api/v1/work", "/api/v1/work/assignments", "/api/v1/work/assignments/99999"):
            self.ask("GET", path)
        self.ask("POST", "/api/v1/work/consent")
        lesson = self.ask("POST", "/api/v1/work/lesson")
        for item in ("nothing", (lesson.get("item") or {}).get("id", "a")):
            read: dict[str, Any] = {"item": item, "answers": {}, "client_key": f"key-{item}-of-a-lesson"}
            self.ask("POST", "/api/v1/work/lesson/answers", json=read)
        following = self.ask("POST", "/api/v1/work/next")
        while (task := following.get("assignment")) is not None:
            number = task["id"]
            base, key = f"/api/v1/work/assignments/{number}", f"key-{number:06}"
            given = answers.get(self.unit_of(number), {})
            self.ask("PUT", f"{base}/draft", json={"answers": {}, "version": 0})
            self.ask("PUT", f"{base}/draft", json={"answers": {}, "version": 7})
            self.ask("POST", f"{base}/responses", json={"answers": {"no-such": 1}, "client_key": key})
            said = self.ask("POST", f"{base}/responses", json={"answers": given, "client_key": key})
            if "next" not in said:
                break
            following = said["next"]
            self.ask("GET", base)
            self.ask("POST", f"{base}/responses", json={"answers": given, "client_key": key})
        self.ask("POST", "/api/v1/work/here")
        self.ask("GET", "/api/v1/work/assignments")


def journey(folder: Path, example: Path, twin: Twin) -> list[Reply]:
    folder.mkdir()
    settings = yaml.safe_load((example / "campaign.yaml").read_text("utf-8"))
    name = str(settings.pop("campaign"))
    settings.pop("texts", None)
    settings.setdefault("title", "What people see")
    settings["conditions"] = [{"name": "c" * len(twin.words), "factors": {"help": twin.words}}]
    rows = [twin.row(row) for row in rows_of(example)]
    with served(folder, {**settings, "campaign": name}, rows) as services:
        colleague = f"Bo{twin.words}"
        annotators.invite(services.store, services.links, name, colleague, author=twin.words)
        ada = Annotator(services, name)
        ada.work(right_answers(example))
        row = services.store.read(lambda connection: find_campaign(connection, name))
        first = select(assignment.c.id).where(assignment.c.campaign_id == row.id, assignment.c.state == "done")
        numbers = services.store.read(lambda connection: connection.execute(first).scalars().all())
        if numbers:
            review.judge(
                services.store,
                services.content,
                name,
                numbers[0],
                revision=1,
                verdict="returned",
                comment="Look again.",
                reviewer=f"Cy{twin.words}",
            )
            ada.ask("POST", "/api/v1/work/next")
            ada.ask("GET", f"/api/v1/work/assignments/{numbers[0]}")
        return ada.replies


FOLDERS = sorted(one.parent for one in EXAMPLES.glob("*/answers.jsonl") if (one.parent / "campaign.yaml").exists())


@pytest.mark.parametrize("example", FOLDERS, ids=lambda one: one.name)
def test_what_is_hidden_changes_no_byte_of_any_reply(example: Path, tmp_path: Path) -> None:
    one, other = (journey(tmp_path / str(number), example, twin) for number, twin in enumerate(TWINS))
    assert {200, 404} <= {reply.status for reply in one}
    assert len(one) > 10
    for mine, theirs in zip(one, other, strict=True):
        assert mine == theirs


EARLIER = "/api/v1/work/assignments"
QUESTIONS = [
    {
        "id": f"unit-{number}",
        "item": f"item-{number}",
        "text": f"Answer number {number:02} says so .",
        "context": {"Question": f"Which number is {number:02} ?"},
        "reference": f"Golden number {number:02} says so .",
    }
    for number in range(30)
]
QUIZ = {
    "campaign": "quiz",
    "protocol": "rating-qa",
    "labels_per_unit": 2,
    "test_questions": {"positive": 0.2, "negative": 0.2, "gold": "reference"},
    "review": {"required": True, "share": 0.5},
}


def test_a_test_question_is_answered_like_any_other_unit(tmp_path: Path) -> None:
    """Texts are of one length; so are all replies about them, and their headers are the same."""
    with served(tmp_path, QUIZ, QUESTIONS) as services:
        ada, is_test = Annotator(services, "quiz"), dict[int, bool]()
        replies: dict[int, list[Reply]] = {}
        following = ada.ask("POST", "/api/v1/work/next")
        while (task := following["assignment"]) is not None and len(replies) < 25:
            number = task["id"]
            is_test[number] = ada.is_test(number)
            base, key = f"/api/v1/work/assignments/{number}", f"key-{number:06}"
            before = len(ada.replies) - 1  # with that which brought it
            ada.ask("GET", base)
            ada.ask("PUT", f"{base}/draft", json={"answers": {"correct": "agree"}, "version": 0})
            ada.ask("PUT", f"{base}/draft", json={"answers": {}, "version": 7})
            ada.ask("POST", f"{base}/responses", json={"answers": {"correct": "nothing"}, "client_key": key})
            following = ada.ask("POST", f"{base}/responses", json={"answers": {"correct": "agree"}, "client_key": key})
            following = following["next"]
            ada.ask("GET", base)
            ada.ask("POST", f"{base}/responses", json={"answers": {"correct": "neutral"}, "client_key": f"{key}x"})
            replies[number] = ada.replies[before:]
        earlier = ada.ask("GET", "/api/v1/work/assignments")["assignments"]
    assert len({json.dumps({**one, "id": 0, "preview": "", "finished_at": ""}) for one in earlier[1:]}) == 1
    tests, others = (
        {tuple(map(_measured, replies[number][1:])) for number in replies if is_test[number] is kind}
        for kind in (True, False)
    )
    assert sum(is_test.values()) > 4
    assert tests == others
    assert len(tests) == 1


def test_a_test_question_that_is_answered_too_late_is_like_any_other(tmp_path: Path) -> None:
    """Others filled all units whose leases ran out; a test question, which nobody fills, was asked as well."""
    seen: dict[bool, set[tuple[Any, ...]]] = {True: set(), False: set()}
    with served(tmp_path, {**QUIZ, "labels_per_unit": 1, "review": {}}, QUESTIONS) as services:
        people = [Annotator(services, "quiz", f"Ada{number:02}") for number in range(15)]
        held = [one.ask("POST", "/api/v1/work/next")["assignment"]["id"] for one in people]
        gone = update(assignment).values(lease_until=datetime.now(UTC) - timedelta(hours=1))
        services.store.write(lambda connection: connection.execute(gone))
        others = Annotator(services, "quiz", "Bo")
        following = others.ask("POST", "/api/v1/work/next")
        while (task := following["assignment"]) is not None:
            answer = {"answers": {"correct": "agree"}, "client_key": f"key-{task['id']:06}"}
            following = others.ask("POST", f"/api/v1/work/assignments/{task['id']}/responses", json=answer)["next"]
        for one, number in zip(people, held, strict=True):
            base, start = f"/api/v1/work/assignments/{number}", len(one.replies)
            one.ask("GET", base)
            one.ask("PUT", f"{base}/draft", json={"answers": {"correct": "agree"}, "version": 0})
            said = one.ask(
                "POST", f"{base}/responses", json={"answers": {"correct": "agree"}, "client_key": "12345678"}
            )
            assert said["accepted"]["revision"] == 1
            one.ask("GET", base)
            accepted = json.dumps({**said["accepted"], "assignment": 0})
            listed = one.ask("GET", EARLIER)["assignments"]
            earlier = [{**done, "id": 0, "preview": "", "finished_at": ""} for done in listed]
            measured = tuple(_measured(reply) for reply in (*one.replies[start : start + 2], one.replies[start + 3]))
            seen[one.is_test(number)].add((accepted, json.dumps(earlier[-1]), *measured))
    assert seen[True] == seen[False]
    assert len(seen[True]) == 1


def _measured(reply: Reply) -> tuple[int, tuple[tuple[str, str], ...], int]:
    """With numbers of one length: those of assignments and of what was done grow."""
    plain = re.sub(r"\d+", "#", reply.body)
    return reply.status, tuple(one for one in reply.headers if one[0] != "content-length"), len(plain)
