"""The documentation and the description of the API, as the program itself shows them."""

from __future__ import annotations

import hashlib
import re
from html import unescape
from pathlib import Path

import pytest

from goldmark.web import documentation
from goldmark.web.pages.render import WEB
from goldmark.web.pages.sections import HELP, help_for
from tests.web.house import House

PAGES = [one.address for one in documentation.navigation().pages()]
STATIC = Path(documentation.__file__).parent / "static"


@pytest.fixture(scope="module")
def shown(shared_house: House) -> dict[str, str]:
    """Every page of the navigation, as anybody gets it."""
    client = shared_house.client()
    found = {address: client.get(address) for address in PAGES}
    assert {address: reply.status_code for address, reply in found.items() if reply.status_code != 200} == {}
    return {address: reply.text for address, reply in found.items()}


def article(page: str) -> str:
    found = re.search(r"<article.*?</article>", page, flags=re.DOTALL)
    assert found
    return found[0]


def test_every_link_leads_somewhere(shown: dict[str, str], shared_house: House) -> None:
    client = shared_house.client()
    anchors = {address: set(re.findall(r' id="([^"]+)"', page)) for address, page in shown.items()}
    broken, files = [], set()
    for address, page in shown.items():
        for given in re.findall(r'(?:href|src)="([^"]*)"', article(page)):
            target, _, anchor = unescape(given).partition("#")
            target = target or address
            if target in anchors:
                broken += [(address, given)] if anchor and anchor not in anchors[target] else []
            elif not re.match(r"https?://", target):
                files.add(target)
    assert broken == []
    assert {path: client.get(path).status_code for path in files} == dict.fromkeys(files, 200)
    assert "/docs/images/annotating.png" in files


def test_nothing_of_the_markup_is_left_over(shown: dict[str, str]) -> None:
    for address, page in shown.items():
        words = re.sub(r"<(pre|code)\b.*?</\1>", "code", article(page), flags=re.DOTALL)
        assert "style=" not in words, address  # the pages' policy forbids it
        plain = re.sub(r"<[^>]+>", "", words)
        assert not re.search(r"^\s*(!!!|\?\?\?|:::|===|: ) |\[\^|\]\(|\*\*|^#+ |^\|", plain, flags=re.MULTILINE), (
            address
        )


def test_a_page_is_headed_and_has_its_neighbours(shown: dict[str, str]) -> None:
    page = shown["/docs/how-to/deploy/"]
    assert "<title>" in page
    assert page.count("<h1") == 1
    assert 'aria-current="page">Deploy on a server' in page
    assert 'rel="prev"' in page
    assert '<div class="aside warning">' in page


def test_no_page_is_long_to_load(shown: dict[str, str]) -> None:
    assert {address: len(html) for address, html in shown.items() if len(html.encode()) >= 60_000} == {}


def test_a_section_with_a_page_of_its_own_is_opened_there(shown: dict[str, str]) -> None:
    elsewhere, inside = shown["/docs/how-to/deploy/"], shown["/docs/reference/commands/"]
    assert 'href="/docs/reference/commands/"' in elsewhere
    assert 'href="/docs/reference/commands/score/"' not in elsewhere
    assert "<summary>Commands</summary>" in inside
    assert 'href="/docs/reference/commands/score/"' in inside


def test_modules_are_described_by_their_own_words(shown: dict[str, str]) -> None:
    page = shown["/docs/reference/python/labels/"]
    assert 'id="krippendorff"' in page
    assert "def krippendorff(" in page
    assert "class Figure" in shown["/docs/reference/python/intervals/"]


def test_addresses_lead_to_pages_and_to_nothing_else(shared_house: House) -> None:
    client = shared_house.client(headers={"accept": "text/html"})
    for given, leads in (("/docs", "/docs/"), ("/docs/how-to/deploy", "/docs/how-to/deploy/")):
        assert client.get(given).headers["location"] == leads
    for path in (
        "nothing/",
        "mkdocs.yml",
        "../pyproject.toml",
        "%2e%2e/pyproject.toml",
        "how-to/deploy.md",
        "/etc/passwd",
    ):
        reply = client.get(f"/docs/{path}")
        assert reply.status_code == 404, path


def test_search(shared_house: House) -> None:
    client = shared_house.client()
    found = client.get("/docs/", params={"q": "krippendorff alpha"}).text
    assert found.index("/docs/statistics/krippendorff-alpha/") < found.index("</article>")
    assert "](" not in article(found)
    assert "0 pages with" in client.get("/docs/", params={"q": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in client.get("/docs/", params={"q": "<script>alert(1)</script>"}).text


def test_every_page_has_a_page_of_help_that_exists(shared_house: House) -> None:
    folder = WEB / "templates" / "manage"
    pages = {path.stem for path in folder.glob("*.html") if 'extends "manage/' in path.read_text()}
    # Layouts, the documentation itself, and what is written to a file have none.
    assert sorted(pages - set(HELP)) == ["board_layout", "campaign_layout", "documentation"]
    assert {help_for(page) for page in HELP} <= set(PAGES)
    assert (
        'href="/docs/how-to/watch-quality/">Help' in shared_house.browser("manager").get("/campaigns/zoo/quality").text
    )


def test_every_managers_page_leads_to_it(shared_house: House) -> None:
    assert 'href="/docs/"' in shared_house.browser("manager").get("/").text
    assert 'href="/docs/"' in shared_house.client().get("/signin").text
    assert 'href="/docs/"' not in shared_house.client().get(f"/a/{shared_house.person}").text


def test_the_page_of_the_api_uses_our_own_files_only(shared_house: House) -> None:
    client = shared_house.client()
    page = client.get("/api/docs").text
    loaded = re.findall(r'<(?:script|link)[^>]* (?:src|href)="([^"]+)"', page)
    assert any("swagger-ui-bundle.js" in one for one in loaded)
    assert {one: client.get(one).status_code for one in loaded} == dict.fromkeys(loaded, 200)


def test_vendored_files_are_those_that_were_noted() -> None:
    notes = (STATIC / "vendor" / "README.md").read_text(encoding="utf-8")
    noted = dict(re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", notes, flags=re.MULTILINE))
    found = {
        path.relative_to(STATIC / "vendor").as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (STATIC / "vendor").rglob("*")
        if path.is_file() and path.name != "README.md"
    }
    assert noted == found
