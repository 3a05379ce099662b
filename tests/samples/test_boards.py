"""The demo's leaderboard shows something real, and stays as people left it."""

from __future__ import annotations

from datetime import UTC, datetime

from goldmark.leaderboards.scores.standings import standings
from goldmark.samples.boards import fill_board
from goldmark.store import Store, open_store


def test_the_demo_has_a_leaderboard_with_scores(sqlite_database: str) -> None:
    store: Store = open_store(sqlite_database)
    now = datetime(2026, 3, 2, tzinfo=UTC)
    board = fill_board(store, now=now)
    assert fill_board(store, now=now).id == board.id
    rows = store.read(lambda connection: standings(connection, board, "correct"))
    store.close()
    # `alder` is careful, `birch` makes some mistakes, `cedar` many; three people cannot tell the first two apart.
    assert [(one.submission.system, one.rank) for one in rows] == [("Alder", "1-2"), ("Birch", "1-2"), ("Cedar", "3")]
    assert all(one.judged and one.judged.annotators == 3 for one in rows)
