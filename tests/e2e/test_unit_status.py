"""Where texts stand, and a spot check by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import Served, signed_in
from tests.web.house import House, build
from tests.web.test_unit_status import ERRONEOUS, errors

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    built = build(fresh(tmp_path_factory.mktemp("house")))
    errors(built, [ERRONEOUS, {"verdict": "ambiguous"}], candidates={"above": 0.9, "after": 1})
    served = Served(built.services)
    yield built, served.address
    served.stop()


@pytest.mark.slow
def test_from_the_flow_to_the_spot_check(house: tuple[House, str], visit: Visit) -> None:
    _, address = house
    page = visit(f"{address}/campaigns/errors/status", **signed_in(house, "manager"))
    expect(page.get_by_role("link", name="1 answered, not reviewed")).to_be_visible()
    expect(page.get_by_text("ambiguous 1")).to_be_visible()
    clean(page)
    page.set_viewport_size({"width": 360, "height": 740})
    clean(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("link", name="1 set aside").press("Enter")
    expect(page.get_by_role("heading", name="Texts: set aside")).to_be_visible()
    clean(page)
    page.get_by_role("link", name="Status of every text").click()
    page.get_by_text("Draw answers").press("Enter")
    page.get_by_label("How many").fill("2")
    page.get_by_label("How many").press("Enter")
    expect(page.get_by_text("Drawn. Judge them one by one")).to_be_visible()
    page.get_by_role("link", name="Judge the next one").click()
    expect(page.get_by_role("button", name="Right")).to_be_visible()
    # The first one is right; of the second, r goes to the first place that can be remarked on.
    press(page, "a")
    expect(page.get_by_text("1 of 2 judged")).to_be_visible()
    clean(page)
    press(page, "r")
    press(page, "Enter")
    expect(page.get_by_label("Remark on “How is this text?”")).to_be_focused()
    page.keyboard.type("It is fine.")
    press(page, "Control+Enter")
    expect(page.get_by_text("Everything that was drawn is judged.")).to_be_visible()
    page.get_by_role("link", name="See what the spot check found").click()
    row = page.get_by_role("row", name="verdict")
    expect(row).to_contain_text("50.00 [0.15, 99.85]")  # 1 of 2, each of a text of its own
    clean(page)
