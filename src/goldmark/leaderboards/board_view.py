"""Who may see what of a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.leaderboards.definition.boards import BoardRow, UnknownBoard, find_board, list_boards
from goldmark.leaderboards.definition.file import axes_of, main_axis
from goldmark.leaderboards.definition.teams import Team, team_of_account
from goldmark.leaderboards.scores.standings import Standing, Viewer, standings, standings_table
from goldmark.leaderboards.submitted.submissions import SubmissionRow, list_submissions
from goldmark.protocols import Protocol
from goldmark.records.tables import Table


@dataclass(frozen=True)
class BoardView:
    """A board as one visitor may see it."""

    board: BoardRow
    view: Viewer
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
    def open(self) -> bool:
        """Whether it takes submissions."""
        return self.board.closed_at is None

    @property
    def team_name(self) -> str | None:
        return self.team.name if self.team else None

    def axis(self, wanted: str) -> str:
        """An axis of the board by its name; by another name, the one that ranks."""
        return wanted if wanted in self.axes else self.main

    def submissions(self, connection: Connection) -> list[SubmissionRow]:
        """One's own team's with all versions; those who run the board see everybody's."""
        if self.view.everything:
            return list_submissions(connection, self.board)
        return self.own_submissions(connection)

    def own_submissions(self, connection: Connection) -> list[SubmissionRow]:
        return list_submissions(connection, self.board, team_id=self.team.id) if self.team else []

    def standings(self, connection: Connection) -> list[Standing]:
        return standings(connection, self.board, self.main, self.view)

    def table(self, rows: Sequence[Standing]) -> Table:
        return standings_table(self.board, rows, self.axes, self.main)

    @property
    def judgements(self) -> bool:
        """Whether what people said of single outputs may be shown."""
        return self.view.everything or self.board.settings.judgements

    @property
    def examples(self) -> bool:
        return self.view.everything or self.board.settings.examples


def view_board(
    connection: Connection, content: ContentCache, name: str, account_id: int | None, *, everything: bool
) -> BoardView:
    """The board, if whoever has this account (or none) may see it. To others a private board is not there."""
    row = find_board(connection, name)
    found = _view(connection, content, row, account_id, everything)
    if found is None:
        raise UnknownBoard(name=name)
    return found


def view_boards(
    connection: Connection, content: ContentCache, account_id: int | None, *, everything: bool
) -> list[BoardView]:
    """Every board that they may see, the newest first."""
    found = (_view(connection, content, row, account_id, everything) for row in reversed(list_boards(connection)))
    return [one for one in found if one is not None]


def _view(
    connection: Connection, content: ContentCache, row: BoardRow, account_id: int | None, everything: bool
) -> BoardView | None:
    team = None if account_id is None else team_of_account(connection, row, account_id)
    invited = account_id is not None and (team is not None or row.settings.submit.who == "anyone")
    if not (row.public or everything or invited):
        return None
    return BoardView(row, Viewer(everything, team.id if team else None), team, content.protocol(row.protocol_id))
