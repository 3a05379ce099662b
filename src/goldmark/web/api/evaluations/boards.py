"""Leaderboards for everybody who may see them: boards, standings, systems, metrics beside people, plans."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from sqlalchemy import Connection

from goldmark.leaderboards.board_view import BoardView, view_boards
from goldmark.leaderboards.definition.phases import Phase
from goldmark.leaderboards.definition.settings import PhaseName
from goldmark.leaderboards.scores.standings import ScoreBasis, Standing
from goldmark.leaderboards.submitted.inputs import write_inputs
from goldmark.leaderboards.submitted.systems import Examples, RoundScore, SystemFile
from goldmark.records.tables import Table
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import FigureOut, TableOut
from goldmark.web.api.inputs import Out, part
from goldmark.web.files import new_file, saved, sent
from goldmark.web.sign_in import CallsIfSignedIn
from goldmark.web.visits import Guest

router = Calls("/api/v1/leaderboards", "leaderboards")

BoardName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$", description="Its id in addresses.")]
Axis = Annotated[str, Query(max_length=64, description="A question with numbers; left out, the one that ranks.")]
Form = Annotated[Literal["csv", "tex", "json"], Path()]


PhaseChoice = Annotated[
    Literal["test", "development"], Query(description="The test, or the phase to practise in where there is one.")
]


class BoardOut(Out):
    name: str = part("board.name")
    title: str = part("board.title")
    about: str = part("board.settings.about")
    public: bool = part("board.public")
    open: bool = Field(description="Whether it takes submissions.")
    protocol: str = part("board.protocol")
    split: str = part("board.data.split")
    judged: int | None = Field(description="How many items people judge; none: all.")
    phases: list[Phase]
    axes: list[str]
    main: str
    metrics: list[str] = part("board.settings.metrics")
    team: str | None = part("team_name", "Your team on this board.")
    created_at: datetime = part("board.created_at")


class BoardList(Out):
    leaderboards: list[BoardOut]


class MetricOut(FigureOut):
    """What a metric says of a system, or how far it is: waiting, done or failed."""

    reason: str = part("message")
    state: str


class SubmissionOut(Out):
    id: int
    system_id: int
    system: str
    kind: Literal["system", "gold"]
    team: str | None
    version: int
    phase: Literal["test", "development"]
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
    metrics: dict[str, MetricOut]
    judged: ScoreBasis | None


class StandingsOut(Out):
    leaderboard: BoardOut
    standings: list[StandingOut]
    notes: list[str]
    signature: str


class ExampleOut(Out):
    item: str = part("item.name")
    judged: bool | None = Field(description="Whether people judge this item; null where the board does not tell.")
    context: list[dict[str, Any]] = part("item.context")
    references: list[str] = part("item.references", "Empty where the board does not show them.")
    output: str
    scores: dict[str, float | None]
    metrics: dict[str, float | None]


class SystemOut(Out):
    name: str
    kind: Literal["system", "gold"]
    team: str | None
    versions: list[SubmissionOut]
    rounds: list[RoundScore]
    examples: list[ExampleOut]
    being_judged: bool = Field(description="People judge its outputs just now; they are shown when that is done.")
    page: int
    pages: int


def rows_of(visit: Guest, name: str, phase: PhaseName = "test") -> tuple[BoardView, list[Standing]]:
    def look(connection: Connection) -> tuple[BoardView, list[Standing]]:
        seen = visit.board(connection, name)
        return seen, seen.standings(connection, phase)

    return visit.read(look)


def standings_out(seen: BoardView, rows: list[Standing]) -> dict[str, Any]:
    table = seen.table(rows)
    return {"leaderboard": seen, "standings": rows, "notes": table.notes, "signature": table.signature}


@router.get("", response_model=BoardList)
def list_all(visit: CallsIfSignedIn) -> dict[str, Any]:
    """The leaderboards that you may see: public ones without signing in."""
    return {"leaderboards": all_boards(visit)}


def all_boards(visit: Guest) -> list[BoardView]:
    account, everything = visit.account and visit.account.id, visit.may("curator")
    return visit.read(lambda connection: view_boards(connection, visit.content, account, everything=everything))


@router.get("/{name}", response_model=BoardOut)
def show(visit: CallsIfSignedIn, name: BoardName) -> BoardView:
    """A leaderboard: what is judged, on which axes, by which metrics."""
    return visit.read(lambda connection: visit.board(connection, name))


@router.get("/{name}/standings", response_model=StandingsOut)
def show_standings(visit: CallsIfSignedIn, name: BoardName, phase: PhaseChoice = "test") -> dict[str, Any]:
    """The standings: scores with intervals, metrics, and the ranks that remain possible."""
    return standings_out(*rows_of(visit, name, phase))


@router.get(
    "/{name}/standings.{form}",
    response_class=Response,
    responses={200: {"description": "A file.", "model": TableOut, "content": {"text/csv": {}, "text/x-tex": {}}}},
)
def standings_as(visit: CallsIfSignedIn, name: BoardName, form: Form, phase: PhaseChoice = "test") -> Response:
    """The standings as one flat table: CSV or JSON at full precision, or LaTeX."""
    from goldmark.results.output.tables import to_csv, to_latex

    seen, rows = rows_of(visit, name, phase)
    table = seen.table(rows)
    if form == "json":
        return JSONResponse(TableOut.model_validate(table).model_dump())
    if form == "csv":
        return saved(to_csv(table), f"{name}.csv")
    return saved(to_latex(table), f"{name}.tex", "text/x-tex")


@router.get("/{name}/correlations", response_model=TableOut)
def show_correlations(visit: CallsIfSignedIn, name: BoardName, axis: Axis = "") -> Table:
    """How each metric goes with people, over systems and over outputs."""
    from goldmark.leaderboards.scores.correlations import correlations

    def look(connection: Connection) -> Table:
        seen = visit.board(connection, name)
        return correlations(connection, seen.board, seen.standings(connection), seen.axis(axis))

    return visit.read(look)


@router.get("/{name}/pairs", response_model=list[TableOut])
def show_pairs(visit: CallsIfSignedIn, name: BoardName) -> list[Table]:
    """Every two published systems compared, as a list and as a matrix: which are surely better than which."""
    return pairs_of(visit, name)


def pairs_of(visit: Guest, name: str) -> list[Table]:
    from goldmark.leaderboards.scores.standings import board_pairs

    def look(connection: Connection) -> list[Table]:
        seen = visit.board(connection, name)
        return board_pairs(connection, seen.board, seen.standings(connection), seen.main)

    return visit.read(look)


@router.get("/{name}/drift", response_model=TableOut)
def show_drift(visit: CallsIfSignedIn, name: BoardName, axis: Axis = "") -> Table:
    """Systems that several rounds judged, and whether people judge them as they did before."""
    from goldmark.leaderboards.scores.drift import drift

    def look(connection: Connection) -> Table:
        seen = visit.board(connection, name)
        return drift(connection, seen.board, seen.axis(axis), seen.view)

    return visit.read(look)


def system_seen(visit: Guest, name: str, system_id: int, page: int) -> tuple[BoardView, SystemFile, Examples | None]:
    """A system as this visitor may see it, and its outputs where the board shows them."""

    def look(connection: Connection) -> tuple[BoardView, SystemFile, Examples | None]:
        seen = visit.board(connection, name)
        return seen, *seen.system(connection, system_id, page)

    return visit.read(look)


@router.get("/{name}/systems/{system_id}", response_model=SystemOut)
def show_system(
    visit: CallsIfSignedIn,
    name: BoardName,
    system_id: shapes.RowId,
    page: Annotated[int, Query(ge=1, le=1_000_000, description="Of the examples.")] = 1,
) -> dict[str, Any]:
    """A system: its versions, what each round said of it, and its outputs where the board shows them."""
    _, found, shown = system_seen(visit, name, system_id, page)
    examples = shown.examples if shown else ()
    return {**found._asdict(), "examples": examples, "page": page, "pages": shown.pages if shown else 1}


@router.get(
    "/{name}/inputs.jsonl",
    response_class=Response,
    responses={200: {"description": "JSON lines.", "content": {"application/x-ndjson": {}}}},
)
def inputs(visit: CallsIfSignedIn, name: BoardName, phase: PhaseChoice = "test") -> Response:
    """What systems answer, a row for each item: id, context, language, and references where the board shows them."""
    with new_file(".jsonl") as path, path.open("wb") as file:
        visit.read(lambda connection: write_inputs(connection, visit.board(connection, name), phase, file))
    return sent(path, f"{name}-{phase}.jsonl", "application/x-ndjson")


@router.get("/{name}/plan", response_model=TableOut)
def show_plan(
    visit: CallsIfSignedIn,
    name: BoardName,
    annotations: Annotated[int | None, Query(ge=2, le=10_000_000)] = None,
    error: Annotated[float | None, Query(ge=0.0001, le=0.5, description="The standard error to reach.")] = None,
    difference: Annotated[float | None, Query(ge=0.0001, le=1, description="Between two systems.")] = None,
    mean: Annotated[float, Query(ge=0.001, le=0.999, description="The score that is expected.")] = 0.5,
    systems: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Table:
    """How many annotations a system needs, what they cost, and which differences they can show."""
    from goldmark.leaderboards.human.plan import PlanRequest, board_plan

    wanted = PlanRequest(annotations=annotations, error=error, difference=difference, mean=mean, systems=systems)

    def look(connection: Connection) -> Table:
        seen = visit.board(connection, name)
        return board_plan(connection, seen.board, seen.main, wanted)

    return visit.read(look)
