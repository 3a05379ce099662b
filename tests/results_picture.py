"""The picture on the page about results, made from a sample: `python -m tests.results_picture` writes it."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import sync_playwright

from goldmark.samples.campaigns import fill
from tests.databases import fresh
from tests.e2e.conftest import FLAGS, NAMES
from tests.e2e.test_manage import Served, signed_in
from tests.web.house import build

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "results.png"
SIZE = {"width": 1060, "height": 1180}


def main() -> None:
    path = next(found for name in NAMES if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        house = build(fresh(Path(folder)))
        fill(house.services.store, now=datetime(2026, 11, 16, 12, tzinfo=UTC))
        served = Served(house.services)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        options = signed_in((house, served.address), "manager")
        context = browser.new_context(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
        context.add_cookies(options["cookies"])
        page = context.new_page()
        page.goto(f"{served.address}/campaigns/sample-rating-qa/results")
        page.screenshot(path=PICTURE)
        browser.close()
        served.stop()


if __name__ == "__main__":
    main()
