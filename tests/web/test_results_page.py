"""The page of results stays small: pictures on a sheet beside it, tables on pages of their own once it is full."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any

import pytest

from benchmarks import _filled
from goldmark.campaigns.assignments.responses import Submission
from goldmark.protocols import load
from goldmark.results import all_tables
from goldmark.results.catalogue import RESULTS
from goldmark.samples import NAMES
from tests.web.house import House
from tests.web.test_page_growth import LARGEST
from tests.web.test_results import with_sample


@pytest.mark.slow
def test_it_is_small_with_sixty_systems(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_filled, "SYSTEMS", 60)
    _filled.fill(house.services.store, "large", load("rating-summary"), _filled.rated, 300, 100)
    chosen = "&".join(f"system=system-{number}" for number in range(50))
    all_small(house, "/campaigns/large/results", f"?{chosen}")


def test_it_is_small_whatever_was_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    really = all_tables.results_of

    def many_rows(*asked: Any, **more: Any) -> all_tables.Results:
        found = really(*asked, **more)
        tables = (replace(one, table=replace(one.table, rows=100 * one.table.rows)) for one in found.tables)
        return replace(found, tables=tuple(tables))

    monkeypatch.setattr(all_tables, "results_of", many_rows)
    with_sample(house, "rating-summary")
    all_small(house, "/campaigns/sample-rating-summary/results", "?system=alder")


def all_small(house: House, address: str, query: str) -> None:
    browser = house.browser("owner")
    tables = {one["name"]: one["rows"] for one in house.program("owner").get(f"/api/v1{address}").json()["tables"]}
    assert sum(map(len, tables.values())) > 1_000
    for path in (address, address + query, *(f"{address}/{name}" for name in tables)):
        reply = browser.get(path)
        assert reply.status_code == 200
        assert len(reply.content) < LARGEST, path
    page = browser.get(address).text
    assert page.index("<table>") < page.index("data-part")  # what is read first is there at once
    assert set(re.findall(r'<article[^>]* id="([a-z-]+)"', page)) == set(tables)


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_has_its_tables_and_pictures(house: House, name: str) -> None:
    address, browser = f"/campaigns/sample-{name}/results", house.browser("curator")
    with_sample(house, name)
    assert len(browser.get(address).content) < LARGEST
    page = browser.whole(address)
    assert "data-part" not in page
    shown = re.findall(rf'<use href="{address}/pictures\.svg#([a-z-]+)"/>', page)
    sheet = browser.get(f"{address}/pictures.svg")
    assert sheet.headers["content-type"] == "image/svg+xml"
    drawn = [one for one in ElementTree.fromstring(sheet.content) if len(one)]
    assert sorted(shown) == sorted(str(one.get("id")) for one in drawn)
    assert len(shown) == page.count('<svg class="picture') >= 2


def test_a_choice_is_kept_on_the_way_to_a_table_and_back(house: House) -> None:
    query = "?system=alder&amp;with_tests=true"
    page = house.browser("curator").get("/campaigns/zoo/results/errors?system=alder&with_tests=true").text
    assert f'href="/campaigns/zoo/results{query}#errors"' in page
    assert f'/campaigns/zoo/results/pictures.svg{query}#errors-wide"' in page
    assert "format=csv" in page
    assert "goldmark campaign results zoo --table errors --system=alder --with-tests" in page
    assert "<h2" in page
    assert house.browser("curator").get("/campaigns/zoo/results/ratings").status_code == 404


def test_pictures_are_of_the_same_answers_as_the_tables_beside_them(house: House) -> None:
    browser, address = house.browser("curator"), "/campaigns/zoo/results"
    assert "1 answer by 1 person" in browser.get(address).text
    before = browser.get(f"{address}/pictures.svg").text
    task = house.services.work.next(house.person).task
    assert task is not None
    house.services.responses.submit(house.person, task.id, Submission({"mistakes": []}, "another-key", None, 3.0))
    assert browser.get(f"{address}/pictures.svg").text == before
    assert "2 answers by 1 person" in browser.get(address).text
    assert browser.get(f"{address}/pictures.svg").text != before


def test_annotators_and_strangers_see_neither_tables_nor_pictures(house: House) -> None:
    for path in ("errors", "pictures.svg"):
        assert house.browser("annotator").get(f"/campaigns/zoo/results/{path}").status_code == 403
        assert house.client(headers={"accept": "text/html"}).get(f"/campaigns/zoo/results/{path}").status_code == 303


def test_no_table_takes_the_place_of_the_pictures() -> None:
    assert not any("." in name for name in RESULTS)
