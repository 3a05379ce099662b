"""Pictures where people would rather look: a dot for the figure, a whisker for its interval, names written beside.

Needs matplotlib, which is the extra `plots` and is loaded only here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from goldmark.errors import GoldmarkError
from goldmark.records.tables import Table
from goldmark.reports.tables import bounds_of

INK = "#1f2933"
ACCENT = "#0b6e99"
FAINT = "#d5dbe1"
FORMATS = (".png", ".pdf", ".svg")


class NoMatplotlib(GoldmarkError):
    code = "PLOT-01"
    message = "plots need matplotlib; install it with: pip install 'goldmark[plots]'"


class UnknownPicture(GoldmarkError):
    code = "PLOT-02"
    message = "{path} should end in one of {formats}"


class NothingToDraw(GoldmarkError):
    code = "PLOT-03"
    message = "{title!r} has no {column} to draw: every row lacks a number"


def dots(table: Table, value: str, labels: Sequence[str], path: Path) -> None:
    """Draw column `value` of a table with its interval, one line per row named by the columns `labels`."""
    if path.suffix.lower() not in FORMATS:
        raise UnknownPicture(path=path, formats=", ".join(FORMATS))
    rows = [row for row in table.records() if isinstance(row[value], int | float)]
    if not rows:
        raise NothingToDraw(title=table.title, column=value)
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise NoMatplotlib() from None

    names = [" · ".join(str(row[label]) for label in labels if row[label] not in (None, "")) for row in rows]
    figure = Figure(figsize=(7.0, 1.1 + 0.28 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    places = range(len(rows), 0, -1)
    for place, row in zip(places, rows, strict=True):
        axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
        low, high = (row.get(end) for end in bounds_of(table, value) or ("", ""))
        if isinstance(low, int | float) and isinstance(high, int | float):
            axes.plot([low, high], [place, place], color=ACCENT, linewidth=1.6, solid_capstyle="butt")
        axes.plot([float(row[value] or 0)], [place], "o", color=ACCENT, markersize=5)
    # Generated names are text, never mathematics: a lone dollar sign must not start a formula.
    axes.set_yticks(list(places), [name.replace("$", r"\$") for name in names], color=INK)
    axes.set_ylim(0.4, len(rows) + 0.6)
    axes.set_xlabel(table.labels.get(value, value.replace("_", " ")), color=INK)
    axes.set_title(table.title, loc="left", color=INK, fontsize=11)
    axes.tick_params(length=0, colors=INK)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    metadata = {"Creator": None} if path.suffix.lower() == ".pdf" else None
    figure.savefig(path, dpi=150, metadata=metadata)
