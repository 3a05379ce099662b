"""What can be changed of a leaderboard in the browser: the usual things in fields, everything as YAML."""

from __future__ import annotations

from fastapi.responses import Response

from goldmark.leaderboards.board_view import BoardView
from goldmark.leaderboards.definition.changes import change_board, read_settings, settings_text
from goldmark.leaderboards.definition.settings import BoardSettings
from goldmark.web.pages.forms import fields_of, filled, refusable
from goldmark.web.pages.frame import NOT_FAILED, Wrong, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/leaderboards/{name}/settings")


@router.get("")
def settings(visit: ReadsAsManager, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    seen = _board(visit, name)
    row = seen.board
    return page(
        visit,
        "board_settings.html",
        wrong=wrong,
        board=row,
        seen=seen,
        given=wrong.fields("settings", {"title": row.title, "reason": "", **fields_of(row.settings)}),
        whole=wrong.fields("whole", {"text": settings_text(row), "reason": ""}),
    )


def _board(visit: Visit, name: str) -> BoardView:
    return visit.read(lambda connection: visit.board(connection, name))


@router.post("")
@refusable("settings", settings)
def change(visit: SendsAsManager, name: str) -> Response:
    """What the fields do not ask stays as it was."""
    changed = filled(BoardSettings, visit.given, onto=_board(visit, name).board.settings)
    return _changed(visit, name, changed, visit.given.get("title", ""))


@router.post("/whole")
@refusable("whole", settings)
def change_whole(visit: SendsAsManager, name: str) -> Response:
    return _changed(visit, name, read_settings(_board(visit, name).board, visit.given.get("text", "")))


def _changed(visit: Visit, name: str, changed: BoardSettings, title: str = "") -> Response:
    reason = visit.given.get("reason", "").strip()[:2_000]
    change_board(visit.store, name, changed, title=title, author=visit.name, reason=reason)
    return go(f"/leaderboards/{name}/settings", "settings")
