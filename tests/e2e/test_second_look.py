"""The whole path: three annotators, a reviewer who returns one response, a curator by keyboard, four verifiers, tables.

Every figure at the end is worked out by hand in the comments.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from goldmark.accounts.roles import Role
from goldmark.campaigns.answers import Submission
from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.people import invite
from goldmark.store.tables import unit, unit_secret
from tests.e2e.curating import WORDS, Studio
from tests.e2e.test_curation import entry, press, saved
from tests.e2e.test_manage import cookie, fresh

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
Visit = Callable[..., Page]

# How many of the four verifiers call each reported passage an error.
VOTES = {
    "Kim Lee": 4,
    "seven": 1,
    "career night": 4,
    "poorly": 0,
    "six of their last seven": 1,
    "30": 3,
    "10": 4,
}


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    made = Studio(fresh(tmp_path), units=1)
    yield made
    made.close()


def test_from_three_annotators_to_the_verified_list(studio: Studio, visit: Visit) -> None:
    returned_and_amended(studio, visit)
    curated_by_keyboard(studio, visit)
    page = derived(studio, visit)
    four_verifiers(studio)

    page.get_by_role("link", name="Verified").click()
    # Gold: Friday (all three alike: assumed), Kim Lee (4 of 4), seven (1 of 4: removed).
    expect(page.get_by_text("2 of 3 mistakes of games stand")).to_be_visible()
    agreement = cells(page, "Errors by agreement of their verifiers")
    assert {row[0]: row[1] for row in agreement} == {"assumed valid": "1", "4/4 error": "1", "3/4 not error": "1"}
    # Ann: Friday, Kim Lee, career night right, seven not. Bo: Friday, Kim Lee right, poorly and his long form not.
    # Cy: Friday, 30 and 10 right; "career" was taken back after the review and counts for nothing.
    precision = {row[0]: row[1].split(" ")[0] for row in cells(page, "Precision of annotator combinations")}
    assert (precision["Ann"], precision["Bo"], precision["Cy"]) == ("0.750", "0.500", "1.000")
    # Of Friday and Kim Lee, Cy marked exactly the first only.
    recall = {row[0]: row[1].split(" ")[0] for row in cells(page, "Recall of annotator combinations")}
    assert (recall["Ann"], recall["Bo"], recall["Cy"]) == ("1.000", "1.000", "0.500")
    written = page.request.get(f"{studio.served.address}/campaigns/games-verified/verified/gold.csv").text()
    rows = list(csv.DictReader(io.StringIO(written)))
    assert [(row["TOKENS"], row["TYPE"], row["FOUND_BY"]) for row in rows] == [
        ("Friday", "NAME", "3"),
        ("Kim Lee", "NAME", "3"),
    ]


def returned_and_amended(studio: Studio, visit: Visit) -> None:
    """Eli returns Cy's response with a remark on "career"; Cy takes the mark back and submits again; Eli approves."""
    reviewer = visit(f"{studio.served.address}/campaigns/games/review", **studio.signed_in("Eli"))
    for _ in range(2):
        press(reviewer, "a")
        expect(reviewer.get_by_text("Approved.", exact=True)).to_be_visible()
    reviewer.get_by_text("Remark on “career”").focus()
    press(reviewer, "Enter")
    expect(reviewer.get_by_label("Remark on “career”")).to_be_focused()
    reviewer.keyboard.type("A career night need not be a record.")
    press(reviewer, "Control+Enter")
    expect(reviewer.get_by_text("Nothing waits for your review.")).to_be_visible()
    token = invite(studio.services.store, studio.services.links, "games", "Cy", author="test")[1]
    cy = visit(f"{studio.served.address}/a/{token}")
    cy.get_by_role("button", name="Go on").click()
    expect(cy.locator(".remark-said")).to_contain_text("need not be a record")
    cy.get_by_role("button", name="Remove the mark on career").click()
    press(cy, "Control+Enter")
    expect(cy.get_by_role("heading", name="Thank you!")).to_be_visible()
    reviewer.reload()
    press(reviewer, "a")
    expect(reviewer.get_by_text("Nothing waits for your review.")).to_be_visible()


def curated_by_keyboard(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in("Dee"))
    expect(entry(page, "Friday").locator(".status")).to_have_text("accepted")
    for words in ("Kim Lee", "seven"):
        expect(page.locator(".entry.chosen q").first).to_have_text(words)
        press(page, "a")
        expect(entry(page, words).locator(".status")).to_have_text("accepted")
    press(page, "f")
    expect(page.locator(".notice.good")).to_contain_text("Finished")
    saved(page)


def derived(studio: Studio, visit: Visit) -> Page:
    """A manager makes the verification campaign by form."""
    manager = studio.services.accounts.create("Max", Role.MANAGER, None, author="test")
    secret = studio.services.accounts.session_for(manager.id)
    cookies = {"cookies": [cookie(secret, studio.served.address)], "origins": []}
    page = visit(f"{studio.served.address}/campaigns/games/derive", storage_state=cookies)
    page.get_by_label("Name of the new campaign").fill("games-verified")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("of 28 labels done")).to_be_visible()  # seven units, four verifiers
    move(studio.services.store, "games-verified", "started", author="test")
    return page


def four_verifiers(studio: Studio) -> None:
    services = studio.services
    facts = services.store.read(
        lambda connection: {
            row.id: row.facts["reported"]
            for row in connection.execute(
                select(unit.c.id, unit_secret.c.facts)
                .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
                .where(unit.c.name.like("g0:%"))
            )
        }
    )
    passages = {number: " ".join(WORDS[one["start"] : one["end"]]) for number, one in facts.items()}
    assert set(passages.values()) == set(VOTES)
    for place, name in enumerate(("Ann", "Uma", "Vic", "Wim")):  # Ann judges what she reported herself, unawares
        token = invite(services.store, services.links, "games-verified", name, author="test")[1]
        following = services.bench.next(token)
        while following.task is not None:
            yes = place < VOTES[passages[following.task.unit_id]]
            said = {"error": "yes", "category_right": "yes"} if yes else {"error": "no"}
            submission = Submission({**said, "subjective": "no"}, f"{name}-{following.task.id:08}", None, 5.0)
            _, following = services.desk.submit(token, following.task.id, submission)


def cells(page: Page, title: str) -> list[list[str]]:
    rows = page.get_by_role("region", name=title).locator("tbody tr")
    return [row.locator("td").all_inner_texts() for row in rows.all()]
