"""A study in the browser: four people, four kinds of training; the manager decides blind and reads the report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from goldmark.accounts.roles import Role
from goldmark.studies.stored import stored_report
from goldmark.web.services import Services
from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import NARROW, Served, cookie
from tests.studies.small import HUMANLIKE, Running, changed
from tools.simulate.study import guesser

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]
TRAININGS = ("none", "instructions", "examples", "comparison")


class Laboratory:
    """A server with a study of a cell for each training."""

    def __init__(self, folder: Path, trainings: Sequence[str] = TRAININGS) -> None:
        self.services = Services.open(fresh(folder))
        made = changed(
            HUMANLIKE,
            factors={"domain": ["stories"], "model": ["newer"], "training": list(trainings)},
            cells=None,
            participants=2,
            tests=[{"compare": "training", "to": "none"}],
            tables=[],
        )
        units = tuple(
            unit for unit in made.units if unit.hidden["domain"] == "stories" and unit.hidden["writer"] != "older"
        )
        self.running = Running(self.services, replace(made, units=units))
        self.manager = self.services.accounts.create("Mo", Role.MANAGER, None, author="test")
        self.served = Served(self.services)

    def door(self, person: str) -> str:
        return f"{self.served.address}/join/{self.running.invite}?PROLIFIC_PID={person}"

    def signed_in(self) -> dict[str, object]:
        secret = self.services.accounts.session_for(self.manager.id)
        return {"cookies": [cookie(secret, self.served.address)]}

    def close(self) -> None:
        self.served.stop()
        self.services.store.close()


@pytest.fixture
def laboratory(tmp_path: Path) -> Iterator[Laboratory]:
    made = Laboratory(tmp_path)
    yield made
    made.close()


def heading(page: Page, words: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("heading", name=words, level=1)).to_be_visible()


def go_on(page: Page) -> None:
    press(page, "Control+Enter")


def judge(page: Page, number: int) -> None:
    """Who wrote it, by key, and an explanation; which question is asked hangs on the answer."""
    expect(page.get_by_text("Who do you think wrote this text?").first).to_be_visible()
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)  # a new text, not the one before
    press(page, "1" if number % 2 else "4")
    wanted = "Why did you choose this?" if number % 2 else "What would you change"
    box = page.get_by_role("textbox", name=re.compile(re.escape(wanted)))
    expect(box).to_be_visible()
    box.fill(f"Its sentences follow from one another, number {number} at least.")
    go_on(page)


def learn(page: Page, training: str) -> None:
    if training == "instructions":
        heading(page, "What gives a machine away")
        expect(page.get_by_text("Repetition.")).to_be_visible()
        go_on(page)
    elif training == "examples":
        heading(page, "Practise first")
        go_on(page)
        for number in range(3):
            judge(page, number)
            heading(page, re.compile("^(Right|Not quite right)$"))
            expect(page.get_by_text(re.compile("A (machine|person) wrote this"))).to_be_visible()
            go_on(page)
    elif training == "comparison":
        heading(page, "Compare first")
        go_on(page)
        for _ in range(3):
            expect(page.get_by_text("Which of the two did a machine write?").first).to_be_visible()
            expect(page.get_by_role("radio", checked=True)).to_have_count(0)
            press(page, "1")
            go_on(page)
            heading(page, re.compile("^(Right|Not quite right)$"))
            go_on(page)


@pytest.mark.slow
@pytest.mark.parametrize("trainings", [TRAININGS])
def test_everybody_goes_through_their_training(tmp_path: Path, visit: Visit, trainings: tuple[str, ...]) -> None:
    laboratory = Laboratory(tmp_path, trainings)
    seen: dict[str, Page] = {}
    for number in range(len(trainings)):
        page = visit(laboratory.door(f"worker-{number}"))
        expect(page.get_by_label("Your name")).to_have_count(0)
        page.get_by_role("button", name="I agree: join").click()
        page.wait_for_url(re.compile("/a/"))
        token = page.url.rpartition("/")[2]
        condition = laboratory.running.condition(token)
        training = condition.rpartition(".")[2]
        heading(page, "Person or machine?")  # the instructions that everybody gets
        go_on(page)
        learn(page, training)
        for text in range(5):
            judge(page, text)
        expect(page.get_by_text(re.compile("[A-Z2-9]{4}-[A-Z2-9]{4}"))).to_be_visible()  # the completion code
        assert condition not in page.content()
        seen[training] = page
    assert set(seen) == set(trainings)
    # Who comes again in their browser by the platform's link is back where they were, and cannot begin again.
    page = next(iter(seen.values()))
    page.goto(laboratory.door("worker-0"))
    page.wait_for_url(re.compile("/a/"))
    expect(page.get_by_text(re.compile("[A-Z2-9]{4}-[A-Z2-9]{4}"))).to_be_visible()
    # In another browser the id alone opens nothing.
    other = visit(laboratory.door("worker-0"))
    other.get_by_role("button", name="I agree: join").click()
    expect(other.get_by_text("an id in an address proves nothing")).to_be_visible()
    laboratory.close()


@pytest.mark.slow
def test_the_manager_decides_blind_and_reads_the_report(laboratory: Laboratory, visit: Visit) -> None:
    running, rng = laboratory.running, np.random.default_rng(2)
    for number in range(7):
        running.send(f"worker-{number}", running.guess(lambda levels: 0.6, rng))
    running.send("lazy", lambda token: guesser(running.truth, 0.5, rng, reasons=("hm, odd",)))
    stored_report(laboratory.services.store, "who-wrote-it")  # loads the statistics, which takes a moment
    page = visit(f"{laboratory.served.address}/campaigns/who-wrote-it/study", **laboratory.signed_in())
    heading(page, re.compile("Who wrote this"))
    expect(page.get_by_role("img", name=re.compile("8 joined"))).to_be_visible()
    clean(page)
    page.get_by_role("link", name="Decide on exclusions").click()
    expect(page.get_by_text("1 wait · 0 kept · 0 excluded")).to_be_visible()
    assert "annotator-" not in page.content()
    clean(page)
    page.get_by_label(re.compile("Reason")).fill("Nothing is said about the texts.")
    page.get_by_role("button", name="Exclude").click()
    expect(page.get_by_text("0 wait · 0 kept · 1 excluded")).to_be_visible()
    page.get_by_role("link", name="Back to the study").click()
    expect(page.get_by_role("img", name=re.compile("1 were excluded; 7 are analysed"))).to_be_visible()
    expect(page.get_by_text("Excluded: 1 person (12.5 %)")).to_be_visible()
    narrow = visit(f"{laboratory.served.address}/campaigns/who-wrote-it/study", **NARROW, **laboratory.signed_in())
    wide = "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth)"
    outside = f"{wide}.filter(e => !e.closest('.scroller')).map(e => e.outerHTML.slice(0, 80))"
    assert narrow.evaluate(outside) == []
    page.get_by_role("button", name="Have explanations coded").click()
    heading(page, re.compile("What reasons"))
