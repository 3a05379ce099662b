"""A server's insides with one account for each role and a small campaign in which somebody has answered."""

from __future__ import annotations

import io
import json
import re
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any, cast

from fastapi import FastAPI

from goldmark.accounts.roles import Role
from goldmark.accounts.service import Account
from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.definition.uploads import Uploaded
from goldmark.campaigns.lifecycle import move
from goldmark.jobs import enqueue
from goldmark.leaderboards.definition.boards import create_board
from goldmark.leaderboards.definition.file import board_from_files
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from goldmark.web.app import create_app
from goldmark.web.services import Services
from goldmark.web.sign_in import SESSION, cookie_name, form_token
from goldmark.web.visits import FRAGMENT
from tests.campaigns.plans import plan_from_parts
from tests.databases import fresh
from tests.web.client import TestClient

__all__ = ["Browser", "House", "TestClient", "build", "hidden_token"]

PASSWORD = "four unrelated words here"
HTML = {"accept": "text/html"}
ROWS = [
    {"id": "z1", "text": "The zebra has six legs. It lives in Norway.", "system": "alder"},
    {"id": "z2", "text": "The lion sleeps. It never wakes.", "system": "birch"},
    {"id": "z3", "text": "The goose is a fish.", "system": "alder"},
]
MISTAKE = {"id": "e1", "start": 3, "end": 4, "label": "NUMBER", "correction": "four"}


@cache
def one_app() -> FastAPI:
    """One application for all houses of a test run: putting its hundreds of routes together takes most of a second."""
    return create_app(cast(Services, None))


@dataclass(frozen=True)
class Served:
    """The application over one house's services."""

    app: FastAPI
    services: Services

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.app.state.services = self.services
        await self.app(scope, receive, send)


@dataclass
class House:
    services: Services
    app: FastAPI
    accounts: dict[str, Account]
    tokens: dict[str, str]
    person: str  # the personal token of Ann, who has answered
    response: int
    unit: int
    annotator: int

    def client(self, **more: Any) -> TestClient:
        more = {"base_url": self.services.public or "http://testserver", **more}
        return TestClient(Served(self.app, self.services), follow_redirects=False, **more)

    def program(self, role: str) -> TestClient:
        """A program with this role's API token."""
        return self.client(headers={"authorization": f"Bearer {self.tokens[role]}"})

    def browser(self, role: str) -> Browser:
        """A browser in which this role is signed in."""
        return Browser(self, self.services.accounts.session_for(self.accounts[role].id))

    def close(self) -> None:
        self.services.store.close()


class Browser:
    """A signed-in browser: sends its cookie, and the token of its forms unless told otherwise."""

    def __init__(self, house: House, session: str) -> None:
        self.session = session
        self.client = house.client(headers=HTML, cookies={cookie_name(house.services, SESSION): session})

    @property
    def csrf(self) -> str:
        return form_token(self.session)

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def whole(self, path: str) -> str:
        """A page once its script has brought in the parts for which it had no room."""
        page: str = self.get(path).text
        for place in re.findall(r"<article(?:(?!</article>).)*data-part>.*?</article>", page, re.S):
            (name,), (link,) = re.findall(r'<article[^>]* id="([^"]+)"', place), re.findall(r'href="([^"]+)"', place)
            part = self.client.get(unescape(link), headers={FRAGMENT: "inside"}).text
            (found,) = re.findall(rf'<article[^>]* id="{name}".*?</article>', part, re.S)
            page = page.replace(place, found)
        return page

    def post(self, path: str, data: dict[str, Any] | None = None, **more: Any) -> Any:
        return self.client.post(path, data={"csrf": self.csrf, **(data or {})}, **more)


def board_files(name: str = "zoo", **more: str) -> list[Uploaded]:
    """A small leaderboard about animals; `more` are further lines of its file."""
    lines = {"leaderboard": name, "protocol": "rating-qa", "data": "items.jsonl", "public": "true", **more}
    items = [
        {"id": f"q{n}", "context": {"Question": f"How many legs have {n} zebras?"}, "reference": f"{4 * n}"}
        for n in range(4)
    ]
    return [
        Uploaded("leaderboard.yaml", io.BytesIO("\n".join(f"{key}: {value}" for key, value in lines.items()).encode())),
        Uploaded("items.jsonl", io.BytesIO("\n".join(json.dumps(item) for item in items).encode())),
    ]


def build(address: str, **options: Any) -> House:
    services = Services.open(address, **options)
    accounts, tokens = {}, {}
    for role in Role:
        account = services.accounts.create(role.title, role, None, author="test")
        accounts[role.title] = account
        tokens[role.title] = services.accounts.new_token(account.id, "test")[1]
    accounts["spare"] = services.accounts.create("spare", Role.CURATOR, None, author="test")
    plan = plan_from_parts(
        {"campaign": "zoo", "title": "Animals", "protocol": "accuracy", "labels_per_unit": 2}, rows=ROWS
    )
    opened = open_campaign(services.store, services.links, plan, author="test")
    move(services.store, "zoo", "started", author="test")
    person, token = invite(services.store, services.links, "zoo", "Ann", author="test")
    task = services.work.next(token).task
    assert task is not None
    answered: list[dict[str, Any]] = [{"mistakes": []}, {"mistakes": [MISTAKE]}]
    for number, answers in enumerate(answered, start=1):
        services.responses.submit(token, task.id, Submission(answers, f"client-key-{number}", None, 30.0 * number))
    assert opened.campaign.name == "zoo"
    create_board(services.store, board_from_files(board_files()), author="test")
    services.store.write(lambda connection: enqueue(connection, "test.nothing", {}, author="test", subject="zoo"))
    return House(services, one_app(), accounts, tokens, token, task.id, task.unit_id, person.id)


def copied(address: str) -> House:
    """The same in an empty SQLite database, by copying one that was built before: that is several times as quick."""
    content, first = _first()
    Path(address).write_bytes(content)
    return replace(first, services=Services.open(address), accounts=dict(first.accounts), tokens=dict(first.tokens))


@cache
def _first() -> tuple[bytes, House]:
    with tempfile.TemporaryDirectory() as folder:
        address = fresh(Path(folder))
        built = build(address)
        built.close()
        return Path(address).read_bytes(), built


def hidden_token(page: str) -> str:
    """The token in the first form of a page."""
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert found, page
    return found.group(1)
