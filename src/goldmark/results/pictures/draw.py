"""The one way to a picture of a table of results, and from there to a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from goldmark.records.tables import Table
from goldmark.results.inputs.questions import AskedQuestion
from goldmark.results.pictures.files.forms import PictureForm
from goldmark.results.pictures.files.svg import standalone
from goldmark.results.pictures.kinds.dots import dots
from goldmark.results.pictures.kinds.grids import heat, matrix
from goldmark.results.pictures.kinds.lines import growth
from goldmark.results.pictures.kinds.shares import stacked
from goldmark.results.pictures.shapes import Picture
from goldmark.results.pictures.sheet import NARROW, WIDE, Layout

DRAWN: Mapping[str, Callable[[str, Table, Layout], Picture | None]] = {
    "dots": dots,
    "stacked": stacked,
    "heat": heat,
    "matrix": matrix,
    "line": growth,
}


def picture_of(
    name: str,
    drawn: str,
    table: Table,
    questions: Sequence[AskedQuestion] = (),
    *,
    narrow: bool = False,
    titled: bool = False,
) -> Picture | None:
    """The picture of a table; None where it is rather read than looked at."""
    if drawn not in DRAWN or not table.rows:
        return None
    view = Layout(NARROW if narrow else WIDE, titled, {question.id: question for question in questions})
    return DRAWN[drawn](name, table, view)


def picture_file(picture: Picture, form: PictureForm) -> bytes:
    """A picture as a file with colours of its own."""
    if form == "svg":
        return standalone(picture).encode()
    from goldmark.results.pictures.files.matplotlib_file import plotted

    return plotted(picture, form)
