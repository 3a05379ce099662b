"""Nothing is lost and nothing is sent twice: drafts, reloads, other devices, lost connections, earlier answers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import texts
from tests.e2e.conftest import press
from tests.e2e.server_stand_in import Stand, now
from tests.e2e.test_marking import begin, submitted

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


def saved(page: Page) -> None:
    expect(page.locator("#status")).to_have_text(re.compile("Draft saved"))


def test_a_draft_comes_back_after_a_reload_and_can_be_undone(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    press(page, "n", "Escape", "ArrowRight", "u", "Escape")
    saved(page)
    assert len(study.drafts[1]["answers"]["mistakes"]) == 2
    page.reload()
    expect(page.locator(".mark-card")).to_have_count(2)
    expect(page.locator(".notices")).to_contain_text("from the server is back")
    page.get_by_role("button", name="Start from the beginning").click()
    expect(page.locator(".mark-card")).to_have_count(0)
    press(page, "Control+z")
    expect(page.locator(".mark-card")).to_have_count(2)


def test_a_crash_before_the_server_was_told_loses_nothing(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    study.deaf = True
    press(page, "n")
    expect(page.locator("#status")).to_have_text("Offline: kept here")
    page.reload()
    expect(page.locator(".mark-card")).to_have_count(1)
    expect(page.locator(".notices")).to_contain_text("from this browser is back")
    assert study.drafts == {}
    study.deaf = False
    press(page, "ArrowRight", "u")
    saved(page)
    assert len(study.drafts[1]["answers"]["mistakes"]) == 2


def test_another_device_takes_over_where_the_first_one_was(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game())
    laptop = begin(visit, address)
    press(laptop, "n")
    saved(laptop)
    phone = begin(visit, address, viewport={"width": 360, "height": 740})
    expect(phone.locator(".mark-card")).to_have_count(1)
    phone.locator(".w", has_text="Friday").click()
    phone.get_by_role("group", name="Labels").get_by_role("button", name="Name").click()
    saved(phone)
    press(laptop, "ArrowRight", "ArrowRight", "ArrowRight", "w")  # from a page that has not seen the phone's mark
    expect(laptop.locator(".notices")).to_contain_text("Another device saved a draft")
    laptop.get_by_role("button", name="Use the other draft").click()
    expect(laptop.locator(".mark-card")).to_have_count(2)
    expect(laptop.locator(".marks")).to_contain_text("Friday")
    press(laptop, "Control+z")
    expect(laptop.locator(".marks")).not_to_contain_text("Friday")
    assert study.accepted == {}


def test_a_page_that_was_left_open_shows_what_was_done_elsewhere(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game(), texts.game(1))
    laptop = begin(visit, address)
    phone = begin(visit, address)
    press(phone, "n", "Enter")
    phone.keyboard.type("Some")
    saved(phone)
    return_to = "document.dispatchEvent(new Event('visibilitychange'))"
    laptop.evaluate(return_to)
    expect(laptop.locator(".mark-card")).to_have_count(1)
    expect(laptop.locator(".notices")).to_contain_text("You went on elsewhere")
    press(phone, "Control+Enter")
    expect(phone.locator("#progress")).to_contain_text("2 of 2")
    laptop.evaluate(return_to)
    expect(laptop.locator("#progress")).to_contain_text("2 of 2")
    expect(laptop.locator(".mark-card")).to_have_count(0)
    assert len(study.accepted[1]) == 1


def test_an_answer_given_offline_waits_and_is_sent_once(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("humanlike", texts.unit(texts.text(texts.STORM)))
    page = begin(visit, address)
    press(page, "4", "Tab")
    page.get_by_role("textbox").fill("The storm begins twice, which nobody would write.")
    page.context.set_offline(True)
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".queued")).to_contain_text("Kept here, not sent yet")
    expect(page.locator("#status")).to_have_text("Kept here, not sent yet")
    page.get_by_role("button", name="Submit").click(force=True)  # impatience changes nothing
    page.context.set_offline(False)  # the browser says so, and the page does not wait any longer
    submitted(page)
    assert len(study.keys) == 1
    assert len(study.accepted[1]) == 1


def test_an_answer_that_waited_is_sent_after_the_page_was_closed(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    page.route("**/responses", lambda route: route.abort())
    press(page, "Control+Enter")
    expect(page.locator(".queued")).to_be_visible()
    page.get_by_role("button", name="Try now").click()
    expect(page.locator(".queued")).to_be_visible()
    page.once("dialog", lambda dialog: dialog.accept())
    page.unroute("**/responses")
    page.reload()
    submitted(page)
    assert len(study.accepted[1]) == 1


def test_a_lost_reply_and_an_unwell_server_do_not_make_two_answers(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game(), texts.game(1))
    page = begin(visit, address)
    study.faults = [503]
    study.swallow = 1
    press(page, "Control+Enter")
    expect(page.locator("#progress")).to_contain_text("2 of 2")
    assert len(study.keys) == 2  # it arrived twice, with the same key
    assert len(set(study.keys)) == 1
    assert len(study.accepted[1]) == 1


def test_what_the_server_refuses_is_shown_beside_the_question(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("humanlike", texts.unit(texts.text(texts.STORM)))
    page = begin(visit, address)
    press(page, "1")
    page.get_by_role("textbox").fill("nobody on deck believed in the storm")  # copied, which only the server checks
    press(page, "Control+Enter")
    expect(page.locator("[data-question=why] .problem")).to_contain_text("copied")
    expect(page.get_by_role("textbox")).to_be_focused()
    page.get_by_role("textbox").fill("It is told with an eye for people.")
    press(page, "Control+Enter")
    submitted(page)
    assert study.accepted[1] == [{"source": "definitely_human", "why": "It is told with an eye for people."}]


def test_the_follow_up_question_follows_the_answer_and_hidden_answers_are_not_sent(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("humanlike", texts.unit(texts.text(texts.STORM)))
    page = begin(visit, address)
    press(page, "1")
    page.get_by_role("textbox").fill("It sounds like a person to me.")
    page.get_by_role("radio", name="Definitely a machine").check()
    page.get_by_role("textbox").fill("I would let the storm start once.")
    press(page, "Control+Enter")
    submitted(page)
    assert study.accepted[1] == [{"source": "definitely_machine", "change": "I would let the storm start once."}]


def test_earlier_answers_can_be_looked_at_and_changed(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game(), texts.game(1))
    page = begin(visit, address)
    press(page, "Control+Enter")
    expect(page.locator("#progress")).to_contain_text("2 of 2")
    page.get_by_role("button", name="Earlier").click()
    page.get_by_role("dialog").get_by_role("button", name="The Marsh Herons").click()
    expect(page.locator(".notices")).to_contain_text("earlier answer")
    press(page, "n", "Enter")
    page.keyboard.type("A correction")
    page.get_by_role("button", name="Save the change").click()
    expect(page.locator(".mark-card")).to_have_count(0)  # back at the second text
    expect(page.get_by_role("button", name="Submit")).to_be_visible()
    assert [len(answers["mistakes"]) for answers in study.accepted[1]] == [0, 1]


def test_a_locked_answer_can_be_read_but_not_changed(stand: Stand, visit: Visit) -> None:
    one = texts.unit(texts.text(texts.STORM))
    address, study = stand.add("humanlike", one, one)
    study.accepted[1] = [{"source": "possibly_human", "change": "Less drama in the last sentence."}]
    page = begin(visit, address)
    page.get_by_role("button", name="Earlier").click()
    page.get_by_role("dialog").get_by_role("button", name="When the ferry").click()
    expect(page.locator(".answering")).to_contain_text("can no longer be changed")
    expect(page.get_by_role("radio", name="Possibly a person")).to_be_checked()
    expect(page.get_by_role("radio", name="Definitely a person")).to_be_disabled()
    expect(page.get_by_role("textbox")).not_to_be_editable()
    expect(page.get_by_role("button", name="Save the change")).to_be_hidden()
    page.get_by_role("button", name="Back to my current text").click()
    expect(page.get_by_role("button", name="Submit")).to_be_visible()


def test_seconds_at_work_are_kept_with_the_draft(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game())
    study.drafts[1] = {"answers": {"mistakes": []}, "version": 4, "saved_at": now(), "seconds_active": 600}
    page = begin(visit, address)
    expect(page.locator("#progress")).to_contain_text("11 min")  # 600 s of the draft and 95 s before
    press(page, "n")
    saved(page)
    assert 600 <= study.drafts[1]["seconds_active"] < 1200  # not twice
    assert study.drafts[1]["version"] == 5
