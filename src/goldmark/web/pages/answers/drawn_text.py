"""A text with marks under its words, drawn on the server in the same elements and classes as the annotator's page."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from markupsafe import Markup, escape

from goldmark.records.units import ShownText

# What cannot be seen but changes what is seen, shown as a small box with its name. Joiners between letters that need
# them (U+200C, U+200D) stay as they are.
_SUSPECT = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_BREAK = re.compile("\r\n|[\n\r\u2028\u2029]")
MOST_LANES = 12  # deeper nesting shares the last lane


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """A passage of a text in characters, and how it looks."""

    start: int
    end: int
    badge: str
    tone: int  # 1-8: colour and pattern
    role: str = "own"  # own, link, given
    title: str = ""
    lane: int = 0


def draw(shown: ShownText, marks: Iterable[DrawnMark] = ()) -> Markup:
    """The whole text as HTML: one element a line, every mark underlined, its letters above its first word."""
    given = [_given(shown, start, end, label) for start, end, label in _given_places(shown)]
    laned = _in_lanes([*given, *marks])
    lanes = max((mark.lane for mark in laned), default=0) + 1
    body = Markup("").join(_lines(shown, laned))
    return Markup('<div class="words lanes-{}"{}>{}</div>').format(lanes, _language(shown), body)


def passage(shown: ShownText, start: int, end: int, by: str) -> tuple[int, int]:
    """A span of tokens or characters, in characters."""
    if by == "character":
        return start, end
    tokens = shown.text.tokens
    return tokens[start].start, tokens[end - 1].end


def visible(text: str) -> Markup:
    """Text as it is, with a named box for every character that could mislead the eye."""
    parts: list[Markup] = []
    last = 0
    for found in _SUSPECT.finditer(text):
        parts.append(escape(text[last : found.start()]))
        point = f"U+{ord(found.group()):04X}"
        name = unicodedata.name(found.group(), point).lower()
        parts.append(Markup('<bdi class="invisible" title="Invisible character: {}">{}</bdi>').format(name, point))
        last = found.end()
    parts.append(escape(text[last:]))
    return Markup("").join(parts)


def _language(shown: ShownText) -> Markup:
    return Markup(' lang="{}"').format(shown.language) if shown.language else Markup("")


def _given_places(shown: ShownText) -> list[tuple[int, int, str]]:
    return [(mark.start, mark.end, mark.label) for mark in shown.given]


def _given(shown: ShownText, start: int, end: int, label: str) -> DrawnMark:
    first, last = passage(shown, start, end, "token")
    return DrawnMark(first, last, label, 8, "given", label)


def _in_lanes(marks: Sequence[DrawnMark]) -> list[DrawnMark]:
    """Marks that overlap lie one under the other, each in the highest free lane; in the order in which they begin."""
    ends: list[int] = []  # of every lane but the last, which always has room
    laned = []
    for mark in sorted(marks, key=lambda one: (one.start, -one.end)):
        lane = next((lane for lane, end in enumerate(ends) if end <= mark.start), len(ends))
        if lane == len(ends) < MOST_LANES - 1:
            ends.append(0)
        if lane < len(ends):
            ends[lane] = mark.end
        laned.append(replace(mark, lane=lane))
    return laned


def _lines(shown: ShownText, marks: Sequence[DrawnMark]) -> Iterable[Markup]:
    characters = shown.text.characters
    line = _LinesInTurn(shown, marks)
    start = 0
    for found in (*_BREAK.finditer(characters), None):
        end = len(characters) if found is None else found.start()
        blank = Markup(" blank") if start == end else Markup("")
        yield Markup('<div class="line{}" dir="auto">{}</div>').format(blank, line.drawn(start, end))
        start = 0 if found is None else found.end()


class _LinesInTurn:
    """The lines of a text, asked for one after the other: each mark is met once, where it begins.

    Of what shares a lane one mark is drawn at each place. An answer may have thousands of marks one inside the other,
    and elements for all of them at all places would be a page of hundreds of megabytes.
    """

    def __init__(self, shown: ShownText, marks: Sequence[DrawnMark]) -> None:
        self._shown, self._marks, self._met = shown, marks, 0
        self._open: dict[int, DrawnMark] = {}  # by lane; of the last lane the mark that ends last
        self._prompt = 0 if shown.prompt is None else shown.text.tokens[shown.prompt.end - 1].end
        self._edges = sorted({place for mark in marks for place in (mark.start, mark.end)} | {self._prompt})
        self._badges = [mark.start for mark in marks if mark.badge]

    def drawn(self, start: int, end: int) -> Markup:
        inside = self._edges[bisect_right(self._edges, start) : bisect_left(self._edges, end)]
        edges = [start, *inside, end] if start < end else []
        return Markup("").join(self._piece(here, there, end) for here, there in pairwise(edges))

    def _piece(self, here: int, there: int, line_end: int) -> Markup:
        starting = []
        while self._met < len(self._marks) and self._marks[self._met].start <= here:
            mark = self._marks[self._met]
            self._met += 1
            other = self._open.get(mark.lane)
            if other is None or other.end < mark.end:
                self._open[mark.lane] = mark
            if mark.start == here and mark.badge:
                starting.append(mark)
        covering = [mark for mark in self._open.values() if mark.end >= there]
        # A badge wider than its passage would run into the next one, if there is one so near.
        following = bisect_left(self._badges, there)
        near = self._badges[following] if following < len(self._badges) else line_end
        tight = near < line_end and near <= here + sum(len(mark.badge) + 1 for mark in starting)
        return _piece(self._shown.text.characters[here:there], covering, starting, here < self._prompt, tight)


def _piece(words: str, marks: Iterable[DrawnMark], starting: Sequence[DrawnMark], prompt: bool, tight: bool) -> Markup:
    """A stretch of one line with the same marks all along."""
    inner = visible(words)
    for mark in sorted(marks, key=lambda one: -one.lane):
        inner = Markup('<span class="u {} lane-{}" data-tone="{}" title="{}">{}</span>').format(
            mark.role, mark.lane, mark.tone, mark.title, inner
        )
    if not starting and not prompt:
        return inner
    badges = Markup("").join(
        Markup('<span class="badge {}" data-tone="{}">{}</span>').format(mark.role, mark.tone, mark.badge)
        for mark in starting
    )
    above = Markup('<span class="badges" aria-hidden="true">{}</span>').format(badges) if starting else Markup("")
    kind = (" prompt" if prompt else "") + (" tight" if tight and starting else "")
    return Markup('<span class="w{}">{}{}</span>').format(kind, inner, above)
