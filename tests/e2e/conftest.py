"""A real Chromium, and pages that fail the test when a script of ours throws or the content policy is broken."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.stand import Stand, running

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")
USUAL = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
# How long a page may take before a test says that something is wrong: long, because only a fault should fail it, never
# other work on the machine. What is there at once costs no time.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
OFFLINE = "Failed to load resource"  # Chromium's own line for a request that failed, which some tests want to fail


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def stand() -> Iterator[Stand]:
    with running() as stand:
        yield stand


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open an address in a fresh browser profile; options are those of a Playwright context."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(address: str, **options: object) -> Page:
        context = browser.new_context(**{**USUAL, **options})  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"script error: {error}"))
        page.on(
            "console",
            lambda line: (
                complaints.append(f"console: {line.text}")
                if line.type == "error" and not line.text.startswith(OFFLINE)
                else None
            ),
        )
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
