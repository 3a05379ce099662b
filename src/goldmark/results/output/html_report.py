"""Results as one page that stands alone: styles and pictures inside, no script, nothing loaded from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from goldmark import __version__
from goldmark.observations.rows import Filter
from goldmark.results.all_tables import NamedTable, Results
from goldmark.results.inputs.selection import command, described
from goldmark.results.output.findings import findings
from goldmark.results.output.sections import answered, sections
from goldmark.results.output.tables import RoundedTable, reading
from goldmark.results.pictures.draw import picture_of
from goldmark.results.pictures.palette import INKS, style_sheet
from goldmark.results.pictures.svg import inline


def report(results: Results, wanted: Filter, options: Sequence[str] = ()) -> str:
    """The whole report; `options` are those of the command that makes the same figures, beside what was chosen.

    It depends on the results alone: the same figures give the same bytes.
    """
    parts = [(part, [_entry(results, one, wanted, options) for one in part.tables]) for part in sections(results)]
    return _template().render(
        results=results,
        newest=newest_day(results),
        chosen=described(wanted),
        findings=findings(results),
        answered=answered(results),
        sections=parts,
        command=command(results.campaign, results.by, wanted, *options),
        colours=style_sheet(INKS),
        version=__version__,
    )


def newest_day(results: Results) -> str:
    """The day of the newest answer that counts; empty if there is none."""
    progress = results.table("progress")
    return str(progress.column("day")[-1]) if progress and progress.rows else ""


def _entry(results: Results, one: NamedTable, wanted: Filter, options: Sequence[str]) -> dict[str, Any]:
    picture = picture_of(one.name, one.drawn, one.table, results.questions)
    read: RoundedTable = reading(one.table)
    return {
        "name": one.name,
        "about": one.about,
        "table": one.table,
        "read": read,
        "picture": None if picture is None else inline(picture),
        "command": command(results.campaign, results.by, wanted, "--table", one.name, *options),
    }


@cache
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    # Names, labels and reasons may be hostile text: everything is escaped.
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html")
