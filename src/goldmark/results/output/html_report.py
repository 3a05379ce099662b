"""Results as one page that stands alone: styles and pictures inside, no script, nothing loaded from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from goldmark import __version__
from goldmark.observations.filter import Filter
from goldmark.results.all_tables import NamedTable, Results
from goldmark.results.inputs.selection import command, described
from goldmark.results.output.findings import findings
from goldmark.results.output.sections import answered, sections
from goldmark.results.output.tables import reading
from goldmark.results.pictures.draw import picture_of
from goldmark.results.pictures.files import svg
from goldmark.results.pictures.palette import INKS, style_sheet
from goldmark.results.pictures.shapes import Picture


def report(results: Results, wanted: Filter, options: Sequence[str] = ()) -> str:
    """The whole report; `options` are those of the command that makes the same figures, beside what was chosen.

    It depends on the results alone: the same figures give the same bytes.
    """
    shown = facts(results, wanted, options)
    return _template().render(**shown, chosen=described(wanted), colours=style_sheet(INKS), version=__version__)


class OnPage(NamedTuple):
    """What a page of results does not have inside: pictures are on a sheet at this address, wide ones, and narrow ones
    for phones; and of a table it has the first rows."""

    sheet: str
    most_rows: int


def facts(
    results: Results, wanted: Filter, options: Sequence[str] = (), *, page: OnPage | None = None
) -> dict[str, Any]:
    """What a report, or a page of results, is drawn from."""
    progress, people = results.table("progress"), results.table("people")
    return {
        "results": results,
        "newest": str(progress.column("day")[-1]) if progress and progress.rows else "",
        "responses": progress.column("total")[-1] if progress else 0,
        "people": sum(1 for count in people.column("responses") if count) if people else 0,
        "findings": findings(results),
        "answered": answered(results),
        "sections": [
            (part, [entry(results, one, wanted, options, page) for one in part.tables]) for part in sections(results)
        ],
        "command": command(results.campaign, results.by, wanted, *options),
    }


def picture_sheet(results: Results) -> str:
    """All pictures of a page of results, each wide and narrow."""
    every = [(one, narrow) for one in results.tables for narrow in (False, True)]
    drawn = ((_place(one, narrow), _picture(results, one, narrow)) for one, narrow in every)
    return svg.sheet((place, picture) for place, picture in drawn if picture)


def entry(
    results: Results, one: NamedTable, wanted: Filter, options: Sequence[str], page: OnPage | None
) -> dict[str, Any]:
    """What one table is drawn from."""
    return {
        "name": one.name,
        "about": one.about,
        "table": one.table,
        "read": reading(one.table, most=page.most_rows if page else None),
        "picture": _drawn(results, one, page),
        "narrow": _drawn(results, one, page, narrow=True) if page else None,
        "command": command(results.campaign, results.by, wanted, "--table", one.name, *options),
    }


def _drawn(results: Results, one: NamedTable, page: OnPage | None, narrow: bool = False) -> Markup | None:
    picture = _picture(results, one, narrow)
    if picture is None:
        return None
    return svg.beside(picture, f"{page.sheet}#{_place(one, narrow)}") if page else svg.inline(picture)


def _picture(results: Results, one: NamedTable, narrow: bool) -> Picture | None:
    return picture_of(one.name, one.drawn, one.table, results.questions, narrow=narrow)


def _place(one: NamedTable, narrow: bool) -> str:
    return f"{one.name}-{'narrow' if narrow else 'wide'}"


@cache
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    # Names, labels and reasons may be hostile text: everything is escaped.
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html")
