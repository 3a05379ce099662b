"""What a picture is made of: lines, dots, boxes and words at positions, in pixels from the top left.

A picture knows neither its renderer nor its colours: an ink is a name in the palette.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line through two or more points."""

    points: tuple[tuple[float, float], ...]
    ink: str = "line"
    width: float = 1
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    radius: float = 4.5
    ink: str = "accent"
    hollow: bool = False
    title: str = ""  # what is said of it when pointed at


@dataclass(frozen=True, slots=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    ink: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class TextMark:
    """Words on a baseline. Where they were cut short, `title` has them whole."""

    x: float
    y: float
    text: str
    ink: str = "ink"
    size: float = 13
    anchor: Anchor = "start"
    bold: bool = False
    turned: float = 0  # degrees, against the clock
    title: str = ""


Mark = Line | Dot | Box | TextMark


@dataclass(frozen=True)
class Picture:
    """A finished description, in the order in which marks are drawn."""

    title: str
    gist: str  # the numbers in words, for those who cannot see it
    width: float
    height: float
    marks: tuple[Mark, ...]
    signature: str = ""
    broad: bool = False  # wider than there was room


def line(x1: float, y1: float, x2: float, y2: float, ink: str = "line", width: float = 1, **more: bool) -> Line:
    return Line(((x1, y1), (x2, y2)), ink, width, **more)
