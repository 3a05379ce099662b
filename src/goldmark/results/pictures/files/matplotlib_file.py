"""A picture as PNG or PDF, with matplotlib: the same marks at the same places.

matplotlib is the extra `plots`, is loaded only here, and is used by one thread at a time, which is all it allows.
"""

from __future__ import annotations

import io
import warnings
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from goldmark.errors import GoldmarkError
from goldmark.results.pictures.files.svg import FONTS, MARGIN
from goldmark.results.pictures.palette import INKS
from goldmark.results.pictures.picture_text import fit
from goldmark.results.pictures.shapes import Box, Dot, Line, Mark, Picture, TextMark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS = 96.0  # in an inch, as CSS has it
POINT = 72 / PIXELS  # points in a pixel
SHARP = 2  # pixels of a PNG for each of the description
_ALONE = Lock()


class NoMatplotlib(GoldmarkError):
    code = "PLOT-01"
    message = "PNG and PDF need matplotlib; install it with: pip install 'goldmark[plots]', or take SVG"


def plotted(picture: Picture, form: Literal["png", "pdf"]) -> bytes:
    """The same bytes for the same picture."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise NoMatplotlib() from None
    width, height = picture.width + 2 * MARGIN, picture.height + 2 * MARGIN
    with _ALONE, rc_context({"font.family": _fonts(), "pdf.fonttype": 42}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a character that no typeface has is drawn as a box
        figure = Figure(figsize=(width / PIXELS, height / PIXELS), dpi=PIXELS, facecolor=INKS["surface"].light)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(-MARGIN, width - MARGIN)
        axes.set_ylim(height - MARGIN, -MARGIN)
        axes.set_axis_off()
        for order, mark in enumerate(picture.marks):
            _draw(axes, mark, order)
        out = io.BytesIO()
        figure.savefig(out, format=form, dpi=PIXELS * SHARP, metadata=_about(picture, form))
    return out.getvalue()


def _fonts() -> list[str]:
    from matplotlib import font_manager

    known = set(font_manager.get_font_names())
    return [name for name in FONTS if name in known] or ["sans-serif"]


def _about(picture: Picture, form: str) -> dict[str, Any]:
    title, made = fit(picture.title), fit(picture.signature)
    if form == "png":
        return {"Software": None, "Title": title, "Description": made}
    return {"Creator": None, "Producer": None, "CreationDate": None, "Title": title, "Subject": made}


def _draw(axes: Axes, mark: Mark, order: int) -> None:
    colour = INKS[mark.ink].light
    match mark:
        case Line():
            x, y = zip(*mark.points, strict=True)
            dashes = (0, (4 / mark.width, 3 / mark.width)) if mark.dashed else "solid"
            axes.plot(x, y, color=colour, lw=mark.width * POINT, ls=dashes, solid_capstyle="butt", zorder=order)
        case Dot():
            fill, edge = (INKS["surface"].light, 2 * POINT) if mark.hollow else (colour, 0)
            radius = mark.radius - 1 if mark.hollow else mark.radius
            size = 2 * radius * POINT
            axes.plot([mark.x], [mark.y], "o", ms=size, mfc=fill, mec=colour, mew=edge, zorder=order)
        case Box():
            from matplotlib.patches import Rectangle

            place = (mark.x, mark.y)
            axes.add_patch(Rectangle(place, mark.width, mark.height, facecolor=colour, lw=0, zorder=order))
        case TextMark():
            side = {"start": "left", "middle": "center", "end": "right"}[mark.anchor]
            axes.text(
                mark.x,
                mark.y,
                fit(mark.text),
                color=colour,
                fontsize=mark.size * POINT,
                ha=side,
                va="baseline",
                rotation=mark.turned,
                rotation_mode="anchor",
                fontweight="bold" if mark.bold else "normal",
                zorder=order,
                parse_math=False,
            )
