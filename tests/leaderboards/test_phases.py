"""Phases: one to practise in, with feedback, and the test, with limits and hidden references."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from goldmark.errors import ProblemsFound
from goldmark.jobs import Worker
from goldmark.leaderboards.board_view import BoardView, of_everything
from goldmark.leaderboards.definition.boards import BoardRow, find_board, set_closed
from goldmark.leaderboards.definition.file import read_board
from goldmark.leaderboards.definition.phases import PhaseNotOpen, SayWhichPhase, UnknownPhase, phases_of
from goldmark.leaderboards.definition.settings import BoardSubset, PhaseName, board_settings, moment
from goldmark.leaderboards.human.rounds import approve
from goldmark.leaderboards.human.score_round import close_and_score
from goldmark.leaderboards.scores.standings import PUBLIC, Viewer, standings
from goldmark.leaderboards.submitted.inputs import InputsClosed, inputs_of
from goldmark.leaderboards.submitted.submissions import NotPossibleNow, SubmissionRow, publish
from goldmark.leaderboards.submitted.submit import LimitReached, SystemDescription, submit
from goldmark.store import Store
from goldmark.web.runtime.handlers import load_handlers
from tests.leaderboards.ground import NAME, NOW, OPERATOR, items, make_board, send, write_board

PRACTICE = {"items": "practice.jsonl", "at_most": 2}


def board_with_practice(store: Store, folder: Path, **keys: Any) -> BoardRow:
    rows = [{**row, "id": f"d-{row['id']}"} for row in items(3)]
    (folder / "practice.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return make_board(store, folder, **{"development": PRACTICE, "metrics": ["chrf"], **keys})


def practise(store: Store, system: str, words: str = "It is {}.", now: datetime = NOW) -> SubmissionRow:
    lines = [json.dumps({"id": f"d-q{n}", "output": words.format(n + 1)}) for n in range(3)]
    about = SystemDescription(system, "Alder Lab")
    file = io.BytesIO("\n".join(lines).encode())
    return submit(store, NAME, about, file, "o.jsonl", who=OPERATOR, phase="development", now=now)


def seen_by(store: Store, view: Viewer) -> BoardView:
    whole = store.read(lambda connection: of_everything(connection, NAME))
    return BoardView(whole.board, view, None, whole.protocol)


def test_each_phase_has_its_own_data_limits_and_standings(store: Store, tmp_path: Path) -> None:
    board = board_with_practice(store, tmp_path)
    with pytest.raises(SayWhichPhase):
        send(store, "Alder")
    first = practise(store, "Alder")
    assert (first.phase, first.outputs, first.approval) == ("development", 3, "not asked")
    assert practise(store, "Alder").id == first.id
    assert practise(store, "Alder", "{}!").version == 2
    with pytest.raises(LimitReached, match="2 submissions in a day"):
        practise(store, "Alder", "no {}")
    assert practise(store, "Alder", "no {}", now=NOW + timedelta(days=1)).version == 3
    about = SystemDescription("Alder", "Alder Lab")
    content = "\n".join(json.dumps({"id": f"q{n}", "output": "x"}) for n in range(6)).encode()
    test = submit(store, NAME, about, io.BytesIO(content), "o.jsonl", who=OPERATOR, phase="test", now=NOW)
    assert (test.version, test.phase, test.approval) == (4, "test", "waiting")
    with pytest.raises(ProblemsFound, match=r"."):
        submit(store, NAME, about, io.BytesIO(content), "o.jsonl", who=OPERATOR, phase="development", now=NOW)
    with pytest.raises(NotPossibleNow, match="people judge the test only"):
        approve(store, NAME, first.id, who=OPERATOR, now=NOW)
    load_handlers()
    Worker(store).run_until_empty()
    every = Viewer(everything=True)
    [practised] = store.read(lambda connection: standings(connection, board, "correct", every, "development"))
    assert (practised.submission.version, practised.metrics["chrf"].state) == (3, "done")
    [tested] = store.read(lambda connection: standings(connection, board, "correct", every))
    assert tested.submission.id == test.id


def test_a_phase_opens_and_closes(sqlite: Store, tmp_path: Path) -> None:
    """A day counts whole, where the board is."""
    dates = {"opens": "2026-03-01", "closes": "2026-03-02", "zone": "Etc/GMT+12"}
    make_board(sqlite, tmp_path, submit=dates)
    last = datetime(2026, 3, 3, 11, 59, tzinfo=UTC)
    assert moment("2026-03-02", "Etc/GMT+12", end=True) == datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
    send(sqlite, "Alder", now=last)
    with pytest.raises(PhaseNotOpen, match="it closed 2026-03-03 12:00 UTC"):
        send(sqlite, "Birch", now=last + timedelta(minutes=1))
    with pytest.raises(PhaseNotOpen, match="it opens 2026-03-01 12:00 UTC"):
        send(sqlite, "Birch", now=datetime(2026, 3, 1, 11, 0, tzinfo=UTC))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"submit": {"opens": "2026-03-02", "closes": "2026-03-01"}}, "closes before it opens"),
        ({"submit": {"opens": "soon"}}, '"soon" is no moment'),
        ({"submit": {"closes": "9999-12-31"}}, "9999-12-31 is not within the years 1970 to 9000"),
        ({"submit": {"closes": "9999-12-31 23:59", "zone": "America/Los_Angeles"}}, "leave the line out"),
        ({"submit": {"opens": "0001-01-01", "zone": "Asia/Tokyo"}}, "0001-01-01 is not within the years"),
        ({"submit": {"opens": "0001-01-01T00:00:00+14:00"}}, "is not within the years"),
        ({"development": {"items": "items.jsonl", "closes": "9999-12-31"}}, "9999-12-31 is not within the years"),
        ({"opening": {"first": "9999-12-31"}}, "9999-12-31 is not within the years"),
        ({"development": {"items": "items.jsonl"}}, "6 ids are in the test as well"),
        ({"development": {"items": "gone.jsonl"}}, "gone.jsonl"),
    ],
)
def test_phases_that_cannot_be(tmp_path: Path, keys: dict[str, Any], words: str) -> None:
    with pytest.raises(ProblemsFound) as found:
        read_board(write_board(tmp_path, **keys))
    assert words in " ".join(str(one) for one in found.value.problems)


def test_a_board_with_the_last_day_of_all_is_still_read() -> None:
    """Such days were taken before; one that no calendar can go beyond is no end."""
    rules = {"opens": "0001-01-01", "closes": "9999-12-31", "zone": "Asia/Tokyo"}
    [phase] = phases_of(board_settings(json.dumps({"submit": rules})))
    assert (phase.opens, phase.closes) == (None, None)


def test_results_that_wait_for_the_end_are_seen_by_those_who_run_the_board(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, metrics=["chrf"], submit={"feedback": "when closed"})
    sent = send(sqlite, "Alder")
    publish(sqlite, NAME, sent.id, who=OPERATOR)
    load_handlers()
    Worker(sqlite).run_until_empty()

    def metrics(view: Viewer) -> list[str]:
        board = sqlite.read(lambda connection: find_board(connection, NAME))
        [row] = sqlite.read(lambda connection: standings(connection, board, "correct", view))
        return list(row.metrics)

    assert metrics(PUBLIC) == []
    assert metrics(Viewer(team_id=sent.team_id)) == []
    assert metrics(Viewer(everything=True)) == ["chrf"]
    set_closed(sqlite, NAME, True, author="test")
    assert metrics(PUBLIC) == ["chrf"]


def test_references_and_who_is_judged_are_not_told(sqlite: Store, tmp_path: Path) -> None:
    board_with_practice(sqlite, tmp_path, subset={"size": 2}, human={"gold": True, "start": "automatic"})
    sent = send_to_test(sqlite)
    publish(sqlite, NAME, sent.id, who=OPERATOR)
    publish(sqlite, NAME, practise(sqlite, "Birch").id, who=OPERATOR)
    load_handlers()
    Worker(sqlite).run_until_empty()
    close_and_score(sqlite, NAME, 1, who="Mo", now=NOW, anyway=True)  # till then no outputs are shown
    stranger, owner = seen_by(sqlite, PUBLIC), seen_by(sqlite, Viewer(everything=True))

    def examples(seen: BoardView, system: str) -> Any:
        phases: tuple[PhaseName, ...] = ("test", "development")
        rows = [row for phase in phases for row in sqlite.read(partial(seen.standings, phase=phase))]
        number = next(row.submission.system_id for row in rows if row.submission.system == system)
        return sqlite.read(lambda connection: seen.system(connection, number))[1]

    shown = examples(stranger, "Alder").examples
    assert {one.judged for one in shown} == {None}
    assert not any(one.item.references or one.metrics for one in shown)
    assert sum(one.judged for one in examples(owner, "Alder").examples) == 2
    assert all(one.item.references and one.metrics for one in examples(owner, "Alder").examples)
    assert examples(stranger, "Reference") is None, "the gold row is nothing but references"
    assert examples(owner, "Reference").total == 6
    practised = examples(stranger, "Birch").examples
    assert all(one.item.references and one.metrics for one in practised), "development comes with feedback"
    rows = sqlite.read(lambda connection: list(inputs_of(connection, stranger)))
    assert [set(row) for row in rows] == [{"id", "context", "language"}] * 6
    open_rows = sqlite.read(lambda connection: list(inputs_of(connection, stranger, "development")))
    assert open_rows[0]["references"] == ["It is 1."]
    with pytest.raises(UnknownPhase, match="it has development and test"):
        sqlite.read(lambda connection: list(inputs_of(connection, stranger, "later")))


def send_to_test(store: Store) -> SubmissionRow:
    content = "\n".join(json.dumps({"id": f"q{n}", "output": f"{n} and one"}) for n in range(6)).encode()
    about = SystemDescription("Alder", "Alder Lab")
    return submit(store, NAME, about, io.BytesIO(content), "o.jsonl", who=OPERATOR, phase="test", now=NOW)


def test_inputs_that_are_not_given_out(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, inputs=False)
    with pytest.raises(InputsClosed):
        sqlite.read(lambda connection: inputs_of(connection, seen_by(sqlite, PUBLIC)))


def test_a_seed_that_is_left_out_cannot_be_guessed(tmp_path: Path) -> None:
    first, second = (read_board(write_board(tmp_path, public=True, subset={"size": 3})) for _ in range(2))
    assert first.settings.subset != second.settings.subset
    assert not first.warnings()
    guessed = read_board(write_board(tmp_path, public=True, subset={"size": 3, "seed": 1}))
    assert "others can guess" in guessed.warnings()[0]
    opened = read_board(write_board(tmp_path, public=True, judged_items=True, subset={"size": 3, "seed": 1}))
    assert not opened.warnings()
    assert BoardSubset(size=3, seed=1).drawn().seed == 1
