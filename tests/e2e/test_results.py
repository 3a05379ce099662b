"""Results in a real browser: from the list of campaigns to a figure in a file, on a desk and on a telephone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from goldmark.samples import NAMES
from goldmark.samples.campaigns import fill
from tests.databases import fresh
from tests.e2e.conftest import press, until
from tests.e2e.test_access import clean
from tests.e2e.test_manage import NARROW, Served, signed_in
from tests.web.house import House, build

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    """A server with all samples of the demo."""
    house = build(fresh(tmp_path_factory.mktemp("demo")))
    fill(house.services.store, now=datetime(2026, 5, 4, 12, tzinfo=UTC))
    served = Served(house.services)
    yield house, served.address
    served.stop()


def test_from_the_campaigns_to_a_figure_in_a_file(demo: tuple[House, str], visit: Visit, tmp_path: Path) -> None:
    page = visit(demo[1], **signed_in(demo, "manager"))
    page.get_by_role("link", name="Are these answers correct?").click()
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.get_by_label("In short")).to_contain_text("alder has the highest mean")
    expect(page.get_by_role("img", name="Mean ratings")).to_be_visible()
    page.get_by_text("Choose what is compared").focus()
    press(page, "Enter")  # all of it by keyboard
    page.get_by_label("birch").focus()
    press(page, "Space")
    page.get_by_label("Compare by").select_option("annotator")
    page.get_by_role("button", name="Show").press("Enter")
    expect(page.get_by_label("Table: Mean ratings").get_by_role("row")).to_have_count(4)  # a head and three people
    expect(page.get_by_label("birch")).to_be_checked()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="CSV of ratings").click()
    assert waiting.value.suggested_filename == "sample-rating-qa-ratings.csv"
    assert "correct,Ada," in Path(waiting.value.path()).read_text("utf-8")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Report as one HTML file").click()
    waiting.value.save_as(tmp_path / "report.html")
    report = visit((tmp_path / "report.html").as_uri())
    expect(report.get_by_role("heading", name="Mean ratings")).to_be_visible()
    expect(report.get_by_role("img", name="Mean ratings")).to_be_visible()
    clean(report)


def test_what_had_no_room_comes_in_and_has_an_address(demo: tuple[House, str], visit: Visit) -> None:
    address, who = f"{demo[1]}/campaigns/sample-rating-summary/results", signed_in(demo, "curator")
    page = visit(f"{address}#people", **who)
    expect(page.locator("a[data-part]")).to_have_count(0)
    expect(page.locator("#people").get_by_role("table")).to_be_in_viewport()  # where the address leads, though it moved
    until(page, "document.querySelector('#agreement .for-wide use').getBoundingClientRect().height > 100")
    clean(page)
    plain = visit(address, **who, java_script_enabled=False)
    plain.get_by_role("link", name=": Agreement").press("Enter")
    expect(plain.get_by_role("img", name="Agreement")).to_be_visible()
    expect(plain.get_by_label("Table: Agreement").get_by_role("row")).to_have_count(17)
    plain.get_by_role("link", name="All results").press("Enter")
    expect(plain.locator("#agreement")).to_be_in_viewport()
    clean(visit(f"{address}/agreement", **who))


ONE = "rating-qa"
OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in NAMES if name != ONE]


@pytest.mark.slow
@pytest.mark.parametrize("name", [ONE, *OTHERS])
def test_every_sample_on_a_desk_and_on_a_telephone(demo: tuple[House, str], visit: Visit, name: str) -> None:
    page = visit(f"{demo[1]}/campaigns/sample-{name}/results", **signed_in(demo, "curator"))
    expect(page.locator("a[data-part]")).to_have_count(0)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true })")
    for size in (page.viewport_size, NARROW["viewport"]):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        cut = page.locator(".drawn:visible").evaluate_all(
            "all => all.filter(e => e.scrollWidth > e.clientWidth && !e.querySelector('.broad')).length"
        )
        assert cut == 0
    clean(page)
