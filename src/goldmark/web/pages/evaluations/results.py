"""What a campaign found: a form to choose what is compared, and every table with its picture.

A page is small, whatever was found: pictures stand on a sheet beside it, and tables for which there is no more room
have pages of their own, from which a script brings them in.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi.responses import Response

from goldmark.errors import GoldmarkError
from goldmark.followups.create import follow_ups
from goldmark.observations.filter import COUNTING
from goldmark.results.inputs.selection import BY
from goldmark.results.pictures.files.forms import NEEDS_MATPLOTLIB
from goldmark.web.api.evaluations.results import PICTURES, TableName
from goldmark.web.computing.results import AskedDep, FoundResults, RequestedResults
from goldmark.web.pages.frame import MOST_ROWS, NOT_FAILED, failed, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator
from goldmark.web.visits import FRAGMENT

if TYPE_CHECKING:
    from goldmark.results.output.html_report import OnPage

router = Pages("/campaigns/{name}/results")

MOST_TICKS = 50  # people, or systems, to choose some from; of more, one is named
OPEN_ROWS = 10  # a table with more waits behind its picture until it is asked for
ROOM = 46_000  # bytes of tables and the form on one page, which is below 60,000 with what is around them


@router.get("")
def results(visit: ReadsAsCurator, name: str, asked: AskedDep) -> Response:
    from goldmark.results.output.html_report import facts

    try:
        found, wrong = visit.services.results.of(name, asked), NOT_FAILED
    except GoldmarkError as error:
        # Nothing can be computed of what was chosen: the form as it was sent, and what is wrong with it.
        found, wrong = visit.services.results.of(name, RequestedResults(BY, COUNTING)), failed("results", error)
    return page(
        visit,
        "results.html",
        wrong=wrong,
        choices=found.choices,
        others=visit.read(lambda connection: follow_ups(connection, found.campaign)),
        most_ticks=MOST_TICKS,
        room=ROOM,
        **_around(found, asked),
        **facts(found.results, asked.wanted, asked.options, page=_on_page(name, asked)),
    )


@router.get("/pictures.svg")
def pictures(visit: ReadsAsCurator, name: str, asked: AskedDep) -> Response:
    """What the page's pictures show; never looked at by itself."""
    from goldmark.results.output.html_report import picture_sheet

    found = visit.services.results.of(name, asked, as_shown=True)
    return Response(picture_sheet(found.results), media_type=PICTURES["svg"])


@router.get("/{table}")
def result_table(visit: ReadsAsCurator, name: str, table: TableName, asked: AskedDep) -> Response:
    from goldmark.results.output.html_report import entry
    from goldmark.results.output.sections import sections

    part = FRAGMENT in visit.request.headers  # of the page of all tables
    found, one = visit.services.results.table(name, asked, table, as_shown=part)
    return page(
        visit,
        "result_table.html",
        one=entry(found.results, one, asked.wanted, asked.options, _on_page(name, asked)),
        section=next(part for part in sections(found.results) if one in part.tables),
        notes=found.results.notes,
        **_around(found, asked, OPEN_ROWS if part else MOST_ROWS),
    )


def _on_page(name: str, asked: RequestedResults) -> OnPage:
    from goldmark.results.output.html_report import OnPage

    return OnPage(f"/campaigns/{name}/results/pictures.svg{asked.query}", MOST_ROWS)


def _around(found: FoundResults, asked: RequestedResults, open_rows: int = OPEN_ROWS) -> dict[str, Any]:
    """What both pages need to show a table."""
    return {
        "campaign": found.campaign,
        "as_of": found.as_of,
        "asked": asked,
        "pictures": ("svg", *NEEDS_MATPLOTLIB) if find_spec("matplotlib") else ("svg",),
        "open_rows": open_rows,
    }
