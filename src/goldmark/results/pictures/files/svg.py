"""A picture as SVG: in a page or on a sheet beside it, in the page's colours; or as a file, with its own on white."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from markupsafe import Markup, escape

from goldmark.results.pictures.palette import INKS
from goldmark.results.pictures.picture_text import fit
from goldmark.results.pictures.shapes import Box, Dot, Line, Mark, Picture, TextMark

FONTS = ("Helvetica Neue", "Helvetica", "Arial", "Liberation Sans", "DejaVu Sans")
MARGIN = 16  # around a picture that stands alone

Colour = Callable[[str], str]


def inline(picture: Picture) -> Markup:
    """For a page that defines the palette as custom properties. Nothing in it needs a style of its own.

    One that is wider than it was meant to be is `broad`: it scrolls in its box rather than become too small to read.
    """
    return _framed(picture, _said(picture, picture.signature), *_marks(picture, _of_page))


def beside(picture: Picture, address: str) -> Markup:
    """The same where its marks stand on a sheet at this address; there they take the colours of the page, too."""
    return _framed(picture, _said(picture), f'<use href="{escape(address)}"/>')


def sheet(pictures: Iterable[tuple[str, Picture]]) -> str:
    """The marks of several pictures, each by its id."""
    drawn = (f'<g id="{name}">\n{"".join(_marks(picture, _of_page))}</g>\n' for name, picture in pictures)
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{"".join(drawn)}</svg>\n'


def standalone(picture: Picture) -> str:
    """A file: white ground, dark words, a typeface that is everywhere."""
    width, height = picture.width + 2 * MARGIN, picture.height + 2 * MARGIN
    family = ", ".join(FONTS) + ", sans-serif"
    body = "".join((_said(picture, picture.signature), *_marks(picture, lambda ink: INKS[ink].light)))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" '
        f'height="{_n(height)}" viewBox="{-MARGIN} {-MARGIN} {_n(width)} {_n(height)}" role="img" '
        f'font-family="{family}"><rect x="{-MARGIN}" y="{-MARGIN}" width="{_n(width)}" height="{_n(height)}" '
        f'fill="{INKS["surface"].light}"/>{body}</svg>\n'
    )


def _of_page(ink: str) -> str:
    return f"var(--{ink})"


def _framed(picture: Picture, *inside: str) -> Markup:
    width, height = _n(picture.width), _n(picture.height)
    look = "picture broad" if picture.broad else "picture"
    head = f'class="{look}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
    # Every word in it went through `escape`.
    return Markup(f'<svg {head} width="{width}" height="{height}" role="img">{"".join(inside)}</svg>')  # noqa: S704


def _said(picture: Picture, signature: str = "") -> str:
    """What it says to those who cannot see it."""
    signed = f" ({fit(signature)})" if signature else ""
    return f"<title>{escape(fit(picture.title))}</title><desc>{escape(fit(picture.gist))}{escape(signed)}</desc>\n"


def _marks(picture: Picture, colour: Colour) -> Iterator[str]:
    return (f"{_mark(mark, colour)}\n" for mark in picture.marks)


def _mark(mark: Mark, colour: Colour) -> str:
    match mark:
        case Line():
            return _line(mark, colour)
        case Dot():
            ring = f'fill="{colour("surface")}" stroke="{colour(mark.ink)}" stroke-width="2"'
            fill = ring if mark.hollow else f'fill="{colour(mark.ink)}"'
            radius = mark.radius - 1 if mark.hollow else mark.radius
            return _with_title(f'circle cx="{_n(mark.x)}" cy="{_n(mark.y)}" r="{_n(radius)}" {fill}', mark.title)
        case Box():
            place = f'x="{_n(mark.x)}" y="{_n(mark.y)}" width="{_n(mark.width)}" height="{_n(mark.height)}"'
            return _with_title(f'rect {place} fill="{colour(mark.ink)}"', mark.title)
        case TextMark():
            return _words(mark, colour)


def _line(mark: Line, colour: Colour) -> str:
    look = f'stroke="{colour(mark.ink)}" stroke-width="{_n(mark.width)}"'
    if mark.dashed:
        look += ' stroke-dasharray="4 3"'
    if len(mark.points) == 2:
        (x1, y1), (x2, y2) = mark.points
        return f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" {look}/>'
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in mark.points)
    return f'<polyline points="{points}" fill="none" {look} stroke-linejoin="round"/>'


def _words(mark: TextMark, colour: Colour) -> str:
    look = f'x="{_n(mark.x)}" y="{_n(mark.y)}" font-size="{_n(mark.size)}" fill="{colour(mark.ink)}"'
    if mark.anchor != "start":
        look += f' text-anchor="{mark.anchor}"'
    if mark.bold:
        look += ' font-weight="600"'
    if mark.turned:
        look += f' transform="rotate({_n(-mark.turned)} {_n(mark.x)} {_n(mark.y)})"'
    title = f"<title>{escape(fit(mark.title))}</title>" if mark.title else ""
    return f"<text {look}>{title}{escape(fit(mark.text))}</text>"


def _with_title(element: str, title: str) -> str:
    name = element.partition(" ")[0]
    return f"<{element}><title>{escape(fit(title))}</title></{name}>" if title else f"<{element}/>"


def _n(value: float) -> str:
    """A position, as exact as anybody can see."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
