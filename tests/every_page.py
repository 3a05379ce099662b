"""Every page in light, in dark, on a phone and at 200 %, as pictures to look at: `python -m tests.every_page FOLDER`.

Each page is a file `NAME-light.png` and so on; `sheet-dark-1.png` and so on have many of them side by side.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, sync_playwright

from goldmark.campaigns.lifecycle import move
from goldmark.jobs.worker import Worker
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from goldmark.samples.boards import fill_board
from goldmark.samples.campaigns import fill
from goldmark.studies.design.file import read_study
from goldmark.web.runtime.handlers import load_handlers
from goldmark.web.services import Services
from tests.campaigns.plans import plan_from_parts
from tests.databases import fresh
from tests.e2e.conftest import FLAGS, NAMES
from tests.e2e.test_languages import ARABIC, THAI
from tests.e2e.test_manage import Served, paths, signed_in
from tests.pictures import NOW
from tests.studies.small import HUMANLIKE, Running
from tests.web.house import build

FORMS = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    "large": {"viewport": {"width": 640, "height": 450}, "color_scheme": "light"},  # 1280 by 900 at 200 %
}
ELSEWHERE: list[tuple[str, str, dict[str, object]]] = [
    (
        "en",
        "best-worst",
        {
            "texts": ["A short one.", "Another text, " * 20, "A third.", "The last."],
            "context": {"Request": "A number."},
        },
    ),
    ("ar", "accuracy", {"text": ARABIC, "language": "ar", "context": {"Data": ARABIC}}),
    ("de", "accuracy", {"text": f"{THAI} {THAI}", "language": "th", "context": {"Data": THAI}}),
]
TALLEST = 2400
ACROSS, THUMB = 5, (400, 520)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = next(found for name in NAMES if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        house = build(fresh(Path(made)))
        store, links = house.services.store, house.services.links
        rows = fill(store, now=NOW)
        fill_board(store, now=NOW)
        load_handlers()
        Worker(store).run_until_empty()
        served = Served(house.services)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        owner = signed_in((house, served.address), "owner")
        study = Running(house.services, read_study(HUMANLIKE))
        doors = [f"/join/{links.invite(row.id, row.invite_nonce)}" for row in rows]
        doors += [f"/join/{study.invite}?PROLIFIC_PID=FORM", *(_door(house.services, *one) for one in ELSEWHERE)]
        first = [f"/campaigns/{study.study.name}"]
        first += [f"/campaigns/{row.name}" for row in reversed(rows)] + paths(house)
        managers = _one_of_each(_found(browser, served.address, first, owner))
        for form in FORMS:
            _take(browser, folder, form, served.address, managers, doors, owner)
            _sheets(folder, form)
        browser.close()
        served.stop()


def _door(services: Services, language: str, protocol: str, row: dict[str, object]) -> str:
    """A campaign of one text, for people who read the page in this language."""
    name = f"every-{language}-{protocol}"
    settings = {"campaign": name, "protocol": protocol, "texts": {"tokeniser": "icu"}}
    plan = plan_from_parts(settings, rows=[{"id": "1", **row}])
    open_campaign(services.store, services.links, plan, author="test")
    move(services.store, name, "started", author="test")
    return f"/a/{invite(services.store, services.links, name, 'Ada', author='test')[1]}?language={language}"


def _found(browser: Browser, here: str, first: list[str], who: dict[str, list[object]]) -> list[str]:
    """Every page that links lead to from these; what answers with an error is said."""
    context = browser.new_context()
    context.add_cookies(who["cookies"])  # type: ignore[arg-type]
    kinds: dict[str, str] = {}
    waiting = list(first)
    while waiting:
        address = waiting.pop(0).removesuffix("/") or "/"
        kind = re.sub(r"/\d+(?=/|$)", "/N", address)
        if kind in kinds or not _may(address):
            continue
        kinds[kind] = ""
        reply = context.request.get(here + address)
        if not reply.ok:
            print(f"{address} answers {reply.status}", file=sys.stderr)
        elif "html" in reply.headers["content-type"]:
            kinds[kind] = address
            found = re.findall(r'<a\b[^>]*\shref="([^"]+)"', reply.text())
            links = (urljoin(here + address, unescape(one)) for one in found)
            waiting += [one.removeprefix(here).partition("#")[0] for one in links if one.startswith(here + "/")]
    context.close()
    return [address for address in kinds.values() if address]


def _one_of_each(addresses: list[str]) -> list[str]:
    """Campaigns, protocols and boards look alike, but for their results."""
    alike = r"^/(campaigns|leaderboards|protocols)/(?!new)[^/?]+(?=/)(?!/results)"
    kinds = {re.sub(r"/\d+(?=/|$)", "/N", re.sub(alike, r"/\1/C", one)): one for one in reversed(addresses)}
    return list(kinds.values())


def _may(address: str) -> bool:
    """Neither the documentation, which has tests of its own, nor every order of every table."""
    return not address.startswith(("/docs/", "/api/v1")) and (
        "?" not in address or "against=" in address or "from=accuracy/1" in address
    )


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
        page.goto(here + address)
        page.wait_for_timeout(1000 if page.locator("iframe").count() else 250)
        page.screenshot(path=folder / f"{_name(address)}-{form}.png", full_page=True)
    context.close()
    for number, door in enumerate(doors):
        context = browser.new_context(**FORMS[form], reduced_motion="reduce")  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(here + door.replace("FORM", form))  # nobody takes part in a study twice
        page.screenshot(path=folder / f"join-{number}-{form}.png")
        if door.startswith("/join"):
            page.get_by_role("button", name=re.compile("join", re.IGNORECASE)).click()
        page.locator("#loading").wait_for(state="detached")
        page.screenshot(path=folder / f"work-{number}-first-{form}.png")
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(700)
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
