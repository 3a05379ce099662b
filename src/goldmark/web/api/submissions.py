"""Leaderboards for those who take part and those who run them: submit, publish, withdraw; approve, open, score."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, UploadFile
from pydantic import Field, StrictBool
from sqlalchemy import Connection

from goldmark.campaigns.settings import PersonName
from goldmark.leaderboards import boards, rounds, submissions, teams
from goldmark.leaderboards.boards import find_board
from goldmark.leaderboards.opening import open_round
from goldmark.leaderboards.rounds import Round, rounds_of
from goldmark.leaderboards.submitting import About, submit
from goldmark.leaderboards.uploads import board_from_files
from goldmark.store.events import Decision
from goldmark.web.api import shapes
from goldmark.web.api.boards import BoardName, BoardOut, SubmissionOut, board_out
from goldmark.web.api.campaigns import EventOut, Events, received
from goldmark.web.api.inputs import In, Out, ReasonIn, Words
from goldmark.web.boards import see, who_is
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsAnyone, CallsAsCurator, CallsAsManager

router = APIRouter(prefix="/api/v1/leaderboards", tags=["leaderboards"], responses=shapes.FAILURES)

Number = Annotated[int, Path(ge=1, le=1_000_000)]
Plain = Annotated[str, Form(max_length=200, pattern=r"^[^\x00]*$")]
Prose = Annotated[str, Form(max_length=5_000, pattern=r"^[^\x00]*$")]


class SubmissionList(Out):
    submissions: list[SubmissionOut]


class MetricIn(In):
    metric: Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]


class MemberIn(In):
    team: PersonName
    account: PersonName


class OpenIn(In):
    over_budget: StrictBool = Field(default=False, description="Open it although the board's budget does not allow it.")


class EntryOut(Out):
    submission_id: int
    system: str
    version: int
    why: str


class RoundOut(Out):
    number: int
    state: str
    campaign: str | None
    campaign_state: str | None
    opens_at: datetime
    opened_at: datetime | None
    scored_at: datetime | None
    facts: dict[str, Any]
    entries: list[EntryOut]


class RoundList(Out):
    rounds: list[RoundOut]


class TeamOut(Out):
    team: str
    members: list[str]


@router.post("/upload", status_code=201)
def create(
    files: Annotated[list[UploadFile], File(description="leaderboard.yaml, its items, a protocol of its own.")],
    who: CallsAsManager,
    services: ServicesDep,
) -> BoardOut:
    """Create a leaderboard from its file and the files that it names, or say everything that is wrong."""
    made = boards.create_board(services.store, board_from_files(received(files)), author=who.name)
    return board_out(services.store.read(lambda connection: see(connection, services, made.name, who)))


@router.post("/{name}/close")
def close(name: BoardName, body: ReasonIn, who: CallsAsManager, services: ServicesDep) -> BoardOut:
    """Take no more submissions. What was submitted goes its way."""
    boards.set_closed(services.store, name, True, author=who.name, reason=body.reason)
    return board_out(services.store.read(lambda connection: see(connection, services, name, who)))


@router.post("/{name}/reopen")
def reopen(name: BoardName, body: ReasonIn, who: CallsAsManager, services: ServicesDep) -> BoardOut:
    """Take submissions again."""
    boards.set_closed(services.store, name, False, author=who.name, reason=body.reason)
    return board_out(services.store.read(lambda connection: see(connection, services, name, who)))


@router.get("/{name}/events")
def history(name: BoardName, who: CallsAsCurator, services: ServicesDep) -> Events:
    """What was decided about a leaderboard, when and why; the newest 500."""

    def look(connection: Connection) -> list[Decision]:
        return boards.history(connection, find_board(connection, name))

    return Events(events=[EventOut.model_validate(one) for one in services.store.read(look)])


@router.get("/{name}/submissions")
def list_submissions(name: BoardName, who: CallsAsAnyone, services: ServicesDep) -> SubmissionList:
    """Your team's submissions with all versions; those who run the board see everybody's."""

    def look(connection: Connection) -> list[submissions.SubmissionRow]:
        seen = see(connection, services, name, who)
        if seen.view.everything:
            return submissions.list_submissions(connection, seen.board)
        return submissions.list_submissions(connection, seen.board, team_id=seen.team.id) if seen.team else []

    return SubmissionList(submissions=[SubmissionOut.model_validate(one) for one in services.store.read(look)])


@router.post("/{name}/submissions", status_code=201)
def send(
    name: BoardName,
    file: Annotated[UploadFile, File(description="JSON lines of id and output; may be packed with gzip or zip.")],
    system: Plain,
    who: CallsAsAnyone,
    services: ServicesDep,
    team: Plain = "",
    description: Prose = "",
    link: Annotated[str, Form(max_length=2_000, pattern=r"^[^\x00]*$")] = "",
    authors: Annotated[list[str], Form(max_length=100)] = [],  # noqa: B006 - FastAPI copies it
) -> SubmissionOut:
    """Submit a system's outputs, or learn everything that is wrong with them. Private until published."""
    services.store.read(lambda connection: see(connection, services, name, who))
    about = About(system, team, description, link, tuple(authors))
    made = submit(services.store, name, about, file.file, file.filename or "outputs.jsonl", who=who_is(who))
    return SubmissionOut.model_validate(made)


@router.post("/{name}/submissions/{submission_id}/publish")
def publish(
    name: BoardName, submission_id: shapes.RowId, body: ReasonIn, who: CallsAsAnyone, services: ServicesDep
) -> SubmissionOut:
    """Show a submission, with its scores so far and to come, to everybody who may see the board."""
    made = submissions.publish(services.store, name, submission_id, who=who_is(who), reason=body.reason)
    return SubmissionOut.model_validate(made)


@router.post("/{name}/submissions/{submission_id}/withdraw")
def withdraw(
    name: BoardName, submission_id: shapes.RowId, body: ReasonIn, who: CallsAsAnyone, services: ServicesDep
) -> SubmissionOut:
    """Take a submission out of the standings. It stays in the history, and a new version can be submitted."""
    made = submissions.withdraw(services.store, name, submission_id, who=who_is(who), reason=body.reason)
    return SubmissionOut.model_validate(made)


@router.post("/{name}/submissions/{submission_id}/metric")
def measure_again(
    name: BoardName, submission_id: shapes.RowId, body: MetricIn, who: CallsAsAnyone, services: ServicesDep
) -> SubmissionOut:
    """Compute one metric of a submission again, whatever came of it the last time."""
    from goldmark.leaderboards.measuring import measure_again as again

    again(services.store, name, submission_id, body.metric, who=who_is(who))

    def look(connection: Connection) -> submissions.SubmissionRow:
        return submissions.find_submission(connection, find_board(connection, name), submission_id)

    return SubmissionOut.model_validate(services.store.read(look))


@router.post("/{name}/submissions/{submission_id}/approve")
def approve(
    name: BoardName, submission_id: shapes.RowId, body: ReasonIn, who: CallsAsManager, services: ServicesDep
) -> SubmissionOut:
    """Have a submission judged by people: it joins the next round."""
    made = rounds.approve(
        services.store, name, submission_id, who=who_is(who), now=datetime.now(UTC), reason=body.reason
    )
    return SubmissionOut.model_validate(made)


@router.post("/{name}/submissions/{submission_id}/decline")
def decline(
    name: BoardName, submission_id: shapes.RowId, body: ReasonIn, who: CallsAsManager, services: ServicesDep
) -> SubmissionOut:
    """Do not have a submission judged by people; its metrics stay."""
    made = rounds.decline(
        services.store, name, submission_id, who=who_is(who), now=datetime.now(UTC), reason=body.reason
    )
    return SubmissionOut.model_validate(made)


@router.post("/{name}/teams")
def add_member(name: BoardName, body: MemberIn, who: CallsAsAnyone, services: ServicesDep) -> TeamOut:
    """Add an account to a team: its members may, and managers."""
    team = teams.add_member(services.store, name, body.team, body.account, who=who_is(who))
    members = services.store.read(lambda connection: teams.members_of(connection, team.id))
    return TeamOut(team=team.name, members=members)


@router.get("/{name}/rounds")
def list_rounds(name: BoardName, who: CallsAsCurator, services: ServicesDep) -> RoundList:
    """Rounds of human evaluation: planned, open and scored, each with its campaign and its systems."""
    found = services.store.read(lambda connection: rounds_of(connection, find_board(connection, name)))
    return RoundList(rounds=[RoundOut.model_validate(one) for one in found])


@router.post("/{name}/rounds/{number}/open")
def open_now(name: BoardName, number: Number, body: OpenIn, who: CallsAsManager, services: ServicesDep) -> RoundOut:
    """Open a planned round now, without waiting for its time: its campaign is made and started."""
    made = open_round(services.store, name, number, who=who.name, now=datetime.now(UTC), force=body.over_budget)
    return RoundOut.model_validate(made)


@router.post("/{name}/rounds/{number}/close")
def close_now(name: BoardName, number: Number, body: ReasonIn, who: CallsAsManager, services: ServicesDep) -> RoundOut:
    """Close a round's campaign and score it; a round that was scored is scored again."""
    return RoundOut.model_validate(close_and_score(services, name, number, who.name, body.reason))


def close_and_score(services: ServicesDep, name: str, number: int, author: str, reason: Words) -> Round:
    from goldmark.leaderboards import closing

    return closing.close_and_score(services.store, name, number, who=author, now=datetime.now(UTC), reason=reason)
