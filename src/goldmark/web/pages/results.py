"""What a campaign found: a form to choose what is compared, and every table with its picture."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from fastapi.responses import Response
from markupsafe import Markup

from goldmark.errors import GoldmarkError
from goldmark.followups.derive import follow_ups
from goldmark.observations.rows import COUNTING
from goldmark.results.inputs.selection import BY, command
from goldmark.results.output.tables import RoundedTable, reading
from goldmark.results.pictures.forms import NEEDS_MATPLOTLIB
from goldmark.web.pages.frame import NOT_FAILED, failed, page
from goldmark.web.results import AskedDep, RequestedResults
from goldmark.web.sign_in import ReadsAsCurator

if TYPE_CHECKING:
    from goldmark.records.tables import Table
    from goldmark.results.all_tables import NamedTable, Results

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/results")

MOST_ROWS = 300  # of a table on the page; all are in its files
OPEN_ROWS = 10  # a table with more waits behind its picture until it is asked for


@dataclass(frozen=True)
class Shown:
    """A table as the page shows it."""

    name: str
    about: str
    table: Table
    read: RoundedTable
    wide: Markup | None
    narrow: Markup | None
    command: str


@router.get("")
def results(visit: ReadsAsCurator, name: str, asked: AskedDep) -> Response:
    try:
        found, wrong = visit.services.results.of(name, asked), NOT_FAILED
    except GoldmarkError as error:
        # Nothing can be computed of what was chosen: the form as it was sent, and what is wrong with it.
        found, wrong = visit.services.results.of(name, RequestedResults(BY, COUNTING)), failed("results", error)
    facts = _facts(found.results, asked)
    return page(
        visit,
        "results.html",
        wrong=wrong,
        campaign=found.campaign,
        choices=found.choices,
        asked=asked,
        others=visit.read(lambda connection: follow_ups(connection, found.campaign)),
        **facts,
    )


def _facts(results: Results, asked: RequestedResults) -> dict[str, Any]:
    from goldmark.results.output.findings import findings
    from goldmark.results.output.html_report import newest_day
    from goldmark.results.output.sections import answered, sections

    progress = results.table("progress")
    people = results.table("people")
    return {
        "results": results,
        "answered": answered(results),
        "findings": findings(results),
        "responses": progress.column("total")[-1] if progress else 0,
        "people": sum(1 for count in people.column("responses") if count) if people else 0,
        "newest": newest_day(results),
        "sections": [(part, [_shown(results, one, asked) for one in part.tables]) for part in sections(results)],
        "command": command(results.campaign, results.by, asked.wanted),
        "pictures": ("svg", *NEEDS_MATPLOTLIB) if find_spec("matplotlib") else ("svg",),
        "most_rows": MOST_ROWS,
        "open_rows": OPEN_ROWS,
    }


def _shown(results: Results, one: NamedTable, asked: RequestedResults) -> Shown:
    from goldmark.results.pictures.draw import picture_of
    from goldmark.results.pictures.svg import inline

    wide, narrow = (
        None if picture is None else inline(picture)
        for room in (False, True)
        for picture in [picture_of(one.name, one.drawn, one.table, results.questions, narrow=room)]
    )
    return Shown(
        one.name,
        one.about,
        one.table,
        reading(one.table),
        wide,
        narrow,
        command(results.campaign, results.by, asked.wanted, "--table", one.name),
    )
