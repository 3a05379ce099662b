"""What only a browser shows of the documentation: that it is drawn under the pages' policy, from our own files."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.databases import fresh
from tests.e2e.test_access import clean
from tests.e2e.test_manage import Served, signed_in
from tests.web.house import House, build

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    built = build(fresh(tmp_path_factory.mktemp("documentation")))
    served = Served(built.services)
    yield built, served.address
    served.stop()


@pytest.mark.slow  # hundreds of calls are drawn; that the page has them is seen without a browser
def test_a_call_of_the_api_is_described_and_can_be_tried(house: tuple[House, str], visit: Visit) -> None:
    built, address = house
    call = built.app.openapi()["paths"]["/api/v1/me/sign-out"]["post"]
    page = visit(f"{address}/account", **signed_in(house, "manager"))
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url.split("/")[2]))
    page.goto(f"{address}/api/docs")
    page.locator(f"#operations-tag-{call['tags'][0]}").click()
    page.locator(f"#operations-{call['tags'][0]}-{call['operationId']} .opblock-summary-control").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    # It changes something, so it is refused unless it carries the token of our own pages.
    expect(page.locator(".live-responses-table .response-col_status").last).to_have_text("200")
    assert asked == {address.split("/")[2]}
    page.evaluate("scrollTo(0, 0)")  # or some button may lie half under the bar just now
    clean(page)  # as it is drawn, with a call that is open


@pytest.mark.slow
def test_what_swagger_draws_is_a_part_of_the_page(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/api/docs")
    expect(page.locator(".opblock-tag").last).to_be_visible()
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_text("The API")
    clean(page)


@pytest.mark.slow
def test_a_page_of_the_documentation_is_accessible(house: tuple[House, str], visit: Visit) -> None:
    page = visit(f"{house[1]}/docs/how-to/deploy/")
    expect(page.locator(".contents [aria-current]")).to_be_in_viewport()
    clean(page)
    page.get_by_role("searchbox").fill("gamma")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("gamma")
    clean(page)
