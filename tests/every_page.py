"""Every page in light, in dark, on a phone and at 200 %, as pictures to look at: `python -m tests.every_page FOLDER`.

Each page is a file `NAME-light.png` and so on; `sheet-dark-1.png` and so on have many of them side by side.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, sync_playwright

from goldmark.jobs.worker import Worker
from goldmark.samples.boards import fill_board
from goldmark.samples.campaigns import fill
from tests.databases import fresh
from tests.e2e.conftest import FLAGS, NAMES
from tests.e2e.test_manage import Served, paths, signed_in
from tests.pictures import NOW
from tests.web.house import build

FORMS = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    "large": {"viewport": {"width": 640, "height": 450}, "color_scheme": "light"},  # 1280 by 900 at 200 %
}
TALLEST = 2400
ACROSS, THUMB = 5, (400, 520)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = next(found for name in NAMES if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        house = build(fresh(Path(made)))
        store, links = house.services.store, house.services.links
        rows = fill(store, now=NOW)
        board = fill_board(store, now=NOW)
        Worker(store).run_until_empty()
        served = Served(house.services)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        managers = list(dict.fromkeys(paths(house)))
        for row in rows:
            parts = (
                "",
                "/results",
                "/units",
                "/annotators",
                "/quality",
                "/curation",
                "/reviews",
                "/settings",
                "/unit-status",
            )
            managers += [f"/campaigns/{row.name}{part}" for part in parts]
        managers += [f"/leaderboards/{board.name}{part}" for part in ("", "/data", "/metrics", "/submit", "/manage")]
        managers += ["/api/docs", "/docs/", "/protocols/mqm/1", "/participants", "/jobs", "/accounts/activity"]
        doors = [f"/join/{links.invite(row.id, row.invite_nonce)}" for row in rows]
        for form in FORMS:
            _take(browser, folder, form, served.address, managers, doors, signed_in((house, served.address), "owner"))
            _sheets(folder, form)
        browser.close()
        served.stop()


def _take(
    browser: Browser,
    folder: Path,
    form: str,
    here: str,
    pages: list[str],
    doors: list[str],
    who: dict[str, list[object]],
) -> None:
    context = browser.new_context(**FORMS[form], reduced_motion="reduce")  # type: ignore[arg-type]
    context.add_cookies(who["cookies"])  # type: ignore[arg-type]
    page = context.new_page()
    for address in dict.fromkeys(pages):
        reply = page.goto(here + address)
        if reply is not None and reply.ok:
            page.wait_for_timeout(250)
            page.screenshot(path=folder / f"{_name(address)}-{form}.png", full_page=True)
    context.close()
    for number, door in enumerate(doors):
        context = browser.new_context(**FORMS[form], reduced_motion="reduce")  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(here + door)
        page.screenshot(path=folder / f"join-{number}-{form}.png")
        page.get_by_role("button", name=re.compile("join", re.IGNORECASE)).click()
        page.wait_for_timeout(1200)
        page.screenshot(path=folder / f"work-{number}-first-{form}.png")
        begin = page.get_by_role("button", name="Start")
        if begin.count():
            begin.first.click()
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"work-{number}-{form}.png")
        context.close()


def _name(address: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", address.lower()).strip("-") or "start"


def _sheets(folder: Path, form: str) -> None:
    found = sorted(one for one in folder.glob(f"*-{form}.png") if not one.name.startswith("sheet"))
    for first in range(0, len(found), 3 * ACROSS):
        some = found[first : first + 3 * ACROSS]
        sheet = Image.new("RGB", (ACROSS * THUMB[0], 3 * (THUMB[1] + 20)), "grey")
        draw = ImageDraw.Draw(sheet)
        for at, path in enumerate(some):
            picture = Image.open(path).convert("RGB")
            picture = picture.crop((0, 0, picture.width, min(picture.height, TALLEST)))
            picture.thumbnail((THUMB[0] - 8, THUMB[1]))
            place = (at % ACROSS * THUMB[0], at // ACROSS * (THUMB[1] + 20))
            sheet.paste(picture, (place[0], place[1] + 20))
            draw.text((place[0] + 4, place[1] + 4), path.stem, fill="white")
        sheet.save(folder / f"sheet-{form}-{first // (3 * ACROSS) + 1}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
