"""What a campaign found: all tables at once, one of them in several formats, its picture, and the whole as a report."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import Field

from goldmark.results.pictures.files.forms import PictureForm
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, Out
from goldmark.web.computing.results import AskedDep, NotDrawn
from goldmark.web.files import saved
from goldmark.web.sign_in import CallsAsCurator

router = Calls("/api/v1/campaigns/{name}/results", "campaigns")

TableName = Annotated[str, Path(pattern=r"^[a-z][a-z-]{0,60}$", description="Such as ratings or agreement.")]


class ResultTableOut(Out):
    """One table; every row says how it was made. What is not known is null, and the row's reason says why."""

    name: str
    title: str
    about: str
    notes: list[str]
    labels: dict[str, str] = Field(description="How columns are called for people, where not by their own names.")
    rows: list[dict[str, Any]]


class ResultsOut(Out):
    """What a campaign found, and what everybody who reads it has to know."""

    campaign: str
    title: str
    protocol: str
    by: str
    notes: list[str]
    tables: list[ResultTableOut]


@router.get("", response_model=ResultsOut)
def results(visit: CallsAsCurator, name: CampaignName, asked: AskedDep) -> Response:
    """Every figure of a campaign with its interval, exactly as `goldmark campaign results --json` prints it."""
    from goldmark.results.output.files import json_text

    return Response(json_text(visit.services.results.of(name, asked).results), media_type="application/json")


@router.get(
    "/report",
    response_class=Response,
    responses={200: {"description": "One HTML file.", "content": {"text/html": {}}}},
)
def report(visit: CallsAsCurator, name: CampaignName, asked: AskedDep) -> Response:
    """The whole as one HTML file that stands alone: tables, pictures, notes, and the commands that compute them."""
    from goldmark.results.output.html_report import report as written

    made = written(visit.services.results.of(name, asked).results, asked.wanted, asked.options)
    return saved(made, f"{name}-results.html", "text/html")


@router.get(
    "/{table}",
    response_class=Response,
    responses={
        200: {
            "description": "The table.",
            "model": ResultTableOut,
            "content": {"text/csv": {}, "text/x-tex": {}},
        }
    },
)
def table(
    visit: CallsAsCurator,
    name: CampaignName,
    table: TableName,
    asked: AskedDep,
    format: Annotated[Literal["json", "csv", "latex"], Query(description="csv has full precision.")] = "json",  # noqa: A002
) -> Response:
    """One table of the results as JSON, CSV or LaTeX."""
    from goldmark.results.output.files import table_json
    from goldmark.results.output.tables import to_csv, to_latex

    found, one = visit.services.results.table(name, asked, table)
    if format == "json":
        return Response(table_json(found.results, one), media_type="application/json")
    if format == "csv":
        return saved(to_csv(one.table), f"{name}-{table}.csv")
    return saved(to_latex(one.table), f"{name}-{table}.tex", "text/x-tex")


PICTURES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


@router.get(
    "/{table}/plot",
    response_class=Response,
    responses={200: {"description": "The picture.", "content": {kind: {} for kind in PICTURES.values()}}},
)
def plot(
    visit: CallsAsCurator,
    name: CampaignName,
    table: TableName,
    asked: AskedDep,
    format: Annotated[PictureForm, Query(description="As a file for a paper.")] = "svg",  # noqa: A002
) -> Response:
    """The picture of one table as SVG, PNG or PDF."""
    from goldmark.results.output.files import picture_bytes

    found, one = visit.services.results.table(name, asked, table)
    content = picture_bytes(found.results, one, format)
    if content is None:
        raise NotDrawn(table=table)
    return saved(content, f"{name}-{table}.{format}", PICTURES[format])
