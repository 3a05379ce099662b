"""Leaderboards to read: the list, the standings, a system, metrics beside people, the history, a plan."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from markupsafe import Markup
from sqlalchemy import Connection

from goldmark.campaigns.pages import LAST_PAGE, Page
from goldmark.errors import GoldmarkError
from goldmark.leaderboards.board_view import BoardView
from goldmark.leaderboards.definition import boards as made_boards
from goldmark.leaderboards.definition.phases import Phase, phase_named
from goldmark.leaderboards.definition.settings import PhaseName
from goldmark.leaderboards.human.rounds import Round, rounds_of
from goldmark.leaderboards.scores.standings import Standing
from goldmark.leaderboards.submitted.inputs import count_inputs, inputs_of
from goldmark.leaderboards.submitted.submissions import SubmissionRow, list_submissions
from goldmark.protocols.presentation import to_html
from goldmark.records.tables import Table
from goldmark.store.events import Decision
from goldmark.web.api.evaluations import boards as calls
from goldmark.web.api.shapes import RowId
from goldmark.web.files import saved
from goldmark.web.pages.evaluations.board_rows import (
    StandingsRequest,
    agreement_lines,
    arranged,
    metric_decimals,
    metric_names,
    plotted,
    scale_of,
    shown_number,
    whisker,
)
from goldmark.web.pages.forms import number
from goldmark.web.pages.frame import failed, page
from goldmark.web.pages.frame import shown as read
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsIfSignedIn

router = Pages("/leaderboards")

Short = Annotated[str, Query(max_length=200)]
PageNumber = Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)]


@router.get("")
def list_all(visit: ReadsIfSignedIn) -> Response:
    found = calls.all_boards(visit)
    rows = visit.read(lambda connection: [(one, one.standings(connection)) for one in found])
    return page(visit, "boards.html", boards=rows, shown=shown_number)


@router.get("/{name}")
def show(
    visit: ReadsIfSignedIn,
    name: str,
    axis: Short = "",
    sort: Short = "",
    order: Short = "",
    search: Short = "",
    phase: Short = "",
    page_number: PageNumber = 1,
) -> Response:
    practice: PhaseName = "development" if phase == "development" else "test"
    seen, rows = calls.rows_of(visit, name, practice)
    if practice != "test":
        phase_named(seen.board, practice)
    wish = StandingsRequest(sort, "down" if order == "down" else "", search.replace("\x00", "").strip(), axis, phase)
    table = seen.table(rows)
    few = practice == "test" and sum(one.best is not None for one in rows) <= MOST_COMPARED
    pairs = read(calls.pairs_of(visit, name)[::-1]) if few else []
    facts = standings_facts(seen, rows, wish)
    shown = Page.of(facts["rows"], page_number, SYSTEMS_ON_PAGE)
    facts |= {
        "found": shown,
        "rows": shown.items,
        "notes": table.notes,
        "how": table.signature,
        "pairs": pairs,
        "practice": practice == "development",
    }
    return page(visit, "board.html", **facts)


SYSTEMS_ON_PAGE, HISTORY_ON_PAGE = 25, 40
MOST_COMPARED = 20  # systems of which a page shows every two; of more, the API has them


def standings_facts(seen: BoardView, rows: list[Standing], wish: StandingsRequest) -> dict[str, Any]:
    """What the table of standings is drawn from, on a page and in an export alike."""
    metrics = seen.board.settings.metrics
    names = metric_names(metrics)
    # Where nobody is asked, the first metric stands in the place of what people say.
    axis = seen.axis(wish.axis) or next(iter(metrics), "")
    ordered = (
        replace(wish, sort=axis, order="down") if seen.asks_people and axis != seen.main and not wish.sort else wish
    )
    shown = arranged(rows, ordered)
    scale = scale_of(rows, axis)
    return {
        "board": seen.board,
        "seen": seen,
        "rows": [(one, whisker(one, axis, scale)) for one in shown],
        "total": len(rows),
        "axis": axis,
        "others": [one for one in seen.axes if one != axis],
        "titles": seen.titles() or {name: names[name].short.capitalize() for name in metrics},
        "metrics": metrics if seen.asks_people else metrics[1:],
        "names": names,
        "currency": seen.board.settings.human.pay.currency,
        "wish": wish,
        "scale": scale,
        "shown": shown_number,
        "digits": metric_decimals(rows, metrics),
        "about": Markup(to_html(seen.board.settings.about)),  # noqa: S704 - cleaned by to_html
    }


@router.get("/{name}/standings.{form}")
def standings_as(visit: ReadsIfSignedIn, name: str, form: calls.Form, phase: calls.PhaseChoice = "test") -> Response:
    return calls.standings_as(visit, name, form, phase)


@router.get("/{name}/data")
def data(visit: ReadsIfSignedIn, name: str) -> Response:
    """What systems answer: how many inputs each phase has, what they look like, and where to get them."""

    def look(connection: Connection) -> tuple[BoardView, list[tuple[Phase, int, list[str]]]]:
        seen = visit.board(connection, name)
        return seen, [(one, *_first_inputs(connection, seen, one)) for one in seen.phases]

    seen, phases = visit.read(look)
    return page(visit, "board_data.html", board=seen.board, seen=seen, phases=phases, now=datetime.now(UTC))


def _first_inputs(connection: Connection, seen: BoardView, phase: Phase) -> tuple[int, list[str]]:
    count = count_inputs(connection, seen, phase.name)
    first = islice(inputs_of(connection, seen, phase.name), 2) if seen.inputs else ()
    return count, [json.dumps(row, ensure_ascii=False) for row in first]


@router.get("/{name}/inputs.jsonl")
def inputs(visit: ReadsIfSignedIn, name: str, phase: calls.PhaseChoice = "test") -> Response:
    return calls.inputs(visit, name, phase)


@router.get("/{name}/systems/{system_id}")
def system(
    visit: ReadsIfSignedIn,
    name: str,
    system_id: RowId,
    page_number: PageNumber = 1,
) -> Response:
    seen, found, shown = calls.system_seen(visit, name, system_id, page_number)
    newest = found.versions[0].id
    rows = visit.read(lambda connection: seen.standings(connection, found.versions[0].phase))
    standing = next((one for one in rows if one.submission.id == newest), None)
    mine = seen.team is not None and any(one.team_id == seen.team.id for one in found.versions)
    return page(
        visit,
        "board_system.html",
        board=seen.board,
        seen=seen,
        system=found,
        examples=shown,
        standing=standing,
        titles=seen.titles(),
        shown=shown_number,
        may_act=mine or visit.may("manager"),
    )


@router.get("/{name}/metrics")
def metrics(visit: ReadsIfSignedIn, name: str, axis: Short = "", metric: Short = "") -> Response:
    from goldmark.leaderboards.scores.correlations import correlations, points
    from goldmark.leaderboards.scores.drift import drift

    def look(connection: Connection) -> tuple[BoardView, list[Standing], list[Table]]:
        seen = visit.board(connection, name)
        rows, wanted = seen.standings(connection), seen.axis(axis)
        drifted = drift(connection, seen.board, wanted, seen.view)
        table = correlations(connection, seen.board, rows, wanted)
        return seen, rows, [table, drifted] if drifted.rows else [table]

    seen, rows, tables = visit.read(look)
    known = seen.board.settings.metrics
    chosen = metric if metric in known else (known[0] if known else "")
    return page(
        visit,
        "board_metrics.html",
        board=seen.board,
        seen=seen,
        axis=seen.axis(axis),
        metric=chosen,
        metrics=known,
        names=metric_names(known),
        lines=agreement_lines(tables[0]),
        titles=seen.titles(),
        plot=plotted(points(rows, seen.axis(axis), chosen)),
        tables=read(tables),
    )


@router.get("/{name}/history")
def history(visit: ReadsIfSignedIn, name: str, page_number: PageNumber = 1) -> Response:
    """Everything of a board, the newest first; older rounds, submissions and decisions are on the same later page."""

    def look(connection: Connection) -> tuple[BoardView, list[SubmissionRow], list[Round], list[Decision]]:
        seen = visit.board(connection, name)
        decisions = made_boards.history(connection, seen.board) if seen.view.everything else []
        return seen, list_submissions(connection, seen.board), rounds_of(connection, seen.board), decisions

    seen, submitted, rounds, decisions = visit.read(look)
    visible = {one.id for one in submitted if seen.view.sees(one)}
    # A round tells the public which of its systems are public, and nothing of the others.
    told = [
        one._replace(entries=tuple(entry for entry in one.entries if entry.submission_id in visible))
        for one in rounds
        if one.state != "planned" or seen.view.everything
    ]
    sent = Page.of([one for one in submitted if one.id in visible], page_number, HISTORY_ON_PAGE)
    judged = Page.of(told, page_number, HISTORY_ON_PAGE)
    decided = Page.of(decisions, page_number, HISTORY_ON_PAGE)
    lists: tuple[Page[Any], ...] = (sent, judged, decided)
    return page(
        visit,
        "board_history.html",
        board=seen.board,
        seen=seen,
        submissions=sent.items,
        rounds=judged.items,
        decisions=decided.items,
        found=max(lists, key=lambda one: one.pages),
    )


@router.get("/{name}/plan")
def plan(
    visit: ReadsIfSignedIn,
    name: str,
    want: Short = "annotations",
    amount: Short = "",
    mean: Short = "0.5",
    systems: Short = "1",
) -> Response:
    seen = calls.show(visit, name)
    given = {"want": want, "amount": amount, "mean": mean, "systems": systems}
    facts: dict[str, Any] = {"board": seen.board, "seen": seen, "given": given}
    try:
        table = calls.show_plan(visit, name, **_plan(given))
    except GoldmarkError as error:
        return page(visit, "board_plan.html", wrong=failed("plan", error), **facts, tables=[])
    return page(visit, "board_plan.html", **facts, tables=read([table]))


def _plan(given: dict[str, str]) -> dict[str, Any]:
    """What was asked for, of annotations, a standard error or a difference."""
    from goldmark.leaderboards.human.plan import PlanNotPossible

    amount, mean, systems = (number(given[key]) for key in ("amount", "mean", "systems"))
    want = given["want"] if given["want"] in ("error", "difference") else "annotations"
    if given["amount"].strip() and isinstance(amount, str):
        raise PlanNotPossible(reason=f"{given['amount'][:40]!r} is no number")
    if isinstance(mean, str) or not isinstance(systems, int):
        raise PlanNotPossible(reason="the expected score is a number between 0 and 1, the number of systems whole")
    said = {"mean": float(mean), "systems": systems}
    if isinstance(amount, str):
        return said
    return {**said, want: int(amount) if want == "annotations" else float(amount)}


@router.get("/{name}/export.zip")
def export(visit: ReadsIfSignedIn, name: str) -> Response:
    """What anybody may see of the board, as pages that need no server."""
    from goldmark.web.static_board import exported_zip

    calls.show(visit, name)
    return saved(exported_zip(visit.services, name), f"{name}.zip", "application/zip")
