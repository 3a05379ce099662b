"""No byte that an annotator can fetch tells which of two texts stands first in the unit.

Two worlds are mirror images: in the one a unit's texts are X and Y and are shown as given, in the other they are Y and
X and are shown the other way round. An annotator who does the same in both must receive the same, byte for byte, from
the first page to an answer that a reviewer returned and a campaign that was exported and imported. What is stored is
the mirror image.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from goldmark.accounts.roles import Role
from goldmark.campaigns.assignments import text_order, work_service
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.exchange.formats import export_campaign, import_campaign
from goldmark.protocols import parse
from goldmark.records.spans import Span
from goldmark.records.units import ContextText, GivenMark, ShownText, ShownUnit, Suggested, Unit
from goldmark.reviews import review
from goldmark.reviews.review import ReviewRemark
from goldmark.store.tables import annotator
from goldmark.texts.segmentation.text import make_text
from goldmark.web.services import Services
from goldmark.web.sign_in import SESSION
from tests.databases import fresh
from tests.web.house import Served, TestClient, one_app

PROTOCOL = parse(
    """
protocol: both/1
title: Mark both and choose
texts: [a, b]
taxonomies: {faults: [{id: WRONG}, {id: ODD}]}
steps:
  - questions:
      - {id: better, kind: compare, tie: true}
      - {id: score_a, kind: number, ask: How good is Text A?, at_most: 9}
      - {id: score_b, kind: number, ask: How good is Text B?, at_most: 9}
  - when: better != tie
    questions:
      - id: faults_a
        kind: spans
        labels: {tree: faults}
        attributes: [{id: comment, kind: text, required: false}]
        require: comment
        otherwise: Say why.
      - id: faults_b
        kind: spans
        of: b
        ask: What is wrong in the second text?
        labels: {tree: faults}
        attributes: [{id: comment, kind: text, required: false}]
        require: comment
        otherwise: Say why.
      - {id: why, kind: text, required: false}
"""
)
X = ShownText(
    make_text("x", "Once a fox lived in Norway ."),
    prompt=Span(0, 1),
    given=(GivenMark(2, 3, "who"),),
    language="en",
    suggested=(Suggested("s1", 2, 3, "ODD", {"comment": "which one?"}),),
)
Y = ShownText(make_text("y", "Geese have six legs and no wings , they say ."), focus=Span(0, 4))
WRONG_KEY = "12345678"
TIME = re.compile(r"20\d\d-\d\d-\d\dT[0-9:.]+(Z|\+00:00)")


class World:
    """One of the two: a server, an annotator who remembers every byte, and a reviewer."""

    def __init__(self, folder: Path, first: str) -> None:
        self.first = first
        self.services = Services.open(fresh(folder, f"{first}.db"))
        texts = {"a": X, "b": Y} if first == "a" else {"a": Y, "b": X}
        self.texts = texts
        units = [
            Unit(f"u{number}", ShownUnit(texts, (ContextText("Request", "Tell me something."),)), {"first": first})
            for number in range(2)
        ]
        create(
            self.services.store,
            name="pairs",
            title="Pairs",
            protocol=PROTOCOL,
            settings=Settings(batch={"size": 2}),
            units=units,
            author="test",
        )
        move(self.services.store, "pairs", "started", author="test")
        self.client = TestClient(
            Served(one_app(), self.services), follow_redirects=False, raise_server_exceptions=False
        )
        self.heard: list[str] = []
        self.secrets: dict[str, str] = {}

    def fetch(self, method: str, path: str, **more: Any) -> Any:
        reply = self.client.request(method, path, **more)
        head = sorted((key, value) for key, value in reply.headers.items() if key != "set-cookie")
        said = f"{method} {path}\n{reply.status_code}\n{head}\n{reply.text}"
        for secret, name in self.secrets.items():
            said = said.replace(secret, name)
        self.heard.append(TIME.sub("TIME", said))
        is_json = reply.headers.get("content-type", "").startswith("application/json")
        return reply.json() if is_json else reply

    def own(self, role: str) -> str:
        """What the unit itself calls the text, or the question, that the page calls so."""
        swapped = {"a": "b", "b": "a"}
        return role if self.first == "a" else role[:-1] + swapped[role[-1]]

    def close(self) -> None:
        self.services.store.close()


def _answers(**changed: Any) -> dict[str, Any]:
    """Words 2 to 8 are marked in the second text; the first has only 7."""
    marked = {"id": "e1", "start": 1, "end": 2, "label": "WRONG", "comment": "invented"}
    longer = {"id": "e1", "start": 2, "end": 9, "label": "WRONG", "comment": "nonsense"}
    return {
        "better": "b",
        "score_a": 3,
        "score_b": 7,
        "faults_a": [marked],
        "faults_a.dismissed": ["s1"],
        "faults_b": [longer],
        "why": "Text B is longer.",
        **changed,
    }


def _live(world: World) -> None:
    """Everything an annotator can do, wrong turns included."""
    services = world.services
    row = services.store.read(lambda connection: find_campaign(connection, "pairs"))
    invite = services.links.invite(row.id, row.invite_nonce)
    world.secrets[invite] = "INVITE"
    world.client.get(f"/join/{invite}")
    place = world.client.post(f"/join/{invite}", data={"name": "Ada"}).headers["location"]
    token = place.removeprefix("/a/")
    world.secrets[token] = "TOKEN"
    credentials = {"headers": {"Authorization": f"Bearer {token}"}}
    world.fetch("GET", place)
    world.fetch("GET", "/api/v1/work", **credentials)
    following = world.fetch("POST", "/api/v1/work/next", **credentials)
    while following["assignment"]:
        number = following["assignment"]["id"]
        base = f"/api/v1/work/assignments/{number}"
        for answers in (_answers(), {"faults_b": 3, "better": "neither", "score_b": None, "later": {"a": "b"}}):
            version = world.fetch("GET", base, **credentials)["draft"]
            draft = {"answers": answers, "version": version["version"] if version else 0, "seconds_active": 3.5}
            world.fetch("PUT", f"{base}/draft", json=draft, **credentials)
            world.fetch("PUT", f"{base}/draft", json=draft, **credentials)  # a conflict, with the newer draft
            world.fetch("POST", "/api/v1/work/next", **credentials)
        for wrong in (
            _answers(faults_a=_answers()["faults_b"]),  # past the end of the shorter text
            _answers(faults_a=[{"id": "e1", "start": 0, "end": 1, "label": "NO"}], better="c"),  # on its prompt
            {"better": "a"},
            {**_answers(), "faults_a.dismissed": [], "faults_b.dismissed": ["s1"], "score_c": 1},
            _answers(better="tie"),
        ):
            said = world.fetch("POST", f"{base}/responses", json=_body(wrong, WRONG_KEY), **credentials)
            assert said["code"] == "ANSWER-01"
        following = world.fetch("POST", f"{base}/responses", json=_body(_answers(), f"key-{number:06}"), **credentials)
        following = following["next"]
        world.fetch("GET", base, **credentials)
        changed = _answers(better="a", score_a=8)
        world.fetch("POST", f"{base}/responses", json=_body(changed, f"again-{number:04}"), **credentials)
        world.fetch("GET", base, **credentials)
    world.fetch("GET", "/api/v1/work/assignments", **credentials)
    review.judge(
        services.store,
        services.content,
        "pairs",
        1,
        revision=2,
        verdict="returned",
        comment="Look again.",
        remarks=sorted(
            [
                ReviewRemark(world.own("faults_a"), "e1.comment", "not invented"),
                ReviewRemark(world.own("faults_b"), "e1", "too long"),
                ReviewRemark("better", "", "really?"),
            ]
        ),
        reviewer="Rhea",
    )
    returned = world.fetch("POST", "/api/v1/work/next", **credentials)
    assert len(returned["assignment"]["returned"]["remarks"]) == 3
    world.fetch("GET", "/api/v1/work/assignments/1", **credentials)


def _body(answers: dict[str, Any], key: str) -> dict[str, Any]:
    return {"answers": answers, "client_key": key, "seconds_active": 9.5}


def _after_import(world: World, folder: Path) -> None:
    """The campaign comes back from a file, in which keys are sorted; the annotator looks at their work again."""
    services = world.services
    file = folder / f"{world.first}.jsonl"
    export_campaign(record_of(services.store, "pairs"), "jsonl", file)
    restore(services.store, import_campaign(file, "jsonl"), name="again", author="test")
    row = services.store.read(lambda connection: find_campaign(connection, "again"))
    person = select(annotator.c.id, annotator.c.link_nonce).where(annotator.c.campaign_id == row.id)
    token = services.links.person(*services.store.read(lambda connection: connection.execute(person).one()))
    world.secrets[token] = "AGAIN"
    credentials = {"headers": {"Authorization": f"Bearer {token}"}}
    world.fetch("GET", "/api/v1/work/assignments", **credentials)
    returned = world.fetch("POST", "/api/v1/work/next", **credentials)["assignment"]
    world.fetch("GET", f"/api/v1/work/assignments/{returned['id']}", **credentials)


@pytest.fixture
def worlds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Both worlds after the annotator's day."""
    made = []
    for first in ("a", "b"):
        world = World(tmp_path, first)

        def same(roles: tuple[str, ...], ordinal: int, key: bytes, drawn: str = first) -> text_order.OrderDraw:
            return (drawn, *(role for role in roles if role != drawn))

        monkeypatch.setattr(work_service, "draw", same)
        _live(world)
        _after_import(world, tmp_path)
        made.append(world)
    yield made
    for world in made:
        world.close()


def test_both_orders_look_the_same_to_the_last_byte(worlds: list[World]) -> None:
    given, swapped = worlds
    assert len(given.heard) > 40
    for one, other in zip(given.heard, swapped.heard, strict=True):
        assert one == other
    # The walk met what it is about: both texts, a draft of its own, problems, remarks.
    everything = "\n".join(given.heard)
    for words in (X.text.characters, Y.text.characters, '"draft":{"answers"', "runs past the text", "too long"):
        assert words in everything
    assert "shown_first" not in everything


def test_what_is_stored_is_the_mirror_image(worlds: list[World]) -> None:
    given, swapped = (record_of(world.services.store, "pairs") for world in worlds)
    assert [one.facts["shown_first"] for one in given.assignments] == ["a", "a"]
    assert [one.facts["shown_first"] for one in swapped.assignments] == ["b", "b"]
    first, last = given.responses[0].answers, given.responses[1].answers
    assert (first["better"], last["better"]) == ("b", "a")
    for one, other in zip(given.responses, swapped.responses, strict=True):
        assert other.answers == {
            "better": {"a": "b", "b": "a"}[one.answers["better"]],
            "score_a": one.answers["score_b"],
            "score_b": one.answers["score_a"],
            "faults_b": one.answers["faults_a"],
            "faults_b.dismissed": one.answers["faults_a.dismissed"],
            "faults_a": one.answers["faults_b"],
            "why": one.answers["why"],
        }
    # Whoever reads the records finds the same words marked in the same texts.
    for world, record in zip(worlds, (given, swapped), strict=True):
        marked = record.responses[0].answers[world.own("faults_b")][0]
        text = world.texts[world.own("b")].text
        assert text.characters[text.tokens[marked["start"]].start : text.tokens[marked["end"] - 1].end] == (
            "six legs and no wings , they"
        )


def test_managers_and_reviewers_see_the_stored_roles_and_which_came_first(worlds: list[World]) -> None:
    for world in worlds:
        services = world.services
        account = services.accounts.create("Mo", Role.MANAGER, None, author="test")
        client = TestClient(
            Served(one_app(), services),
            cookies={SESSION: services.accounts.session_for(account.id)},
            headers={"accept": "text/html"},
        )
        pages = {
            path: client.get(f"/campaigns/pairs/{path}").text
            for path in ("units/1", "responses/1", "review/1", "review/2")
        }
        told = f"Text {world.first} was shown first"
        assert all(told in page for page in pages.values()), pages
        renamed = "the annotator knew text a as text b and text b as text a"
        assert all((renamed in page) == (world.first == "b") for page in pages.values())
        assert ("what you see as text b is text a to them" in pages["review/2"]) == (world.first == "b")
        program = TestClient(
            Served(one_app(), services),
            headers={"authorization": f"Bearer {services.accounts.new_token(account.id, 'test')[1]}"},
        )
        base = "/api/v1/campaigns/pairs"
        assert program.get(f"{base}/responses/1").json()["shown_first"] == world.first
        assert program.get(f"{base}/units/1").json()["labels"][0]["shown_first"] == world.first
        case = program.get(f"{base}/reviews/2").json()
        assert case["shown_first"] == world.first
        assert case["shown"]["texts"][world.own("a")]["characters"] == X.text.characters
        assert case["answers"]["better"] == world.own("a")
