"""A real Chromium, and pages that fail the test when a script of ours throws or the content policy is broken."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright

from tests.e2e.server_stand_in import Stand, running

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # or every page gets a process of its own, which has to learn our scripts again
    "--no-zygote",
]
# The shell is Chromium without a window: the same pages for half of the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
Visit = Callable[..., Page]
USUAL: Any = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", "color_scheme": "light"}
# How long a page may take before a test says that something is wrong: long, because only a fault should fail it, never
# other work on the machine. What is there at once costs no time.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)
OFFLINE = "Failed to load resource"  # Chromium's own line for a request that failed, which some tests want to fail


# A page's words are there before its script: what is done to them in between, right after a step to another page, is
# heard by nobody. The longer a busy machine makes that moment, the more often.
ACTS = ("check", "clear", "click", "fill", "focus", "press", "select_option", "set_input_files", "tap", "uncheck")


def heard(act: Callable[..., Any]) -> Callable[..., Any]:
    """What a test does to a part of a page, once the page can hear it; `press` below is the same for keys."""

    @wraps(act)
    def once_loaded(part: Locator, *given: Any, **more: Any) -> Any:
        part.page.wait_for_load_state()
        return act(part, *given, **more)

    return once_loaded


for name in ACTS:
    setattr(Locator, name, heard(getattr(Locator, name)))


def until(page: Page, script: str, arg: object = None) -> None:
    """Wait for what `expect` has no words for; Playwright's own way evaluates strings, which our pages forbid."""
    late = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(script, arg):
        assert time.monotonic() < late, f"never true: {script}"
        page.wait_for_timeout(20)


def press(page: Page, *keys: str) -> None:
    """Each once the page can hear it: after a step to another page its words are there before its script."""
    for key in keys:
        page.wait_for_load_state()
        page.keyboard.press(key)


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


class Window:
    """A browser profile with one page, used by one test after another.

    To open one takes Chromium several times as long as everything that a test then does in it.
    """

    def __init__(self, browser: Browser, options: Mapping[str, Any]) -> None:
        self.context = browser.new_context(**USUAL, **options)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))
        self.page.on("console", self._heard)

    def _heard(self, line: ConsoleMessage) -> None:
        if line.type == "error" and not line.text.startswith(OFFLINE):
            self.complaints.append(f"console: {line.text}")

    def open(self, address: str, wanted: Mapping[str, Any]) -> Page:
        self.page.set_viewport_size(wanted.get("viewport", USUAL["viewport"]))
        self.context.add_cookies(wanted.get("cookies", []))
        self.context.grant_permissions(wanted.get("permissions", []))
        self.page.goto(address)
        return self.page

    def forget(self) -> bool:
        """Leave nothing to the next test; false if that cannot be, because the page was closed."""
        if self.page.is_closed():
            self.context.close()
            return False
        self.context.set_offline(False)
        self.page.unroute_all(behavior="ignoreErrors")
        origin = urlsplit(self.page.url)
        self.page.goto("about:blank")
        self.page.emulate_media(color_scheme="light")
        self.context.clear_cookies()
        self.context.clear_permissions()
        storage = self.context.new_cdp_session(self.page)
        kept = {"origin": f"{origin.scheme}://{origin.netloc}", "storageTypes": "all"}
        storage.send("Storage.clearDataForOrigin", kept)
        storage.detach()
        return True


@pytest.fixture(scope="session")
def windows() -> dict[str, list[Window]]:
    """Those that no test uses at present, by what cannot be changed once they are open."""
    return {}


@pytest.fixture
def visit(browser: Browser, windows: dict[str, list[Window]]) -> Iterator[Visit]:
    """Open an address in an empty browser profile, with its `cookies`, `viewport` and other options of Playwright's."""
    used: list[tuple[str, Window]] = []

    def open_page(address: str, **wanted: Any) -> Page:
        fixed = {key: value for key, value in wanted.items() if key not in ("viewport", "cookies", "permissions")}
        kind = repr(sorted(fixed.items()))
        free = windows.setdefault(kind, [])
        window = free.pop() if free else Window(browser, fixed)
        used.append((kind, window))
        return window.open(address, wanted)

    yield open_page
    complaints = [one for _, window in used for one in window.complaints]
    for kind, window in used:
        window.complaints.clear()
        if window.forget():
            windows[kind].append(window)
    assert complaints == []
