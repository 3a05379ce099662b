"""A learner by keyboard against the real server: reads, errs, is told why, fails, learns again, passes and works."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from goldmark.accounts.roles import Role
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.definition.uploads import units_from_rows
from goldmark.campaigns.lifecycle import create, move
from goldmark.people.annotators import invite
from goldmark.protocols import parse
from goldmark.web.services import Services
from tests.campaigns.house import unit
from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import NARROW, Served, cookie
from tests.quality.classroom import TAUGHT

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


class TrainingServer:
    """A server with a campaign that teaches, and Ada's link into it."""

    def __init__(self, folder: Path) -> None:
        self.services = Services.open(fresh(folder))
        store = self.services.store
        create(
            store,
            name="class",
            title="Class",
            protocol=parse(TAUGHT),
            settings=Settings(),
            units=[unit("u1"), unit("u2")],
            author="test",
        )
        move(store, "class", "started", author="test")
        self.token = invite(store, self.services.links, "class", "Ada", author="test")[1]
        self.curator = self.services.accounts.create("Dee", Role.CURATOR, None, author="test")
        self.served = Served(self.services)

    @property
    def link(self) -> str:
        return f"{self.served.address}/a/{self.token}"

    def signed_in(self) -> dict[str, object]:
        secret = self.services.accounts.session_for(self.curator.id)
        return {"cookies": [cookie(secret, self.served.address)]}

    def close(self) -> None:
        self.served.stop()
        self.services.store.close()


@pytest.fixture
def training(tmp_path: Path) -> Iterator[TrainingServer]:
    made = TrainingServer(tmp_path)
    yield made
    made.close()


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", name=words, level=1)).to_be_visible()


def go_on(page: Page) -> None:
    press(page, "Control+Enter")


def mark(page: Page, word: int, key: str) -> None:
    """The caret stands on the first word; move to another and give it a label."""
    for _ in range(word):
        press(page, "ArrowRight")
    press(page, key)


def begin(page: Page) -> None:
    heading(page, "Find the errors")  # the instructions
    go_on(page)


def learn(page: Page) -> None:
    """The whole training, all right."""
    heading(page, "First")
    go_on(page)
    expect(page.get_by_text("Example · Training: 2 of 3")).to_be_visible()
    mark(page, 4, "n")
    go_on(page)
    heading(page, "Right")
    go_on(page)
    expect(page.get_by_text("Which of the two is longer?").first).to_be_visible()
    press(page, "2")
    go_on(page)
    heading(page, "Right")
    go_on(page)


def test_a_learner_fails_reads_retries_passes_and_works(training: TrainingServer, visit: Visit) -> None:
    page = visit(training.link)
    begin(page)

    # Training: a word that is right is marked, the wrong one is not.
    heading(page, "First")
    go_on(page)
    expect(page.locator("token-spans")).to_contain_text("Friday")
    assert "KEY-" not in page.content()
    mark(page, 1, "n")
    page.reload()  # nothing is lost: the mark is still there
    expect(page.locator(".badge", has_text="N")).to_be_visible()
    go_on(page)
    heading(page, "Not quite right")
    expect(page.get_by_text("You found 0 of 1. 1 mark is on words that are not wrong.")).to_be_visible()
    expect(page.get_by_text("Not an error: “Foxes”.")).to_be_visible()
    expect(page.get_by_text("Missed: “Friday” is wrong. Its category is Name. KEY-because")).to_be_visible()
    expect(page.locator(".badge")).to_have_text(["– not an error", "✗ missed"])
    expect(page.get_by_text("KEY-explanation")).to_be_visible()
    clean(page)
    go_on(page)
    page.get_by_role("button", name="The answer before").click()  # to be read again
    heading(page, "Not quite right")
    go_on(page)
    press(page, "1")
    go_on(page)
    heading(page, "Not quite right")
    expect(page.get_by_text("You chose “Text A”; right would be “Text B”.")).to_be_visible()
    go_on(page)

    # Qualification: one of two found is not enough, and nothing is told before the end.
    expect(page.get_by_text("Qualification: 1 of 2").first).to_be_visible()
    go_on(page)
    expect(page.get_by_text("Qualification: 2 of 2").first).to_be_visible()
    assert "KEY-nine" not in page.content()
    mark(page, 1, "n")
    go_on(page)
    heading(page, "Not passed this time")
    row = page.get_by_role("row", name="Passages found")
    expect(row.get_by_role("cell")).to_have_text(["50%", "70%", "✗ not met"])
    expect(page.get_by_text("KEY-nine")).to_be_visible()
    clean(page)
    page.reload()  # where one was
    heading(page, "Not passed this time")
    go_on(page)

    # Learning again, and the second try.
    learn(page)
    expect(page.get_by_text("Qualification, try 2: 1 of 2").first).to_be_visible()
    mark(page, 4, "u")
    go_on(page)
    expect(page.get_by_text("Qualification, try 2: 2 of 2").first).to_be_visible()
    mark(page, 1, "n")
    go_on(page)

    # Work; the training can be repeated, and left.
    expect(page.locator("#progress")).to_contain_text("1 of")
    go_on(page)
    expect(page.locator("#progress")).to_contain_text("2 of")
    page.get_by_role("button", name="Training").click()
    page.get_by_role("button", name="Begin the training").click()
    heading(page, "First")
    page.get_by_role("button", name="Back to work").click()
    expect(page.locator("#progress")).to_contain_text("2 of")

    manager = visit(f"{training.served.address}/campaigns/class/training", **training.signed_in())
    expect(manager.get_by_role("row", name="Ada")).to_contain_text("at work")
    clean(manager)
    manager.get_by_role("link", name="Ada").click()
    expect(manager.get_by_text("Qualification, try 2")).to_be_visible()
    clean(manager)


def test_feedback_fits_a_phone(training: TrainingServer, visit: Visit) -> None:
    page = visit(training.link, **NARROW)
    begin(page)
    heading(page, "First")
    page.get_by_role("button", name="I have read it").click()
    page.get_by_role("button", name="Submit").click()
    heading(page, "Not quite right")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360


SETS = """protocol: sets/1
extends: best-worst/1
training:
  lessons:
    - examples:
        - texts: [Salt and Spine., The Tidemark., Books., Inkwell Quay.]
          context: {Request: Name a bookshop by the sea.}
          expected: {picked: {is: b>c, because: KEY-because}}
          explanation: KEY-explanation
"""


@pytest.mark.slow
def test_a_learner_names_the_best_and_the_worst_and_is_told(tmp_path: Path, visit: Visit) -> None:
    services = Services.open(fresh(tmp_path))
    rows = [{"id": "u1", "texts": ["One.", "Two.", "Three.", "Four."], "context": {"Request": "A number."}}]
    create(
        services.store,
        name="sets",
        title="Sets",
        protocol=parse(SETS),
        settings=Settings(),
        units=units_from_rows(rows, tokeniser="rules", sentences="rules"),
        author="test",
    )
    move(services.store, "sets", "started", author="test")
    served = Served(services)
    try:
        page = visit(f"{served.address}/a/{invite(services.store, services.links, 'sets', 'Ada', author='test')[1]}")
        heading(page, "Which text is best, and which is worst?")
        go_on(page)
        boxes = page.locator(".text-box")
        expect(boxes.locator("h2")).to_have_text([f"Text {letter}" for letter in "ABCD"])
        expect(boxes.nth(1)).to_contain_text("The Tidemark.")  # an exercise is shown as it is written
        assert "KEY-" not in page.content()
        press(page, "2")
        press(page, "9")
        go_on(page)
        heading(page, "Not quite right")
        expect(page.get_by_text("“Best: Text B” is right.")).to_be_visible()
        expect(page.get_by_text("You chose “Worst: Text D”; right would be “Worst: Text C”.")).to_be_visible()
        expect(page.get_by_text("KEY-because")).to_be_visible()
        expect(page.get_by_text("KEY-explanation")).to_be_visible()
        clean(page)
        go_on(page)
        expect(boxes.first).to_contain_text(re.compile("One|Two|Three|Four"))
    finally:
        served.stop()
        services.store.close()
