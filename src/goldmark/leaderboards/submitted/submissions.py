"""Submissions as they stand: private until published, withdrawn without losing history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update

from goldmark.errors import Conflict, Forbidden, Missing
from goldmark.leaderboards.definition import teams
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, find_board, note
from goldmark.leaderboards.definition.names import key_of
from goldmark.leaderboards.definition.settings import PhaseName
from goldmark.store import Store, in_transaction
from goldmark.store.tables import board_submission, board_system, board_team


class UnknownSubmission(Missing):
    code = "SUBMISSION-06"
    message = "there is no submission {id} on the leaderboard {board!r}"


class NotYours(Forbidden):
    code = "SUBMISSION-07"
    message = "only the team {team!r} and managers may do this"


class NotPossibleNow(Conflict):
    code = "SUBMISSION-08"
    message = "submission {id} is {state}; {why}"


class SubmissionRow(NamedTuple):
    """One version of a system."""

    id: int
    system_id: int
    system: str
    kind: str  # system, gold
    team_id: int | None
    team: str | None
    version: int
    phase: PhaseName
    state: str  # private, published, withdrawn
    approval: str  # waiting, approved, declined, not asked
    description: str
    link: str
    authors: tuple[str, ...]
    outputs: int
    digest: str
    submitted_by: str
    submitted_at: datetime
    published_at: datetime | None
    withdrawn_at: datetime | None


_submissions = (
    select(
        board_submission,
        board_system.c.name.label("system"),
        board_system.c.kind,
        board_system.c.team_id,
        board_team.c.name.label("team"),
    )
    .join(board_system, board_system.c.id == board_submission.c.system_id)
    .outerjoin(board_team, board_team.c.id == board_system.c.team_id)
)


def _row(found: Any) -> SubmissionRow:
    values = {name: getattr(found, name) for name in SubmissionRow._fields}
    return SubmissionRow(**{**values, "authors": tuple(found.authors)})


def find_submission(connection: Connection, row: BoardRow, submission_id: int) -> SubmissionRow:
    found = connection.execute(
        _submissions.where(board_submission.c.board_id == row.id, board_submission.c.id == submission_id)
    ).first()
    if found is None:
        raise UnknownSubmission(id=submission_id, board=row.name)
    return _row(found)


def list_submissions(
    connection: Connection, row: BoardRow, *, team_id: int | None = None, phase: PhaseName | None = None
) -> list[SubmissionRow]:
    """All versions of all systems, the newest first; of one team or one phase, if asked."""
    query = _submissions.where(board_submission.c.board_id == row.id).order_by(board_submission.c.id.desc())
    if team_id is not None:
        query = query.where(board_system.c.team_id == team_id)
    if phase is not None:
        query = query.where(board_submission.c.phase == phase)
    return [_row(found) for found in connection.execute(query)]


class KnownSystem(NamedTuple):
    id: int
    name: str
    team_id: int | None


def known_systems(connection: Connection, row: BoardRow) -> list[KnownSystem]:
    query = select(board_system.c.id, board_system.c.name, board_system.c.team_id)
    return [KnownSystem(*one) for one in connection.execute(query.where(board_system.c.board_id == row.id))]


def make_system(connection: Connection, row: BoardRow, name: str, team_id: int | None, kind: str = "system") -> int:
    made = (
        insert(board_system)
        .values(
            board_id=row.id,
            team_id=team_id,
            name=name,
            key=key_of(name),
            kind=kind,
            created_at=datetime.now(UTC),
        )
        .returning(board_system.c.id)
    )
    return int(connection.execute(made).scalar_one())


def versions_of(connection: Connection, system_id: int) -> list[SubmissionRow]:
    query = _submissions.where(board_submission.c.system_id == system_id).order_by(board_submission.c.version.desc())
    return [_row(found) for found in connection.execute(query)]


def publish(store: Store, board_name: str, submission_id: int, *, who: Actor, reason: str = "") -> SubmissionRow:
    """Show it, with its scores so far and to come, to everybody who may see the board."""
    return _change(store, board_name, submission_id, "published", ("private",), who=who, reason=reason)


def withdraw(store: Store, board_name: str, submission_id: int, *, who: Actor, reason: str = "") -> SubmissionRow:
    """Take it out of the standings. It stays in the history, and a new version can be submitted."""
    return _change(store, board_name, submission_id, "withdrawn", ("private", "published"), who=who, reason=reason)


@in_transaction
def _change(
    connection: Connection,
    board_name: str,
    submission_id: int,
    state: str,
    allowed: Sequence[str],
    *,
    who: Actor,
    reason: str,
) -> SubmissionRow:
    row = find_board(connection, board_name, hold=True)
    found = find_submission(connection, row, submission_id)
    refuse_others(connection, row, found, who)
    if found.state == state:
        return found  # said twice, done once
    if found.state not in allowed:
        raise NotPossibleNow(id=found.id, state=found.state, why="submit it again as a new version")
    stamp = {"published": "published_at", "withdrawn": "withdrawn_at"}[state]
    now = datetime.now(UTC)
    connection.execute(
        update(board_submission).where(board_submission.c.id == found.id).values(state=state, **{stamp: now})
    )
    facts = {"version": found.version}
    note(connection, row, author=who.name, kind=state, subject=found.system, reason=reason, facts=facts)
    return find_submission(connection, row, found.id)


def refuse_others(connection: Connection, row: BoardRow, found: SubmissionRow, who: Actor) -> None:
    """Only its team and managers change a submission; to others one that is not published is not there."""
    if who.may_all or who.account_id is None:
        return
    mine = teams.team_of_account(connection, row, who.account_id)
    if mine is None or mine.id != found.team_id:
        if found.state != "published":
            raise UnknownSubmission(id=found.id, board=row.name)
        raise NotYours(team=found.team)
