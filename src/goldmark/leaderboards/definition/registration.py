"""Strangers who take part: on a public board whose owner has opened it, they make an account for themselves.

Such an account has the lowest role, and counts as "anyone" only on boards that let strangers in: that one board is open
to the world must not open another, which is for everybody whom an owner has given an account.
"""

from __future__ import annotations

from sqlalchemy import Connection, select

from goldmark.accounts.roles import Role
from goldmark.accounts.service import Account, AccountExists, AccountService
from goldmark.errors import Forbidden
from goldmark.leaderboards.definition.boards import BoardRow, UnknownBoard, find_board, note
from goldmark.leaderboards.definition.names import plain, refuse_look_alikes, same
from goldmark.store import Store
from goldmark.store.tables import account


class RegistrationClosed(Forbidden):
    code = "TEAM-10"
    message = "{board!r} does not let strangers make accounts; ask those who run it"


def may_register(row: BoardRow) -> bool:
    """Whether strangers may make an account here now."""
    return row.public and row.settings.submit.strangers and row.closed_at is None


def register(store: Store, board_name: str, name: str, password: str) -> Account:
    """A new account for whoever asks, on a board that lets strangers in."""
    row = store.read(lambda connection: find_board(connection, board_name))
    if not row.public:
        raise UnknownBoard(name=board_name)  # to strangers it is not there
    if not may_register(row):
        raise RegistrationClosed(board=board_name)
    name = plain(name, "account")
    others = store.read(lambda connection: list(connection.execute(select(account.c.name)).scalars()))
    if any(same(name, other) for other in others):
        raise AccountExists(name=name)
    refuse_look_alikes(name, others, "account")
    author = f"leaderboard {board_name}"
    made = AccountService(store).create(name, Role.ANNOTATOR, password, author=author, registered=True)
    store.write(lambda connection: note(connection, row, author=name, kind="account registered", subject=name))
    return made


def counts_as_anyone(connection: Connection, row: BoardRow, account_id: int) -> bool:
    """Whether an account may take part where anyone may who has one."""
    if row.settings.submit.who != "anyone":
        return False
    if row.settings.submit.strangers:
        return True
    asked = select(account.c.registered).where(account.c.id == account_id)
    return not connection.execute(asked).scalar()
