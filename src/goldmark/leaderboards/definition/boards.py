"""Boards in the database: create, find, close, and what was decided about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from goldmark import jobs
from goldmark.campaigns.lifecycle import keep_protocol
from goldmark.errors import Conflict, Missing
from goldmark.leaderboards.definition.arrival import VISIBLE, ArrivingBoard, arriving
from goldmark.leaderboards.definition.file import NOBODY, BoardPlan
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.names import key_of, plain
from goldmark.leaderboards.definition.settings import BoardSettings, Data, PhaseName, board_settings
from goldmark.store import Store, in_transaction
from goldmark.store.bulk import Row, insert_rows
from goldmark.store.events import Decision
from goldmark.store.tables import board, board_event, board_item, board_team, protocol
from goldmark.store.transactions import one_at_a_time

NOTICE_JOB = "leaderboard notice"
NOTICE_ATTEMPTS = 8


class UnknownBoard(Missing):
    code = "BOARD-02"
    message = "there is no leaderboard {name!r}"


class BoardExists(Conflict):
    code = "BOARD-03"
    message = "a leaderboard {name!r} exists already; choose another name"


class BoardRow(NamedTuple):
    """A board as it stands."""

    id: int
    name: str
    title: str
    public: bool
    protocol_id: int
    protocol: str  # empty: nobody is asked
    settings: BoardSettings
    data: Data
    created_at: datetime
    closed_at: datetime | None


class BoardItem(NamedTuple):
    """An item with its place in the database."""

    id: int
    position: int
    chosen: bool
    item: DatasetInput


_boards = (
    select(board, protocol.c.name.label("protocol_name"), protocol.c.version)
    .join(protocol, protocol.c.id == board.c.protocol_id)
    .where(VISIBLE)
)


def _row(found: Any) -> BoardRow:
    return BoardRow(
        found.id,
        found.name,
        found.title,
        found.public,
        found.protocol_id,
        "" if found.protocol_name == NOBODY else f"{found.protocol_name}/{found.version}",
        board_settings(found.settings),
        Data.model_validate_json(found.data),
        found.created_at,
        found.closed_at,
    )


def create_board(store: Store, plan: BoardPlan, *, author: str) -> BoardRow:
    """A new board with all its items and the teams it names, or nothing at all."""
    return arriving(store, lambda coming: _create(coming, plan, author))


def _create(coming: ArrivingBoard, plan: BoardPlan, author: str) -> BoardRow:
    chosen = plan.chosen()

    def begin(connection: Connection) -> None:
        _refuse_known_name(connection, plan.name)
        coming.begin(
            connection,
            keep_protocol(connection, plan.protocol),
            title=plan.title,
            public=plan.settings.public,
            settings=plan.settings.model_dump_json(),
            data=plan.data.model_dump_json(),
            source=plan.source,
        )

    def finish(connection: Connection) -> BoardRow:
        _refuse_known_name(connection, plan.name)
        shown = {"name": plan.name, "created_at": datetime.now(UTC)}
        connection.execute(update(board).where(board.c.id == coming.id).values(shown))
        row = find_board(connection, plan.name)
        for team in plan.settings.submit.teams:
            made = {"board_id": row.id, "name": plain(team, "team"), "key": key_of(plain(team, "team"))}
            connection.execute(insert(board_team).values(**made))
        facts = {"items": len(plan.items), "judged by people": len(chosen), "protocol": row.protocol or "none"}
        warned = {"warnings": plan.warnings()} if plan.warnings() else {}
        note(connection, row, author=author, kind="board created", subject=row.name, facts={**facts, **warned})
        return row

    coming.rows.once(begin)
    rows = (
        {
            "board_id": coming.id,
            "name": item.name,
            "position": position,
            "chosen": item.name in chosen,
            "content": item.to_json(),
            "phase": "test" if position < len(plan.items) else "development",
        }
        for position, item in enumerate((*plan.items, *plan.practice))
    )
    coming.rows.each(rows, _put_items)
    return coming.rows.once(finish)


def _put_items(connection: Connection, some: Sequence[Row]) -> None:
    insert_rows(connection, board_item, some)


def _refuse_known_name(connection: Connection, name: str) -> None:
    one_at_a_time(connection, f"board {name}")
    if connection.execute(select(board.c.id).where(board.c.name == name)).first():
        raise BoardExists(name=name)


def list_boards(connection: Connection) -> list[BoardRow]:
    return [_row(found) for found in connection.execute(_boards.order_by(board.c.created_at, board.c.id))]


def find_board(connection: Connection, name: str, *, hold: bool = False) -> BoardRow:
    """The board of this name; with `hold`, nobody else submits to it or changes it until the end."""
    query = _boards.where(board.c.name == name)
    found = connection.execute(query.with_for_update(key_share=True, of=board) if hold else query).first()
    if found is None:
        raise UnknownBoard(name=name)
    return _row(found)


def board_of_id(connection: Connection, board_id: int) -> BoardRow:
    return _row(connection.execute(_boards.where(board.c.id == board_id)).one())


def item_names(connection: Connection, row: BoardRow, phase: PhaseName = "test") -> list[str]:
    """The ids of the items of a phase, in the dataset's order."""
    query = select(board_item.c.name).where(board_item.c.board_id == row.id, board_item.c.phase == phase)
    return list(connection.execute(query.order_by(board_item.c.position)).scalars())


def chosen_names(connection: Connection, row: BoardRow) -> list[str]:
    """The items that people judge, in the dataset's order: what `segments` of scores are about."""
    query = select(board_item.c.name).where(board_item.c.board_id == row.id, board_item.c.chosen)
    return list(connection.execute(query.order_by(board_item.c.position)).scalars())


def count_chosen(connection: Connection, row: BoardRow) -> int:
    """How many items people judge."""
    chosen = select(func.count()).where(board_item.c.board_id == row.id, board_item.c.chosen)
    return int(connection.execute(chosen).scalar_one())


def items_of(
    connection: Connection, row: BoardRow, *, chosen: bool = False, phase: PhaseName = "test"
) -> list[BoardItem]:
    """All items of a phase in the dataset's order, or only those that people judge."""
    query = (
        select(board_item)
        .where(board_item.c.board_id == row.id, board_item.c.phase == phase)
        .order_by(board_item.c.position)
    )
    if chosen:
        query = query.where(board_item.c.chosen)
    return [
        BoardItem(found.id, found.position, found.chosen, DatasetInput.from_json(found.name, found.content))
        for found in connection.execute(query)
    ]


@in_transaction
def set_closed(connection: Connection, name: str, closed: bool, *, author: str, reason: str = "") -> BoardRow:
    """No more submissions, or open again. What was submitted goes its way."""
    row = find_board(connection, name, hold=True)
    if (row.closed_at is not None) == closed:
        return row  # said twice, done once
    at = datetime.now(UTC) if closed else None
    connection.execute(update(board).where(board.c.id == row.id).values(closed_at=at))
    kind = "board closed" if closed else "board opened again"
    note(connection, row, author=author, kind=kind, subject=name, reason=reason)
    return row._replace(closed_at=at)


def note(
    connection: Connection,
    row: BoardRow,
    *,
    author: str,
    kind: str,
    subject: str,
    reason: str = "",
    facts: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> None:
    """Keep what was decided about a board, and have it told to those who asked."""
    made = insert(board_event).values(
        board_id=row.id,
        at=at or datetime.now(UTC),
        author=author,
        kind=kind,
        subject=subject,
        reason=reason,
        facts=dict(facts or {}),
    )
    number = int(connection.execute(made.returning(board_event.c.id)).scalar_one())
    for one in row.settings.notify:
        if not one.events or kind in one.events:
            # By a digest: lists of jobs are read by people who need not know the address.
            said, key = {"event": number, "to": one.digest}, f"{NOTICE_JOB}/{number}/{one.digest}"
            jobs.enqueue(
                connection, NOTICE_JOB, said, author=author, key=key, subject=row.name, most_attempts=NOTICE_ATTEMPTS
            )


def history(connection: Connection, row: BoardRow, *, most: int = 500) -> list[Decision]:
    """The newest decisions first."""
    query = select(board_event).where(board_event.c.board_id == row.id).order_by(board_event.c.id.desc()).limit(most)
    return [
        Decision(found.author, found.kind, found.subject, found.reason, found.facts, found.at)
        for found in connection.execute(query)
    ]
