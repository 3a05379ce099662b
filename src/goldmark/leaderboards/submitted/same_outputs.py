"""The same outputs under another name: noticed for those who run a board, who decide what it means.

Short answers agree by nature, and a system may well be a copy with its authors' consent; so nothing is refused. What is
told is how many outputs two systems have in common, word for word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, update

from goldmark import jobs
from goldmark.jobs import Running
from goldmark.leaderboards.definition.boards import BoardRow, board_of_id, note
from goldmark.leaderboards.submitted.submissions import SubmissionRow, find_submission
from goldmark.store.tables import board_output, board_submission

SAME_JOB = "leaderboard same outputs"
SHARE = 0.9  # of all outputs; fewer in common are not told
MOST = 5
AUTHOR = "the board"


class SameOutputs(NamedTuple):
    """A submission of another system with the same outputs."""

    submission: SubmissionRow
    same: int  # outputs in common


def ask_whose(connection: Connection, row: BoardRow, submission_id: int, *, author: str) -> None:
    """Have a new submission compared with all others by whoever does the jobs."""
    arguments, key = {"submission": submission_id}, f"{SAME_JOB}/{submission_id}"
    jobs.enqueue(connection, SAME_JOB, arguments, author=author, key=key, subject=row.name)


@jobs.register(SAME_JOB)
def compare(running: Running) -> Mapping[str, Any]:
    """Compare a submission's outputs with those of all other systems of its board."""
    number = int(running.arguments["submission"])
    row, own, found = running.store.snapshot(lambda connection: _compare(connection, number))
    running.write(lambda connection: _keep(connection, row, own, found))
    return {}


def _compare(connection: Connection, number: int) -> tuple[BoardRow, SubmissionRow, list[SameOutputs]]:
    board_id = connection.execute(select(board_submission.c.board_id).where(board_submission.c.id == number)).scalar()
    row = board_of_id(connection, int(board_id or 0))
    own = find_submission(connection, row, number)
    mine, other = board_output.alias(), board_output.alias()
    common = func.count()
    query = (
        select(other.c.submission_id, common)
        .select_from(mine)
        .join(other, (other.c.item_id == mine.c.item_id) & (other.c.output == mine.c.output))
        .join(board_submission, board_submission.c.id == other.c.submission_id)
        .where(
            mine.c.submission_id == number,
            board_submission.c.board_id == row.id,
            board_submission.c.system_id != own.system_id,
        )
        .group_by(other.c.submission_id)
        .having(common >= SHARE * own.outputs)
        .order_by(common.desc(), other.c.submission_id)
        .limit(MOST)
    )
    found = connection.execute(query).all()
    return row, own, [SameOutputs(find_submission(connection, row, int(one)), int(same)) for one, same in found]


def _keep(connection: Connection, row: BoardRow, own: SubmissionRow, found: list[SameOutputs]) -> None:
    told = [{"submission": one.submission.id, "same": one.same} for one in found]
    connection.execute(update(board_submission).where(board_submission.c.id == own.id).values(same_outputs=told))
    for twin, same in found:
        facts = {"same as": twin.system, "of": twin.team, "outputs in common": same, "outputs": own.outputs}
        note(connection, row, author=AUTHOR, kind="same outputs", subject=own.system, facts=facts)


def twins_of(connection: Connection, row: BoardRow) -> dict[int, list[SameOutputs]]:
    """Of every submission those with the same outputs, for those who run the board."""
    query = select(board_submission.c.id, board_submission.c.same_outputs).where(board_submission.c.board_id == row.id)
    return {
        one.id: [
            SameOutputs(find_submission(connection, row, twin["submission"]), twin["same"]) for twin in one.same_outputs
        ]
        for one in connection.execute(query)
        if one.same_outputs
    }
