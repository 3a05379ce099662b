"""A count stands with its noun, one or many: "1 label", never "1 labels", on every page and in every template."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from goldmark.records.figures import counted
from goldmark.web.pages import frame
from tests.e2e.test_manage import paths
from tests.web.house import House

TEMPLATES = Path(frame.__file__).parents[1] / "templates"
NOUNS = (
    "annotators|answers|campaigns|categories|columns|conditions|days|errors|files|hours|inputs|items|jobs|labels|marks|"
    "minutes|mistakes|outputs|pairs|participants|people|places|problems|questions|responses|revisions|rounds|rows|"
    "sentences|studies|submissions|systems|teams|texts|things|tokens|units|versions|words"
)
# A bare number before a plural. What can never be one is said to be so.
BARE = re.compile(rf"\{{\{{((?:(?!\}}\}}|many\().)*)\}}\}}(?:</\w+>)? ({NOUNS})\b")
DRAWN = r"<script.*?</script>|<style.*?</style>|<svg.*?</svg>|<[^>]+>"  # an axis ends in a bare number
NEVER_ONE = ("one.label.revision", "most", "board.name", '"%.1f"')


def test_no_template_puts_a_bare_number_before_a_plural() -> None:
    found = {
        path.name: [whole.group() for whole in BARE.finditer(path.read_text(encoding="utf-8"))]
        for path in sorted(TEMPLATES.rglob("*.html"))
    }
    bare = {
        name: [one for one in some if not any(one.startswith(f"{{{{ {known}") for known in NEVER_ONE)]
        for name, some in found.items()
    }
    assert {name: some for name, some in bare.items() if some} == {}


def test_no_page_of_a_campaign_with_one_of_everything_says_one_of_many(house: House) -> None:
    browser = house.browser("owner")
    said: dict[str, list[str]] = {}
    for address in paths(house):
        page = browser.get(address)
        words = unescape(re.sub(DRAWN, "", page.text, flags=re.DOTALL))
        found = re.findall(rf"(?<![\d.,/:-])\b1 (?:{NOUNS})\b", re.sub(r"\s+", " ", words))
        if found:
            said[address] = found
    assert said == {}


@pytest.mark.parametrize(("count", "said"), [(0, "0 labels"), (1, "1 label"), (2, "2 labels"), (1234, "1,234 labels")])
def test_a_number_with_its_noun(count: int, said: str) -> None:
    assert counted(count, "label") == said
    assert counted(1, "person", "people") == "1 person"


def test_what_is_estimated_is_told_no_more_exactly_than_that() -> None:
    told = {45: "45 s", 60: "1 min", 344: "6 min", 3599: "1 h", 9000: "2 h 30 min"}
    assert {seconds: frame.about(seconds) for seconds in told} == told
