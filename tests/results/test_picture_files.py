"""Pictures as files and inside pages: nothing of a stranger's name in the markup, and colours that can be read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest

from goldmark.records.tables import Table
from goldmark.results.inputs.questions import AskedQuestion
from goldmark.results.pictures import palette
from goldmark.results.pictures.draw import DRAWN, picture_file, picture_of
from goldmark.results.pictures.files.forms import PictureForm
from goldmark.results.pictures.files.svg import beside, inline, sheet, standalone
from goldmark.results.pictures.picture_text import cut, width_of
from goldmark.results.pictures.shapes import TextMark
from tests.results.drawn import drawn, of, pairs, progress, rated, shared

CSS = Path(__file__).resolve().parents[2] / "src" / "goldmark" / "web" / "static" / "css"
HOSTILE = [
    "<script>alert(1)</script>",
    "a & b \"c\" 'd'",
    "x" * 5000,
    "שלום",
    "模型" * 40,
    "\u202eevil",
    "$x_1$\ttab\nline",
    "",
    "\x00\x07\ud800",
]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def hostile(kind: str) -> tuple[str, Table]:
    match kind:
        case "dots":
            return "ratings", rated(*((name, 0.5, 0.4, 0.6) for name in HOSTILE))
        case "matrix":
            return "agreement-pairs", pairs(HOSTILE)
        case "line":
            return "progress", progress(1, 2)
    return "choices", shared(*((name, label, 0.1) for name in HOSTILE for label in HOSTILE))


@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("narrow", [False, True])
def test_names_of_strangers_stay_words(kind: str, narrow: bool) -> None:
    name, table = hostile(kind)
    asked = AskedQuestion("correct", HOSTILE[0])
    picture = drawn(name, kind, table, asked, narrow=narrow)
    root = ElementTree.fromstring(standalone(picture))
    found = {element.tag.partition("}")[2] for element in root.iter()}
    assert found <= {"svg", "rect", "line", "polyline", "circle", "text", "title", "desc"}
    seen = Tags()
    seen.feed(str(inline(picture)))
    assert set(seen.tags) <= found
    assert not any(name.startswith("on") or name in ("style", "href") for name in seen.attributes)
    seen.feed(str(beside(picture, '/pictures?system="><script>#ratings')))
    assert set(seen.tags) <= {*found, "use"}
    on_sheet = ElementTree.fromstring(sheet([("ratings", picture)])).iter()
    assert {element.tag.partition("}")[2] for element in on_sheet} <= {*found, "g"}
    for mark in of(picture, TextMark):
        if not mark.turned and mark.anchor == "start":
            assert mark.x + width_of(mark.text, mark.size, bold=mark.bold) <= picture.width + 1


def test_a_long_name_is_whole_in_its_title() -> None:
    picture = drawn("ratings", "dots", rated(("x" * 500, 0.5, 0.4, 0.6), ("y", 0.5, 0.4, 0.6)))
    assert any(mark.title == "x" * 500 and "…" in mark.text for mark in of(picture, TextMark))


def test_a_picture_says_what_it_shows_to_those_who_cannot_see_it() -> None:
    picture = drawn("ratings", "dots", rated(("alder", 0.5, 0.4, 0.6)))
    for markup in (str(inline(picture)), str(beside(picture, "/pictures#ratings"))):
        assert 'role="img"' in markup
        assert "<title>Mean ratings</title>" in markup
        assert "alder: 0.50 [0.40, 0.60]" in markup


def test_inside_a_page_it_has_the_colours_of_the_page_and_alone_its_own() -> None:
    picture = drawn("ratings", "dots", rated(("alder", 0.5, 0.4, 0.6)), titled=True)
    for in_page in (str(inline(picture)), sheet([("ratings", picture)])):
        assert not re.search(r'"#[0-9a-f]{6}"|style', in_page)
    alone = standalone(picture)
    assert "var(" not in alone
    assert ">Mean ratings</text>" in alone  # a file has to say what it is


@pytest.mark.parametrize("kind", DRAWN)
def test_files_for_a_paper(kind: str) -> None:
    pytest.importorskip("matplotlib")
    name, table = hostile(kind)
    picture = drawn(name, kind, table, titled=True)
    png = picture_file(picture, "png")
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[place : place + 4]) for place in (16, 20))
    assert (width, height) == pytest.approx((2 * (picture.width + 32), 2 * (picture.height + 32)), abs=2)


# What is drawn is the same for every form of file; fonts are put into a PDF, which takes long.
@pytest.mark.parametrize(
    "kind", [kind if kind == "stacked" else pytest.param(kind, marks=pytest.mark.slow) for kind in DRAWN]
)
def test_pdf_files_for_a_paper(kind: str) -> None:
    pytest.importorskip("matplotlib")
    name, table = hostile(kind)
    assert picture_file(drawn(name, kind, table, titled=True), "pdf").startswith(b"%PDF")


@pytest.mark.parametrize("form", ["png", "pdf"])
def test_the_same_picture_is_the_same_file(form: PictureForm) -> None:
    pytest.importorskip("matplotlib")
    first, second = (drawn("ratings", "dots", rated(("alder", 0.5, 0.4, 0.6)), titled=True) for _ in range(2))
    assert picture_file(first, form) == picture_file(second, form)


def test_a_table_without_figures_has_no_picture() -> None:
    assert picture_of("people", "", rated(("alder", 0.5, 0.4, 0.6))) is None
    assert picture_of("ratings", "dots", Table("Mean ratings", (), ())) is None
    assert picture_of("ratings", "dots", Table("People", ("name",), (("Ada",),))) is None


# --- colours


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_on_every_colour_can_be_read(scheme: str) -> None:
    def of_scheme(ink: str) -> str:
        return str(getattr(palette.INKS[ink], scheme))

    grounds = [(f"ramp-{step}", f"on-ramp-{step}") for step in range(1, palette.RAMP_STEPS + 1)]
    grounds += [(f"tint-{tone}", "ink") for tone in range(1, palette.TONES + 1)]
    grounds += [("surface", "ink"), ("surface", "ink-soft")]
    for ground, ink in grounds:
        assert contrast(of_scheme(ground), of_scheme(ink)) >= 4.5, (ground, ink)
    for ink in ("accent", *(f"tone-{tone}" for tone in range(1, palette.TONES + 1))):
        assert contrast(of_scheme("surface"), of_scheme(ink)) >= 3, ink  # marks that are no words


def test_steps_of_the_ramp_can_be_told_apart_by_lightness_alone() -> None:
    for scheme in ("light", "dark"):
        steps = [luminance(getattr(palette.INKS[f"ramp-{step}"], scheme)) for step in range(1, palette.RAMP_STEPS + 1)]
        assert steps == sorted(steps, reverse=scheme == "light")
        assert len({round(step, 2) for step in steps}) == len(steps)


@pytest.mark.parametrize(("sheet", "inks"), [("goldmark.css", palette.SHARED), ("results.css", palette.OWN)])
def test_pages_have_the_same_colours(sheet: str, inks: dict[str, palette.Ink]) -> None:
    said = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\);", (CSS / sheet).read_text("utf-8")))
    assert {name: said[name] for name in inks} == {name: f"{ink.light}, {ink.dark}" for name, ink in inks.items()}


def test_a_name_that_was_given_its_own_width_is_whole() -> None:
    for name in ("dogwood", "cedar", "Goldmark", "x" * 7):
        for margin in (14, 18, 0.1):
            assert cut(name, width_of(name) + margin - margin, middle=True) == name
