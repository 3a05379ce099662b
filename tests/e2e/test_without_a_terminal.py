"""A manager who never sees a terminal: a protocol with one more category, a spreadsheet, three people who are trained,
curation, results, export; all of it in the browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from goldmark.web.services import Services
from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import Served

pytestmark = [pytest.mark.browser, pytest.mark.slow]
Visit = Callable[..., Page]

SHEET = (
    "nr;summary;model;facts\n"
    "1;The Foxes won on Friday by a lot.;alpha;The game was on Monday.\n"
    "2;Kim had 30 points and was great.;beta;Kim had 14 points.\n"
)
# Everybody marks the day alike; on the second text two see a number, one a matter of style.
SAID = {
    "Bo": {"Friday": ("n", "Monday"), "30": ("u", "14")},
    "Cy": {"Friday": ("n", "Monday"), "30": ("u", "14"), "great": ("s", "good")},
    "Di": {"Friday": ("n", "Monday"), "30": ("u", "14")},
}


def test_a_browser_is_enough(tmp_path: Path, visit: Visit) -> None:
    services = Services.open(fresh(tmp_path))
    served = Served(services)
    page = visit(f"{served.address}/link/{services.accounts.one_time_link(None)}")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Password", exact=True).fill("four unrelated words")
    page.get_by_role("button", name="Make the account").click()
    protocol_of_ones_own(page)
    campaign_of_a_spreadsheet(page)
    links = [page.get_by_label(f"link for {name}").input_value() for name in SAID]
    for link, said in zip(links, SAID.values(), strict=True):
        person = visit(link)
        learn(person)
        for number in (1, 2):
            work(person, number, said)
        expect(person.get_by_role("heading", name="Thank you")).to_be_visible()
    curate(page)
    results_and_export(page)
    served.stop()


def protocol_of_ones_own(page: Page) -> None:
    page.get_by_role("link", name="Protocols", exact=True).click()
    page.get_by_role("link", name="Copy accuracy/1", exact=True).click()
    page.get_by_label("Title", exact=True).fill("Errors, and style")
    page.get_by_label("One more category").fill("Style")
    page.get_by_label("Key", exact=True).fill("s")
    page.get_by_role("button", name="Add category").click()
    expect(page.locator(".labels-list")).to_contain_text("Style")
    page.get_by_role("heading", name="Training and qualification").click()
    page.get_by_label("Its text").fill("The Owls lost on Sunday.")
    page.get_by_label("What is to be marked").fill("Sunday | NAME | Saturday | the calendar says so")
    page.get_by_label("Explanation").fill("Days are names.")
    page.get_by_role("button", name="Add text").click()
    expect(page.get_by_role("group", name="Examples (lessons: examples)")).to_be_visible()
    expect(page.locator("#source")).to_have_value(re.compile("title: Errors, and style"))
    expect(page.frame_locator("iframe").get_by_role("button", name="Style")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status").first).to_contain_text("The protocol was saved")


def campaign_of_a_spreadsheet(page: Page) -> None:
    page.get_by_role("link", name="Use it in a new campaign").click()
    page.get_by_label("Title").fill("Games")
    page.get_by_label("Short name").fill("games")
    sheet: Any = {"name": "games.csv", "mimeType": "text/csv", "buffer": SHEET.encode()}
    page.get_by_label("Texts", exact=True).set_input_files(sheet)
    expect(page.get_by_label("Text", exact=True)).to_have_value("summary")
    page.get_by_label("facts").check()
    expect(page.get_by_text("Hidden from annotators: model")).to_be_visible()
    page.get_by_label("Labels per unit").fill("3")
    page.get_by_label("People to invite").fill("\n".join(SAID))
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("The campaign was created")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("running", exact=True)).to_be_visible()
    page.get_by_role("link", name="People", exact=True).click()


def mark(page: Page, word: str, key: str, correction: str) -> None:
    page.locator("token-spans .w", has_text=word).first.click()
    press(page, key)
    page.keyboard.type(correction)
    press(page, "Enter")


def learn(page: Page) -> None:
    """The instructions, and an example that is first got wrong: what was missed is said."""
    expect(page.get_by_role("heading", name="Errors, and style", level=1)).to_be_visible()
    press(page, "Control+Enter")
    expect(page.locator("token-spans")).to_contain_text("Sunday")
    mark(page, "Owls", "n", "Foxes")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Not quite right", level=1)).to_be_visible()
    expect(page.get_by_text("the calendar says so").first).to_be_visible()
    press(page, "Control+Enter")


def work(page: Page, number: int, said: dict[str, tuple[str, str]]) -> None:
    """One text, whichever comes: everything in it that this person sees."""
    expect(page.locator("#progress")).to_have_text(re.compile(f"^{number} of"))  # the training's begins otherwise
    words = page.locator("token-spans").inner_text()
    for word, told in said.items():
        if word in words:
            mark(page, word, *told)
    press(page, "Control+Enter")


def curate(page: Page) -> None:
    page.get_by_role("link", name="Curation", exact=True).click()
    expect(page.get_by_text("1 text of those to curate was marked exactly alike by everybody.")).to_be_visible()
    page.get_by_role("button", name="Finish it").click()
    expect(page.get_by_text("1 of 2 curated")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("0 of 2 curated")).to_be_visible()
    page.get_by_role("button", name="Finish it").click()
    clean(page)
    page.get_by_role("link", name="Curate the next text").click()
    expect(page.locator(".people-key")).to_contain_text("Annotator 3")
    assert "Cy" not in page.content()
    press(page, "f")
    expect(page.locator(".saved")).to_have_text("Finished and saved")


def results_and_export(page: Page) -> None:
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("alpha")
    page.get_by_role("link", name="Export", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download as jsonl").click()
    rows = [json.loads(line) for line in Path(waiting.value.path()).read_text("utf-8").splitlines()]
    assert "STYLE" in json.dumps(rows)
    page.get_by_role("link", name="Curation", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the gold list").click()
    gold = Path(waiting.value.path()).read_text("utf-8")
    assert "Friday" in gold
    assert "30" in gold
