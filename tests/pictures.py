"""The pictures of the documentation, made from the samples of the demo: `python -m tests.pictures` writes them."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image
from playwright.sync_api import BrowserContext, Page, sync_playwright

from goldmark.jobs.worker import Worker
from goldmark.samples.boards import fill_board
from goldmark.samples.campaigns import fill
from goldmark.web.runtime.handlers import load_handlers
from tests.databases import fresh
from tests.e2e.conftest import FLAGS, NAMES
from tests.e2e.test_manage import Served, signed_in
from tests.web.house import build

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
COLOURS = 128  # enough for flat pages, and a quarter of the bytes
SIZE = (1060, 760)


def main() -> None:
    path = next(found for name in NAMES if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        house = build(fresh(Path(folder)))
        store, links = house.services.store, house.services.links
        doors = {row.name: f"/join/{links.invite(row.id, row.invite_nonce)}" for row in fill(store, now=NOW)}
        board = fill_board(store, now=NOW)
        load_handlers()
        Worker(store).run_until_empty()
        served = Served(house.services)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        here = served.address
        cookies = signed_in((house, here), "manager")["cookies"]

        def context(*, manager: bool) -> BrowserContext:
            made = browser.new_context(
                viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light", reduced_motion="reduce"
            )
            if manager:
                made.add_cookies(cookies)
            return made

        def shown(name: str, address: str, before: Callable[[Page], None] = lambda page: None, tall: int = 0) -> None:
            page = context(manager=True).new_page()
            page.set_viewport_size({"width": SIZE[0], "height": tall or SIZE[1]})
            page.goto(f"{here}{address}")
            before(page)
            page.wait_for_timeout(600)
            _write(name, page.screenshot())
            page.context.close()

        def worked(name: str, campaign: str) -> None:
            page = context(manager=False).new_page()
            page.goto(f"{here}{doors[campaign]}")
            page.get_by_role("button", name="join").click()
            page.wait_for_timeout(1200)
            _leave_instructions(page)
            _write(name, page.screenshot())
            page.context.close()

        for name in ("rating-qa", "humanlike"):  # the sample in Chinese needs a font that not every machine has
            worked(f"tutorial-{name}", f"sample-{name}")
        shown("results", "/campaigns/sample-rating-qa/results", tall=1180)
        shown("results-accuracy", "/campaigns/sample-accuracy/results", tall=1000)
        shown("results-tgea", "/campaigns/sample-tgea/results", tall=1000)
        shown("leaderboard", f"/leaderboards/{board.name}", tall=900)
        shown("campaign", "/campaigns/sample-accuracy")
        shown("curation", "/campaigns/sample-accuracy/curation")
        shown("protocol-editor", "/protocols/new?from=accuracy/1", _add_category, tall=900)
        _animate(context(manager=False), f"{here}{doors['sample-accuracy']}")
        browser.close()
        served.stop()


def _leave_instructions(page: Page) -> None:
    """What people read first is closed, as they do."""
    for name in ("Start", "Close", "Begin"):
        button = page.get_by_role("button", name=name)
        if button.count() and button.first.is_visible():
            button.first.click()
            page.wait_for_timeout(500)


def _add_category(page: Page) -> None:
    page.set_viewport_size({"width": 1360, "height": 900})  # the annotator's page stands beside the fields
    page.get_by_role("heading", name="Words", exact=True).click()
    page.fill("#new-label-title", "Style")
    page.fill("#new-label-key", "s")
    page.get_by_role("button", name="Add category").click()
    page.locator(".labels-list summary", has_text="Style").wait_for()


def _animate(context: BrowserContext, door: str) -> None:
    """Marking one error by keyboard alone, as a short film for the README."""
    page = context.new_page()
    page.set_viewport_size({"width": 1240, "height": 700})
    page.goto(door)
    page.get_by_role("button", name="join").click()
    page.wait_for_timeout(1200)
    _leave_instructions(page)
    frames: list[tuple[bytes, int]] = [(page.screenshot(), 1500)]

    def press(key: str, wait: int = 500) -> None:
        page.keyboard.press(key)
        page.wait_for_timeout(150)
        frames.append((page.screenshot(), wait))

    page.locator(".words .w", has_text="Arena").first.click()
    page.wait_for_timeout(200)
    frames.append((page.screenshot(), 700))
    # The game was on a Saturday, says the line score.
    for key, wait in (("ArrowRight", 500), ("ArrowRight", 1200), ("n", 1200)):
        press(key, wait)
    for letter in "Saturday":
        press(letter, 130)
    press("Enter", 3000)
    page.set_viewport_size({"width": 1240, "height": 1000})
    page.wait_for_timeout(300)
    _write("annotating", page.screenshot())
    pictures = [Image.open(io.BytesIO(one)).convert("RGB") for one, _ in frames]
    pictures[0].save(
        IMAGES / "annotating.webp",
        save_all=True,
        append_images=pictures[1:],
        duration=[wait for _, wait in frames],
        loop=0,
        quality=60,
        method=4,
    )
    context.close()


def _write(name: str, picture: bytes) -> None:
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
