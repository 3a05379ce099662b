"""The newcomer's way on the real server: create, start, join by link, mark by keyboard, come back, export."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from goldmark.cli import run
from goldmark.web.pages.static_files import Static
from tests.e2e import texts
from tests.e2e.conftest import press
from tests.e2e.server_stand_in import Stand
from tests.e2e.test_marking import submitted

pytestmark = pytest.mark.browser

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def goldmark(*arguments: str) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert run(list(arguments)) == 0
    return printed.getvalue()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[str, str, Path]]:
    """The address of a server with the accuracy example, the path of its open link, and its database."""
    database = tmp_path / "goldmark.db"
    created = goldmark("campaign", "create", str(EXAMPLES / "accuracy" / "campaign.yaml"), "--database", str(database))
    goldmark("campaign", "start", "accuracy-example", "--database", str(database))
    command = [sys.executable, "-m", "goldmark", "serve", "--port", "0", "--database", str(database)]
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=tmp_path) as server,
    ):
        try:
            yield (_address(server, tmp_path / "log"), re.findall(r"/join/\S+", created)[0], database)
        finally:
            server.terminate()


def _address(server: subprocess.Popen[bytes], log: Path) -> str:
    while server.poll() is None:  # however long it takes: only a server that has ended fails the test
        found = re.search(r"Goldmark is at (http://\S+)", log.read_text())
        if found:
            return found.group(1)
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text()}")


def test_from_the_invitation_to_the_export(
    running: tuple[str, str, Path], visit: Callable[..., Page], tmp_path: Path
) -> None:
    address, link, database = running
    page = visit(address + link)
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="join").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".cursor")).to_be_focused()

    press(page, "ArrowRight", "n")
    page.keyboard.type("First correction")
    press(page, "Escape")
    expect(page.locator("#status")).to_have_text(re.compile("Draft saved"))
    page.reload()
    expect(page.locator(".mark-card")).to_have_count(1)
    expect(page.locator(".mark-summary")).to_have_text("First correction")
    press(page, "Control+Enter")
    expect(page.locator(".mark-card")).to_have_count(0)
    expect(page.locator("#progress")).to_have_text("2 of at most 2")  # without batches nobody knows how many it will be
    press(page, "Control+Enter")
    submitted(page)

    page.get_by_role("button", name="My earlier answers").click()
    page.get_by_role("dialog").get_by_role("button").nth(2).click()  # the older of the two
    expect(page.locator(".mark-summary")).to_have_text("First correction")
    page.locator(".mark-head").click()
    page.get_by_role("textbox", name="Correction").fill("Better correction")
    page.get_by_role("button", name="Save the change").click()
    submitted(page)

    target = tmp_path / "out.jsonl"
    goldmark("campaign", "export", "accuracy-example", str(target), "--database", str(database))
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    corrections = re.findall(r'"correction": ?"([^"]*)"', target.read_text())
    assert corrections == ["First correction", "Better correction"]
    assert lines


def test_who_comes_back_asks_for_no_script_and_no_style_again(
    stand: Stand, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    served = Static.__call__

    async def counted(self: Static, scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        await served(self, scope, receive, send)

    monkeypatch.setattr(Static, "__call__", counted)
    address, _ = stand.add("accuracy", texts.game())
    context = browser.new_context()
    counts = []
    for _ in range(2):
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_role("button", name="Start")).to_be_visible(timeout=120_000)
        page.close()
        counts.append(len(asked))
    context.close()
    assert counts[0] > 30
    assert counts[1] == counts[0]
