"""What systems answer, for those who take part: a file of inputs without anything that should not be known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson
from sqlalchemy import Connection, func, select

from goldmark.errors import Forbidden
from goldmark.leaderboards.board_view import BoardView
from goldmark.leaderboards.definition.phases import phase_named
from goldmark.leaderboards.definition.settings import PhaseName
from goldmark.store.tables import board_item

ROWS_AT_ONCE = 500


class InputsClosed(Forbidden):
    code = "BOARD-06"
    message = "the inputs of {board!r} are not given out here; ask those who run it"


def inputs_of(connection: Connection, seen: BoardView, phase: str = "test") -> Iterator[dict[str, Any]]:
    """One row for each item of a phase in the dataset's order: id, context, language, and the input of a task.

    References are in them where they are open; hidden facts, paraphrases and the answers of a task never are.
    """
    if not seen.inputs:
        raise InputsClosed(board=seen.board.name)
    meant = phase_named(seen.board, phase).name
    return _rows(connection, seen.board.id, meant, references=seen.references(meant))


def _rows(connection: Connection, board_id: int, phase: PhaseName, *, references: bool) -> Iterator[dict[str, Any]]:
    of_phase = (
        select(board_item.c.name, board_item.c.content, board_item.c.position)
        .where(board_item.c.board_id == board_id, board_item.c.phase == phase)
        .order_by(board_item.c.position)
        .limit(ROWS_AT_ONCE)
    )
    last = -1
    while found := connection.execute(of_phase.where(board_item.c.position > last)).all():
        for one in found:
            row = {"id": one.name, "context": one.content["context"], "language": one.content["language"]}
            if "input" in one.content:
                row["input"] = one.content["input"]
            yield {**row, "references": one.content["references"]} if references else row
        last = found[-1].position


def write_inputs(connection: Connection, seen: BoardView, phase: str, target: BinaryIO) -> int:
    """The rows as JSON lines; how many there are."""
    count = 0
    for row in inputs_of(connection, seen, phase):
        target.write(orjson.dumps(row) + b"\n")
        count += 1
    return count


def count_inputs(connection: Connection, seen: BoardView, phase: PhaseName) -> int:
    counting = select(func.count()).where(board_item.c.board_id == seen.board.id, board_item.c.phase == phase)
    return int(connection.execute(counting).scalar_one())
