"""Leaderboards for those who take part and those who run them: submit, publish, withdraw; approve, open, score."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import File, Form, Path, UploadFile
from pydantic import Field, StrictBool

from goldmark.accounts.service import Account
from goldmark.campaigns.definition.settings import PersonName
from goldmark.leaderboards.board_view import BoardView
from goldmark.leaderboards.definition import boards, teams
from goldmark.leaderboards.definition.boards import find_board
from goldmark.leaderboards.definition.changes import change_board, settings_shown
from goldmark.leaderboards.definition.file import board_from_files
from goldmark.leaderboards.definition.registration import register as make_account
from goldmark.leaderboards.definition.settings import BoardSettings
from goldmark.leaderboards.human import rounds
from goldmark.leaderboards.human.open_round import open_round
from goldmark.leaderboards.human.rounds import Round, RoundEntry, rounds_of
from goldmark.leaderboards.submitted import submissions
from goldmark.leaderboards.submitted.submissions import SubmissionRow
from goldmark.leaderboards.submitted.submit import SystemDescription, submit
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.campaigns.campaigns import Events
from goldmark.web.api.evaluations.boards import BoardName, BoardOut, SubmissionOut, show
from goldmark.web.api.inputs import In, Out, ReasonIn, part
from goldmark.web.sign_in import CallsAsAnyone, CallsAsCurator, CallsAsManager, CallsIfSignedIn, address_of
from goldmark.web.visits import Guest, Visit, received

router = Calls("/api/v1/leaderboards", "leaderboards")

Number = Annotated[int, Path(ge=1, le=1_000_000)]
Plain = Annotated[str, Form(max_length=200, pattern=r"^[^\x00]*$")]
Prose = Annotated[str, Form(max_length=5_000, pattern=r"^[^\x00]*$")]


REGISTERED_AN_HOUR = 10  # tries of one address
REGISTERED_A_DAY = 500  # tries on one board


class SubmissionList(Out):
    submissions: list[SubmissionOut]


class MetricIn(In):
    metric: Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]


class MemberIn(In):
    team: PersonName
    account: PersonName


class OpenIn(In):
    over_budget: StrictBool = Field(default=False, description="Open it although the board's budget does not allow it.")


class CloseIn(ReasonIn):
    anyway: StrictBool = Field(
        default=False, description="Score it from what there is, whoever is flagged and whatever waits for new labels."
    )


class BoardSettingsOut(Out):
    title: str
    settings: dict[str, Any] = Field(description="As in a leaderboard file.")


class BoardSettingsIn(ReasonIn):
    title: Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")] = Field(
        default="", description="Left out: as it is."
    )
    settings: BoardSettings


class RoundOut(Out):
    number: int
    state: str
    campaign: str | None
    campaign_state: str | None
    opens_at: datetime
    opened_at: datetime | None
    scored_at: datetime | None
    facts: dict[str, Any]
    entries: list[RoundEntry]


class RoundList(Out):
    rounds: list[RoundOut]


class TeamOut(Out):
    team: str
    members: list[str]


class TeamAccountIn(In):
    account: PersonName


class TeamInvitationIn(In):
    renew: StrictBool = Field(default=False, description="Make a new link; older ones no longer work.")


class TeamInvitationOut(Out):
    team: str
    address: str = Field(description="Who opens it with an account of this server can join the team.")


class TeamJoinIn(In):
    invitation: Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$", description="The end of such an address.")]


class RegistrationIn(In):
    name: PersonName
    password: Annotated[str, Field(max_length=1_000)]


class RegisteredOut(Out):
    account: str = part("name", "Sign in with it, or make an API token on the page Account.")


@router.post("/{name}/register", status_code=201, response_model=RegisteredOut)
def register(visit: CallsIfSignedIn, name: BoardName, body: RegistrationIn) -> Account:
    """Make an account for yourself, on a public board that lets strangers take part."""
    return registered(visit, name, body.name, body.password)


def registered(visit: Guest, board: str, name: str, password: str) -> Account:
    """A few from one address in an hour, and no flood from many; tries count whether or not they succeed."""
    visit.services.limits.flood("register", address_of(visit.request), most=REGISTERED_AN_HOUR, seconds=3600)
    visit.services.limits.flood(f"register {board}", most=REGISTERED_A_DAY, seconds=86_400)
    return make_account(visit.store, board, name, password)


@router.post("/upload", status_code=201, response_model=BoardOut)
def create(
    visit: CallsAsManager,
    files: Annotated[list[UploadFile], File(description="leaderboard.yaml, its items, a protocol of its own.")],
) -> BoardView:
    """Create a leaderboard from its file and the files that it names, or say everything that is wrong."""
    made = boards.create_board(visit.store, board_from_files(received(files)), author=visit.name)
    return show(visit, made.name)


@router.post("/{name}/close", response_model=BoardOut)
def close(visit: CallsAsManager, name: BoardName, body: ReasonIn) -> BoardView:
    """Take no more submissions. What was submitted goes its way."""
    boards.set_closed(visit.store, name, True, author=visit.name, reason=body.reason)
    return show(visit, name)


@router.post("/{name}/reopen", response_model=BoardOut)
def reopen(visit: CallsAsManager, name: BoardName, body: ReasonIn) -> BoardView:
    """Take submissions again."""
    boards.set_closed(visit.store, name, False, author=visit.name, reason=body.reason)
    return show(visit, name)


@router.get("/{name}/settings")
def settings(visit: CallsAsManager, name: BoardName) -> BoardSettingsOut:
    """What a leaderboard's file said, as it is now. Secrets of web hooks are not told."""
    row = visit.read(lambda connection: find_board(connection, name))
    return BoardSettingsOut(title=row.title, settings=settings_shown(row))


@router.put("/{name}/settings")
def change_settings(visit: CallsAsManager, name: BoardName, body: BoardSettingsIn) -> BoardSettingsOut:
    """New settings for what comes. Data, protocol and subset stay; new metrics are computed for all systems."""
    change_board(visit.store, name, body.settings, title=body.title, author=visit.name, reason=body.reason)
    return settings(visit, name)


@router.get("/{name}/events")
def history(visit: CallsAsCurator, name: BoardName) -> Events:
    """What was decided about a leaderboard, when and why; the newest 500."""
    found = visit.read(lambda connection: boards.history(connection, find_board(connection, name)))
    return Events(events=found)


@router.get("/{name}/submissions", response_model=SubmissionList)
def list_submissions(visit: CallsAsAnyone, name: BoardName) -> dict[str, Any]:
    """Your team's submissions with all versions; those who run the board see everybody's."""
    found = visit.read(lambda connection: visit.board(connection, name).submissions(connection))
    return {"submissions": found}


@router.post("/{name}/submissions", status_code=201, response_model=SubmissionOut)
def send(
    visit: CallsAsAnyone,
    name: BoardName,
    file: Annotated[UploadFile, File(description="JSON lines of id and output; may be packed with gzip or zip.")],
    system: Plain,
    team: Plain = "",
    phase: Annotated[
        Literal["", "test", "development"], Form(description="Left out: the phase that is open, if only one is.")
    ] = "",
    description: Prose = "",
    link: Annotated[str, Form(max_length=2_000, pattern=r"^[^\x00]*$")] = "",
    authors: Annotated[list[str], Form(max_length=100)] = [],  # noqa: B006 - FastAPI copies it
) -> SubmissionRow:
    """Submit a system's outputs, or learn everything that is wrong with them. Private until published."""
    about = SystemDescription(system, team, description, link, tuple(authors))
    return submitted(visit, name, about, file.file, file.filename or "outputs.jsonl", phase)


def submitted(
    visit: Visit, name: str, about: SystemDescription, content: BinaryIO, file: str, phase: str
) -> SubmissionRow:
    show(visit, name)  # to those who may not see the board it is not there
    return submit(visit.store, name, about, content, file, who=visit.actor, phase=phase)


@router.post("/{name}/submissions/{submission_id}/publish", response_model=SubmissionOut)
def publish(visit: CallsAsAnyone, name: BoardName, submission_id: shapes.RowId, body: ReasonIn) -> SubmissionRow:
    """Show a submission, with its scores so far and to come, to everybody who may see the board."""
    show(visit, name)
    return submissions.publish(visit.store, name, submission_id, who=visit.actor, reason=body.reason)


@router.post("/{name}/submissions/{submission_id}/withdraw", response_model=SubmissionOut)
def withdraw(visit: CallsAsAnyone, name: BoardName, submission_id: shapes.RowId, body: ReasonIn) -> SubmissionRow:
    """Take a submission out of the standings. It stays in the history, and a new version can be submitted."""
    show(visit, name)
    return submissions.withdraw(visit.store, name, submission_id, who=visit.actor, reason=body.reason)


@router.post("/{name}/submissions/{submission_id}/metric", response_model=SubmissionOut)
def measure_again(visit: CallsAsAnyone, name: BoardName, submission_id: shapes.RowId, body: MetricIn) -> SubmissionRow:
    """Compute one metric of a submission again, whatever came of it the last time."""
    from goldmark.leaderboards.submitted.metric_jobs import measure_again as again

    show(visit, name)
    again(visit.store, name, submission_id, body.metric, who=visit.actor)
    return visit.read(
        lambda connection: submissions.find_submission(connection, find_board(connection, name), submission_id)
    )


@router.post("/{name}/submissions/{submission_id}/approve", response_model=SubmissionOut)
def approve(visit: CallsAsManager, name: BoardName, submission_id: shapes.RowId, body: ReasonIn) -> SubmissionRow:
    """Have a submission judged by people: it joins the next round."""
    now = datetime.now(UTC)
    return rounds.approve(visit.store, name, submission_id, who=visit.actor, now=now, reason=body.reason)


@router.post("/{name}/submissions/{submission_id}/decline", response_model=SubmissionOut)
def decline(visit: CallsAsManager, name: BoardName, submission_id: shapes.RowId, body: ReasonIn) -> SubmissionRow:
    """Do not have a submission judged by people; its metrics stay."""
    now = datetime.now(UTC)
    return rounds.decline(visit.store, name, submission_id, who=visit.actor, now=now, reason=body.reason)


@router.post("/{name}/teams")
def add_member(visit: CallsAsManager, name: BoardName, body: MemberIn) -> TeamOut:
    """Put an account into a team, also a new one; what it submitted for another stays there."""
    return _team(visit, teams.add_member(visit.store, name, body.team, body.account, who=visit.actor))


@router.post("/{name}/teams/remove")
def remove_member(visit: CallsAsAnyone, name: BoardName, body: TeamAccountIn) -> TeamOut:
    """Take an account out of its team: yourself, others of your team; managers anybody. Submissions stay."""
    show(visit, name)
    return _team(visit, teams.remove_member(visit.store, name, body.account, who=visit.actor))


@router.post("/{name}/teams/invitation")
def invite(visit: CallsAsAnyone, name: BoardName, body: TeamInvitationIn) -> TeamInvitationOut:
    """The link into your team, for colleagues with an account."""
    show(visit, name)
    team, nonce = teams.invitation(visit.store, name, who=visit.actor, renew=body.renew)
    return TeamInvitationOut(team=team.name, address=invitation_address(visit, name, team, nonce))


def invitation_address(visit: Visit, name: str, team: teams.Team, nonce: str) -> str:
    return f"{visit.base}/leaderboards/{name}/join?invitation={visit.links.team(team.id, nonce)}"


@router.post("/{name}/teams/join")
def join_team(visit: CallsAsAnyone, name: BoardName, body: TeamJoinIn) -> TeamOut:
    """Enter the team whose link you were sent."""
    team_id, nonce = visit.links.read_team(body.invitation)
    return _team(visit, teams.join_by_link(visit.store, team_id, nonce, who=visit.actor))


def _team(visit: Visit, team: teams.Team) -> TeamOut:
    return TeamOut(team=team.name, members=visit.read(lambda connection: teams.members_of(connection, team.id)))


@router.get("/{name}/rounds", response_model=RoundList)
def list_rounds(visit: CallsAsCurator, name: BoardName) -> dict[str, Any]:
    """Rounds of human evaluation: planned, open and scored, each with its campaign and its systems."""
    return {"rounds": visit.read(lambda connection: rounds_of(connection, find_board(connection, name)))}


@router.post("/{name}/rounds/{number}/open", response_model=RoundOut)
def open_now(visit: CallsAsManager, name: BoardName, number: Number, body: OpenIn) -> Round:
    """Open a planned round now, without waiting for its time: its campaign is made and started."""
    return open_round(visit.store, name, number, who=visit.name, now=datetime.now(UTC), force=body.over_budget)


@router.post("/{name}/rounds/{number}/close", response_model=RoundOut)
def close_now(visit: CallsAsManager, name: BoardName, number: Number, body: CloseIn) -> Round:
    """Close a round's campaign and score it; a round that was scored is scored again."""
    from goldmark.leaderboards.human.score_round import close_and_score

    return close_and_score(
        visit.store,
        name,
        number,
        who=visit.name,
        now=datetime.now(UTC),
        reason=body.reason,
        anyway=body.anyway,
    )
