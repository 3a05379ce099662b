"""Every page in light, in dark, on a phone and at 200 %, as pictures to look at: `python -m tests.every_page FOLDER`.

Owners see the most; curators, annotators with an account and strangers are shown what differs for them; people who take
part, what they meet in several languages. Each page is a file `NAME-light.png` and so on; `sheet-dark-1.png` and so on
have many of them side by side. What a program can notice (wider than the screen, glued, cut off) is printed.
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
from playwright.sync_api import Browser, Page, sync_playwright

from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.settings_change import change_settings
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
SHEET = (1200, 980)  # large enough to be read, and shown as it is
WIDE = {"light": 400, "dark": 400, "phone": 200, "large": 300}  # of one picture on a sheet
LANGUAGES = ("ar", "de", "zh")
NOBODYS = ("/", "/signin", "/leaderboards", "/docs", "/nowhere", "/campaigns", "/a/not-a-link", "/join/not-a-link")
NOTICED = """() => {
  const found = new Set(), edge = document.documentElement.clientWidth
  const said = one => (one.innerText || one.name || "").slice(0, 30)
  const named = one => `${one.tagName.toLowerCase()}.${one.className} "${said(one)}"`
  if (document.documentElement.scrollWidth > edge + 1) found.add("the page is wider than the screen")
  const scrolls = one => {
    for (let up = one.parentElement; up; up = up.parentElement)
      if (/auto|scroll/.test(getComputedStyle(up).overflowX) && up !== document.documentElement) return true
  }
  const controls = [...document.querySelectorAll("button, a.button, input, select, textarea, summary")]
    .filter(one => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    .map(one => [one, one.getBoundingClientRect()]).filter(([one, box]) => box.width > 3 && box.height > 3)
  for (const [one, box] of controls)
    if ((box.right > edge + 1 || box.left < -1) && !scrolls(one)) found.add(`beyond the edge: ${named(one)}`)
  for (const [at, [one, a]] of controls.entries())
    for (const [other, b] of controls.slice(at + 1)) {
      if (one.contains(other) || other.contains(one)) continue
      const across = Math.max(a.left, b.left) - Math.min(a.right, b.right)
      const down = Math.max(a.top, b.top) - Math.min(a.bottom, b.bottom)
      if (across < 3 && down < 3 && getComputedStyle(one.parentElement).position !== "absolute")
        found.add(`glued: ${named(one)} and ${named(other)}`)
    }
  for (const one of document.querySelectorAll("main *")) {
    const style = getComputedStyle(one)
    if (one.checkVisibility() && one.clientWidth > 3 && /hidden|clip/.test(style.overflowX) && one.innerText
        && one.scrollWidth > one.clientWidth + 2 && style.textOverflow !== "ellipsis")
      found.add(`cut off: ${named(one)}`)
  }
  return [...found].slice(0, 8)
}"""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = next(found for name in NAMES if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        house = build(fresh(Path(made)))
        store, links = house.services.store, house.services.links
        rows = fill(store, now=NOW)
        for row in rows:  # or there would be no work left for the later pictures
            settings = row.settings.model_copy(update={"labels_per_unit": 60})
            change_settings(store, row.name, settings, title=row.title, author="test", reason="")
        fill_board(store, now=NOW)
        load_handlers()
        Worker(store).run_until_empty()
        served = Served(house.services)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        owner = signed_in((house, served.address), "owner")
        study = Running(house.services, read_study(HUMANLIKE))
        doors = [f"/join/{links.invite(row.id, row.invite_nonce)}" for row in rows]
        doors += [f"{doors[at]}?language={one}" for one in LANGUAGES for at in range(len(rows))]
        doors += [f"/join/{study.invite}?PROLIFIC_PID=FORM", *(_door(house.services, *one) for one in ELSEWHERE)]
        first = [f"/campaigns/{study.study.name}"]
        first += [f"/campaigns/{row.name}" for row in reversed(rows)] + paths(house)
        managers = _one_of_each(_found(browser, served.address, first, owner))
        others = {role: signed_in((house, served.address), role) for role in ("curator", "annotator")}
        for form in FORMS:
            _take(browser, folder, form, served.address, managers, owner)
            for role, who in others.items():
                pages = _found(browser, served.address, ["/", "/account", "/protocols", "/leaderboards"], who)
                _take(browser, folder, form, served.address, _one_of_each(pages), who, f"{role}-")
            _take(browser, folder, form, served.address, list(NOBODYS), {"cookies": []}, "stranger-")
            _work(browser, folder, form, served.address, doors)
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
        reply = context.request.get(here + address, max_retries=3)  # a server closes what is idle
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
    who: dict[str, list[object]],
    before: str = "",
) -> None:
    context = browser.new_context(**FORMS[form], reduced_motion="reduce")  # type: ignore[arg-type]
    context.add_cookies(who["cookies"])  # type: ignore[arg-type]
    page = context.new_page()
    for address in dict.fromkeys(pages):
        page.goto(here + address)
        page.wait_for_timeout(1000 if page.locator("iframe, #api").count() else 250)
        _picture(page, folder / f"{before}{_name(address)}-{form}.png", full=True)
    context.close()


def _work(browser: Browser, folder: Path, form: str, here: str, doors: list[str]) -> None:
    for number, door in enumerate(doors):
        context = browser.new_context(**FORMS[form], reduced_motion="reduce")  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(here + door.replace("FORM", form))  # nobody takes part in a study twice
        language = page.locator("html").get_attribute("lang")
        _picture(page, folder / f"join-{number}-{language}-{form}.png")
        if door.startswith("/join"):
            page.locator("main form button:not([name=language])").last.click()
        page.locator("#loading").wait_for(state="detached")
        _picture(page, folder / f"work-{number}-{language}-first-{form}.png")
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(700)
        _picture(page, folder / f"work-{number}-{language}-{form}.png")
        context.close()


def _picture(page: Page, path: Path, *, full: bool = False) -> None:
    page.screenshot(path=path, full_page=full)
    for one in page.evaluate(NOTICED):
        print(f"{path.stem}: {one}")


def _name(address: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", address.lower()).strip("-") or "start"


def _sheets(folder: Path, form: str) -> None:
    found = sorted(one for one in folder.glob(f"*-{form}.png") if not one.name.startswith("sheet"))
    wide, number = WIDE[form], 0
    sheet, tops = _empty(wide)
    for path in found:
        picture = Image.open(path).convert("RGB")
        picture = picture.crop((0, 0, picture.width, min(picture.height, TALLEST)))
        picture.thumbnail((wide - 6, SHEET[1] - 20))
        at = tops.index(min(tops))
        if tops[at] + picture.height + 16 > SHEET[1]:
            number += 1
            sheet.save(folder / f"sheet-{form}-{number}.png")
            (sheet, tops), at = _empty(wide), 0
        ImageDraw.Draw(sheet).text((at * wide + 2, tops[at]), path.stem[: wide // 6], fill="white")
        sheet.paste(picture, (at * wide, tops[at] + 14))
        tops[at] += picture.height + 18
    sheet.save(folder / f"sheet-{form}-{number + 1}.png")


def _empty(wide: int) -> tuple[Image.Image, list[int]]:
    """A sheet, and how far down each of its columns is filled."""
    return Image.new("RGB", SHEET, "grey"), [0] * (SHEET[0] // wide)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
