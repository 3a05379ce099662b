"""The review loop in a browser: a reviewer returns one response by keyboard, its annotator sees why and amends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from goldmark.campaigns.assignments.responses import Submission
from goldmark.people.annotators import invite
from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import NARROW, Served, signed_in
from tests.web.house import MISTAKE, House, build

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    built = build(fresh(tmp_path_factory.mktemp("house")))
    served = Served(built.services)
    yield built, served.address
    served.stop()


@pytest.mark.slow
def test_a_response_is_returned_amended_and_approved(house: tuple[House, str], visit: Visit) -> None:
    built, address = house
    reviewer = visit(f"{address}/campaigns/zoo/review", **signed_in(house, "curator"))
    expect(reviewer.get_by_text("1 response waits for you")).to_be_visible()
    clean(reviewer)
    # A remark on the mark, a comment on the whole, both without the mouse: r goes to the comment while nothing is said.
    press(reviewer, "r")
    expect(reviewer.get_by_label("Comment on the whole")).to_be_focused()
    reviewer.keyboard.type("Nearly right.")
    press(reviewer, "Escape")
    reviewer.get_by_text("Remark on “six”").focus()
    press(reviewer, "Enter")
    expect(reviewer.get_by_label("Remark on “six”")).to_be_focused()
    reviewer.keyboard.type("Count the legs again.")
    press(reviewer, "Escape")
    # k goes back from place to place: the label and the correction are before the whole mark.
    reviewer.get_by_text("Remark on “six”").focus()
    press(reviewer, "k")
    while "correction" not in reviewer.evaluate("document.activeElement.textContent").lower():
        press(reviewer, "k")
    press(reviewer, "Enter")
    expect(reviewer.get_by_label("Remark on “Correction” of “six”")).to_be_focused()
    reviewer.keyboard.type("In letters, please.")
    clean(reviewer)
    reviewer.set_viewport_size({"width": 360, "height": 740})
    clean(reviewer)
    press(reviewer, "Control+Enter")
    expect(reviewer.get_by_text("Returned. Its annotator gets it first")).to_be_visible()
    expect(reviewer.get_by_text("Nothing waits for your review.")).to_be_visible()

    ann = visit(f"{address}/a/{built.person}")
    ann.get_by_role("button", name="Go on").click()
    notice = ann.get_by_label("Returned by a reviewer")
    expect(notice).to_contain_text("Nearly right.")
    card = ann.locator('.mark-card[data-span="e1"]')
    expect(card).to_contain_text("Count the legs again.")
    assert "curator" not in ann.content()
    # What is said of the correction stands beside it, without opening anything.
    expect(card.locator('[data-attribute="correction"] .remark-said')).to_be_visible()
    expect(card.locator('[data-attribute="correction"] .remark-said')).to_contain_text("In letters, please.")
    clean(ann)
    ann.set_viewport_size({"width": 360, "height": 740})
    clean(ann)
    ann.set_viewport_size({"width": 1280, "height": 900})
    # Sent as it is, it would say nothing to the reviewer: a change or a reason is asked for.
    ann.get_by_role("button", name="Submit").click()
    expect(ann.locator(".trouble")).to_contain_text("nothing has changed")
    expect(ann.get_by_label("Why it stays as it is")).to_be_focused()
    ann.keyboard.type("Six is what the picture shows.")
    clean(ann)
    # The mark goes, its remark stays with the question; undone, it is back at its mark.
    ann.get_by_role("button", name="Remove the mark on six").click()
    expect(ann.locator(".question > .remark-said").filter(has_text="Count the legs again.")).to_be_visible()
    press(ann, "Control+z")
    expect(card.locator(":scope > .remark-said")).to_contain_text("Count the legs again.")
    expect(card.locator('[data-attribute="correction"] .remark-said')).to_be_visible()
    card.locator(".mark-head").click()
    card.get_by_role("textbox").first.fill("4")
    ann.get_by_role("button", name="Submit").click()
    expect(ann.get_by_label("Returned by a reviewer")).to_have_count(0)
    expect(ann.locator("token-spans")).to_be_visible()  # on with the next text

    reviewer.reload()
    expect(reviewer.get_by_text("revision 3", exact=True)).to_be_visible()
    expect(reviewer.get_by_text("Revision 2 was returned")).to_be_visible()
    # What was answered, what has changed and what a word would mean now.
    expect(reviewer.get_by_text("Six is what the picture shows.")).to_be_visible()
    expect(reviewer.get_by_text("If you return it again, somebody else decides.")).to_be_visible()
    row = reviewer.get_by_role("row").filter(has_text="Correction")
    expect(row.locator("del")).to_have_text("four")
    expect(row.locator("ins")).to_have_text("4")
    clean(reviewer)
    reviewer.locator("h2").first.click()
    press(reviewer, "a")
    expect(reviewer.get_by_text("Approved.", exact=True)).to_be_visible()
    reviewer.get_by_role("link", name="Reviews in figures").click()
    expect(reviewer.get_by_role("heading", name="Accuracy of first versions", exact=True)).to_be_visible()
    clean(reviewer)
    final = built.program("curator").get(f"/api/v1/campaigns/zoo/responses/{built.response}").json()
    assert [one["answers"]["mistakes"][0]["correction"] for one in final["revisions"][:2]] == ["4", "four"]


def test_going_on_to_the_next_and_round_again(house: tuple[House, str], visit: Visit) -> None:
    built, address = house
    _, token = invite(built.services.store, built.services.links, "zoo", "Ben", author="test")
    task = built.services.work.next(token).task
    assert task is not None
    built.services.responses.submit(token, task.id, Submission({"mistakes": []}, "ben-00000001", None, 9.0))
    page = visit(f"{address}/campaigns/zoo/review", **signed_in(house, "curator"), **NARROW)
    expect(page.get_by_role("heading", name=f"Response {built.response}")).to_be_visible()
    press(page, "n")
    expect(page.get_by_role("heading", name=f"Response {task.id}")).to_be_visible()
    press(page, "n")
    expect(page.get_by_role("heading", name=f"Response {built.response}")).to_be_visible()


@pytest.mark.slow
def test_deriving_and_the_results_of_a_verification(house: tuple[House, str], visit: Visit) -> None:
    built, address = house
    page = visit(f"{address}/campaigns/zoo/follow-up", **signed_in(house, "manager"))
    clean(page)
    page.get_by_label("Name of the new campaign").fill("zoo-verified")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="Is it really an error?")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    _, token = invite(built.services.store, built.services.links, "zoo-verified", "Vic", author="test")
    verifier = visit(f"{address}/a/{token}")
    verifier.get_by_role("button", name="Start").click()
    expect(verifier.locator("token-spans")).to_contain_text(str(MISTAKE["label"]))
    assert "Ann" not in verifier.locator("main").inner_text().split()
    verifier.get_by_label("Yes").first.check()
    for choice in (1, 2):
        verifier.get_by_label("Yes").nth(choice).check()
    verifier.get_by_role("button", name="Submit").click()
    expect(verifier.get_by_role("heading", name="Thank you!")).to_be_visible()
    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("link", name="Verified", exact=True).click()
    # Only Ann marked anything, alone with her text: one gold mistake, and one verifier who confirms it.
    expect(page.get_by_text("1 of 1 mistake of zoo stands")).to_be_visible()
    expect(page.get_by_role("cell", name="1/1 error")).to_be_visible()
    clean(page)
