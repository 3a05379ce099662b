"""Settings of a board that exists: what can be changed, what stays, and what is told."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from sqlalchemy import func, select

from goldmark.errors import ProblemsFound
from goldmark.jobs import Worker
from goldmark.leaderboards.definition.boards import find_board, history
from goldmark.leaderboards.definition.changes import change_board, read_settings, settings_text
from goldmark.leaderboards.definition.teams import teams_of
from goldmark.leaderboards.human.open_round import open_round
from goldmark.leaderboards.human.rounds import approve
from goldmark.leaderboards.human.score_round import close_and_score
from goldmark.leaderboards.scores.standings import Viewer, standings
from goldmark.leaderboards.submitted import metric_jobs
from goldmark.store import Store
from goldmark.store.tables import board_metric
from goldmark.web.runtime.handlers import load_handlers
from tests.cut_writes import asked_of_writer, cut_small, killed_before_piece, worked_off
from tests.leaderboards.ground import NAME, NOW, OPERATOR, answer_all, make_board, send


def test_a_board_is_changed_by_the_text_of_its_settings(store: Store, tmp_path: Path) -> None:
    hook = {"url": "https://chat.example.org/x", "secret": "between us", "events": ["board closed"]}
    row = make_board(store, tmp_path, subset={"size": 3}, notify=[hook], metrics=["chrf"])
    send(store, "Alder")
    text = settings_text(row)
    assert "between us" not in text
    assert read_settings(row, text).subset == row.settings.subset
    values = yaml.safe_load(text)
    values |= {"public": True, "metrics": ["chrf", "bleu"], "submit": {"teams": {"Birch Lab": ["bo"]}, "at_most": 2}}
    del values["subset"]["seed"]
    after = change_board(store, NAME, read_settings(row, yaml.safe_dump(values)), author="test", reason="it begins")
    assert (after.public, after.settings.submit.at_most) == (True, 2)
    assert after.settings.notify[0].secret == "between us"
    assert [one.name for one in store.read(lambda connection: teams_of(connection, after))] == [
        "Alder Lab",
        "Birch Lab",
    ]
    load_handlers()
    Worker(store).run_until_empty()
    [found] = store.read(lambda connection: standings(connection, after, "correct", Viewer(everything=True)))
    assert {name: cell.state for name, cell in found.metrics.items()} == {"chrf": "done", "bleu": "done"}
    [event] = [one for one in store.read(lambda c: history(c, after)) if one.kind == "settings changed"]
    assert (event.reason, event.facts["submit.at_most"], event.facts["public"]) == ("it begins", 2, True)


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"subset": {"size": 2}}, "subset"),
        ({"development": {"items": "more.jsonl"}}, "development.items"),
        ({"submit": {"who": "teams"}}, "submit.who"),
        ({"metrics": ["bleuu"]}, "metrics.0"),
        ({"scores": {"main": "beauty"}}, "scores.main"),
    ],
)
def test_what_cannot_be_changed(sqlite: Store, tmp_path: Path, values: dict[str, object], part: str) -> None:
    row = make_board(sqlite, tmp_path)
    with pytest.raises(ProblemsFound) as found:
        change_board(sqlite, NAME, read_settings(row, yaml.safe_dump(values)), author="test")
    assert [one.part for one in found.value.problems] == [part]
    assert sqlite.read(lambda connection: find_board(connection, NAME)).settings == row.settings


def test_what_is_wrong_with_the_text_is_told_by_line(sqlite: Store, tmp_path: Path) -> None:
    row = make_board(sqlite, tmp_path)
    with pytest.raises(ProblemsFound) as found:
        read_settings(row, "public: perhaps\nsubmit:\n  opens: soon\n")
    assert [one.where for one in found.value.problems] == ["settings:1", "settings:3"]


def test_scores_are_made_as_they_were_once_people_have_judged(sqlite: Store, tmp_path: Path) -> None:
    row = make_board(sqlite, tmp_path, human={"start": "approval"})
    sent = send(sqlite, "Alder")
    change_board(sqlite, NAME, read_settings(row, "scores: {level: 0.9}"), author="test")
    approve(sqlite, NAME, sent.id, who=OPERATOR, now=NOW)
    open_round(sqlite, NAME, 1, who="test", now=NOW)
    answer_all(sqlite, f"{NAME}-round-1", {"Alder": 3})
    close_and_score(sqlite, NAME, 1, who="test", now=NOW + timedelta(days=1))
    with pytest.raises(ProblemsFound, match="nothing was changed"):
        change_board(sqlite, NAME, read_settings(row, "scores: {level: 0.8}"), author="test")


def test_new_metrics_are_asked_for_some_at_a_time_and_items_are_read_before_anybody_has_to_wait(
    sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = make_board(sqlite, tmp_path)
    for number in range(5):
        send(sqlite, f"System {number}")
    cut_small(monkeypatch)

    def asked_for() -> int:
        of = select(func.count()).where(board_metric.c.metric == "chrf")
        return sqlite.read(lambda connection: connection.execute(of).scalar_one())

    with asked_of_writer(sqlite) as written, killed_before_piece(monkeypatch, 2):
        change_board(sqlite, NAME, read_settings(row, "metrics: [chrf]"), author="test")
    assert not [one for one in written if "board_item" in one or "protocol.source" in one]
    assert asked_for() == 2
    monkeypatch.setattr(metric_jobs, "_score", lambda *_: 1 / 0)
    worked_off(sqlite)
    assert asked_for() == 5
