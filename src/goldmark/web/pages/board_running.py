"""Leaderboards to act on: make one, submit to it, publish and withdraw; approve, open and close rounds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.errors import GoldmarkError
from goldmark.leaderboards import boards, rounds, submissions, teams
from goldmark.leaderboards.boards import find_board
from goldmark.leaderboards.opening import cost_of, open_round
from goldmark.leaderboards.rounds import Round, rounds_of
from goldmark.leaderboards.standings import Standing, standings
from goldmark.leaderboards.submissions import SubmissionRow, list_submissions
from goldmark.leaderboards.submitting import About, submit
from goldmark.leaderboards.uploads import board_from_files
from goldmark.web.api.campaigns import received
from goldmark.web.api.shapes import RowId
from goldmark.web.api.submissions import Number, close_and_score
from goldmark.web.boards import Seen, see, who_is
from goldmark.web.pages.frame import NOT_FAILED, Failed, Prose, Word, failed, go, page
from goldmark.web.pages.standing_rows import shown_number
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import (
    ReadsAsAnyone,
    ReadsAsCurator,
    ReadsAsManager,
    SendsAsAnyone,
    SendsAsManager,
    Visitor,
)

router = APIRouter(include_in_schema=False, prefix="/leaderboards")


@router.get("/new")
def new(request: Request, who: ReadsAsManager) -> Response:
    return page(request, "board_new.html", who)


@router.post("/new")
def create(
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    files: Annotated[list[UploadFile], File()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    try:
        made = boards.create_board(services.store, board_from_files(received(files)), author=who.name)
    except GoldmarkError as error:
        return page(request, "board_new.html", who, wrong=failed("files", error))
    return go(f"/leaderboards/{made.name}", "board-created")


@router.get("/{name}/submit")
def submit_page(name: str, request: Request, who: ReadsAsAnyone, services: ServicesDep) -> Response:
    return _submit_page(name, request, who, services)


@router.post("/{name}/submit")
def send(
    name: str,
    request: Request,
    who: SendsAsAnyone,
    services: ServicesDep,
    system: Word = "",
    team: Word = "",
    description: Prose = "",
    link: Word = "",
    authors: Prose = "",
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:
    given = {"system": system, "team": team, "description": description, "link": link, "authors": authors}
    about = About(system, team, description, link, tuple(line for line in authors.splitlines() if line.strip()))
    try:
        services.store.read(lambda connection: see(connection, services, name, who))
        if file is None or not file.filename:
            raise NoFile
        submit(services.store, name, about, file.file, file.filename, who=who_is(who))
    except GoldmarkError as error:
        return _submit_page(name, request, who, services, wrong=failed("submit", error), given=given)
    return go(f"/leaderboards/{name}/submit", "submitted")


class NoFile(GoldmarkError):
    code = "SUBMISSION-12"
    message = "choose the file with the system's outputs"


def _submit_page(
    name: str,
    request: Request,
    who: Visitor,
    services: Services,
    *,
    wrong: Failed = NOT_FAILED,
    given: dict[str, str] | None = None,
) -> Response:
    def look(connection: Connection) -> tuple[Seen, list[SubmissionRow], list[str], dict[int, Standing], list[str]]:
        seen = see(connection, services, name, who)
        mine = list_submissions(connection, seen.board, team_id=seen.team.id) if seen.team else []
        rows = standings(connection, seen.board, seen.main, seen.view)
        first = boards.item_names(connection, seen.board)[:2]
        members = teams.members_of(connection, seen.team.id) if seen.team else []
        return seen, mine, first, {one.submission.id: one for one in rows}, members

    seen, mine, first, rows, members = services.store.read(look)
    return page(
        request,
        "board_submit.html",
        who,
        wrong=wrong,
        board=seen.board,
        seen=seen,
        mine=mine,
        items=first,
        rows=rows,
        members=members,
        main=seen.main,
        shown=shown_number,
        given=given or {"system": "", "team": "", "description": "", "link": "", "authors": ""},
    )


@router.post("/{name}/teams")
def add_member(
    name: str, request: Request, who: SendsAsAnyone, services: ServicesDep, team: Word = "", account: Word = ""
) -> Response:
    try:
        services.store.read(lambda connection: see(connection, services, name, who))
        teams.add_member(services.store, name, team, account.strip(), who=who_is(who))
    except GoldmarkError as error:
        return _submit_page(name, request, who, services, wrong=failed("team", error))
    return go(f"/leaderboards/{name}/submit", "member-added")


@router.post("/{name}/submissions/{submission_id}/{verb}")
def change(
    name: str,
    submission_id: RowId,
    verb: str,
    request: Request,
    who: SendsAsAnyone,
    services: ServicesDep,
    reason: Word = "",
    metric: Word = "",
) -> Response:
    """Publish, withdraw, measure again: a team's own. Approve, decline: those who run the board."""
    from goldmark.leaderboards.measuring import measure_again

    actor, store = who_is(who), services.store
    try:
        services.store.read(lambda connection: see(connection, services, name, who))
        if verb == "publish":
            submissions.publish(store, name, submission_id, who=actor, reason=reason)
        elif verb == "withdraw":
            submissions.withdraw(store, name, submission_id, who=actor, reason=reason)
        elif verb == "metric":
            measure_again(store, name, submission_id, metric, who=actor)
        elif verb in ("approve", "decline") and actor.manages:
            decide = rounds.approve if verb == "approve" else rounds.decline
            decide(store, name, submission_id, who=actor, now=datetime.now(UTC), reason=reason)
        else:
            raise submissions.UnknownSubmission(id=submission_id, board=name)
    except GoldmarkError as error:
        if actor.manages:
            return _manage_page(name, request, who, services, wrong=failed("manage", error))
        return _submit_page(name, request, who, services, wrong=failed("submit", error))
    if verb in ("approve", "decline"):
        return go(f"/leaderboards/{name}/manage", verb)
    system_id = store.read(
        lambda connection: submissions.find_submission(connection, find_board(connection, name), submission_id)
    ).system_id
    return go(
        f"/leaderboards/{name}/systems/{system_id}", {"publish": "published", "metric": "measured"}.get(verb, verb)
    )


@router.get("/{name}/manage")
def manage(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _manage_page(name, request, who, services)


@router.post("/{name}/rounds/{number}/{verb}")
def act_on_round(
    name: str,
    number: Number,
    verb: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    reason: Word = "",
    over_budget: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    try:
        if verb == "open":
            open_round(services.store, name, number, who=who.name, now=datetime.now(UTC), force=over_budget == "yes")
        elif verb == "close":
            close_and_score(services, name, number, who.name, reason)
        else:
            raise rounds.UnknownRound(number=number, board=name)
    except GoldmarkError as error:
        return _manage_page(name, request, who, services, wrong=failed("manage", error))
    return go(f"/leaderboards/{name}/manage", "round-opened" if verb == "open" else "round-scored")


@router.post("/{name}/move")
def move(
    name: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    closed: Annotated[str, Form(max_length=10)] = "",
    reason: Word = "",
) -> Response:
    boards.set_closed(services.store, name, closed == "yes", author=who.name, reason=reason)
    return go(f"/leaderboards/{name}/manage", "board-closed" if closed == "yes" else "board-reopened")


def _manage_page(
    name: str, request: Request, who: Visitor, services: Services, *, wrong: Failed = NOT_FAILED
) -> Response:
    def look(connection: Connection) -> tuple[Seen, list[SubmissionRow], list[Round], int]:
        seen = see(connection, services, name, who)
        items = len(boards.items_of(connection, seen.board, chosen=True))
        return seen, list_submissions(connection, seen.board), rounds_of(connection, seen.board), items

    seen, submitted, found, items = services.store.read(look)
    costs: dict[int, Any] = {one.number: cost_of(seen.board, len(one.entries), items) for one in found}
    return page(
        request,
        "board_manage.html",
        who,
        wrong=wrong,
        board=seen.board,
        seen=seen,
        waiting=[one for one in submitted if one.approval == "waiting" and one.state != "withdrawn"],
        submissions=submitted,
        rounds=found,
        costs=costs,
        items=items,
        currency=seen.board.settings.human.currency,
    )
