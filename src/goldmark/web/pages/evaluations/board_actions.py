"""Leaderboards to act on: submit to one, publish and withdraw; approve, open and close rounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from sqlalchemy import Connection
from starlette.datastructures import UploadFile

from goldmark.accounts.passwords import SHORTEST_PASSWORD
from goldmark.errors import GoldmarkError
from goldmark.leaderboards.board_view import BoardView
from goldmark.leaderboards.definition import boards, teams
from goldmark.leaderboards.definition.registration import RegistrationClosed
from goldmark.leaderboards.definition.tasks import TASKS
from goldmark.leaderboards.human import rounds
from goldmark.leaderboards.human.money import planned_cost
from goldmark.leaderboards.human.rounds import Round, rounds_of
from goldmark.leaderboards.scores.standings import Standing
from goldmark.leaderboards.submitted import submissions
from goldmark.leaderboards.submitted.same_outputs import SameOutputs, twins_of
from goldmark.leaderboards.submitted.submissions import SubmissionRow, list_submissions
from goldmark.leaderboards.submitted.submit import SystemDescription
from goldmark.web.api.evaluations import submissions as calls
from goldmark.web.api.evaluations.boards import show
from goldmark.web.api.inputs import ReasonIn
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.evaluations.board_rows import shown_number
from goldmark.web.pages.forms import filled, names_in, posts, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, Wrong, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.pages.server.entrance import entering, page_of_stranger
from goldmark.web.sign_in import (
    ReadsAsAnyone,
    ReadsAsCurator,
    ReadsIfSignedIn,
    SendsAsAnyone,
    SendsAsManager,
    SendsAsStranger,
    keep_session,
)
from goldmark.web.visits import Guest, Visit

router = Pages("/leaderboards")
MOST_SHOWN = 20  # of each list on the page that runs a board; the history has all

BLANK = {"system": "", "team": "", "description": "", "link": "", "authors": "", "phase": ""}
# What a team does to its own submissions, and what those who run the board decide about them.
BY_TEAM: dict[str, tuple[Callable[..., SubmissionRow], str]] = {
    "publish": (calls.publish, "published"),
    "withdraw": (calls.withdraw, "withdraw"),
    "metric": (calls.measure_again, "measured"),
}
BY_MANAGER: dict[str, Callable[..., SubmissionRow]] = {"approve": calls.approve, "decline": calls.decline}


class NoFile(GoldmarkError):
    code = "SUBMISSION-12"
    message = "choose the file with the system's outputs"


@router.get("/{name}/submit")
def submit_page(visit: ReadsAsAnyone, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    def look(
        connection: Connection,
    ) -> tuple[BoardView, list[SubmissionRow], list[str], dict[int, Standing], list[str], str]:
        seen = visit.board(connection, name)
        phase = seen.open_phases[0].name if seen.open_phases else "test"
        first = boards.item_names(connection, seen.board, phase)[:2]
        members = teams.members_of(connection, seen.team.id) if seen.team else []
        invited = teams.invitation_of(connection, seen.team) if seen.team else ""
        every = [row for phase in seen.phases for row in seen.standings(connection, phase.name)]
        rows = {one.submission.id: one for one in every}
        return seen, seen.own_submissions(connection), first, rows, members, invited

    seen, mine, first, rows, members, invited = visit.read(look)
    return page(
        visit,
        "board_submit.html",
        wrong=wrong,
        board=seen.board,
        seen=seen,
        mine=mine,
        example=_example_line(seen.board.data.task, first[0] if first else "q1"),
        rows=rows,
        members=members,
        link=calls.invitation_address(visit, name, seen.team, invited) if seen.team and invited else "",
        main=seen.main,
        shown=shown_number,
        given=wrong.fields("submit", BLANK),
    )


def _example_line(task: str | None, item: str) -> str:
    """A line of a submission, for those who have never sent one."""
    answer = {"output": "…"} if task is None else TASKS.find(task).example
    return json.dumps({"id": item.partition("/")[0] if "error" in answer else item, **answer}, ensure_ascii=False)


@router.post("/{name}/submit")
@refusable("submit", submit_page)
def send(visit: SendsAsAnyone, name: str) -> Response:
    system, team, description, link, authors, phase = (visit.given.get(key, "") for key in BLANK)
    file = visit.form.get("file")
    show(visit, name)
    if not isinstance(file, UploadFile) or not file.filename:
        raise NoFile
    about = SystemDescription(system, team, description, link, tuple(names_in(authors)))
    calls.submitted(visit, name, about, file.file, file.filename, phase)
    return go(f"/leaderboards/{name}/submit", "submitted")


for verb, call, done in (
    ("", calls.add_member, "member-added"),
    ("/remove", calls.remove_member, "member-removed"),
    ("/invitation", calls.invite, "team-link"),
):
    to = "/leaderboards/{name}/submit"
    posts(router, f"/{{name}}/teams{verb}", call, to=to, done=done, again=submit_page, form="team")


@router.get("/{name}/join")
def join_page(
    visit: ReadsAsAnyone,
    name: str,
    *,
    invitation: Annotated[str, Query(max_length=200)] = "",
    wrong: Wrong = NOT_FAILED,
) -> Response:
    words = invitation or wrong.given.get("invitation", "")
    board, team = visit.read(lambda connection: teams.invited_to(connection, *visit.links.read_team(words)))
    return page(visit, "board_join.html", wrong=wrong, board=board, team=team, invitation=words)


posts(
    router,
    "/{name}/join",
    calls.join_team,
    to="/leaderboards/{name}/submit",
    done="team-joined",
    again=join_page,
    form="join",
)


def _register_page(visit: Guest, name: str, *, wrong: FailedForm = NOT_FAILED) -> Response:
    seen = show(visit, name)
    if not seen.lets_strangers_in:
        raise RegistrationClosed(board=name)
    return page_of_stranger(visit, "board_register.html", wrong, board=seen.board, shortest=SHORTEST_PASSWORD)


@router.get("/{name}/register")
def register_page(visit: ReadsIfSignedIn, name: str) -> Response:
    return go(f"/leaderboards/{name}/submit") if visit.account else _register_page(visit, name)


@router.post("/{name}/register")
@refusable("register", _register_page)
def register(visit: SendsAsStranger, name: str) -> Response:
    account, password = entering(visit)
    made = calls.registered(visit, name, account, password)
    session = visit.services.accounts.session_for(made.id)
    return keep_session(go(f"/leaderboards/{name}/submit", "registered"), visit, session)


def _manage_page(
    visit: Visit, name: str, *, number: int = 0, verb: str = "", wrong: FailedForm = NOT_FAILED
) -> Response:
    def look(
        connection: Connection,
    ) -> tuple[BoardView, list[SubmissionRow], list[Round], int, dict[int, list[SameOutputs]]]:
        seen = visit.board(connection, name)
        items = len(boards.chosen_names(connection, seen.board))
        submitted = list_submissions(connection, seen.board)
        return seen, submitted, rounds_of(connection, seen.board), items, twins_of(connection, seen.board)

    seen, submitted, found, items, twins = visit.read(look)
    costs: dict[int, Any] = {one.number: planned_cost(seen.board.settings, len(one.entries), items) for one in found}
    waiting = [one for one in submitted if one.approval == "waiting" and one.state != "withdrawn"]
    over = [one for one in found if one.state == "scored"]
    return page(
        visit,
        "board_manage.html",
        wrong=wrong,
        board=seen.board,
        seen=seen,
        waiting=waiting[-MOST_SHOWN:],  # those that wait longest
        submissions=submitted[:MOST_SHOWN],
        rounds=[one for one in found if one.state != "scored" or one in over[:MOST_SHOWN]],
        more={
            "waiting": len(waiting) - MOST_SHOWN,
            "rounds": len(over) - MOST_SHOWN,
            "submissions": len(submitted) - MOST_SHOWN,
        },
        costs=costs,
        items=items,
        twins=twins,
        currency=seen.board.settings.human.pay.currency,
    )


@router.get("/{name}/manage")
def manage(visit: ReadsAsCurator, name: str) -> Response:
    return _manage_page(visit, name)


def _refused_change(visit: Visit, name: str, submission_id: int, verb: str, *, wrong: FailedForm) -> Response:
    if visit.may("manager"):
        return _manage_page(visit, name, wrong=wrong)
    return submit_page(visit, name, wrong=replace(wrong, form="submit", given={}))


@router.post("/{name}/submissions/{submission_id}/{verb}")
@refusable("manage", _refused_change)
def change(visit: SendsAsAnyone, name: str, submission_id: RowId, verb: str) -> Response:
    """Publish, withdraw, measure again: a team's own. Approve, decline: those who run the board."""
    show(visit, name)
    if verb in BY_MANAGER and visit.may("manager"):
        BY_MANAGER[verb](visit, name, submission_id, filled(ReasonIn, visit.given))
        return go(f"/leaderboards/{name}/manage", verb)
    if verb not in BY_TEAM:
        raise submissions.UnknownSubmission(id=submission_id, board=name)
    act, done = BY_TEAM[verb]
    body = filled(calls.MetricIn if verb == "metric" else ReasonIn, visit.given)
    return go(f"/leaderboards/{name}/systems/{act(visit, name, submission_id, body).system_id}", done)


@router.post("/{name}/rounds/{number}/{verb}")
@refusable("manage", _manage_page)
def act_on_round(visit: SendsAsManager, name: str, number: calls.Number, verb: str) -> Response:
    if verb == "open":
        calls.open_now(visit, name, number, filled(calls.OpenIn, visit.given))
    elif verb == "close":
        calls.close_now(visit, name, number, filled(calls.CloseIn, visit.given))
    else:
        raise rounds.UnknownRound(number=number, board=name)
    return go(f"/leaderboards/{name}/manage", "round-opened" if verb == "open" else "round-scored")


@router.post("/{name}/move")
def move(visit: SendsAsManager, name: str) -> Response:
    closes = visit.given.get("closed") == "yes"
    (calls.close if closes else calls.reopen)(visit, name, filled(ReasonIn, visit.given))
    return go(f"/leaderboards/{name}/manage", "board-closed" if closes else "board-reopened")
