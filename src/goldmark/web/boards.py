"""Who may see what of a leaderboard, for its pages and its API alike."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from goldmark.leaderboards.boards import BoardRow, UnknownBoard, find_board, list_boards
from goldmark.leaderboards.file import axes_of, main_axis
from goldmark.leaderboards.standings import View
from goldmark.leaderboards.teams import Team, team_of_account
from goldmark.leaderboards.who import Who
from goldmark.protocols import Protocol
from goldmark.web.services import Services
from goldmark.web.signing_in import Visitor


@dataclass(frozen=True)
class Seen:
    """A board as one visitor may see it."""

    board: BoardRow
    view: View
    team: Team | None
    protocol: Protocol

    @property
    def axes(self) -> list[str]:
        return axes_of(self.protocol)

    @property
    def main(self) -> str:
        return main_axis(self.protocol, self.board.settings)

    def titles(self) -> dict[str, str]:
        """What each axis is called: the question's id, in words."""
        return {axis: axis.replace("_", " ").capitalize() for axis in self.axes}

    @property
    def judgements(self) -> bool:
        """Whether what people said of single outputs may be shown."""
        return self.view.everything or self.board.settings.judgements

    @property
    def examples(self) -> bool:
        return self.view.everything or self.board.settings.examples


def see(connection: Connection, services: Services, name: str, visitor: Visitor | None) -> Seen:
    """The board, if this visitor may see it. To others a private board is not there."""
    return _seen(connection, services, find_board(connection, name), visitor, name)


def _seen(connection: Connection, services: Services, row: BoardRow, visitor: Visitor | None, name: str) -> Seen:
    team = None if visitor is None else team_of_account(connection, row, visitor.account.id)
    everything = visitor is not None and visitor.may("curator")
    invited = visitor is not None and (team is not None or row.settings.submit.who == "anyone")
    if not (row.public or everything or invited):
        raise UnknownBoard(name=name)
    view = View(everything, team.id if team else None)
    return Seen(row, view, team, services.library.protocol(row.protocol_id))


def see_all(connection: Connection, services: Services, visitor: Visitor | None) -> list[Seen]:
    """Every board that this visitor may see, the newest first."""
    found = []
    for row in reversed(list_boards(connection)):
        try:
            found.append(_seen(connection, services, row, visitor, row.name))
        except UnknownBoard:
            continue
    return found


def who_is(visitor: Visitor) -> Who:
    """The visitor as those who act on boards are named."""
    return Who(visitor.name, visitor.account.id, visitor.may("manager"))
