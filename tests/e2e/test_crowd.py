"""Workers' pages inside the frame of another site, in a Chromium that gives no cookies and no storage to frames."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.simulate.platforms.server import served
from goldmark.web.services import Services
from tests.databases import fresh
from tests.e2e.conftest import FLAGS, NAMES, PATIENCE
from tests.e2e.test_manage import Served
from tests.recruiting.ground import Ground, keys_to

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def strict(browser: Browser) -> Iterator[Browser]:
    """Chromium as it is to be: nothing is kept for a frame of another site."""
    path = next(found for name in NAMES if (found := shutil.which(name)))
    flags = [*FLAGS, "--test-third-party-cookie-phaseout", "--block-third-party-cookies"]
    made = browser.browser_type.launch(executable_path=path, args=flags)
    yield made
    made.close()


class Site:
    """Goldmark at one site, and the platform at another, which shows it in its frame."""

    def __init__(self, folder: Path, there: MTurkStandIn) -> None:
        self.services = Services.open(fresh(folder))
        self.served = Served(self.services)
        self.there = there
        self.ground = Ground.build(
            self.services.store,
            there,
            4,
            consent="We keep your answers.",
            publish_now=False,
            links=self.services.links,
            labels_per_unit=1,
            batch={"size": 2, "per_person": 1},
            recruit={"address": self.served.address},
        )
        self.ground.publish()

    def close(self) -> None:
        self.served.stop()
        self.services.store.close()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    there = MTurkStandIn()
    with served(there, "localhost") as address:  # another site than 127.0.0.1
        for name, value in keys_to("mturk", there, address).items():
            monkeypatch.setenv(name, value)
        made = Site(tmp_path, there)
        yield made
        made.ground.platform.close_connections()
        made.close()


def opened(browser: Browser, address: str, complaints: list[str]) -> tuple[Page, FrameLocator]:
    context = browser.new_context(viewport={"width": 1200, "height": 950})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    return page, page.frame_locator("iframe")


def test_a_worker_previews_works_and_hands_in_inside_the_frame(site: Site, strict: Browser, tmp_path: Path) -> None:
    complaints: list[str] = []
    hit = next(iter(site.there.hits))
    page, frame = opened(strict, f"{site.there.address}/frame/{hit}", complaints)
    expect(frame.get_by_text("This is a preview")).to_be_visible()
    expect(frame.get_by_role("heading", name="An example")).to_be_visible()
    expect(frame.get_by_text("The Foxes won on Friday night")).to_be_visible()
    expect(frame.get_by_role("button", name=re.compile("Submit"))).to_have_count(0)
    page.screenshot(path=tmp_path / "preview.png", full_page=True)
    assert site.ground.sessions() == [], "looking takes no place"

    taken = site.there.take("A1WORKER")
    assert taken is not None
    page.goto(f"{site.there.address}/frame/{taken.id}")
    expect(frame.get_by_text("We keep your answers.")).to_be_visible()
    frame.get_by_role("button", name="I agree: join").click()
    frame.get_by_role("button", name=re.compile("Start")).click()
    for number in (1, 2):
        expect(frame.locator("#progress")).to_have_text(re.compile(f"^{number} of"))  # both texts are the same
        expect(frame.get_by_text("The Foxes won on Friday night")).to_be_visible()
        frame.get_by_role("button", name=re.compile("Submit")).click()
    frame.get_by_role("link", name="Go on and hand in").click()
    expect(frame.get_by_role("heading", name="Hand in")).to_be_visible()
    page.screenshot(path=tmp_path / "done.png")
    frame.get_by_role("button", name="Submit the HIT").click()
    expect(frame.get_by_text("The HIT has been submitted.")).to_be_visible()
    assert site.there.assignments[taken.id].state == "Submitted"
    assert page.context.cookies() == [], "none was needed"
    assert complaints == []
    site.ground.look()
    assert site.ground.states() == ["approved"]
    page.context.close()
