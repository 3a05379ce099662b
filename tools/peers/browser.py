"""A browser for programs that have pages only."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, Page, sync_playwright

_FLAGS = ["--no-sandbox", "--disable-background-networking"]
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_WAIT_MILLISECONDS = 120_000


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield opened
        opened.close()


def person(opened: Browser, address: str) -> Page:
    """A page of somebody who has not been there before."""
    page = opened.new_context().new_page()
    page.set_default_timeout(_WAIT_MILLISECONDS)
    page.goto(address)
    return page
