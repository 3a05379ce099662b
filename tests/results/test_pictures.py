"""Pictures: every figure at its place, nothing of a stranger's name in the markup, and what is missing is said."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from datetime import date, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from goldmark.records.tables import Table
from goldmark.results.inputs.questions import AskedQuestion
from goldmark.results.pictures import palette
from goldmark.results.pictures.axes import SHARES, Axis, axis_for, round_axis
from goldmark.results.pictures.draw import DRAWN, picture_file, picture_of
from goldmark.results.pictures.files.forms import PictureForm
from goldmark.results.pictures.files.svg import inline, standalone
from goldmark.results.pictures.picture_text import cut, fit, number, percent, width_of
from goldmark.results.pictures.shapes import Box, Dot, Line, Picture, TextMark

CSS = Path(__file__).resolve().parents[2] / "src" / "goldmark" / "web" / "static" / "css"
AGREE = AskedQuestion("correct", "Is it?", (0.0, 1.0), {"no": "No", "so_so": "So so", "yes": "Yes"})
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
Shape = TypeVar("Shape", TextMark, Dot, Box, Line)


def rated(*figures: tuple[str, float | None, float | None, float | None], question: str = "correct") -> Table:
    rows: list[dict[str, Any]] = [
        {
            "question": question,
            "system": system,
            "value": value,
            "low": low,
            "high": high,
            "n": 9,
            "reason": "" if value is not None and low is not None else "nobody has judged it",
        }
        for system, value, low, high in figures
    ]
    return Table.of("Mean ratings", rows, labels={"value": "mean"}, signature="figure:mean|level:0.95")


def shared(*figures: tuple[str, str, float], question: str = "correct") -> Table:
    rows: list[dict[str, Any]] = [
        {"question": question, "system": system, "label": label, "value": share, "low": None, "high": None, "n": 4}
        for system, label, share in figures
    ]
    return Table.of("Shares", rows, labels={"value": "share"})


def drawn(name: str, kind: str, table: Table, *questions: AskedQuestion, **more: bool) -> Picture:
    picture = picture_of(name, kind, table, questions, **more)
    assert picture is not None
    return picture


def of(picture: Picture, kind: type[Shape]) -> list[Shape]:
    return [mark for mark in picture.marks if isinstance(mark, kind)]


def word(picture: Picture, text: str) -> TextMark:
    return next(mark for mark in of(picture, TextMark) if mark.text == text)


# --- axes


@pytest.mark.parametrize(
    ("values", "scale", "ends", "ticks"),
    [
        ([0.031, 0.863], None, (0, 1), 5),  # shares lie on 0 to 1, whatever their own ends
        ([0.5, 1.063], None, (0, 1.25), 6),  # never 0.031 to 1.063
        ([2.17, 11.67], None, (0, 12.5), 6),
        ([-0.278, 0.79], None, (-0.5, 1), 7),
        ([1.6, 3.4], (1.0, 4.0), (1, 4), 4),  # all of the scale, and nothing at 1.5
        ([12.0, 88.0], (0.0, 100.0), (0, 100), 6),
        ([0.2, 0.9], (0.0, 1.0), (0, 1), 5),
        ([], None, (0, 1), 5),
        ([3.0, 3.0], None, (0, 3), 4),
    ],
)
def test_an_axis_has_round_ends(
    values: list[float], scale: tuple[float, float] | None, ends: tuple[float, float], ticks: int
) -> None:
    axis = axis_for(values, scale)
    assert (axis.low, axis.high) == ends
    assert len(axis.ticks) == ticks
    assert (axis.ticks[0], axis.ticks[-1]) == ends


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_an_axis_holds_what_it_is_for(one: float, other: float) -> None:
    low, high = sorted((one, other))
    axis = round_axis(low, high)
    slack = 1e-9 * max(1.0, abs(low), abs(high))
    assert axis.low <= low + slack
    assert high - slack <= axis.high
    assert axis.low < axis.high
    assert 2 <= len(axis.ticks) <= 8
    assert all(len(axis.label(tick).strip("−").replace(",", "")) <= 12 for tick in axis.ticks)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(3, 9))
def test_its_ticks_are_round(one: float, other: float, most: int) -> None:
    """Never 0.031 to 1.063: every tick is a multiple of 1, 2, 2.5 or 5 times a power of ten, the ends too."""
    assume(abs(one - other) > 1e-3)
    axis = round_axis(min(one, other), max(one, other), most)
    step = axis.ticks[1] - axis.ticks[0]
    power = 10.0 ** math.floor(math.log10(step * (1 + 1e-9)))
    assert min(abs(step / power - known) for known in (1, 2, 2.5, 5)) < 1e-6
    assert all(abs(tick / step - round(tick / step)) < 1e-6 for tick in axis.ticks)
    assert (axis.low, axis.high) == (axis.ticks[0], axis.ticks[-1])


def test_what_was_once_drawn_from_0_031_to_1_063() -> None:
    assert axis_for([0.031, 1.063]).ticks == (0, 0.25, 0.5, 0.75, 1, 1.25)
    assert [axis_for([0.031, 1.063]).label(tick) for tick in (0, 0.25, 1.25)] == ["0", "0.25", "1.25"]


def test_a_value_lies_between_its_ticks() -> None:
    assert Axis(0, 4, (0, 2, 4)).at(1, 100, 200) == 150
    assert SHARES.label(0.25) == "0.25"
    assert Axis(-1, 1, (-1, 0, 1)).label(-1) == "−1"


# --- words


def test_words_are_cut_to_their_room() -> None:
    assert cut("alder", 200) == "alder"
    long = "a-system-with-a-name-that-goes-on-v1.2"
    assert width_of(cut(long, 120)) <= 120
    assert cut(long, 120, middle=True).endswith("v1.2")  # names often differ only in the last
    assert cut(long, 1) == "…"
    assert fit(" a\n b\u202ec\x00 ") == "a b\ufffdc\ufffd"


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0"), (0.99, "0.99"), (10.889, "10.9"), (128.4, "128"), (-0.5, "−0.50"), (0.0004, "0.0004")]
)
def test_numbers_as_they_are_written(value: float, said: str) -> None:
    assert number(value) == said


def test_a_share_that_is_not_nothing_is_not_written_as_nothing() -> None:
    assert [percent(share) for share in (0, 0.001, 0.37, 1)] == ["0 %", "<1 %", "37 %", "100 %"]


# --- dots and whiskers


@pytest.mark.parametrize("narrow", [False, True])
def test_a_dot_lies_where_its_value_is(narrow: bool) -> None:
    picture = drawn("ratings", "dots", rated(("alder", 0.25, 0.1, 0.5)), AGREE, narrow=narrow)
    zero, one = word(picture, "0").x, word(picture, "1").x
    (dot,) = of(picture, Dot)
    assert dot.x == pytest.approx(zero + 0.25 * (one - zero))
    whisker = next(line for line in of(picture, Line) if line.ink == "accent" and line.width == 2)
    assert [x for x, _ in whisker.points] == pytest.approx([zero + 0.1 * (one - zero), zero + 0.5 * (one - zero)])
    assert word(picture, "0.25")  # the number is written beside
    assert max(mark.x for mark in of(picture, TextMark)) <= picture.width


def test_questions_with_scales_of_their_own_have_axes_of_their_own() -> None:
    both = [*rated(("alder", 0.5, 0.4, 0.6)).records(), *rated(("alder", 60.0, 50.0, 70.0), question="grade").records()]
    table = Table.of("Mean ratings", both)
    picture = drawn("ratings", "dots", table, AGREE, AskedQuestion("grade", "How good?", (0.0, 100.0)))
    dots = of(picture, Dot)
    assert dots[0].x == pytest.approx(word(picture, "0.5").x)
    assert dots[1].x == pytest.approx(word(picture, "60").x)


def test_what_is_not_known_is_said_in_its_place() -> None:
    picture = drawn("ratings", "dots", rated(("alder", None, None, None), ("birch", 0.5, 0.4, 0.6)))
    assert word(picture, "not known: nobody has judged it")
    assert len(of(picture, Dot)) == 1
    assert "alder: not known (nobody has judged it)" in picture.gist


def test_nothing_known_at_all_needs_no_picture() -> None:
    table = rated(("alder", None, None, None), ("birch", None, None, None))
    assert picture_of("ratings", "dots", table) is None


def test_a_figure_without_an_interval_is_a_ring_and_says_why() -> None:
    picture = drawn("ratings", "dots", rated(("alder", 0.5, None, None), ("birch", 0.5, 0.4, 0.6)))
    assert [dot.hollow for dot in of(picture, Dot)] == [True, False]
    assert word(picture, "A ring has no interval: nobody has judged it.")


def test_a_difference_is_compared_with_none() -> None:
    rows: list[dict[str, Any]] = [
        {"question": "q", "first": "alder", "second": "birch", "value": 2.0, "low": 1.0, "high": 3.0, "n": 4}
    ]
    picture = drawn("differences", "dots", Table.of("Differences", rows, reference=(0.0, "no difference")))
    assert word(picture, "alder − birch")
    dashed = next(line for line in of(picture, Line) if line.dashed)
    assert dashed.points[0][0] == pytest.approx(word(picture, "0").x)
    assert word(picture, "no difference")


def test_sixty_systems_and_four_questions() -> None:
    rows = [
        row
        for question in ("a", "b", "c", "d")
        for row in rated(*((f"s{n:02}", n / 60, n / 60, n / 60) for n in range(60)), question=question).records()
    ]
    table = Table.of("Mean ratings", [*rows, *rated(("one more", 0.5, 0.4, 0.6), question="e").records()])
    picture = drawn("ratings", "dots", table)
    assert len(of(picture, Dot)) == 240
    assert word(picture, "1 more are in the table.")
    assert "and 229 more" in picture.gist


def test_a_name_that_all_rows_share_is_left_out() -> None:
    picture = drawn("errors", "heat", shared(("all", "NAME", 0.5), ("all", "NUMBER", 0.25)))
    assert len(of(picture, Dot)) == 2  # one system alone has its figures as dots
    assert word(picture, "NAME")


# --- shares


def test_parts_of_a_bar_are_as_wide_as_their_shares() -> None:
    table = shared(("alder", "no", 0.25), ("alder", "yes", 0.75), ("birch", "so_so", 1.0))
    picture = drawn("distribution", "stacked", table, AGREE)
    bars = [box for box in of(picture, Box) if box.title]
    assert [box.title for box in bars] == ["alder, No: 25 %", "alder, Yes: 75 %", "birch, So so: 100 %"]
    assert (bars[1].width + 1.5) / (bars[0].width + 1.5) == pytest.approx(3)
    # The whole scale has shades, also what nobody of a group answered: the same shade means the same everywhere.
    assert [box.ink for box in bars] == ["ramp-2", "ramp-7", palette.ramp(3.5 / 6)[0]]
    assert word(picture, "No 25 %")
    assert word(picture, "n = 4")


def test_answers_that_are_no_scale_have_tones_and_an_edge() -> None:
    picture = drawn("choices", "stacked", shared(("alder", "fine", 0.5), ("alder", "odd", 0.5), question="verdict"))
    assert {box.ink for box in of(picture, Box)} == {"tint-1", "tone-1", "tint-2", "tone-2"}


def test_several_answers_of_one_person_are_no_whole() -> None:
    table = shared(("a", "form", 0.9), ("a", "content", 0.6), ("b", "form", 0.1), ("b", "content", 0.2))
    picture = drawn("choices", "stacked", table)
    assert sorted(mark.text for mark in of(picture, TextMark) if mark.text.startswith("0.")) == [
        "0.10",
        "0.20",
        "0.60",
        "0.90",
    ]


# --- cells


def test_the_most_has_the_strongest_colour_and_the_total_none() -> None:
    table = shared(("a", "total", 9.0), ("a", "NAME", 2.0), ("b", "total", 5.0), ("b", "NAME", 0.0))
    picture = drawn("errors", "heat", table)
    assert {box.title: box.ink for box in of(picture, Box)} == {"a · NAME: 2.00": "ramp-7", "b · NAME: 0": "ramp-1"}
    assert word(picture, "9.00").bold
    assert word(picture, "2.00").ink == "on-ramp-7"


def test_many_systems_stand_below_each_other() -> None:
    table = shared(*((f"s{n}", label, 0.5) for n in range(20) for label in ("NAME", "A LONG NAME OF A CATEGORY", "X")))
    wide, narrow = (drawn("errors", "heat", table, narrow=narrow) for narrow in (False, True))
    assert word(wide, "s19").x == 0
    assert any(mark.turned for mark in of(wide, TextMark))
    assert narrow.broad
    assert not wide.broad


def pairs(people: Sequence[str], value: float | None = 0.5) -> Table:
    rows: list[dict[str, Any]] = [
        {"question": "q", "label": "", "first": a, "second": b, "measure": "percent", "value": value, "reason": "alone"}
        for place, a in enumerate(people)
        for b in people[place + 1 :]
    ]
    return Table.of("Pairs", rows)


def test_every_two_people_have_one_cell() -> None:
    picture = drawn("agreement-pairs", "matrix", pairs(["Ada", "Bo", "Cleo"]))
    assert sorted(box.title for box in of(picture, Box)) == [
        "Ada and Bo: 0.50",
        "Ada and Cleo: 0.50",
        "Bo and Cleo: 0.50",
    ]
    assert [mark.text for mark in of(picture, TextMark)].count("Ada") == 1
    assert "Ada and Bo: 0.50" in picture.gist


def test_of_a_crowd_those_are_drawn_who_met_most_others() -> None:
    many = [f"p{number:03}" for number in range(60)]
    sizes = []
    for people in (many[:30], many):
        picture = drawn("agreement-pairs", "matrix", pairs(people))
        sizes.append(len(of(picture, Box)))
        assert word(picture, f"The 16 who met most others; {len(people) - 16} more are in the table.")
    assert sizes[0] == sizes[1]


def test_pairs_of_whom_nothing_is_known() -> None:
    picture = drawn("agreement-pairs", "matrix", pairs(["Ada", "Bo"], None))
    assert of(picture, Box) == []
    assert word(picture, "–").title == "Ada and Bo: not known (alone)"


# --- days


def progress(*counts: int) -> Table:
    rows: list[dict[str, Any]] = []
    for place, count in enumerate(counts):
        day = date(2026, 12, 30) + timedelta(days=place)
        rows.append({"day": day.isoformat(), "responses": count, "total": sum(counts[: place + 1])})
    return Table.of("Progress", rows)


def test_answers_grow_from_nothing() -> None:
    picture = drawn("progress", "line", progress(10, 0, 30))
    (curve,) = (line for line in of(picture, Line) if line.ink == "accent")
    left, *_, right = (x for x, _ in curve.points)
    heights = [y for _, y in curve.points]
    assert len(curve.points) == 4
    assert heights[0] == pytest.approx(word(picture, "0").y - 4)
    assert (heights[0] - heights[1]) / (heights[0] - heights[3]) == pytest.approx(10 / 40)
    assert curve.points[1][0] - left == pytest.approx((right - left) / 3)
    assert word(picture, "40 answers")
    assert word(picture, "30 Dec 2026")
    assert word(picture, "1 Jan 2027")  # a new year is named


@pytest.mark.parametrize("days", [1, 2, 400])
def test_days_do_not_run_into_each_other(days: int) -> None:
    for narrow in (False, True):
        picture = drawn("progress", "line", progress(*([3] * days)), narrow=narrow)
        dates = [mark for mark in of(picture, TextMark) if re.match(r"\d+ [A-Z]", mark.text)]
        edges = [(mark.x - width_of(mark.text, 12) / 2, mark.x + width_of(mark.text, 12) / 2) for mark in dates]
        assert all(first[1] <= second[0] for first, second in pairwise(edges))


# --- all kinds


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
    for mark in of(picture, TextMark):
        if not mark.turned and mark.anchor == "start":
            assert mark.x + width_of(mark.text, mark.size, bold=mark.bold) <= picture.width + 1


def test_a_long_name_is_whole_in_its_title() -> None:
    picture = drawn("ratings", "dots", rated(("x" * 500, 0.5, 0.4, 0.6), ("y", 0.5, 0.4, 0.6)))
    assert any(mark.title == "x" * 500 and "…" in mark.text for mark in of(picture, TextMark))


def test_a_picture_says_what_it_shows_to_those_who_cannot_see_it() -> None:
    markup = str(inline(drawn("ratings", "dots", rated(("alder", 0.5, 0.4, 0.6)))))
    assert 'role="img"' in markup
    assert "<title>Mean ratings</title>" in markup
    assert "alder: 0.50 [0.40, 0.60]" in markup


def test_inside_a_page_it_has_the_colours_of_the_page_and_alone_its_own() -> None:
    picture = drawn("ratings", "dots", rated(("alder", 0.5, 0.4, 0.6)), titled=True)
    assert not re.search(r'"#[0-9a-f]{6}"|style', str(inline(picture)))
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
