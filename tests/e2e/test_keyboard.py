"""A manager with a keyboard alone: what is drawn anew while somebody works leaves the focus where it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.conftest import press
from tests.e2e.test_manage import house, signed_in
from tests.web.house import House

__all__ = ["house"]  # the fixture
pytestmark = pytest.mark.browser
Visit = Callable[..., Page]
SHEET = "nr;summary;model;facts\n1;The Foxes won on Friday.;alpha;It was Monday.\n"


def test_fields_of_a_protocol_keep_the_focus_when_they_are_drawn_anew(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/protocols/new?from=accuracy/1", **signed_in(house, "manager"))
    page.get_by_label("One more category").focus()
    page.keyboard.type("Tense")
    for key in ("Tab", "t", "Tab", "Enter"):
        press(page, key)
    tense = page.locator("[data-part$=TENSE] > summary")
    expect(tense).to_be_visible()
    expect(page.get_by_role("button", name="Add category")).to_be_focused()
    more = page.get_by_role("button", name="Prefer Tense more")
    more.focus()
    press(page, "Enter")
    expect(page.locator(".preferred li").last).to_contain_text("Other")
    expect(more).to_be_focused()
    tense.focus()
    press(page, "Enter")
    page.get_by_role("button", name="Remove Tense").focus()
    press(page, "Enter")
    expect(tense).to_have_count(0)
    expect(page.locator("[data-part=categories] > summary")).to_be_focused()  # nothing is left of where it was


def test_columns_of_a_spreadsheet_keep_the_focus_when_they_are_drawn_anew(
    house: tuple[House, str], visit: Visit
) -> None:
    page = visit(f"{house[1]}/campaigns/new", **signed_in(house, "manager"))
    page.get_by_label("Texts", exact=True).focus()
    with page.expect_file_chooser() as chooser:
        press(page, "Space")
    chooser.value.set_files(FilePayload(name="games.csv", mimeType="text/csv", buffer=SHEET.encode()))
    facts = page.get_by_label("facts")
    facts.focus()
    press(page, "Space")
    expect(page.get_by_text("Hidden from annotators: model", exact=True)).to_be_visible()
    expect(facts).to_be_focused()
    expect(facts).to_be_checked()
