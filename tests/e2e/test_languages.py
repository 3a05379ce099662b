"""Work in other languages and scripts, by keyboard alone: an Arabic page, and Thai words on a German one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldmark.records.units import ShownText
from goldmark.texts.segmentation.text import make_text
from tests.e2e import texts
from tests.e2e.conftest import press
from tests.e2e.server_stand_in import Stand
from tests.e2e.test_access import clean

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]
ARABIC = "فاز فريق النسور على الثعالب يوم الجمعة."  # The team of the eagles beat the foxes on Friday.
THAI = "ทีมนกกระสาชนะเมื่อวันศุกร์"  # The team of the herons won on Friday.


def test_an_arabic_text_on_an_arabic_page(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.unit(texts.text(ARABIC)), texts.game())
    page = visit(f"{address}?language=ar")
    expect(page.locator("html[dir=rtl][lang=ar]")).to_be_visible()
    expect(page.locator("[data-goes-on]")).to_contain_text("بدء")
    clean(page)
    press(page, "Control+Enter")
    expect(page.locator("token-spans .cursor")).to_be_focused()
    press(page, "ArrowLeft", "Shift+ArrowLeft", "n")  # leftwards is onwards
    expect(page.locator(".mark-words")).to_have_text("فريق النسور")
    expect(page.get_by_role("button", name="إزالة", exact=False).first).to_be_visible()
    clean(page)
    page.keyboard.type("فريق الصقور")
    press(page, "Enter", "Control+Enter")
    # The page stays Arabic, and an English text runs from left to right all the same.
    expect(page.locator(".w", has_text="Friday").first).to_be_visible()
    assert page.locator(".w").first.evaluate("word => getComputedStyle(word.closest('.line')).direction") == "ltr"
    page.set_viewport_size({"width": 360, "height": 740})
    clean(page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="شكرًا لك!")).to_be_visible()
    expect(page.get_by_text("أُنجز نصان")).to_be_visible()  # two texts: Arabic has a form for two
    assert study.languages == ["ar", "ar"]
    (mark,) = study.accepted[1][0]["mistakes"]
    assert (mark["start"], mark["end"], mark["correction"]) == (1, 3, "فريق الصقور")


def test_thai_words_on_a_german_page(stand: Stand, visit: Visit) -> None:
    pytest.importorskip("icu4py", reason="the extra icu is not installed")
    thai = ShownText(make_text("thai", THAI, tokeniser="icu"), language="th")
    address, study = stand.add("accuracy", texts.unit(thai))
    page = visit(address, locale="de-AT")
    expect(page.get_by_role("heading", name="Finden Sie die sachlichen Fehler")).to_be_visible()
    press(page, "Control+Enter")
    expect(page.locator("token-spans .cursor")).to_be_focused()
    press(page, "End", "n")
    words = [THAI[place.start : place.end] for place in thai.text.tokens]
    expect(page.locator(".mark-words")).to_have_text(words[-1])
    expect(page.get_by_role("textbox", name="Berichtigung")).to_be_focused()
    clean(page)
    page.keyboard.type("วันเสาร์")
    press(page, "Enter", "Control+Enter")
    expect(page.get_by_role("heading", name="Vielen Dank!")).to_be_visible()
    assert study.languages == ["de"]
    (mark,) = study.accepted[1][0]["mistakes"]
    assert (mark["start"], mark["label"]) == (len(words) - 1, "NAME")
