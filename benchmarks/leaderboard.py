"""A large board: how long its standings take, and what one more system costs beside recomputing them all.

Then a simulated community, month after month: do intervals hold the truth as often as they say, and do ranks ever
contradict it?
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sqlalchemy import Connection, insert

from goldmark.leaderboards.definition.boards import BoardRow, create_board, find_board
from goldmark.leaderboards.definition.file import BoardPlan
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.settings import BoardSettings, Data
from goldmark.leaderboards.scores.correlations import correlations
from goldmark.leaderboards.scores.item_correlations import relate
from goldmark.leaderboards.scores.standings import Standing, standings
from goldmark.protocols import load
from goldmark.store import Store, open_store
from goldmark.store.migrate import upgrade
from goldmark.store.tables import (
    board_entry,
    board_metric,
    board_round,
    board_score,
    board_submission,
    board_system,
    board_team,
)
from tools.simulate.community import Community, month

SYSTEMS, METRICS, ITEMS = 200, 10, 800
AXES = ("redundancy", "fluency", "conciseness", "overall")
MONTHS = 200
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    print(f"{SYSTEMS} systems, {METRICS} metrics, {ITEMS} items, {len(AXES)} axes")
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "goldmark.db"))
        upgrade(store)
        row = large_board(store)
        everything = timed(lambda: relate(store, range(1, SYSTEMS + 1)))
        one = timed(lambda: relate(store, [SYSTEMS]), 20)
        opened = timed(lambda: store.read(read), 10)
        correlated = timed(
            lambda: store.read(lambda connection: correlations(connection, row, read(connection), "overall")), 5
        )
        store.close()
    print(f"standings opened           {1000 * opened:8.1f} ms")
    print(f"with all correlations      {1000 * correlated:8.1f} ms")
    print(f"one more system            {1000 * one:8.1f} ms")
    print(f"recomputing them all       {1000 * everything:8.1f} ms, {everything / one:.0f} times as much")
    community(MONTHS)


def timed(work: Callable[[], object], times: int = 1) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def read(connection: Connection) -> list[Standing]:
    return standings(connection, find_board(connection, "large"), "overall")


def large_board(store: Store, systems: int = SYSTEMS, metrics: int = METRICS, items: int = ITEMS) -> BoardRow:
    """Rows as they would be after that many submissions and rounds."""
    names = tuple(f"metric{number}" for number in range(metrics))
    some = tuple(DatasetInput(f"i{number}", (), (), "", {}) for number in range(items))
    settings = BoardSettings(public=True, metrics=names)
    plan = BoardPlan("large", "Large", load("rating-summary"), settings, Data(items="items.jsonl"), some, "")
    row = create_board(store, plan, author="benchmark")
    store.write(lambda connection: _fill(connection, row, systems, names, items))
    return row


def _fill(connection: Connection, row: BoardRow, systems: int, names: tuple[str, ...], items: int) -> None:
    rng = np.random.default_rng(1)
    team = connection.execute(
        insert(board_team).values(board_id=row.id, name="Lab", key="lab").returning(board_team.c.id)
    ).scalar_one()
    about = {"state": "published", "approval": "approved", "description": "", "link": "", "authors": []}
    signed = {"outputs": items, "digest": "", "submitted_by": "x", "submitted_at": NOW, "published_at": NOW}
    for number in range(1, systems + 1):
        named = {"name": f"S{number}", "key": f"s{number}", "kind": "system", "created_at": NOW}
        connection.execute(insert(board_system).values(id=number, board_id=row.id, team_id=team, **named))
        connection.execute(
            insert(board_submission).values(id=number, board_id=row.id, system_id=number, version=1, **about, **signed)
        )
        dates = {"opens_at": NOW, "opened_at": NOW, "scored_at": NOW}
        connection.execute(
            insert(board_round).values(id=number, board_id=row.id, number=number, state="scored", facts={}, **dates)
        )
        connection.execute(insert(board_entry).values(round_id=number, submission_id=number, why="new"))
        human = np.clip(rng.normal(0.3 + 0.4 * number / systems, 0.3, (len(AXES), items)), 0, 1)
        counts = {"labels": items, "items": items, "annotators": 50, "excluded": 2, "cost": 120.0}
        connection.execute(
            insert(board_score),
            [
                {
                    "round_id": number,
                    "submission_id": number,
                    "axis": axis,
                    "value": float(scores.mean()),
                    "low": float(scores.mean()) - 0.02,
                    "high": float(scores.mean()) + 0.02,
                    "error": 0.01,
                    "reason": "",
                    "signature": "",
                    "segments": scores.round(4).tolist(),
                    **counts,
                }
                for axis, scores in zip(AXES, human, strict=True)
            ],
        )
        connection.execute(
            insert(board_metric),
            [
                {
                    "submission_id": number,
                    "metric": name,
                    "state": "done",
                    "value": float(human[-1].mean()),
                    "low": None,
                    "high": None,
                    "higher_is_better": True,
                    "signature": "",
                    "message": "",
                    "at": NOW,
                    "segments": (human[-1] + rng.normal(0, 0.3, items)).round(4).tolist(),
                }
                for name in names
            ],
        )


def community(months: int) -> None:
    rng = np.random.default_rng(7)
    plan = Community()
    contradictions = found = noisy = wrongly = 0
    covered: list[float] = []
    start = time.perf_counter()
    for _ in range(months):
        one = month(plan, rng)
        covered.append(one.covered / len(plan.qualities))
        contradictions += one.contradictions
        noisy += int(one.noisy.sum())
        found += int((one.flagged & one.noisy).sum())
        wrongly += int((one.flagged & ~one.noisy).sum())
    pairs = months * len(plan.qualities) * (len(plan.qualities) - 1) // 2
    # Systems of one month share its items, so months are what is independent.
    share, error = float(np.mean(covered)), float(np.std(covered, ddof=1) / months**0.5)
    print(
        f"\n{months} simulated months: {len(plan.qualities)} systems, {plan.annotators} annotators, {plan.noisy} noisy"
    )
    print(f"intervals of {plan.level:.0%} hold the truth {share:.1%} of the time (s.e. {error:.1%})")
    print(f"ranks contradict the truth in {contradictions} of {pairs} pairs")
    print(f"noisy annotators found {found / noisy:.1%}; honest ones excluded {wrongly / months:.2f} a month")
    print(f"{time.perf_counter() - start:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
