"""Results as one page that stands alone: styles and pictures inside, no script, nothing loaded from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from goldmark import __version__
from goldmark.observations.filter import Filter
from goldmark.results.all_tables import NamedTable, Results
from goldmark.results.inputs.selection import command, described
from goldmark.results.output.findings import findings
from goldmark.results.output.sections import answered, sections
from goldmark.results.output.tables import RoundedTable, reading
from goldmark.results.pictures.draw import picture_of
from goldmark.results.pictures.files.svg import inline
from goldmark.results.pictures.palette import INKS, style_sheet


def report(results: Results, wanted: Filter, options: Sequence[str] = ()) -> str:
    """The whole report; `options` are those of the command that makes the same figures, beside what was chosen.

    It depends on the results alone: the same figures give the same bytes.
    """
    shown = facts(results, wanted, options)
    return _template().render(**shown, chosen=described(wanted), colours=style_sheet(INKS), version=__version__)


def facts(results: Results, wanted: Filter, options: Sequence[str] = (), *, phones: bool = False) -> dict[str, Any]:
    """What a report and a page of results are drawn from; with `phones`, a narrow picture beside each wide one."""
    progress, people = results.table("progress"), results.table("people")
    return {
        "results": results,
        "newest": str(progress.column("day")[-1]) if progress and progress.rows else "",
        "responses": progress.column("total")[-1] if progress else 0,
        "people": sum(1 for count in people.column("responses") if count) if people else 0,
        "findings": findings(results),
        "answered": answered(results),
        "sections": [
            (part, [_entry(results, one, wanted, options, phones=phones) for one in part.tables])
            for part in sections(results)
        ],
        "command": command(results.campaign, results.by, wanted, *options),
    }


def _entry(
    results: Results, one: NamedTable, wanted: Filter, options: Sequence[str], *, phones: bool
) -> dict[str, Any]:
    read: RoundedTable = reading(one.table)
    return {
        "name": one.name,
        "about": one.about,
        "table": one.table,
        "read": read,
        "picture": _drawn(results, one, narrow=False),
        "narrow": _drawn(results, one, narrow=True) if phones else None,
        "command": command(results.campaign, results.by, wanted, "--table", one.name, *options),
    }


def _drawn(results: Results, one: NamedTable, *, narrow: bool) -> Any:
    picture = picture_of(one.name, one.drawn, one.table, results.questions, narrow=narrow)
    return None if picture is None else inline(picture)


@cache
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    # Names, labels and reasons may be hostile text: everything is escaped.
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html")
