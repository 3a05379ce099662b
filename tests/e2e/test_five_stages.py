"""The five stages of TGEA as one flow, in English and in Chinese, by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldmark.records.units import ShownText
from goldmark.texts.segmentation.text import make_text
from tests.e2e import texts
from tests.e2e.conftest import press
from tests.e2e.server_stand_in import Stand

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]
CHINESE = "妈妈昨天喝了一个苹果，味道很好。"


def begin(visit: Visit, address: str) -> Page:
    page = visit(address)
    page.get_by_role("button", name=re.compile("^(Start|Go on)$")).click()
    expect(page.locator("token-spans").first).to_be_visible()
    return page


@pytest.mark.slow
def test_in_english(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("tgea", texts.unit(texts.text(texts.STORM)))
    page = begin(visit, address)
    press(page, "2")  # erroneous
    press(page, "Control+ArrowRight", "Control+ArrowRight", "ArrowRight", "ArrowRight")
    press(page, "Enter")  # mark "drank"
    expect(page.locator(".say")).to_contain_text("Which words show that it is wrong?")
    press(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Enter")  # new proposal
    expect(page.get_by_role("textbox", name="Correction")).to_be_focused()
    page.keyboard.type("approved")
    expect(page.locator(".corrected")).to_have_text(
        "CorrectedThe captain drankapproved the new proposal after three hours of debate."
    )
    press(page, "Enter")  # to the type
    press(page, "c")
    expect(page.locator(".label-meanings")).to_contain_text("she drank the proposal")
    press(page, "p")  # predicate and object
    expect(page.get_by_role("textbox", name="Reason")).to_be_focused()
    page.keyboard.type("Nobody drinks a proposal.")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
    [answers] = study.accepted[1]
    assert answers == {
        "verdict": "erroneous",
        "errors": [
            {
                "id": "e1",
                "start": 31,
                "end": 32,
                "label": "combination.predicate_object",
                "links": {"associated": [{"start": 33, "end": 35}]},
                "correction": "approved",
                "rationale": "Nobody drinks a proposal.",
            }
        ],
    }


def test_in_chinese(stand: Stand, visit: Visit) -> None:
    pytest.importorskip("jieba")
    text = make_text("t", CHINESE, tokeniser="jieba")
    words = list(text.words())
    drank, apple = words.index("喝"), words.index("苹果")
    address, study = stand.add("tgea", texts.unit(ShownText(text, language="zh-Hans")))
    page = begin(visit, address)
    expect(page.locator(".words.segmented .w")).to_have_text(words)  # a word on screen is a word that can be marked
    press(page, "2", *["ArrowRight"] * drank, "Enter", *["ArrowRight"] * (apple - drank), "Enter")
    page.keyboard.insert_text("吃")  # as an input method does
    expect(page.locator(".corrected del")).to_have_text("喝")
    expect(page.locator(".corrected ins")).to_have_text("吃")
    expect(page.locator(".corrected p")).to_have_text(CHINESE.replace("喝", "喝吃"))  # no space that is not in the text
    press(page, "Enter", "c", "p")
    page.keyboard.insert_text("苹果不能喝。")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
    [error] = study.accepted[1][0]["errors"]
    assert (error["start"], error["end"]) == (drank, drank + 1)
    assert error["links"] == {"associated": [{"start": apple, "end": apple + 1}]}
    assert (error["correction"], error["rationale"]) == ("吃", "苹果不能喝。")


def test_what_needs_no_marks_is_done_with_one_key(stand: Stand, visit: Visit) -> None:
    verdicts = {"1": "fine", "3": "ambiguous", "4": "too_many"}
    address, study = stand.add("tgea", *(texts.unit(texts.text(one)) for one in (texts.STORM, texts.GAME) * 2))
    page = begin(visit, address)
    for place, key in enumerate(verdicts, start=2):
        press(page, key)
        expect(page.locator("#progress")).to_contain_text(f"{place} of 4")
    assert [study.accepted[place] for place in (1, 2, 3)] == [[{"verdict": one}] for one in verdicts.values()]
    page.get_by_role("button", name="Change its answer").click()
    expect(page.get_by_text("You are looking at an earlier answer")).to_be_visible()


def test_something_redundant_is_struck_out(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("tgea", texts.unit(texts.text("The small little dog slept .")))
    page = begin(visit, address)
    press(page, "2", "ArrowRight", "ArrowRight", "Enter", "ArrowLeft", "Enter")  # little; small
    expect(page.locator(".corrected")).to_be_hidden()  # nothing says yet that it is to go
    press(page, "Enter", "r", "m")
    page.keyboard.type("Said twice.")
    expect(page.locator(".corrected p")).to_have_text("The small little dog slept .")
    expect(page.locator(".corrected del")).to_have_text("little")
