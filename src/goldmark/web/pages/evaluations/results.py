"""What a campaign found: a form to choose what is compared, and every table with its picture."""

from __future__ import annotations

from importlib.util import find_spec

from fastapi import APIRouter
from fastapi.responses import Response

from goldmark.errors import GoldmarkError
from goldmark.followups.create import follow_ups
from goldmark.observations.filter import COUNTING
from goldmark.results.inputs.selection import BY
from goldmark.results.pictures.files.forms import NEEDS_MATPLOTLIB
from goldmark.web.computing.results import AskedDep, RequestedResults
from goldmark.web.pages.frame import NOT_FAILED, failed, page
from goldmark.web.sign_in import ReadsAsCurator

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/results")

MOST_ROWS = 50  # of a table on the page; all are in its files
MOST_TICKS = 50  # people to choose some from; of more, one is named
OPEN_ROWS = 10  # a table with more waits behind its picture until it is asked for


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
        campaign=found.campaign,
        as_of=found.as_of,
        choices=found.choices,
        asked=asked,
        others=visit.read(lambda connection: follow_ups(connection, found.campaign)),
        pictures=("svg", *NEEDS_MATPLOTLIB) if find_spec("matplotlib") else ("svg",),
        most_rows=MOST_ROWS,
        most_ticks=MOST_TICKS,
        open_rows=OPEN_ROWS,
        **facts(found.results, asked.wanted, asked.options, phones=True),
    )
