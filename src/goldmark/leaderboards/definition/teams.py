"""Teams: who submits under which name. An account belongs to one team of a board, and a system to one team."""

from __future__ import annotations

import hmac
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from goldmark.accounts.links import LinkNotValid, new_nonce
from goldmark.accounts.service import UnknownAccount
from goldmark.errors import Conflict, Forbidden, GoldmarkError, Missing
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, board_of_id, find_board, note
from goldmark.leaderboards.definition.names import key_of, plain, refuse_look_alikes, same
from goldmark.leaderboards.definition.registration import counts_as_anyone
from goldmark.store import in_transaction
from goldmark.store.tables import account, board_member, board_team


class TeamNeeded(GoldmarkError):
    code = "TEAM-01"
    message = "you belong to no team of this board yet; name one"


class TeamOfOthers(Forbidden):
    code = "TEAM-02"
    message = "the team {team!r} exists, and you are not in it; ask one of its members for the link into it"


class OneTeamOnly(Forbidden):
    code = "TEAM-03"
    message = "you submit for {mine!r} on this board, not for {team!r}"


class NotInvited(Forbidden):
    code = "TEAM-04"
    message = "only the teams named by this board may submit; ask its managers to add your account {account!r}"


class NotAMember(Missing):
    code = "TEAM-08"
    message = "{account!r} is in no team of this board, or not in yours"


class NamedInFile(Conflict):
    code = "TEAM-09"
    message = "the settings of this board name {account!r} in the team {team!r}; a manager can change them"


class AddedByLink(Forbidden):
    code = "TEAM-11"
    message = "only managers add accounts by name; send your colleague the link into your team"


class Team(NamedTuple):
    id: int
    name: str


def team_of_account(connection: Connection, row: BoardRow, account_id: int) -> Team | None:
    found = connection.execute(
        select(board_team.c.id, board_team.c.name)
        .join(board_member, board_member.c.team_id == board_team.c.id)
        .where(board_member.c.board_id == row.id, board_member.c.account_id == account_id)
    ).first()
    if found is not None:
        return Team(found.id, found.name)
    return _named_in_file(connection, row, account_id)


def _named_in_file(connection: Connection, row: BoardRow, account_id: int) -> Team | None:
    """The team for which the board's file names this account; accounts may be made after the board."""
    name = connection.execute(select(account.c.name).where(account.c.id == account_id)).scalar()
    for team, members in row.settings.submit.teams.items():
        if name in members:
            return _find(connection, row, team)
    return None


def find_or_make(connection: Connection, row: BoardRow, name: str) -> Team:
    name = plain(name, "team")
    found = _find(connection, row, name)
    if found is not None:
        return found
    refuse_look_alikes(name, (one.name for one in teams_of(connection, row)), "team")
    made = insert(board_team).values(board_id=row.id, name=name, key=key_of(name)).returning(board_team.c.id)
    return Team(int(connection.execute(made).scalar_one()), name)


def teams_of(connection: Connection, row: BoardRow) -> list[Team]:
    query = select(board_team.c.id, board_team.c.name).where(board_team.c.board_id == row.id)
    return [Team(one.id, one.name) for one in connection.execute(query.order_by(board_team.c.name))]


def _find(connection: Connection, row: BoardRow, name: str) -> Team | None:
    return next((one for one in teams_of(connection, row) if same(one.name, plain(name, "team"))), None)


def enter(connection: Connection, row: BoardRow, account_id: int, name: str) -> Team:
    """The team for which this account submits. The first to name a new team is its first member."""
    mine = team_of_account(connection, row, account_id)
    if mine is not None:
        if name and not same(plain(name, "team"), mine.name):
            raise OneTeamOnly(mine=mine.name, team=name)
        return mine
    if not counts_as_anyone(connection, row, account_id):
        who = connection.execute(select(account.c.name).where(account.c.id == account_id)).scalar()
        raise NotInvited(account=who)
    if not name.strip():
        raise TeamNeeded
    if _find(connection, row, name) is not None:
        raise TeamOfOthers(team=name)
    team = find_or_make(connection, row, name)
    _join(connection, row, account_id, team)
    return team


def _join(connection: Connection, row: BoardRow, account_id: int, team: Team) -> None:
    connection.execute(
        delete(board_member).where(board_member.c.board_id == row.id, board_member.c.account_id == account_id)
    )
    connection.execute(insert(board_member).values(board_id=row.id, account_id=account_id, team_id=team.id))


@in_transaction
def add_member(connection: Connection, board_name: str, team: str, account_name: str, *, who: Actor) -> Team:
    """Put an account into a team, also a new one. Whoever runs the board may; members ask people, by a link.

    An account that was in another team leaves it; what it submitted stays there.
    """
    if not who.may_all:
        raise AddedByLink
    row = find_board(connection, board_name, hold=True)
    account_id = connection.execute(select(account.c.id).where(account.c.name == account_name)).scalar()
    if account_id is None:
        raise UnknownAccount(name=account_name)
    found = find_or_make(connection, row, team)
    _join(connection, row, account_id, found)
    facts = {"account": account_name}
    note(connection, row, author=who.name, kind="team member added", subject=found.name, facts=facts)
    return found


@in_transaction
def remove_member(connection: Connection, board_name: str, account_name: str, *, who: Actor) -> Team:
    """Take an account out of its team: itself, by leaving, the others of the team, and managers.

    What it submitted stays with the team.
    """
    row = find_board(connection, board_name, hold=True)
    account_id = connection.execute(select(account.c.id).where(account.c.name == account_name)).scalar()
    theirs = None if account_id is None else team_of_account(connection, row, account_id)
    mine = None if who.account_id is None else team_of_account(connection, row, who.account_id)
    if theirs is None or not (who.may_all or theirs == mine):
        raise NotAMember(account=account_name)
    of_board = (board_member.c.board_id == row.id, board_member.c.account_id == account_id)
    if not connection.execute(delete(board_member).where(*of_board)).rowcount:
        raise NamedInFile(account=account_name, team=theirs.name)
    facts = {"account": account_name}
    note(connection, row, author=who.name, kind="team member removed", subject=theirs.name, facts=facts)
    return theirs


@in_transaction
def invitation(connection: Connection, board_name: str, *, who: Actor, renew: bool = False) -> tuple[Team, str]:
    """One's own team, and what its link carries; renewed, every link that was sent before is worthless."""
    row = find_board(connection, board_name, hold=True)
    mine = None if who.account_id is None else team_of_account(connection, row, who.account_id)
    if mine is None:
        raise TeamNeeded
    nonce = invitation_of(connection, mine)
    if renew or not nonce:
        nonce = new_nonce()
        connection.execute(update(board_team).where(board_team.c.id == mine.id).values(invitation=nonce))
        note(connection, row, author=who.name, kind="team link made", subject=mine.name)
    return mine, nonce


def invitation_of(connection: Connection, team: Team) -> str:
    """What the team's link carries, if one was made."""
    return str(connection.execute(select(board_team.c.invitation).where(board_team.c.id == team.id)).scalar_one())


def invited_to(connection: Connection, team_id: int, nonce: str) -> tuple[BoardRow, Team]:
    """Into which team of which board a link leads; one that was replaced leads nowhere."""
    found = connection.execute(select(board_team).where(board_team.c.id == team_id)).first()
    if found is None or not nonce or not hmac.compare_digest(found.invitation, nonce):
        raise LinkNotValid
    return board_of_id(connection, found.board_id), Team(found.id, found.name)


@in_transaction
def join_by_link(connection: Connection, team_id: int, nonce: str, *, who: Actor) -> Team:
    """Enter the team of a link. Who is in another team of the board has to leave that first."""
    row, team = invited_to(connection, team_id, nonce)
    row = find_board(connection, row.name, hold=True)
    if who.account_id is None:
        raise TeamNeeded
    mine = team_of_account(connection, row, who.account_id)
    if mine is not None and mine != team:
        raise OneTeamOnly(mine=mine.name, team=team.name)
    if mine is None:
        _join(connection, row, who.account_id, team)
        note(connection, row, author=who.name, kind="team joined", subject=team.name)
    return team


def members_of(connection: Connection, team_id: int) -> list[str]:
    query = (
        select(account.c.name)
        .join(board_member, board_member.c.account_id == account.c.id)
        .where(board_member.c.team_id == team_id)
        .order_by(account.c.name)
    )
    return list(connection.execute(query).scalars())
