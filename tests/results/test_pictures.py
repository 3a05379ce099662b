"""Pictures of every kind: each figure at its place, and what is missing is said."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from goldmark.records.tables import Table
from goldmark.results.inputs.questions import AskedQuestion
from goldmark.results.pictures import palette
from goldmark.results.pictures.draw import picture_of
from goldmark.results.pictures.picture_text import width_of
from goldmark.results.pictures.shapes import Box, Dot, Line, TextMark
from tests.results.drawn import AGREE, drawn, of, pairs, progress, rated, shared, word

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
