"""Texts side by side in a browser: key 1 is what stands first on the page; what is stored is the text of the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.transfer.export import record_of
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from goldmark.web.services import Services
from tests.campaigns.plans import plan_from_parts
from tests.databases import fresh
from tests.e2e.conftest import press
from tests.e2e.test_access import clean
from tests.e2e.test_manage import Served
from tests.e2e.test_marking import begin, submitted

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]

UNITS = 4


@pytest.mark.slow
def test_key_one_chooses_what_stands_first_whatever_its_role(tmp_path: Path, visit: Visit) -> None:
    services = Services.open(fresh(tmp_path))
    rows = [{"id": f"u{n}", "a": f"Alder wrote number {n}.", "b": f"Birch wrote number {n}."} for n in range(UNITS)]
    plan = plan_from_parts({"campaign": "pairs", "protocol": "pairwise"}, rows=rows)
    open_campaign(services.store, services.links, plan, author="test")
    move(services.store, "pairs", "started", author="test")
    _, token = invite(services.store, services.links, "pairs", "Ada", author="test")
    served = Served(services)
    try:
        page = begin(visit, f"{served.address}/a/{token}")
        seen = {}
        for done in range(UNITS):
            boxes = page.locator(".text-box")
            expect(boxes.nth(0).locator("h2")).to_have_text("Text A")
            expect(boxes.nth(1).locator("h2")).to_have_text("Text B")
            words = boxes.nth(0).inner_text()
            if words in seen:
                raise AssertionError("the same page twice")
            number = next(n for n in range(UNITS) if f"number {n}" in words)
            seen[words] = (f"u{number}", "a" if "Alder" in words else "b")
            press(page, "1", "Control+Enter")
            if done < UNITS - 1:
                expect(boxes.nth(0)).not_to_contain_text(f"number {number}")
        submitted(page)
        record = record_of(services.store, "pairs")
        first = {one.unit: one.facts["shown_first"] for one in record.assignments}
        assert first == dict(seen.values())
        assert set(first.values()) == {"a", "b"}  # two of four, by lot
        assert {one.unit: one.answers["preferred"] for one in record.responses} == first
    finally:
        served.stop()
        services.store.close()


@pytest.mark.slow
def test_the_best_and_the_worst_of_four_by_keys_and_by_mouse(tmp_path: Path, visit: Visit) -> None:
    services = Services.open(fresh(tmp_path))
    names = ("Alder", "Birch", "Cedar", "Elm")
    rows = [
        {"id": f"u{n}", "texts": [f"{name} wrote number {n}." for name in names], "context": {"Request": "A number."}}
        for n in range(UNITS)
    ]
    plan = plan_from_parts({"campaign": "sets", "protocol": "best-worst"}, rows=rows)
    open_campaign(services.store, services.links, plan, author="test")
    move(services.store, "sets", "started", author="test")
    _, token = invite(services.store, services.links, "sets", "Ada", author="test")
    served = Served(services)
    try:
        page = begin(visit, f"{served.address}/a/{token}")
        best, worst = (page.get_by_role("group", name=name, exact=True) for name in ("Best", "Worst"))
        wanted = {}
        for done in range(UNITS):
            boxes = page.locator(".text-box")
            expect(boxes.locator("h2")).to_have_text([f"Text {letter}" for letter in "ABCD"])
            shown = [next(name for name in names if name in boxes.nth(place).inner_text()) for place in range(4)]
            number = next(n for n in range(UNITS) if f"number {n}" in boxes.nth(0).inner_text())
            letters = dict(zip(names, "abcd", strict=True))
            if done == 0:
                # One alone is not enough; and whoever calls the best text the worst has changed their mind.
                press(page, "2", "Control+Enter")
                expect(page.get_by_text("Choose the worst text as well.")).to_be_visible()
                press(page, "7")
                expect(best.get_by_role("radio", checked=True)).to_have_count(0)
                press(page, "1", "9")
                expect(best.get_by_role("radio", name="Text A")).to_be_checked()
                expect(worst.get_by_role("radio", name="Text D")).to_be_checked()
                picked = (shown[0], shown[3])
                clean(page)
            else:
                best.get_by_role("radio", name=f"Text {'ABCD'[done]}").check()
                worst.get_by_role("radio", name=f"Text {'ABCD'[done - 1]}").check()
                picked = (shown[done], shown[done - 1])
            wanted[f"u{number}"] = f"{letters[picked[0]]}>{letters[picked[1]]}"
            press(page, "Control+Enter")
            if done < UNITS - 1:
                expect(boxes.nth(0)).not_to_contain_text(f"number {number}")
        submitted(page)
        record = record_of(services.store, "sets")
        assert {one.unit: one.answers["picked"] for one in record.responses} == wanted
    finally:
        served.stop()
        services.store.close()
