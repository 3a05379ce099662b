"""Box scores fit on common screens, or say and show that they scroll: nobody misses REB, AST or STL without a word."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldmark.records.units import ContextTable
from tests.e2e import texts
from tests.e2e.conftest import press
from tests.e2e.server_stand_in import Stand
from tests.e2e.test_marking import begin

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]
# What newspapers print of a player, as the shared task's tables have it.
COLUMNS = (
    *("Player", "Start", "MIN", "PTS", "FGM", "FGA", "FG_PCT", "FG3M", "FG3A", "FG3_PCT", "FTM", "FTA", "FT_PCT"),
    *("OREB", "DREB", "REB", "AST", "STL", "BLK", "TO", "PF"),
)
WIDE = ContextTable("Box score", COLUMNS, tuple(("Devereaux-Achterberg", "F", *range(40, 59)) for _ in range(8)))
CUE = "More columns: scroll sideways, or use the arrow keys."
OUT_OF_SIGHT = """box => [...box.querySelectorAll("thead th")].filter(cell => {
  const a = cell.getBoundingClientRect(), b = box.getBoundingClientRect()
  return a.right > b.right + 1 || a.left < b.left - 1
}).map(cell => cell.innerText)"""


@pytest.mark.parametrize("width", [1360, 1920, 390])
@pytest.mark.parametrize("table", [texts.BOX, WIDE], ids=["twelve columns", "all columns"])
def test_a_box_score_fits_or_shows_that_it_scrolls(table: ContextTable, width: int, stand: Stand, visit: Visit) -> None:
    address, _ = stand.add("accuracy", texts.unit(texts.text(texts.STORM), context=(table,)))
    page = begin(visit, address, viewport={"width": width, "height": 800})
    box = page.locator(".table-box")
    expect(box.get_by_role("columnheader", name="AST")).to_be_attached()
    hidden = box.evaluate(OUT_OF_SIGHT)
    if not hidden:
        expect(page.get_by_text(CUE)).to_be_hidden()
        return
    assert table is WIDE or width == 390, f"twelve columns should fit at {width}, and {hidden} do not"
    expect(page.get_by_text(CUE)).to_be_visible()
    expect(box).to_contain_class("cut")  # it fades out at that side
    box.focus()  # and every column can be reached by keyboard
    for _ in range(60):
        press(page, "ArrowRight")
    expect(box).not_to_contain_class("cut")
    last = box.get_by_role("columnheader").last
    expect(last).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # the page itself stays


def test_what_fades_is_drawn(stand: Stand, visit: Visit) -> None:
    """The cue is in the colours of the page, not only in a class that no rule knows."""
    address, _ = stand.add("accuracy", texts.unit(texts.text(texts.STORM), context=(WIDE,)))
    page = begin(visit, address, viewport={"width": 390, "height": 800})
    style = "el => { const s = getComputedStyle(el); return s.maskImage + s.boxShadow + s.borderInlineEndStyle }"
    whole = page.locator(".table-box").evaluate(style)
    page.locator(".table-box").evaluate("el => el.classList.remove('cut')")
    assert page.locator(".table-box").evaluate(style) != whole
