"""Problems of a protocol stand beside the fields that they belong to, for eyes, keyboard and screen reader."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import house, signed_in
from tests.web.house import House

__all__ = ["house"]  # the fixture
pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


def said_of(page: Page, field: Locator) -> str:
    """What a screen reader adds to a field."""
    names = (field.get_attribute("aria-describedby") or "").split()
    return " ".join(page.locator(f"[id='{one}']").inner_text() for one in names)


def test_what_a_field_makes_wrong_is_told_beside_it_and_not_written(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/protocols/new?from=rating-qa/1", **signed_in(house, "manager"))
    source = page.locator("#source")
    before = source.input_value()
    page.get_by_role("heading", name="Questions").focus()
    page.locator("[data-part=questions] > summary").focus()
    press(page, "Enter")
    number = page.get_by_label("Number of option 1")
    number.focus()
    page.keyboard.type("many")
    press(page, "Tab")
    expect(number).to_have_attribute("aria-invalid", "true")
    assert "Number of option 1 must be a number" in said_of(page, number)  # as the field is called, not its key
    expect(page.get_by_text("must be a number")).to_have_count(2)  # beside the field, and told to who cannot see it
    expect(source).to_have_value(before)
    expect(page.locator("#wrong")).to_have_count(0)
    expect(number).to_have_value(re.compile("many"))  # to be mended, not to be typed again
    condition = page.get_by_label("Asked only if")
    condition.fill("nowhere == 3")
    press(page, "Tab")
    expect(condition).to_have_attribute("aria-invalid", "true")
    assert "nowhere" in said_of(page, condition)
    expect(number).to_have_attribute("aria-invalid", "true")  # as it still is
    page.get_by_label("Help beside it").fill("Take your time.")  # what is right is written meanwhile
    press(page, "Tab")
    expect(source).to_have_value(re.compile("Take your time"))
    clean(page)
    condition.fill("")
    number.fill("0.5")
    press(page, "Tab")
    expect(source).to_have_value(re.compile("value: 0.5"))
    expect(page.locator("#fields .problem")).to_have_count(0)
    expect(number).not_to_have_attribute("aria-invalid", "true")


def test_what_is_wrong_in_the_yaml_stands_beside_its_field_too(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/protocols/new?from=accuracy/1", **signed_in(house, "manager"))
    page.get_by_label("One more category").fill("Tense")
    press(page, "Enter")
    source = page.locator("#source")
    expect(source).to_have_value(re.compile("title: Tense"))
    source.fill(source.input_value().replace("title: Tense", "title: Tense\n      key: long"))
    key = page.get_by_label("Key of Tense")
    expect(key).to_have_attribute("aria-invalid", "true")  # in a part that was closed
    expect(key).to_be_visible()
    assert "a key is one small letter or digit" in said_of(page, key)
    key.focus()  # it can be reached; what it says is changed in the text, which is wrong as a whole
    press(page, "Tab")
    press(page, "Enter")
    expect(source).to_be_focused()
    assert "key: long" in page.evaluate("source.value.slice(source.selectionStart, source.selectionEnd)")
    source.fill(source.input_value().replace("key: long", "key: t"))
    expect(page.get_by_label("Key of Tense")).to_have_value("t")
    expect(page.locator("#fields .problem")).to_have_count(0)
    expect(page.get_by_label("Key of Tense")).to_be_editable()


def test_what_cannot_be_added_is_told_beside_what_was_typed(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/protocols/new?from=accuracy/1", **signed_in(house, "manager"))
    before = page.locator("#source").input_value()
    page.get_by_role("heading", name="Training and qualification").click()
    page.get_by_role("button", name="Add text").click()
    text = page.locator("#item-text")
    expect(text).to_have_attribute("aria-invalid", "true")
    assert "write every text that people should judge" in said_of(page, text)
    text.fill("The Owls lost on Sunday.")
    marks = page.get_by_label("What is to be marked")
    marks.fill("Sunday | NAMES")
    page.get_by_role("button", name="Add text").click()
    expect(marks).to_have_attribute("aria-invalid", "true")
    assert "NAMES" in said_of(page, marks)
    expect(text).to_have_value("The Owls lost on Sunday.")
    expect(page.locator("#source")).to_have_value(before)
    marks.fill("Sunday | NAME")
    page.get_by_role("button", name="Add text").click()
    expect(page.locator("#source")).to_have_value(re.compile("quote: Sunday"))
    expect(text).to_have_value("")
