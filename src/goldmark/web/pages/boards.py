"""Leaderboards to read: the list, the standings, a system, metrics beside people, the history, a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from markupsafe import Markup
from sqlalchemy import Connection

from goldmark.errors import GoldmarkError
from goldmark.leaderboards import boards as made_boards
from goldmark.leaderboards.rounds import Round, rounds_of
from goldmark.leaderboards.standings import Standing, standings
from goldmark.leaderboards.submissions import SubmissionRow, list_submissions
from goldmark.protocols.presentation import to_html
from goldmark.records.tables import Table
from goldmark.store.events import Decision
from goldmark.web.api.boards import Form, rows_of, table_of, written
from goldmark.web.api.shapes import RowId
from goldmark.web.boards import Seen, see, see_all
from goldmark.web.pages.frame import failed, number, page
from goldmark.web.pages.standing_rows import Wish, arranged, metric_decimals, plotted, scale_of, shown_number, whisker
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsIfSignedIn, Visitor

router = APIRouter(include_in_schema=False, prefix="/leaderboards")

Short = Annotated[str, Query(max_length=200)]


@router.get("")
def list_all(request: Request, who: ReadsIfSignedIn, services: ServicesDep) -> Response:
    def look(connection: Connection) -> list[tuple[Seen, list[Standing]]]:
        found = see_all(connection, services, who)
        return [(one, standings(connection, one.board, one.main, one.view)) for one in found]

    return page(request, "boards.html", who, boards=services.store.read(look), shown=shown_number)


@router.get("/{name}")
def show(
    name: str,
    request: Request,
    who: ReadsIfSignedIn,
    services: ServicesDep,
    axis: Short = "",
    sort: Short = "",
    order: Short = "",
    search: Short = "",
) -> Response:
    seen, rows = rows_of(services, name, who)
    wish = Wish(sort, "down" if order == "down" else "", search.replace("\x00", "").strip(), axis)
    table = table_of(seen, rows)
    return page(request, "board.html", who, **standings_facts(seen, rows, wish), notes=table.notes, how=table.signature)


def standings_facts(seen: Seen, rows: list[Standing], wish: Wish) -> dict[str, Any]:
    """What the table of standings is drawn from, on a page and in an export alike."""
    axis = wish.axis if wish.axis in seen.axes else seen.main
    ordered = replace(wish, sort=axis, order="down") if axis != seen.main and not wish.sort else wish
    shown = arranged(rows, ordered)
    scale = scale_of(rows, axis)
    return {
        "board": seen.board,
        "seen": seen,
        "rows": [(one, whisker(one, axis, scale)) for one in shown],
        "total": len(rows),
        "axis": axis,
        "others": [one for one in seen.axes if one != axis],
        "titles": seen.titles(),
        "metrics": seen.board.settings.metrics,
        "wish": wish,
        "scale": scale,
        "shown": shown_number,
        "digits": metric_decimals(rows, seen.board.settings.metrics),
        "about": Markup(to_html(seen.board.settings.about)),  # noqa: S704 - cleaned by to_html
    }


@router.get("/{name}/standings.{form}")
def standings_as(name: str, form: Form, who: ReadsIfSignedIn, services: ServicesDep) -> Response:
    seen, rows = rows_of(services, name, who)
    return written(seen.board, table_of(seen, rows), form)


@router.get("/{name}/systems/{system_id}")
def system(
    name: str,
    system_id: RowId,
    request: Request,
    who: ReadsIfSignedIn,
    services: ServicesDep,
    page_number: Annotated[int, Query(alias="page", ge=1, le=1_000_000)] = 1,
) -> Response:
    from goldmark.leaderboards.systems import Examples, SystemFile, examples_of, system_of

    def look(connection: Connection) -> tuple[Seen, SystemFile, Examples | None, Standing | None]:
        seen = see(connection, services, name, who)
        found = system_of(connection, seen.board, system_id, seen.view)
        shown = examples_of(connection, seen.board, found.versions[0].id, page_number) if seen.examples else None
        rows = standings(connection, seen.board, seen.main, seen.view)
        standing = next((one for one in rows if one.submission.id == found.versions[0].id), None)
        return seen, found, shown, standing

    seen, found, shown, standing = services.store.read(look)
    mine = seen.team is not None and any(one.team_id == seen.team.id for one in found.versions)
    return page(
        request,
        "board_system.html",
        who,
        board=seen.board,
        seen=seen,
        system=found,
        examples=shown,
        standing=standing,
        titles=seen.titles(),
        shown=shown_number,
        may_act=mine or (who is not None and who.may("manager")),
    )


@router.get("/{name}/metrics")
def metrics(
    name: str, request: Request, who: ReadsIfSignedIn, services: ServicesDep, axis: Short = "", metric: Short = ""
) -> Response:
    from goldmark.leaderboards.correlations import correlations, points
    from goldmark.leaderboards.drift import drift
    from goldmark.reports.tables import reading

    def look(connection: Connection) -> tuple[Seen, list[Standing], Table, Table]:
        seen = see(connection, services, name, who)
        rows = standings(connection, seen.board, seen.main, seen.view)
        wanted = axis if axis in seen.axes else seen.main
        return (
            seen,
            rows,
            correlations(connection, seen.board, rows, wanted),
            drift(connection, seen.board, wanted, seen.view),
        )

    seen, rows, table, drifted = services.store.read(look)
    wanted = axis if axis in seen.axes else seen.main
    known = seen.board.settings.metrics
    chosen = metric if metric in known else (known[0] if known else "")
    tables = [(one, reading(one)) for one in ((table, drifted) if drifted.rows else (table,))]
    return page(
        request,
        "board_metrics.html",
        who,
        board=seen.board,
        seen=seen,
        axis=wanted,
        metric=chosen,
        metrics=known,
        titles=seen.titles(),
        plot=plotted(points(rows, wanted, chosen)),
        tables=tables,
    )


@router.get("/{name}/history")
def history(name: str, request: Request, who: ReadsIfSignedIn, services: ServicesDep) -> Response:
    def look(connection: Connection) -> tuple[Seen, list[SubmissionRow], list[Round], list[Decision]]:
        seen = see(connection, services, name, who)
        decisions = made_boards.history(connection, seen.board) if seen.view.everything else []
        return seen, list_submissions(connection, seen.board), rounds_of(connection, seen.board), decisions

    seen, submitted, rounds, decisions = services.store.read(look)
    visible = {one.id for one in submitted if seen.view.sees(one)}
    return page(
        request,
        "board_history.html",
        who,
        board=seen.board,
        seen=seen,
        submissions=[one for one in submitted if one.id in visible],
        # A round tells the public which of its systems are public, and nothing of the others.
        rounds=[
            one._replace(entries=tuple(entry for entry in one.entries if entry.submission_id in visible))
            for one in rounds
            if one.state != "planned" or seen.view.everything
        ],
        decisions=decisions,
    )


@router.get("/{name}/plan")
def plan(
    name: str,
    request: Request,
    who: ReadsIfSignedIn,
    services: ServicesDep,
    want: Short = "annotations",
    amount: Short = "",
    mean: Short = "0.5",
    systems: Short = "1",
) -> Response:
    return _plan(request, services, name, who, {"want": want, "amount": amount, "mean": mean, "systems": systems})


def _plan(request: Request, services: Services, name: str, who: Visitor | None, given: dict[str, str]) -> Response:
    from goldmark.leaderboards.planning import PlanNotPossible
    from goldmark.reports.tables import reading
    from goldmark.web.plans import board_plan

    def asked() -> dict[str, Any]:
        amount, mean, systems = (number(given[key]) for key in ("amount", "mean", "systems"))
        want = given["want"] if given["want"] in ("annotations", "error", "difference") else "annotations"
        if given["amount"].strip() and isinstance(amount, str):
            raise PlanNotPossible(reason=f"{given['amount'][:40]!r} is no number")
        if isinstance(mean, str) or not isinstance(systems, int):
            raise PlanNotPossible(reason="the expected score is a number between 0 and 1, the number of systems whole")
        wishes: dict[str, Any] = {"annotations": None, "error": None, "difference": None}
        if not isinstance(amount, str):
            wishes[want] = int(amount) if want == "annotations" else float(amount)
        return {**wishes, "mean": float(mean), "systems": systems}

    seen = services.store.read(lambda connection: see(connection, services, name, who))
    facts: dict[str, Any] = {"board": seen.board, "seen": seen, "given": given}
    try:
        wanted = asked()
        table = services.store.read(lambda connection: board_plan(connection, seen, **wanted))
    except GoldmarkError as error:
        return page(request, "board_plan.html", who, wrong=failed("plan", error), **facts, tables=[])
    return page(request, "board_plan.html", who, **facts, tables=[(table, reading(table))])


@router.get("/{name}/export.zip")
def export(name: str, who: ReadsIfSignedIn, services: ServicesDep) -> Response:
    """What anybody may see of the board, as pages that need no server."""
    from goldmark.web.publishing import exported_zip

    services.store.read(lambda connection: see(connection, services, name, who))
    headers = {"content-disposition": f'attachment; filename="{name}.zip"'}
    return Response(exported_zip(services, name), media_type="application/zip", headers=headers)
