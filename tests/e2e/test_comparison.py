"""Two texts in a browser: key 1 is what stands first on the page, and what is stored is the text of the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from goldmark.campaigns.definition.uploads import plan_from_parts
from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.transfer.export import record_of
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from goldmark.web.services import Services
from tests.databases import fresh
from tests.e2e.test_manage import Served
from tests.e2e.test_marking import begin, press, submitted

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
