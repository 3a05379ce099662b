"""How wide words are, cutting them to the room there is, and numbers as they are written in pictures."""

from __future__ import annotations

import re
import unicodedata

from goldmark.records.tables import Cell
from goldmark.results.pictures.shapes import Anchor, TextMark

_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]/ -"), frozenset("mwMW@%<>=+~#−…")
# What XML cannot hold, and what would turn the words around it; also lone halves of characters.
_UNFIT = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u007f-\u009f\u202a-\u202e\u2066-\u2069]"
)
ELLIPSIS = "…"


def fit(text: str) -> str:
    """Words of strangers on one line, without what a file could not hold."""
    return " ".join(_UNFIT.sub("\ufffd", text).split())


def width_of(text: str, size: float = 13, *, bold: bool = False) -> float:
    """About how wide words are in a plain typeface; rather too wide than too narrow."""
    return sum(map(_em, text)) * size * (1.14 if bold else 1.0)


def _em(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.36
    if character in _WIDE:
        return 0.92
    return 0.72 if character.isupper() else 0.59


def cut(text: str, room: float, size: float = 13, *, bold: bool = False, middle: bool = False) -> str:
    """As much of the words as there is room for; of a name, both ends: names often differ only in the last."""
    room += 1e-6  # words that are given their own width and no more fit, whatever the last digit says
    if width_of(text, size, bold=bold) <= room:
        return text
    for kept in range(min(len(text), 400) - 1, 0, -1):
        tail = 2 * kept // 5 if middle else 0
        short = text[: kept - tail].rstrip() + ELLIPSIS + text[len(text) - tail :]
        if width_of(short, size, bold=bold) <= room:
            return short
    return ELLIPSIS


def written(
    x: float,
    y: float,
    text: str,
    *,
    room: float,
    ink: str = "ink",
    size: float = 13,
    anchor: Anchor = "start",
    bold: bool = False,
    name: bool = False,
) -> TextMark:
    """Words, or a name, that fit into their room; what was cut is in their title."""
    whole = fit(text)
    shown = cut(whole, room, size, bold=bold, middle=name)
    return TextMark(x, y, shown, ink, size, anchor, bold, title=whole if shown != whole else "")


def number(value: float, smallest: float = 0.01) -> str:
    """Three figures or so: 0.99, 5.14, 63.4, 128."""
    if value == 0:
        return "0"
    size = abs(value)
    if size < smallest / 2:
        said = f"{value:.1g}"
    else:
        said = f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"
    return said.replace("-", "−")


def percent(share: float) -> str:
    """37 %; a share that is not 0 is never written as 0."""
    if 0 < share < 0.005:
        return "<1 %"
    return f"{100 * share:.0f} %"


def percents(low: Cell, high: Cell) -> str:
    """The interval of a share, ` [24 to 99 %]`; nothing where there is none."""
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return ""
    return f" [{100 * low:.0f} to {100 * high:.0f} %]"


def spoken(value: float, low: Cell = None, high: Cell = None) -> str:
    """A figure with its interval, if it has one."""
    if isinstance(low, int | float) and isinstance(high, int | float):
        return f"{number(value)} [{number(low)}, {number(high)}]"
    return number(value)
