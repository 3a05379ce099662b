"""Someone who says yes to everything is warned, then excluded, by rules; the manager looks and undoes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from goldmark.accounts.roles import Role
from goldmark.campaigns.definition.settings import Pay, Quality, QualityRule, Settings, TestQuestions
from goldmark.campaigns.lifecycle import create, move
from goldmark.people.annotators import invite
from goldmark.protocols import parse
from goldmark.web.services import Services
from tests.campaigns.house import unit
from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import NARROW, Served, cookie

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]

PROTOCOL = """
protocol: verdict/1
title: Is it so?
steps:
  - id: one
    questions:
      - {id: right, kind: choice, ask: Is this right?, options: [{id: yes, title: Yes}, {id: no, title: No}]}
"""
WORDS = "Please read to the end."
RULES = (
    QualityRule(when="same_answer", do="warn", at=1.0, message=WORDS),
    QualityRule(when="noisy", do="exclude", after=4),
)


class Room:
    """A server with a campaign that tests its people, Ada's link into it, and a manager."""

    def __init__(self, folder: Path) -> None:
        self.services = Services.open(fresh(folder))
        store = self.services.store
        tests = [unit(f"n{number}", test="negative", expected={"right": "no"}) for number in range(20)]
        tests += [unit(f"p{number}", test="positive", expected={"right": "yes"}) for number in range(20)]
        create(
            store,
            name="room",
            title="Room",
            protocol=parse(PROTOCOL),
            settings=Settings(
                test_questions=TestQuestions(positive=0.1, negative=0.4),
                quality=Quality(rules=RULES),
                pay=Pay(per_unit=0.1, target_hourly=12.0),
            ),
            units=[*(unit(f"u{number}") for number in range(30)), *tests],
            author="test",
        )
        move(store, "room", "started", author="test")
        self.token = invite(store, self.services.links, "room", "Ada", author="test")[1]
        self.manager = self.services.accounts.create("Mo", Role.MANAGER, None, author="test")
        self.served = Served(self.services)

    @property
    def link(self) -> str:
        return f"{self.served.address}/a/{self.token}"

    def signed_in(self) -> dict[str, object]:
        secret = self.services.accounts.session_for(self.manager.id)
        return {"cookies": [cookie(secret, self.served.address)]}

    def close(self) -> None:
        self.served.stop()
        self.services.store.close()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    made.close()


def yes(page: Page, done: int) -> None:
    """Yes to the text on the page, by keyboard, when so many are done."""
    expect(page.locator("#progress")).to_contain_text(f"{done + 1} of")
    press(page, "1")
    press(page, "Control+Enter")


@pytest.mark.slow
def test_warned_excluded_and_taken_back(room: Room, visit: Visit) -> None:
    page = visit(room.link)
    for done in range(6):
        yes(page, done)

    # The rule that warns has seen five equal answers, and the sixth brings its words; they stay until they are read.
    told = page.get_by_role("dialog", name="A word about your work")
    expect(told).to_contain_text(WORDS)
    clean(page)
    page.reload()
    expect(told).to_contain_text(WORDS)
    press(page, "Enter")
    expect(told).to_be_hidden()
    page.reload()
    expect(page.locator("#progress")).to_contain_text("7 of")
    expect(told).to_be_hidden()

    # The rule that excludes looks after every fifth answer; in the first twenty eight are tests that want a no.
    end = page.get_by_role("heading", name="Thank you", level=1)
    answered = 6
    while not end.is_visible() and answered < 21:
        for _ in range(5):
            yes(page, answered)
            answered += 1
        expect(end.or_(page.locator("#progress", has_text=f"{answered + 1} of"))).to_be_visible()
    expect(end).to_be_visible()
    expect(page.get_by_text("Your part in this study has ended")).to_be_visible()
    expect(page.get_by_label("Completion code")).to_be_visible()
    clean(page)

    # The manager sees why, by keyboard, and undoes it.
    responses = visit(f"{room.served.address}/campaigns/room/quality", **room.signed_in())
    expect(responses.get_by_role("note")).to_contain_text("1 annotator with")
    expect(responses.get_by_role("row").filter(has_text="Ada")).to_contain_text("flagged")
    clean(responses)
    responses.get_by_role("button", name="Answers").press("Enter")
    expect(responses.get_by_role("columnheader", name="Answers")).to_have_attribute("aria-sort", "descending")
    responses.get_by_role("link", name="Ada").press("Enter")
    expect(responses.get_by_text("noisy at 99 %").first).to_be_visible()
    expect(responses.get_by_text("You chose “Yes”; right would be “No”.").first).to_be_visible()
    clean(responses)
    responses.set_viewport_size(NARROW["viewport"])
    assert responses.evaluate("document.documentElement.scrollWidth <= innerWidth")
    responses.get_by_text("Undo the exclusion").first.press("Enter")
    responses.get_by_label("Reason").fill("She asked, and we talked.")
    responses.get_by_role("button", name="Undo the exclusion").press("Enter")
    expect(responses.get_by_role("status")).to_contain_text("Undone")
    expect(responses.get_by_text("She asked, and we talked.")).to_be_visible()

    # Ada goes on where she was, and the rule that was undone leaves her alone.
    page.reload()
    for _ in range(6):
        yes(page, answered)
        answered += 1
    expect(page.locator("#progress")).to_contain_text(f"{answered + 1} of")

    responses.goto(f"{room.served.address}/campaigns/room/pay")
    expect(responses.get_by_role("row").filter(has_text="Ada")).to_contain_text(str(answered))
    clean(responses)
