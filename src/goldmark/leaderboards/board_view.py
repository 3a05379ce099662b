"""Who may see what of a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import Connection

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.leaderboards.definition.boards import BoardRow, UnknownBoard, find_board, list_boards
from goldmark.leaderboards.definition.file import axes_of, main_axis
from goldmark.leaderboards.definition.phases import Phase, phases_of, withheld
from goldmark.leaderboards.definition.registration import counts_as_anyone, may_register
from goldmark.leaderboards.definition.settings import PhaseName
from goldmark.leaderboards.definition.teams import Team, team_of_account
from goldmark.leaderboards.human.open_round import protocol_of
from goldmark.leaderboards.scores.standings import Standing, Viewer, standings, standings_table
from goldmark.leaderboards.submitted.submissions import SubmissionRow, list_submissions
from goldmark.leaderboards.submitted.systems import (
    Example,
    Examples,
    SystemFile,
    examples_of,
    is_being_judged,
    system_of,
)
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
    def phases(self) -> list[Phase]:
        return phases_of(self.board.settings)

    @property
    def open_phases(self) -> list[Phase]:
        """Those that take submissions now."""
        now = datetime.now(UTC)
        return [] if self.board.closed_at else [one for one in self.phases if not one.why_not(now)]

    @property
    def open(self) -> bool:
        """Whether it takes submissions."""
        return bool(self.open_phases)

    @property
    def lets_strangers_in(self) -> bool:
        """Whether somebody without an account can make one here."""
        return may_register(self.board)

    @property
    def withheld(self) -> bool:
        """Whether results wait for the end of the test, and this visitor with them."""
        return not self.view.everything and withheld(self.board, datetime.now(UTC))

    @property
    def judged(self) -> int | None:
        """How many items people judge; which ones is nobody's business."""
        subset = self.board.settings.subset
        return subset.size if subset else None

    @property
    def team_name(self) -> str | None:
        return self.team.name if self.team else None

    def axis(self, wanted: str) -> str:
        """An axis of the board by its name; by another name, the one that ranks."""
        return wanted if wanted in self.axes else self.main

    def leading(self, one: Standing) -> float | None:
        """The figure by which a system leads: people's, or the first metric's where nobody is asked."""
        if self.asks_people:
            return one.scores[self.main].value
        return one.metrics[self.board.settings.metrics[0]].value

    @property
    def asks_people(self) -> bool:
        """Whether people judge its systems, or metrics alone do."""
        return bool(self.axes)

    def submissions(self, connection: Connection) -> list[SubmissionRow]:
        """One's own team's with all versions; those who run the board see everybody's."""
        if self.view.everything:
            return list_submissions(connection, self.board)
        return self.own_submissions(connection)

    def own_submissions(self, connection: Connection) -> list[SubmissionRow]:
        return list_submissions(connection, self.board, team_id=self.team.id) if self.team else []

    def standings(self, connection: Connection, phase: PhaseName = "test") -> list[Standing]:
        return standings(connection, self.board, self.main, self.view, phase)

    def table(self, rows: Sequence[Standing]) -> Table:
        return standings_table(self.board, rows, self.axes, self.main)

    @property
    def judgements(self) -> bool:
        """Whether what people said of single outputs may be shown."""
        return self.view.everything or self.board.settings.judgements

    @property
    def examples(self) -> bool:
        return self.view.everything or self.board.settings.examples

    @property
    def inputs(self) -> bool:
        """Whether what systems answer may be had."""
        return self.view.everything or self.board.settings.inputs

    @property
    def judged_items(self) -> bool:
        """Whether it is told which items people judge; who sees judgements of items knows it anyway."""
        return self.judgements or self.board.settings.judged_items

    def references(self, phase: PhaseName) -> bool:
        """Whether what is known to be right may be shown."""
        given = self.board.settings
        if phase == "development" and given.development is not None and given.development.references:
            return True
        return self.view.everything or given.references

    def system(self, connection: Connection, system_id: int, page: int = 1) -> tuple[SystemFile, Examples | None]:
        """A system, and a page of its outputs, each with as much beside it as this visitor may see."""
        found = system_of(connection, self.board, system_id, self.view)
        if self.withheld:
            found = found._replace(rounds=())
        newest = found.versions[0]
        if not self.examples or (found.kind == "gold" and not self.references(newest.phase)):
            return found, None
        if self._judged_by_others(connection, found):
            return found._replace(being_judged=True), None
        made = examples_of(connection, self.board, newest.id, page)
        return found, made._replace(examples=tuple(self._shown(one, newest.phase) for one in made.examples))

    def _judged_by_others(self, connection: Connection, found: SystemFile) -> bool:
        """Whether people judge its outputs who could look up here whose they are: anybody whose own it is not."""
        own = self.view.everything or self.view.team_id in {one.team_id for one in found.versions}
        return not own and is_being_judged(connection, found.versions)

    def _shown(self, one: Example, phase: PhaseName) -> Example:
        """An example without what others must not know: what is right, how near each output comes, who is judged."""
        open_references = self.references(phase)
        item = one.item if open_references else replace(one.item, references=(), paraphrase="")
        late = self.withheld and phase == "test"
        return Example(
            item if self.inputs else replace(item, context=()),
            one.judged if self.judged_items and phase == "test" else None,
            one.output,
            one.scores if self.judgements and not late else {},
            one.metrics if open_references and not late else {},
        )


def view_board(
    connection: Connection, content: ContentCache, name: str, account_id: int | None, *, everything: bool
) -> BoardView:
    """The board, if whoever has this account (or none) may see it. To others a private board is not there."""
    row = find_board(connection, name)
    found = _view(connection, content, row, account_id, everything)
    if found is None:
        raise UnknownBoard(name=name)
    return found


def of_everything(connection: Connection, name: str) -> BoardView:
    """A board as those at the server's keyboard see it."""
    row = find_board(connection, name)
    return BoardView(row, Viewer(everything=True), None, protocol_of(connection, row))


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
    invited = account_id is not None and (team is not None or counts_as_anyone(connection, row, account_id))
    if not (row.public or everything or invited):
        return None
    return BoardView(row, Viewer(everything, team.id if team else None), team, content.protocol(row.protocol_id))
