"""A text with marks under its words, drawn on the server in the same elements and classes as the annotator's page."""

from __future__ import annotations

import re
import unicodedata
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
    """Marks that overlap lie one under the other, each in the highest free lane."""
    ends: list[int] = []
    laned = []
    for mark in sorted(marks, key=lambda one: (one.start, -one.end)):
        lane = next((lane for lane, end in enumerate(ends) if end <= mark.start), len(ends))
        if lane == len(ends):
            ends.append(0)
        ends[lane] = mark.end
        laned.append(replace(mark, lane=min(lane, MOST_LANES - 1)))
    return laned


def _lines(shown: ShownText, marks: Sequence[DrawnMark]) -> Iterable[Markup]:
    characters = shown.text.characters
    start = 0
    for found in (*_BREAK.finditer(characters), None):
        end = len(characters) if found is None else found.start()
        inside = [mark for mark in marks if mark.start < end and mark.end > start]
        line = _line(shown, start, end, inside)
        blank = Markup(" blank") if start == end else Markup("")
        yield Markup('<div class="line{}" dir="auto">{}</div>').format(blank, line)
        start = 0 if found is None else found.end()


def _line(shown: ShownText, start: int, end: int, marks: Sequence[DrawnMark]) -> Markup:
    prompt = 0 if shown.prompt is None else shown.text.tokens[shown.prompt.end - 1].end
    edges = {start, end}
    for mark in marks:
        edges |= {max(mark.start, start), min(mark.end, end)}
    if start < prompt < end:
        edges.add(prompt)
    starts = [mark.start for mark in marks if mark.badge]
    return Markup("").join(
        _piece(shown, here, there, _covering(marks, here, there), starts, here < prompt)
        for here, there in pairwise(sorted(edges))
    )


def _covering(marks: Sequence[DrawnMark], start: int, end: int) -> list[DrawnMark]:
    return [mark for mark in marks if mark.start <= start and mark.end >= end]


def _piece(
    shown: ShownText, start: int, end: int, marks: Sequence[DrawnMark], starts: Sequence[int], prompt: bool
) -> Markup:
    """A stretch of one line with the same marks all along; `starts` is where marks of this line begin."""
    inner = visible(shown.text.characters[start:end])
    for mark in sorted(marks, key=lambda one: -one.lane):
        inner = Markup('<span class="u {} lane-{}" data-tone="{}" title="{}">{}</span>').format(
            mark.role, mark.lane, mark.tone, mark.title, inner
        )
    starting = [mark for mark in marks if mark.start == start and mark.badge]
    if not starting and not prompt:
        return inner
    badges = Markup("").join(
        Markup('<span class="badge {}" data-tone="{}">{}</span>').format(mark.role, mark.tone, mark.badge)
        for mark in starting
    )
    above = Markup('<span class="badges" aria-hidden="true">{}</span>').format(badges) if starting else Markup("")
    # A badge wider than its passage would run into the next one, if there is one so near.
    reach = start + sum(len(mark.badge) + 1 for mark in starting)
    tight = any(end <= place <= reach for place in starts)
    kind = (" prompt" if prompt else "") + (" tight" if tight and starting else "")
    return Markup('<span class="w{}">{}{}</span>').format(kind, inner, above)
