"""Texts drawn on the server: every character survives, nothing runs, every mark is there with its letter."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import GivenMark, ShownText
from goldmark.web.pages.answers.drawn_text import DrawnMark, draw, passage, visible


def shown(characters: str, **more: object) -> ShownText:
    tokens = tuple(Span(found.start(), found.end()) for found in re.finditer(r"\S+", characters))
    sentences = (Span(0, len(tokens)),) if tokens else ()
    return ShownText(Text("t", characters, tokens, sentences), **more)  # type: ignore[arg-type]


class Read(HTMLParser):
    """The text of drawn HTML: lines, without badges, and boxes turned back into what they stand for."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.tags: set[str] = set()
        self._skip = 0
        self._box = False
        self._open: list[str] = []
        self.feed(str(html))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        classes = (dict(attrs).get("class") or "").split()
        if "line" in classes:
            self.lines.append("")
        self._open.append("skip" if "badges" in classes else tag)
        self._box = "invisible" in classes

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()
        self._box = False

    def handle_data(self, data: str) -> None:
        if "skip" not in self._open:
            self.lines[-1] += chr(int(data[2:], 16)) if self._box else data


HOSTILE = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from("<>&\"'\n\r \u202e\u200b\u2028é字🙂")), max_size=60
)


@given(HOSTILE, st.data())
def test_every_character_survives(characters: str, data: st.DataObject) -> None:
    text = shown(characters)
    tokens = len(text.text.tokens)
    marks = []
    if tokens:
        places = st.tuples(st.integers(0, tokens - 1), st.integers(1, 4))
        for start, length in data.draw(st.lists(places, max_size=6)):
            first, last = passage(text, start, min(start + length, tokens), "token")
            marks.append(DrawnMark(first, last, "<N>", 1, title="<b>"))
    read = Read(draw(text, marks))
    assert read.lines == re.split("\r\n|[\n\r\u2028\u2029]", characters)
    assert read.tags <= {"div", "span", "bdi"}


def test_marks_lie_in_lanes_and_carry_their_letters_once() -> None:
    text = shown("one two three four")
    drawn = draw(text, [DrawnMark(0, 7, "A", 1), DrawnMark(4, 13, "B", 2), DrawnMark(14, 18, "C", 3)])
    assert 'class="words lanes-2"' in drawn
    assert [drawn.count(f">{letter}</span>") for letter in "ABC"] == [1, 1, 1]
    assert '<span class="u own lane-0" data-tone="1" title=""><span class="u own lane-1" data-tone="2"' in drawn


def test_a_mark_over_two_lines_is_drawn_on_both() -> None:
    drawn = draw(shown("one two\nthree four"), [DrawnMark(4, 13, "A", 1)])
    assert drawn.count("u own") == 2
    assert drawn.count("badges") == 1


def test_the_prompt_is_bold_and_given_marks_are_drawn() -> None:
    text = shown("once upon a time", prompt=Span(0, 2), given=(GivenMark(3, 4, "NAME"),))
    drawn = draw(text)
    assert '<span class="w prompt">once upon</span>' in drawn
    assert "u given" in drawn
    assert ">NAME</span>" in drawn


def test_what_could_mislead_is_named() -> None:
    assert visible("a\u202eb") == (
        'a<bdi class="invisible" title="Invisible character: right-to-left override">U+202E</bdi>b'
    )


def test_marks_one_inside_the_other_make_no_endless_page() -> None:
    """An annotator may mark a thousand: drawn one in the other at every place that was 60 MB and most of a minute."""
    text = shown("word " * 300)
    marks = [DrawnMark(place, 1_498 - place, f"A{place}", 1, "own", "Name") for place in range(200)]
    drawn = draw(text, marks)
    assert len(drawn) < 500_000
    assert all(f">A{place}</span>" in drawn for place in range(200))
    assert "".join(Read(drawn).lines) == text.text.characters


def test_of_what_shares_the_last_lane_something_is_drawn_to_its_very_end() -> None:
    text = shown("one two three four")
    outer = [DrawnMark(0, 18, "", 1, "own", f"outer {number}") for number in range(11)]
    drawn = draw(text, [*outer, DrawnMark(4, 18, "L", 2, "own", "long"), DrawnMark(8, 13, "S", 3, "own", "short")])
    assert drawn.count('lane-11" data-tone="2"') == 3  # two, three and four are marked at least once
