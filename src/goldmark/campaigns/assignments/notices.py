"""Words to an annotator about their work: a warning, a pause, an end. They see them until they have read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from goldmark.errors import Missing
from goldmark.languages import later
from goldmark.store.prepared import Prepared
from goldmark.store.tables import notice

NoticeKind = Literal["warning", "pause", "exclusion"]


class UnknownNotice(Missing):
    code = "WORK-03"
    message = later("there is no notice {id} for you")


class Notice(NamedTuple):
    """Something an annotator is told. It never says which answers it is about: that would name the test questions."""

    id: int
    kind: str
    message: str
    at: datetime


# Our own words, where a rule or a manager gives none.
WORDS: dict[NoticeKind, str] = {
    "warning": later(
        "Some of your recent answers look as if they were given in haste. Please take the time you need, read each "
        "text to its end, and look at the instructions again."
    ),
    "pause": later(
        "Your work is paused while we look at some of your answers. What you did is saved. Please come back later with "
        "the same link."
    ),
    "exclusion": later(
        "Thank you for your time. Your part in this study has ended. Everything you did is saved, and you need not do "
        "anything more."
    ),
}

_unread = Prepared(
    select(notice.c.id, notice.c.kind, notice.c.message, notice.c.at)
    .where(notice.c.annotator_id == bindparam("annotator_id"), notice.c.read_at.is_(None))
    .order_by(notice.c.id)
)


def tell(connection: Connection, annotator_id: int, kind: NoticeKind, message: str = "") -> None:
    """Leave word for someone; they see it with their next unit or when they open their page."""
    connection.execute(
        insert(notice).values(
            annotator_id=annotator_id, kind=kind, message=message.strip() or WORDS[kind], at=datetime.now(UTC)
        )
    )


def unread(connection: Connection, annotator_id: int) -> tuple[Notice, ...]:
    """What someone has not read yet, oldest first."""
    return tuple(Notice(*row) for row in _unread.rows(connection, annotator_id=annotator_id))


def mark_read(connection: Connection, annotator_id: int, notice_id: int) -> None:
    """They have read it; said twice, it stays read when it was."""
    mine = (notice.c.id == notice_id) & (notice.c.annotator_id == annotator_id)
    if connection.execute(select(notice.c.id).where(mine)).first() is None:
        raise UnknownNotice(id=notice_id)
    connection.execute(update(notice).where(mine, notice.c.read_at.is_(None)).values(read_at=datetime.now(UTC)))


def told(connection: Connection, annotator_id: int) -> Sequence[tuple[Notice, datetime | None]]:
    """Everything someone was told, and when they read it."""
    rows = connection.execute(select(notice).where(notice.c.annotator_id == annotator_id).order_by(notice.c.id))
    return [(Notice(row.id, row.kind, row.message, row.at), row.read_at) for row in rows]
