"""Curating in a real browser: by keyboard alone, two curators at once, narrow, with axe, and fast on a long text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.curated_campaign import Studio
from tests.e2e.test_access import clean
from tests.e2e.test_manage import NARROW

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    made = Studio(fresh(tmp_path))
    yield made
    made.close()


def entry(page: Page, words: str) -> Any:
    quote = page.locator(".entry-words q", has_text=re.compile(f"^{re.escape(words)}$"))
    return page.locator(".entry").filter(has=quote)


def saved(page: Page) -> None:
    expect(page.locator(".saved")).to_have_text(re.compile("All saved|Finished and saved"))


def steps(page: Page) -> list[str]:
    return [str(one["kind"]) for one in page.request.get(api(page)).json()["steps"]]


def api(page: Page) -> str:
    return page.url.replace("/campaigns/", "/api/v1/campaigns/")


def test_a_text_is_curated_by_keyboard_alone(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    expect(entry(page, "Friday").locator(".status")).to_have_text("accepted")  # all three marked it alike
    expect(page.locator(".entry.chosen q").first).to_have_text("Kim Lee")  # the first that is undecided
    # Ann and Bo marked the name, Cy both figures instead: found by all three, the name by two.
    expect(page.locator(".entry.chosen .entry-counts")).to_have_text("found by 3 of 3, category 2, span 2")
    data = page.get_by_role("separator", name="Size of the data")
    usual = int(data.get_attribute("aria-valuenow") or 0)
    assert page.evaluate("localStorage.getItem('goldmark-data-share')") is None
    data.press("ArrowUp")
    expect(data).to_have_attribute("aria-valuenow", str(usual + 4))
    assert page.evaluate("localStorage.getItem('goldmark-data-share')") == str(usual + 4)
    page.locator("body").press("r")
    page.keyboard.type("the box score says so")
    press(page, "Enter", "a")
    expect(page.locator(".entry.chosen q").first).to_have_text("career")  # on to the next undecided one
    press(page, "e", "ArrowRight", "Enter")
    expect(entry(page, "career night").locator(".status")).to_have_text("accepted")
    press(page, "Shift+W")
    expect(entry(page, "career night").locator(".entry-counts")).to_contain_text("category 1")
    press(page, "c")
    page.keyboard.type("good night")
    press(page, "Enter")
    expect(entry(page, "career night").locator(".entry-right")).to_contain_text("good night")
    press(page, "n")
    page.keyboard.type("ask Ann")
    press(page, "Enter")
    press(page, "j")  # poorly, which the proposal left out
    expect(page.locator(".entry.chosen .status")).to_have_text("left out")
    press(page, "a")
    expect(page.locator(".entry.chosen q").first).to_have_text("seven")
    press(page, "d", "u", "d")
    expect(entry(page, "seven").locator(".status")).to_have_text("dropped")
    for _ in range(6):
        press(page, "k")
    press(page, "+", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "o")  # "at", then two on, then one longer
    expect(page.locator(".entry.chosen q").first).to_have_text("Harbour Arena")
    press(page, "f")
    expect(page.locator(".notice.good")).to_contain_text("Finished")
    expect(page.locator(".saved")).to_have_text("Finished and saved")
    press(page, "d")
    expect(page.locator(".notice.bad")).to_contain_text("Reopen it")
    taken = steps(page)
    assert taken[0] == "begin"
    assert taken[-1] == "finish"
    first = page.request.get(api(page)).json()["steps"][1]
    assert (first["author"], first["reason"]) == ("Dee", "the box score says so")
    rows = list(
        csv.DictReader(io.StringIO(page.request.get(f"{studio.served.address}/api/v1/campaigns/games/gold").text()))
    )
    found = {row["TOKENS"]: (row["TYPE"], row["CORRECTION"], row["FOUND_BY"], row["NOTE"]) for row in rows}
    assert found["Friday"] == ("NAME", "Monday", "3", "")
    assert found["Kim Lee"] == ("NAME", "Ada Ros", "3", "")
    assert found["career night"] == ("WORD", "good night", "2", "ask Ann")
    assert found["poorly"] == ("WORD", "well", "1", "")
    assert found["Harbour Arena"] == ("OTHER", "", "0", "")
    assert "seven" not in found
    assert len(found) == 5


def test_merge_split_same_meaning_and_history(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    press(page, "k", "m")  # Friday with Kim Lee: they become one mark
    expect(page.locator(".entry.chosen q").first).to_have_text("Friday at the Harbour Arena . Kim Lee")
    press(page, "s", "ArrowLeft", "Enter")
    expect(page.locator(".entry")).to_have_count(5)
    press(page, "u", "u")
    expect(entry(page, "Friday")).to_have_count(1)
    entry(page, "career").locator(".entry-head").click()
    press(page, "=", "Enter")  # poorly means the same as career: Bo counts as a finder
    expect(page.locator(".entry.chosen .entry-counts")).to_contain_text("found by 3 of 3")
    expect(entry(page, "poorly")).to_have_count(0)
    saved(page)
    page.reload()
    expect(page.locator(".steps li")).to_have_count(6)
    expect(entry(page, "poorly")).to_have_count(0)
    page.locator("summary", has_text="History").press("Enter")  # wherever it moves while figures come in
    expect(page.locator(".steps li.undone")).to_have_count(2)
    page.get_by_role("button", name="Undo step 6").click()
    expect(entry(page, "poorly")).to_have_count(1)
    saved(page)


@pytest.mark.slow
def test_two_curators_at_once(studio: Studio, visit: Visit) -> None:
    dee = visit(studio.address(), **studio.signed_in("Dee"))
    eli = visit(studio.address(), **studio.signed_in("Eli"))
    press(dee, "a")  # Kim Lee
    saved(dee)
    entry(eli, "seven").locator(".entry-head").click()
    press(eli, "d")  # something else: it is taken after Dee's
    expect(eli.locator(".notice")).to_contain_text("Meanwhile Dee accepted “Kim Lee”")
    expect(eli.locator(".notice")).to_contain_text("Your step was taken after that")
    saved(eli)
    expect(entry(eli, "Kim Lee").locator(".status")).to_have_text("accepted")
    entry(dee, "seven").locator(".entry-head").click()
    press(dee, "Shift+W")  # the same mark: Eli's word stands until Dee looks again
    expect(dee.locator(".notice")).to_contain_text("Meanwhile Eli dropped “seven”")
    expect(dee.locator(".notice")).to_contain_text("was not taken: somebody else has just changed the same mark")
    expect(entry(dee, "seven").locator(".status")).to_have_text("dropped")
    assert steps(dee) == ["begin", "accept", "drop"]
    press(dee, "Shift+W")
    saved(dee)
    assert steps(dee) == ["begin", "accept", "drop", "change_label"]


def test_a_lost_connection_loses_nothing(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    broken = {"on": True}

    def meddle(route: Route) -> None:
        if broken["on"]:
            route.abort()
        else:
            route.continue_()

    page.route("**/steps", meddle)
    press(page, "a", "d")
    expect(entry(page, "Kim Lee").locator(".status")).to_have_text("accepted")  # seen at once
    expect(page.locator(".saved")).to_contain_text("Not saved")
    broken["on"] = False
    saved(page)
    assert steps(page) == ["begin", "accept", "drop"]


def test_a_mark_is_added_at_the_selected_words(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    page.locator(".w", has_text="Harbour").dblclick()
    press(page, "+", "n")
    expect(page.locator(".entry.chosen q").first).to_have_text("Harbour")
    page.locator(".w", has_text="Friday").click()  # a click on a word chooses its mark
    expect(page.locator(".entry.chosen q").first).to_have_text("Friday")
    press(page, "+", "Escape")
    expect(page.locator(".mode")).to_be_hidden()
    saved(page)


@pytest.mark.slow
def test_what_may_not_overlap_does_not(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    for _ in range(6):
        press(page, "e", "ArrowRight")
    press(page, *["ArrowRight"] * 12, "Enter")  # Kim Lee up to and over "career"
    expect(page.locator(".notice.bad")).to_contain_text("may not overlap")
    press(page, "Escape")
    expect(entry(page, "Kim Lee")).to_have_count(1)
    press(page, "f")
    expect(page.locator(".notice.bad")).to_contain_text("3 marks are still undecided")


@pytest.mark.slow
def test_versions_and_what_changed(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    press(page, "a", "a", "a", "f")
    expect(page.locator(".saved")).to_have_text("Finished and saved")
    expect(page.locator("#curated")).to_have_text("1")
    press(page, "o", "j", "Shift+X", "f")
    expect(page.locator(".saved")).to_have_text("Finished and saved")
    page.goto(f"{studio.address()}/versions")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("row").nth(1)).to_contain_text("changed")
    expect(page.get_by_role("row").nth(1)).to_contain_text("NOT_CHECKABLE")
    clean(page)
    page.goto(f"{studio.served.address}/campaigns/games/curation")
    expect(page.locator(".figure")).to_contain_text("1 of 2 curated")
    clean(page)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the gold list").click()
    assert waiting.value.suggested_filename == "games-gold.csv"


@pytest.mark.slow
def test_axe_finds_nothing_in_any_state(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    expect(page.locator(".person-line").first).to_be_attached()
    for summary in page.locator("details:not([open]) > summary").all():
        summary.click()
    page.evaluate("scrollTo(0, 0)")
    clean(page)
    for keys in (("?",), ("e",), ("+",), ("c",), ("a", "d", "f")):
        press(page, *keys)
        page.evaluate("scrollTo(0, 0)")  # what is half under a fixed bar counts as too small
        clean(page)
        press(page, "Escape")
    page.set_viewport_size({"width": 360, "height": 740})
    page.evaluate("scrollTo(0, 0)")
    clean(page)
    page.set_viewport_size({"width": 1720, "height": 950})
    page.evaluate("scrollTo(0, 0)")
    clean(page)


def test_nothing_sticks_out_of_a_narrow_screen(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in(), **NARROW)
    expect(page.locator(".person-line").first).to_be_attached()
    for keys in ((), ("e",), ("c",)):
        press(page, *keys)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, keys
        press(page, "Escape")


@pytest.mark.slow
def test_sixty_marks_in_three_hundred_words_need_not_wait_for_the_server(tmp_path: Path, visit: Visit) -> None:
    words = [f"word{number}" if number % 12 else "." for number in range(1, 301)]

    def marks(shift: int) -> dict[str, Any]:
        places = [number for number in range(shift, 300 - 3, 15) if "." not in words[number : number + 2]]
        some = [{"id": f"e{at}", "start": at, "end": at + 2, "label": "NAME", "correction": "x"} for at in places]
        return {"mistakes": some}

    studio = Studio(
        fresh(tmp_path),
        rows=[{"id": "long", "text": " ".join(words)}],
        answers={"Ann": marks(0), "Bo": marks(1), "Cy": marks(0)},
    )
    page = visit(studio.address(), **studio.signed_in())
    expect(page.locator(".person-line").first).to_be_attached()
    assert page.locator(".person-line").count() >= 45
    press(page, "j", "k")
    # Ten decisions in one breath: none waits for the answer to another, and all of them arrive.
    page.evaluate(
        """() => {
            for (let time = 0; time < 10; time += 1)
                document.body.dispatchEvent(new KeyboardEvent("keydown", { key: time % 2 ? "a" : "j", bubbles: true }));
        }"""
    )
    saved(page)
    studio.close()


def test_who_was_signed_out_loses_nothing(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    page.context.clear_cookies()
    press(page, "a")
    expect(page.locator(".saved")).to_contain_text("sign in again in another tab")
    page.context.add_cookies(studio.signed_in()["cookies"])
    saved(page)
    assert steps(page) == ["begin", "accept"]


@pytest.mark.slow
def test_letters_can_be_switched_off(studio: Studio, visit: Visit) -> None:
    page = visit(studio.address(), **studio.signed_in())
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Keys that are a single character work").uncheck()
    press(page, "Escape", "a", "d", "Shift+W")
    expect(page.locator(".summary")).to_have_text("3 undecided, 1 accepted, 1 left out")
    page.get_by_role("button", name="Accept", exact=True).click()
    expect(page.locator(".summary")).to_have_text("2 undecided, 2 accepted, 1 left out")
    saved(page)


@pytest.mark.slow
def test_finer_categories_take_two_keys(tmp_path: Path, visit: Visit) -> None:
    def said(start: int, end: int, label: str, why: str) -> dict[str, Any]:
        error = {"id": "e1", "start": start, "end": end, "label": label, "correction": "fridge", "rationale": why}
        return {"verdict": "erroneous", "errors": [{**error, "links": {"associated": [{"start": 9, "end": 11}]}}]}

    text = "He put the ice in the oven to keep it cold ."
    first, second = "combination.subject_predicate", "missing.subject"
    studio = Studio(
        fresh(tmp_path),
        protocol="tgea",
        rows=[{"id": "a", "text": text, "prompt": "He put the ice"}],
        answers={
            "Ann": said(6, 7, first, "ovens heat"),
            "Bo": said(5, 7, first, "warm"),
            "Cy": said(6, 7, second, "hot"),
        },
    )
    page = visit(studio.address(), **studio.signed_in())
    expect(page.locator(".entry.chosen .said-by")).to_contain_text("ovens heat")  # a rationale, of whomever
    press(page, "Shift+M")
    expect(page.get_by_role("button", name="Missing")).to_contain_text("Esc")
    press(page, "p")
    expect(page.locator(".entry.chosen .letter").first).to_have_text("MP")
    press(page, "Shift+M", "Escape", "k", "+", *["ArrowLeft"] * 9, "Escape")
    saved(page)
    assert steps(page) == ["begin", "change_label"]
    studio.close()


@pytest.mark.slow
def test_severity_is_settled_by_keyboard_and_leaves_with_the_list(tmp_path: Path, visit: Visit) -> None:
    def said(severity: str) -> dict[str, Any]:
        mark = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Bears", "severity": severity}
        return {"mistakes": [mark]}

    rows = [{"id": "g0", "text": "The Foxes won ."}]
    people = {"Ann": said("critical"), "Bo": said("critical"), "Cy": said("non_critical")}
    studio = Studio(fresh(tmp_path), rows=rows, answers=people, protocol="accuracy-severity")
    page = visit(studio.address(), **studio.signed_in())
    chosen = page.get_by_role("group", name="How bad is it?").get_by_role("button", pressed=True)
    expect(chosen).to_have_text("Critical")  # as two of three said
    clean(page)
    press(page, "v", "Tab", "Enter")
    expect(chosen).to_have_text("Reduces my trust")
    expect(chosen).to_be_focused()  # to be changed again, or left with a letter
    press(page, "f")
    expect(page.locator(".notice.good")).to_contain_text("Finished")
    saved(page)
    (row,) = csv.DictReader(io.StringIO(page.request.get(api(page).rsplit("/", 2)[0] + "/gold").text()))
    assert (row["TOKENS"], row["ATTRIBUTES"]) == ("Foxes", '{"severity": "reduces_trust"}')
    studio.close()


@pytest.mark.slow
def test_a_list_from_elsewhere_is_imported_and_compared_with_the_proposal(studio: Studio, visit: Visit) -> None:
    page = visit(f"{studio.served.address}/campaigns/games/curation", **studio.signed_in())
    page.get_by_text("Import a gold list").click()
    clean(page)
    lines = (
        "TEXT_ID,SENTENCE_ID,ANNOTATION_ID,TOKENS,SENT_TOKEN_START,SENT_TOKEN_END,DOC_TOKEN_START,DOC_TOKEN_END,TYPE,"
        "CORRECTION,COMMENT\ng0,1,1,Friday,10,10,10,10,NAME,Monday,\n"
    )
    file: Any = {"name": "list.csv", "mimeType": "text/csv", "buffer": lines.encode()}
    page.get_by_label("Gold list").set_input_files(file)
    page.get_by_label("Reason").fill("as published")
    page.get_by_role("button", name="Import").click()
    # Proposed are Friday, Kim Lee, career and seven; the list has only the first.
    told = "1 mistake of 1 text. Against the automatic proposal 0 are new, 3 are gone"
    expect(page.get_by_text(told)).to_be_visible()
    clean(page)
    page.get_by_role("link", name="g0").click()
    expect(page.locator(".saved")).to_have_text("Finished and saved")
    expect(entry(page, "Kim Lee").locator(".status")).to_have_text("left out")
