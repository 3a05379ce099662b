"""Items and outputs come in pieces, on a board that has no name yet: nobody sees them until all of them are there.

A dataset's items stay on that board, and it gets its name. A submission moves from it to the board that it is for. Who
is killed leaves pieces behind; whoever brings in the next sweeps them out.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, insert, select, update

from goldmark.accounts.links import new_nonce
from goldmark.errors import Failed
from goldmark.store import Store
from goldmark.store.pieces import InPieces
from goldmark.store.tables import board, board_item, board_output, board_submission, board_system

_ARRIVING, _LEAVING = "arriving ", "leaving "  # no board's own name has a space
_COMES, _GOES = (board.c.name.like(f"{begin}%") for begin in (_ARRIVING, _LEAVING))
VISIBLE = ~(_COMES | _GOES)
GIVEN_UP = timedelta(minutes=10)  # without a new piece
Result = TypeVar("Result")


class BoardArrivalGivenUp(Failed):
    code = "BOARD-07"
    message = "it stood still for so long that what had come of it was removed; send it again"


class ArrivingBoard:
    """A board that nobody sees; `rows` takes what comes to it, some at a time."""

    def __init__(self, store: Store) -> None:
        self.id = 0
        self.rows = InPieces(store, self._still_coming)

    def begin(self, connection: Connection, protocol_id: int, **values: Any) -> int:
        empty = {"title": "", "public": False, "settings": "{}", "data": "{}", "source": ""}
        name = f"{_ARRIVING}{new_nonce()}"
        row = {**empty, **values, "name": name, "protocol_id": protocol_id, "created_at": _now()}
        self.id = int(connection.execute(insert(board).values(row).returning(board.c.id)).scalar_one())
        return self.id

    def _still_coming(self, connection: Connection) -> None:
        """Notes that it goes on. There is nothing to note before its row is there."""
        if self.id:
            here = (board.c.id == self.id) & _COMES
            if connection.execute(update(board).where(here).values(created_at=_now())).rowcount != 1:
                raise BoardArrivalGivenUp


def arriving(store: Store, bring: Callable[[ArrivingBoard], Result]) -> Result:
    """What `bring` brings in: all of it or nothing. What is left of the board without a name is removed."""
    stood_still = _COMES & (board.c.created_at < _now() - GIVEN_UP)
    left = select(board.c.id).where(stood_still | _GOES)
    for board_id in store.read(lambda connection: connection.execute(left).scalars().all()):
        _remove(store, board_id, stood_still)
    coming = ArrivingBoard(store)
    try:
        return bring(coming)
    finally:
        if coming.id:
            _remove(store, coming.id)


def _remove(store: Store, board_id: int, which: ColumnElement[bool] = _COMES) -> None:
    """Everything on a board that has no name, in pieces as it came. It is claimed first: nothing more comes to it."""
    claiming = update(board).where(board.c.id == board_id, which | _GOES).values(name=f"{_LEAVING}{new_nonce()}")
    if store.write(lambda connection: connection.execute(claiming).rowcount) != 1:
        return
    sent = select(board_submission.c.id).where(board_submission.c.board_id == board_id)
    pieces = InPieces(store)
    for number in store.read(lambda connection: connection.execute(sent).scalars().all()):
        pieces.remove(board_output, board_output.c.submission_id == number, board_output.c.item_id)
    for table in (board_submission, board_system, board_item):
        pieces.remove(table, table.c.board_id == board_id)
    pieces.remove(board, (board.c.id == board_id) & ~VISIBLE)


def _now() -> datetime:
    return datetime.now(UTC)
