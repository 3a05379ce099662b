"""Leaderboards for everybody who may see them: boards, standings, systems, metrics beside people, plans."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from sqlalchemy import Connection

from goldmark.leaderboards.boards import BoardRow
from goldmark.leaderboards.standings import Standing, standings, standings_table
from goldmark.records.tables import Table
from goldmark.web.api import shapes
from goldmark.web.api.inputs import Out
from goldmark.web.boards import Seen, see, see_all
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsIfSignedIn, Visitor

router = APIRouter(prefix="/api/v1/leaderboards", tags=["leaderboards"], responses=shapes.FAILURES)

BoardName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$", description="Its id in addresses.")]
Axis = Annotated[str, Query(max_length=64, description="A question with numbers; left out, the one that ranks.")]
Form = Annotated[Literal["csv", "tex", "json"], Path()]


class BoardOut(Out):
    name: str
    title: str
    about: str
    public: bool
    open: bool = Field(description="Whether it takes submissions.")
    protocol: str
    split: str
    subset: dict[str, Any] | None
    axes: list[str]
    main: str
    metrics: list[str]
    team: str | None = Field(description="Your team on this board.")
    created_at: datetime


class BoardList(Out):
    leaderboards: list[BoardOut]


class FigureOut(Out):
    """A score or a metric. Where there is no value, `reason` says why."""

    value: float | None
    low: float | None
    high: float | None
    reason: str
    signature: str
    state: str


class JudgedOut(Out):
    round: int
    at: datetime | None
    labels: int
    items: int
    annotators: int
    excluded: int
    cost: float | None


class SubmissionOut(Out):
    id: int
    system_id: int
    system: str
    kind: Literal["system", "gold"]
    team: str | None
    version: int
    state: Literal["private", "published", "withdrawn"]
    approval: str
    description: str
    link: str
    authors: list[str]
    outputs: int
    digest: str
    submitted_at: datetime
    published_at: datetime | None
    withdrawn_at: datetime | None


class StandingOut(Out):
    best: int | None
    worst: int | None
    submission: SubmissionOut
    scores: dict[str, FigureOut]
    metrics: dict[str, FigureOut]
    judged: JudgedOut | None


class StandingsOut(Out):
    leaderboard: BoardOut
    standings: list[StandingOut]
    notes: list[str]
    signature: str


class TableOut(Out):
    """A table of figures; `x`, `x_low` and `x_high` belong together."""

    title: str
    columns: list[str]
    rows: list[dict[str, str | int | float | bool | None]]
    notes: list[str]
    signature: str


class ExampleOut(Out):
    item: str
    judged: bool
    context: list[dict[str, Any]]
    references: list[str]
    output: str
    scores: dict[str, float | None]
    metrics: dict[str, float | None]


class RoundScoreOut(Out):
    submission_id: int
    round: int
    at: datetime | None
    axis: str
    value: float | None
    low: float | None
    high: float | None
    labels: int
    annotators: int
    excluded: int
    signature: str
    reason: str


class SystemOut(Out):
    name: str
    kind: Literal["system", "gold"]
    team: str | None
    versions: list[SubmissionOut]
    rounds: list[RoundScoreOut]
    examples: list[ExampleOut]
    page: int
    pages: int


def board_out(seen: Seen) -> BoardOut:
    row, settings = seen.board, seen.board.settings
    return BoardOut(
        name=row.name,
        title=row.title,
        about=settings.about,
        public=row.public,
        open=row.closed_at is None,
        protocol=row.protocol,
        split=row.data.split,
        subset=settings.subset.model_dump() if settings.subset else None,
        axes=seen.axes,
        main=seen.main,
        metrics=list(settings.metrics),
        team=seen.team.name if seen.team else None,
        created_at=row.created_at,
    )


def standing_out(one: Standing) -> StandingOut:
    return StandingOut(
        best=one.best,
        worst=one.worst,
        submission=SubmissionOut.model_validate(one.submission),
        scores={axis: FigureOut(**cell._asdict(), state="done") for axis, cell in one.scores.items()},
        metrics={name: FigureOut(**{**cell._asdict(), "reason": cell.message}) for name, cell in one.metrics.items()},
        judged=None if one.judged is None else JudgedOut.model_validate(one.judged),
    )


def table_out(table: Table) -> TableOut:
    return TableOut(
        title=table.title,
        columns=list(table.columns),
        rows=table.records(),
        notes=list(table.notes),
        signature=table.signature,
    )


def rows_of(services: Services, name: str, who: Visitor | None) -> tuple[Seen, list[Standing]]:
    def look(connection: Connection) -> tuple[Seen, list[Standing]]:
        seen = see(connection, services, name, who)
        return seen, standings(connection, seen.board, seen.main, seen.view)

    return services.store.read(look)


def table_of(seen: Seen, rows: list[Standing]) -> Table:
    return standings_table(seen.board, rows, seen.axes, seen.main)


def written(board: BoardRow, table: Table, form: str) -> Response:
    """The standings as a file."""
    from goldmark.reports.tables import to_csv, to_latex

    if form == "json":
        return JSONResponse(table_out(table).model_dump())
    content = to_csv(table) if form == "csv" else to_latex(table)
    headers = {"content-disposition": f'attachment; filename="{board.name}.{form}"'}
    return Response(content, media_type="text/csv; charset=utf-8" if form == "csv" else "text/x-tex", headers=headers)


@router.get("")
def list_all(who: CallsIfSignedIn, services: ServicesDep) -> BoardList:
    """The leaderboards that you may see: public ones without signing in."""
    found = services.store.read(lambda connection: see_all(connection, services, who))
    return BoardList(leaderboards=[board_out(one) for one in found])


@router.get("/{name}")
def show(name: BoardName, who: CallsIfSignedIn, services: ServicesDep) -> BoardOut:
    """A leaderboard: what is judged, on which axes, by which metrics."""
    return board_out(services.store.read(lambda connection: see(connection, services, name, who)))


@router.get("/{name}/standings")
def show_standings(name: BoardName, who: CallsIfSignedIn, services: ServicesDep) -> StandingsOut:
    """The standings: scores with intervals, metrics, and the ranks that intervals leave possible."""
    seen, rows = rows_of(services, name, who)
    table = table_of(seen, rows)
    return StandingsOut(
        leaderboard=board_out(seen),
        standings=[standing_out(one) for one in rows],
        notes=list(table.notes),
        signature=table.signature,
    )


@router.get(
    "/{name}/standings.{form}",
    response_class=Response,
    responses={200: {"description": "A file.", "model": TableOut, "content": {"text/csv": {}, "text/x-tex": {}}}},
)
def standings_as(name: BoardName, form: Form, who: CallsIfSignedIn, services: ServicesDep) -> Response:
    """The standings as one flat table: CSV or JSON at full precision, or LaTeX."""
    seen, rows = rows_of(services, name, who)
    return written(seen.board, table_of(seen, rows), form)


@router.get("/{name}/correlations")
def show_correlations(name: BoardName, who: CallsIfSignedIn, services: ServicesDep, axis: Axis = "") -> TableOut:
    """How each metric goes with people, over systems and over outputs."""
    from goldmark.leaderboards.correlations import correlations

    def look(connection: Connection) -> Table:
        seen = see(connection, services, name, who)
        rows = standings(connection, seen.board, seen.main, seen.view)
        return correlations(connection, seen.board, rows, axis if axis in seen.axes else seen.main)

    return table_out(services.store.read(look))


@router.get("/{name}/drift")
def show_drift(name: BoardName, who: CallsIfSignedIn, services: ServicesDep, axis: Axis = "") -> TableOut:
    """Systems that several rounds judged, and whether people judge them as they did before."""
    from goldmark.leaderboards.drift import drift

    def look(connection: Connection) -> Table:
        seen = see(connection, services, name, who)
        return drift(connection, seen.board, axis if axis in seen.axes else seen.main, seen.view)

    return table_out(services.store.read(look))


@router.get("/{name}/systems/{system_id}")
def show_system(
    name: BoardName,
    system_id: shapes.RowId,
    who: CallsIfSignedIn,
    services: ServicesDep,
    page: Annotated[int, Query(ge=1, le=1_000_000, description="Of the examples.")] = 1,
) -> SystemOut:
    """A system: its versions, what each round said of it, and its outputs where the board shows them."""
    from goldmark.leaderboards.systems import Examples, examples_of, system_of

    def look(connection: Connection) -> tuple[Seen, Any, Examples | None]:
        seen = see(connection, services, name, who)
        found = system_of(connection, seen.board, system_id, seen.view)
        shown = examples_of(connection, seen.board, found.versions[0].id, page) if seen.examples else None
        return seen, found, shown

    seen, found, shown = services.store.read(look)
    return SystemOut(
        name=found.name,
        kind=found.kind,
        team=found.team,
        versions=[SubmissionOut.model_validate(one) for one in found.versions],
        rounds=[RoundScoreOut.model_validate(one) for one in found.rounds],
        examples=[
            ExampleOut(
                item=one.item.name,
                judged=one.judged,
                context=[dict(part) for part in one.item.context],
                references=list(one.item.references),
                output=one.output,
                scores=dict(one.scores) if seen.judgements else {},
                metrics=dict(one.metrics),
            )
            for one in (shown.examples if shown else ())
        ],
        page=page,
        pages=shown.pages if shown else 1,
    )


@router.get("/{name}/plan")
def show_plan(
    name: BoardName,
    who: CallsIfSignedIn,
    services: ServicesDep,
    annotations: Annotated[int | None, Query(ge=2, le=10_000_000)] = None,
    error: Annotated[float | None, Query(ge=0.0001, le=0.5, description="The standard error to reach.")] = None,
    difference: Annotated[float | None, Query(ge=0.0001, le=1, description="Between two systems.")] = None,
    mean: Annotated[float, Query(ge=0.001, le=0.999, description="The score that is expected.")] = 0.5,
    systems: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> TableOut:
    """How many annotations a system needs, what they cost, and which differences they can show."""
    from goldmark.web.plans import board_plan

    def look(connection: Connection) -> Table:
        seen = see(connection, services, name, who)
        return board_plan(
            connection, seen, annotations=annotations, error=error, difference=difference, mean=mean, systems=systems
        )

    return table_out(services.store.read(look))
