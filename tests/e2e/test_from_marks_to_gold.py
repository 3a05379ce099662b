"""The whole path in the browser: three annotators, a reviewer who returns one response, a curator by keyboard alone, a
manager who makes the verification campaign, four verifiers, and the tables.

Every figure at the end is worked out by hand in the comments.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from goldmark.accounts.roles import Role
from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.curated_campaign import Studio
from tests.e2e.test_curation import entry, saved
from tests.e2e.test_manage import cookie
from tests.e2e.test_marking import drag

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]

TEXT = "Kim Lee had 30 points on Friday . The Owls shot poorly ."
# What each annotator marks: first and last word, category, correction.
MARKS = {
    "Ann": [("Kim", "Lee", "Name", "Ada Ros"), ("Friday", "", "Name", "Monday")],
    "Bo": [("Kim", "Lee", "Name", "Ada Ros"), ("Friday", "", "Name", "Monday"), ("poorly", "", "Word", "well")],
    "Cy": [("30", "", "Number", "14"), ("points", "", "Word", "rebounds"), ("Friday", "", "Name", "Monday")],
}
# How many of the four verifiers call each reported passage an error.
VOTES = {"Kim Lee": 4, "poorly": 1, "30": 3}


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    rows = [{"id": "g0", "text": TEXT}]
    made = Studio(fresh(tmp_path), rows=rows, answers={}, review={"required": True})
    yield made
    made.close()


@pytest.mark.slow
def test_from_three_annotators_to_the_verified_list(studio: Studio, visit: Visit) -> None:
    links = {name: annotated(studio, visit, name) for name in MARKS}
    returned_and_amended(studio, visit, links["Cy"])
    curated_by_keyboard(studio, visit)
    page = derived(studio, visit)
    for place, name in enumerate(("Ann", "Uma", "Vic", "Wim")):  # Ann judges what she reported herself, unawares
        verified(page, visit, name, place)

    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("link", name="Verified", exact=True).click()
    # Gold: Friday (all three alike: assumed), Kim Lee (4 of 4), poorly (1 of 4: removed).
    expect(page.get_by_text("2 of 3 mistakes of games stand")).to_be_visible()
    agreement = cells(page, "Errors by agreement of their verifiers")
    assert {row[0]: row[1] for row in agreement} == {"assumed valid": "1", "4/4 error": "1", "3/4 not error": "1"}
    # Ann: Friday and Kim Lee right. Bo: those two right, poorly not. Cy: Friday and 30 (3 of 4) right; "points" was
    # taken back after the review and counts for nothing.
    precision = {row[0]: row[1].split(" ")[0] for row in cells(page, "Precision of annotator combinations")}
    assert (precision["Ann"], precision["Bo"], precision["Cy"]) == ("1.000", "0.667", "1.000")
    # Of Friday and Kim Lee, Cy marked exactly the first only.
    recall = {row[0]: row[1].split(" ")[0] for row in cells(page, "Recall of annotator combinations")}
    assert (recall["Ann"], recall["Bo"], recall["Cy"]) == ("1.000", "1.000", "0.500")
    # Before the verification: Cy's 30 says the same of the same clause as Kim Lee, so all three found that.
    assert listed(page, f"{studio.served.address}/api/v1/campaigns/games/gold") == [
        ("Kim Lee", "NAME", "Ada Ros", "3", "2", "2"),
        ("Friday", "NAME", "Monday", "3", "3", "3"),
        ("poorly", "WORD", "well", "1", "1", "1"),
    ]
    # And after it, without what the verifiers did not confirm.
    assert listed(page, f"{studio.served.address}/campaigns/games-verified/verified/gold.csv") == [
        ("Kim Lee", "NAME", "Ada Ros", "3", "2", "2"),
        ("Friday", "NAME", "Monday", "3", "3", "3"),
    ]


def annotated(studio: Studio, visit: Visit, name: str) -> str:
    """Somebody comes by the open link, marks what they find and submits it; their own link is returned."""
    page = visit(f"{studio.served.address}/join/{studio.invite}")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="join").click()
    link = page.url
    page.get_by_role("button", name="Start").click()
    expect(page.locator("token-spans")).to_be_visible()
    for first, last, category, correction in MARKS[name]:
        if last:
            drag(page, first, last)
        else:
            page.locator(".w", has_text=first).click()
        page.get_by_role("group", name="Labels").get_by_role("button", name=category).click()
        page.locator(".mark-card.current").get_by_role("textbox", name="Correction").fill(correction)
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
    page.close()
    return link


def returned_and_amended(studio: Studio, visit: Visit, link: str) -> None:
    """Eli returns Cy's response with a remark on "points"; Cy takes the mark back and submits again; Eli approves."""
    reviewer = visit(f"{studio.served.address}/campaigns/games/review", **studio.signed_in("Eli"))
    for _ in range(2):
        press(reviewer, "a")
        expect(reviewer.get_by_text("Approved.", exact=True)).to_be_visible()
    reviewer.get_by_text("Remark on “points”").focus()
    press(reviewer, "Enter")
    expect(reviewer.get_by_label("Remark on “points”")).to_be_focused()
    reviewer.keyboard.type("They were points.")
    press(reviewer, "Control+Enter")
    expect(reviewer.get_by_text("Nothing waits for your review.")).to_be_visible()
    cy = visit(link)
    cy.get_by_role("button", name="Go on").click()
    expect(cy.locator(".remark-said")).to_contain_text("They were points.")
    cy.get_by_role("button", name="Remove the mark on points").click()
    press(cy, "Control+Enter")
    expect(cy.get_by_role("heading", name="Thank you!")).to_be_visible()
    cy.close()
    reviewer.reload()
    press(reviewer, "a")
    expect(reviewer.get_by_text("Nothing waits for your review.")).to_be_visible()
    reviewer.close()


def curated_by_keyboard(studio: Studio, visit: Visit) -> None:
    """Dee accepts the name, takes in the word that only Bo marked, and finishes; Friday is accepted already."""
    page = visit(studio.address(), **studio.signed_in("Dee"))
    expect(entry(page, "Friday").locator(".status")).to_have_text("accepted")
    expect(page.locator(".entry.chosen q").first).to_have_text("Kim Lee")
    press(page, "a")
    expect(entry(page, "Kim Lee").locator(".status")).to_have_text("accepted")
    press(page, "j", "j")
    expect(page.locator(".entry.chosen q").first).to_have_text("poorly")
    press(page, "a", "f")
    expect(page.locator(".notice.good")).to_contain_text("Finished")
    saved(page)
    page.close()


def derived(studio: Studio, visit: Visit) -> Page:
    """A manager makes the verification campaign by form and starts it."""
    manager = studio.services.accounts.create("Max", Role.MANAGER, None, author="test")
    secret = studio.services.accounts.session_for(manager.id)
    signed_in = [cookie(secret, studio.served.address)]
    page = visit(f"{studio.served.address}/campaigns/games/follow-up", cookies=signed_in)
    page.get_by_label("Name of the new campaign").fill("games-verified")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("of 12 labels done")).to_be_visible()  # three units, four verifiers
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("running").first).to_be_visible()
    return page


def verified(manager: Page, visit: Visit, name: str, place: int) -> None:
    """One verifier judges all three; the first so many of the four say yes."""
    page = visit(manager.get_by_label("Open link").first.input_value())
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="join").click()
    page.get_by_role("button", name="Start").click()

    def answers(question: str, option: str) -> None:
        page.get_by_role("group", name=question).get_by_role("radio", name=option).check()

    for done in range(len(VOTES)):
        expect(page.locator("#progress")).to_contain_text(f"{done + 1} of")
        expect(page.locator(".w.marked").last).to_be_visible()
        marked = page.locator(".w.marked").last.inner_text()  # with its category, if it is the only word
        passage = next(one for one in VOTES if one.split()[-1] in marked)
        if place < VOTES[passage]:
            answers("Are the marked words an error?", "Yes")
            answers("Is the reported category right?", "Yes")
        else:
            answers("Are the marked words an error?", "No")
        answers("Might other careful people disagree", "No")
        press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
    page.close()


def cells(page: Page, title: str) -> list[list[str]]:
    rows = page.get_by_role("region", name=title).locator("tbody tr")
    return [row.locator("td").all_inner_texts() for row in rows.all()]


def listed(page: Page, address: str) -> list[tuple[str, ...]]:
    columns = ("TOKENS", "TYPE", "CORRECTION", "FOUND_BY", "TYPE_AGREED_BY", "SPAN_AGREED_BY")
    rows = csv.DictReader(io.StringIO(page.request.get(address).text()))
    return [tuple(row[column] for column in columns) for row in rows]
