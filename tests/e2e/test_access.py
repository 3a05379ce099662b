"""WCAG 2.2 AA: axe-core finds nothing on any annotator's page in any state, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from goldmark.records.spans import Span
from tests.e2e import texts
from tests.e2e.conftest import press
from tests.e2e.server_stand_in import Stand
from tests.e2e.test_marking import begin

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]
STANDARD = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
COLOURS = {"type": "rule", "values": ["color-contrast"]}
# Words without a mark and rows of a table look all the same; to measure the colours of each takes most of the time.
ALIKE = [[".w:not(.marked):nth-of-type(n+5)"], ["tbody tr:nth-child(n+5)"]]
RUN = """([rules, alike]) =>
    axe.run({include: [["html"]], exclude: alike}, {runOnly: rules, resultTypes: ["violations"]})
        .then((found) => found.violations)"""


def clean(page: Page) -> None:
    """Every rule in light colours, and contrast, which alone depends on the colours, in dark ones."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    for scheme, rules in (("dark", COLOURS), ("light", STANDARD)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate("() => new Promise(requestAnimationFrame)")  # until then, scripts that follow it have done so
        found = page.evaluate(RUN, [rules, ALIKE])
        seen = [(one["id"], [(node["html"][:200], node["failureSummary"]) for node in one["nodes"]]) for one in found]
        assert seen == [], scheme


@pytest.mark.slow
def test_joining(stand: Stand, visit: Visit) -> None:
    for invite in ("consent", "plain"):
        clean(visit(f"{stand.address}/join/{invite}"))


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_consent_instructions_work_and_thanks(stand: Stand, visit: Visit, thorough: bool) -> None:
    address, _ = stand.add("accuracy", texts.game(), consent="<p>We record your answers.</p>", more=True)
    page = visit(address)
    expect(page.get_by_role("button", name="I agree")).to_be_visible()
    if thorough:
        clean(page)
    page.get_by_role("button", name="I agree").click()
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    clean(page)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("token-spans")).to_be_visible()
    if thorough:
        clean(page)
    for key in "nuwcxo":
        press(page, "ArrowRight", "Shift+ArrowRight", key, "Escape")
    if thorough:
        clean(page)
    press(page, "Control+Enter")  # every mark lacks its correction
    expect(page.locator(".problem:visible").first).to_be_visible()
    clean(page)
    page.set_viewport_size({"width": 360, "height": 740})
    clean(page)
    page.set_viewport_size({"width": 1720, "height": 950})
    if thorough:
        clean(page)
    while page.locator(".mark-remove:visible").count():
        page.locator(".mark-remove:visible").first.click()
    press(page, "Control+Enter")
    expect(page.get_by_label("Completion code")).to_be_visible()
    clean(page)


@pytest.mark.slow
def test_dialogues(stand: Stand, visit: Visit) -> None:
    address, study = stand.add("accuracy", texts.game(), texts.game(1))
    study.accepted[1] = [{"mistakes": []}]
    page = begin(visit, address)
    for key, title in (("?", "All keys"), ("i", "Find the factual errors"), ("e", "My earlier answers")):
        press(page, key)
        expect(page.get_by_role("dialog", name=title)).to_be_visible()
        clean(page)
        press(page, "Escape")
        expect(page.locator(".cursor")).to_be_focused()


@pytest.mark.slow
def test_linked_spans_of_a_two_level_taxonomy(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("tgea", texts.unit(texts.text(texts.STORM)))
    page = begin(visit, address)
    clean(page)
    press(page, "2", "Control+Enter", "ArrowRight", "c")
    clean(page)
    press(page, "p")
    clean(page)
    press(page, "ArrowRight", "Enter")
    clean(page)


ASKED_ALIKE = (
    "rating-summary",
    "explanation-coding",
    "verification",
    "pairwise",
)  # asked by questions that others have too


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["humanlike", *ASKED_ALIKE])
def test_protocols(stand: Stand, visit: Visit, protocol: str) -> None:
    text = texts.text(texts.STORM, prompt=Span(0, 4))
    shown = {
        "pairwise": lambda: texts.unit(text, texts.text(texts.GAME), context=(texts.SOURCE,)),
        "verification": texts.verification,
    }.get(protocol, lambda: texts.unit(text, context=(texts.SOURCE, texts.BOX, texts.LINK)))
    address, _ = stand.add(protocol, shown())
    page = begin(visit, address)
    clean(page)
    press(page, "1", "Control+Enter")
    clean(page)


@pytest.mark.slow
def test_no_connection_and_a_link_that_does_not_work(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    page.route("**/responses", lambda route: route.abort())
    press(page, "Control+Enter")
    expect(page.locator(".queued")).to_be_visible()
    clean(page)
    page = visit(address)
    page.route("**/work/next", lambda route: route.fulfill(status=403, json={"ok": False, "message": "you are paused"}))
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("you are paused")).to_be_visible()
    clean(page)


def test_targets_are_large_enough_for_a_finger(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.game())
    page = begin(visit, address, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.locator(".w", has_text="Friday").tap()
    boxes = page.locator("button:visible, a:visible:not(.skip), input:visible").evaluate_all(
        "all => all.map(e => [e.textContent.trim() || e.ariaLabel, e.getBoundingClientRect()])"
    )
    assert [name for name, box in boxes if box["width"] < 24 or box["height"] < 24] == []
    go = page.get_by_role("button", name="Submit").bounding_box()
    assert go is not None
    assert go["height"] >= 44


def test_the_theme_is_chosen_and_remembered(stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.game())
    page = begin(visit, address)
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Colours").click()  # light
    page.get_by_role("button", name="Colours").click()  # dark
    dark = page.evaluate(paper)
    assert dark != light
    page.reload()
    assert page.evaluate(paper) == dark
