"""Teams: who submits under which name. An account belongs to one team of a board, and a system to one team."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select

from goldmark.accounts.service import UnknownAccount
from goldmark.errors import GoldmarkError, Kind
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, find_board, note
from goldmark.leaderboards.definition.names import keys, look_alike, plain
from goldmark.store import Store
from goldmark.store.tables import account, board_member, board_team


class TeamNeeded(GoldmarkError):
    code = "TEAM-01"
    message = "you belong to no team of this board yet; name one"


class TeamOfOthers(GoldmarkError):
    code = "TEAM-02"
    kind = Kind.FORBIDDEN
    message = "the team {team!r} exists, and you are not in it; one of its members, or a manager, can add you"


class OneTeamOnly(GoldmarkError):
    code = "TEAM-03"
    kind = Kind.FORBIDDEN
    message = "you submit for {mine!r} on this board, not for {team!r}"


class NotInvited(GoldmarkError):
    code = "TEAM-04"
    kind = Kind.FORBIDDEN
    message = "only the teams named by this board may submit; ask its managers to add your account {account!r}"


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
    made = insert(board_team).values(board_id=row.id, name=name, key=look_alike(name)).returning(board_team.c.id)
    return Team(int(connection.execute(made).scalar_one()), name)


def _find(connection: Connection, row: BoardRow, name: str) -> Team | None:
    found = connection.execute(
        select(board_team.c.id, board_team.c.name).where(
            board_team.c.board_id == row.id, board_team.c.key.in_(keys(plain(name, "team")))
        )
    ).first()
    return None if found is None else Team(found.id, found.name)


def enter(connection: Connection, row: BoardRow, account_id: int, name: str) -> Team:
    """The team for which this account submits. The first to name a new team is its first member."""
    mine = team_of_account(connection, row, account_id)
    if mine is not None:
        if name and look_alike(plain(name, "team")) != look_alike(mine.name):
            raise OneTeamOnly(mine=mine.name, team=name)
        return mine
    if row.settings.submit.who == "teams":
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


def add_member(store: Store, board_name: str, team: str, account_name: str, *, who: Actor) -> Team:
    """Put an account into a team: members of the team may, and managers, who may also make a new one.

    An account that was in another team leaves it; what it submitted stays there. Only managers may move it so.
    """

    def add(connection: Connection) -> Team:
        row = find_board(connection, board_name, hold=True)
        account_id = connection.execute(select(account.c.id).where(account.c.name == account_name)).scalar()
        if account_id is None:
            raise UnknownAccount(name=account_name)
        if not who.may_all:
            mine = None if who.account_id is None else team_of_account(connection, row, who.account_id)
            theirs = team_of_account(connection, row, account_id)
            if mine is None or mine.name != team or theirs not in (None, mine):
                raise TeamOfOthers(team=team)
        found = find_or_make(connection, row, team)
        _join(connection, row, account_id, found)
        facts = {"account": account_name}
        note(connection, row, author=who.name, kind="team member added", subject=found.name, facts=facts)
        return found

    return store.write(add)


def members_of(connection: Connection, team_id: int) -> list[str]:
    query = (
        select(account.c.name)
        .join(board_member, board_member.c.account_id == account.c.id)
        .where(board_member.c.team_id == team_id)
        .order_by(account.c.name)
    )
    return list(connection.execute(query).scalars())
