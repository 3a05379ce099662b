"""How WebAnno TSV 3 writes things: escapes, stacked values, and offsets in 16-bit units as Java counts them.

Written after the format's description in INCEpTION's user guide and what real exports look like.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

FORMAT = "#FORMAT=WebAnno TSV 3.3"
TEXT = "#Text="
SPANS, CHAIN, RELATION = "#T_SP=", "#T_CH=", "#T_RL="
NOTHING, NO_VALUE = "_", "*"  # no annotation here; an annotation without this value

_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f", "\b": "\\b", "\\": "\\\\"}
_UNNAMED = {written[1]: meant for meant, written in _NAMED.items()}
_VALUE = re.compile(r"->|[\\\[\]|_;\t\n\r*]")
_TEXT = re.compile(r"[\x00-\x07\x0e-\x1f\t\n\r\f\x08\\]")
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_STACKED = re.compile(r"(?:[^\\|]|\\.)+", re.DOTALL)
_NUMBERED = re.compile(r"(?P<value>(?:[^\\\[]|\\.)*)\[(?P<number>\d+)\]", re.DOTALL)


def escape_value(value: str) -> str:
    """A feature's value as it stands in a cell."""
    return _VALUE.sub(lambda found: _NAMED.get(found.group(), "\\" + found.group()), value)


def escape_text(text: str) -> str:
    """Text as it stands after `#Text=`."""
    return _TEXT.sub(lambda found: _NAMED.get(found.group(), "\\" + found.group()), text)


def unescape(written: str) -> str:
    return _ESCAPED.sub(lambda found: _UNNAMED.get(found.group(1), found.group(1)), written)


def stacked(cell: str) -> list[tuple[str | None, int | None]]:
    """The values of one cell, each with the number that tells its annotation apart; None is no value."""
    if cell in (NOTHING, ""):
        return []
    values: list[tuple[str | None, int | None]] = []
    for part in _STACKED.findall(cell):
        found = _NUMBERED.fullmatch(part)
        written, number = (found["value"], int(found["number"])) if found else (part, None)
        values.append((None if written == NO_VALUE else unescape(written), number))
    return values


class Offsets:
    """Positions in a text: ours count characters, WebAnno's count units of 16 bits, two for an emoji."""

    def __init__(self, characters: str) -> None:
        self.plain = not characters or max(characters) <= "\uffff"
        self.units = [] if self.plain else [0, *accumulate(2 if mark > "\uffff" else 1 for mark in characters)]

    def to_units(self, position: int) -> int:
        return position if self.plain else self.units[position]

    def to_characters(self, unit: int) -> int:
        return unit if self.plain else bisect_left(self.units, unit)
