"""Scores, ranks that intervals leave possible, metrics beside people, and a real board."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Connection, event

from goldmark.jobs import Worker, held_job
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import BoardRow, create_board, find_board
from goldmark.leaderboards.definition.file import read_board
from goldmark.leaderboards.human import import_ratings
from goldmark.leaderboards.human.import_ratings import bring_ratings
from goldmark.leaderboards.human.plan import PlanNotPossible, PlanRequest, measured_deviation, plan_annotations
from goldmark.leaderboards.scores.correlations import correlations
from goldmark.leaderboards.scores.standings import Standing, Viewer, standings, standings_table
from goldmark.leaderboards.submitted import metric_jobs, submissions
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.output.tables import to_csv
from goldmark.store import Store, open_store
from goldmark.texts.readers.tidy import read_tidy
from tests.cut_writes import asked_of_writer
from tests.databases import fresh
from tests.leaderboards.ground import NAME, NOW, OPERATOR, items, make_board, outputs, send, write_board

ALL = Viewer(everything=True)


def rows(store: Store, view: Viewer = ALL, name: str = NAME) -> list[Standing]:
    return store.read(lambda connection: standings(connection, find_board(connection, name), "correct", view))


# --- ranks -----------------------------------------------------------------------------------------------------------


def test_private_systems_are_ranked_as_if_they_were_published(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, items(40))
    lines = [
        {"system": system, "item": f"q{item}", "annotator": f"a{item % 12}", "score": round(score, 4)}
        for system, mean in (("Good", 0.9), ("Fair", 0.6), ("Poor", 0.2))
        for item, score in enumerate(np.random.default_rng(1).normal(mean, 0.1, 40))
    ]
    bring_ratings(sqlite, NAME, Frame.of(lines), team="Alder Lab", who="test", now=NOW)
    assert [(one.submission.system, one.rank) for one in rows(sqlite)] == [("Good", "1"), ("Fair", "2"), ("Poor", "3")]
    fair = rows(sqlite)[1].submission
    submissions.withdraw(sqlite, NAME, fair.id, who=OPERATOR)
    assert [one.rank for one in rows(sqlite, Viewer())] == ["1", "2"]
    new = send(sqlite, "Fair", outputs(40))
    assert [(one.submission.version, one.rank) for one in rows(sqlite) if one.submission.id == new.id] == [(2, "")]
    assert [one.submission.system for one in rows(sqlite, Viewer())] == ["Good", "Poor"]
    assert [one.submission.system for one in rows(sqlite, Viewer(team_id=new.team_id))] == ["Good", "Poor", "Fair"]


# --- metrics beside people -------------------------------------------------------------------------------------------


def measured_board(store: Store, folder: Path, metrics: Sequence[str] = ("chrf",)) -> BoardRow:
    """Eight systems that are the more right the later they come, with their metrics and people's scores."""
    board = make_board(store, folder, items(30), metrics=list(metrics))
    lines = []
    for number in range(8):
        right = [(item * 7) % 30 < 3 * number for item in range(30)]
        words = [f"It is {item + 1}." if right[item] else "I do not know this at all" for item in range(30)]
        content = "\n".join(json.dumps({"id": f"q{n}", "output": one}) for n, one in enumerate(words)).encode()
        submissions.publish(store, NAME, send(store, f"S{number}", content).id, who=OPERATOR)
        lines += [
            {
                "system": f"S{number}",
                "item": f"q{item}",
                "annotator": f"a{item % 15}",
                "score": 0.25 + 0.5 * right[item],
            }
            for item in range(30)
        ]
    Worker(store).run_until_empty()
    bring_ratings(store, NAME, Frame.of(lines), team="Alder Lab", who="test", now=NOW)
    return board


def test_metrics_come_as_jobs_and_go_with_people(store: Store, tmp_path: Path) -> None:
    board = measured_board(store, tmp_path)
    best = rows(store)[0]
    assert best.submission.system == "S7"
    assert best.metrics["chrf"].state == "done"
    assert "nrefs:1" in best.metrics["chrf"].signature
    table = store.read(lambda connection: correlations(connection, board, rows(store), "correct"))
    found = {(row["level"], row["method"]): row for row in table.records()}
    assert found["system", "kendall"]["correlation"] == pytest.approx(1.0)
    assert found["corpus", "kendall"]["correlation"] == pytest.approx(1.0)
    outputs_level = found["segment", "pearson"]
    assert outputs_level["n"] == 240
    assert float(outputs_level["correlation"] or 0) > 0.9
    assert float(outputs_level["correlation_low"] or 0) > 0.5


def test_a_failing_metric_fails_alone_and_can_be_rerun(sqlite: Store, tmp_path: Path) -> None:
    gone = f"bertscore:checkpoint={tmp_path / 'gone'}"
    make_board(sqlite, tmp_path, metrics=["chrf", gone])
    sent = send(sqlite, "Good")
    Worker(sqlite).run_until_empty()
    [row] = rows(sqlite)
    assert {name: cell.state for name, cell in row.metrics.items()} == {"chrf": "done", gone: "failed"}
    assert row.metrics[gone].message
    metric_jobs.measure_again(sqlite, NAME, sent.id, "chrf", who=OPERATOR)
    assert rows(sqlite)[0].metrics["chrf"].state == "waiting"
    Worker(sqlite).run_until_empty()
    assert rows(sqlite)[0].metrics["chrf"] == row.metrics["chrf"]
    with pytest.raises(metric_jobs.UnknownBoardMetric):
        metric_jobs.measure_again(sqlite, NAME, sent.id, "bleu", who=OPERATOR)
    with pytest.raises(submissions.UnknownSubmission):
        metric_jobs.measure_again(sqlite, NAME, sent.id, "chrf", who=Actor("somebody", 99))


# --- planning --------------------------------------------------------------------------------------------------------


def planned(**wanted: object) -> dict[str, object]:
    return dict(plan_annotations(PlanRequest(**wanted)).records()[0])  # type: ignore[arg-type]


def test_what_genie_paid_for() -> None:
    """GENIE 6: 800 annotations, standard error below 1.77 %; 300 annotations, below 2.89 %."""
    assert planned(annotations=800)["error"] == pytest.approx(0.0177, abs=5e-5)
    assert planned(annotations=300)["error"] == pytest.approx(0.0289, abs=5e-5)
    # GENIE C: a mean of 0.8 has a standard deviation of at most 0.4.
    assert planned(annotations=100, mean=0.8)["deviation"] == pytest.approx(0.4)


def test_annotations_for_a_standard_error() -> None:
    # (0.5 / 0.02)^2 = 625; with a tenth of test questions 625 / 0.9 = 694.4 labels are paid.
    row = planned(error=0.02, price=0.5, tests=0.1)
    assert (row["annotations"], row["labels"], row["cost"]) == (625, 695, 347.5)
    # Measured to be half as wide: a quarter of the annotations, 156.25 and so 157.
    assert planned(error=0.02, deviation=0.25)["annotations"] == 157


def test_power_to_tell_two_systems_apart() -> None:
    # Cohen's d = 0.1 / 0.5 = 0.2 with power 0.8 takes 394 a group (statsmodels: 393.4).
    assert planned(difference=0.1)["annotations"] == 394
    assert planned(difference=0.1, annotations=394)["power"] == pytest.approx(0.8, abs=0.001)


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"annotations": 1},
        {"error": 0.0},
        {"error": 0.1, "annotations": 5},
        {"error": 0.1, "mean": 1.0},
        {"difference": 2.0},
    ],
)
def test_plans_that_make_no_sense(wanted: dict[str, float]) -> None:
    with pytest.raises(PlanNotPossible):
        planned(**wanted)


# --- a real board ----------------------------------------------------------------------------------------------------


def wmt_board(store: Store, folder: Path, shared_data: Path, draw: str = "items") -> Table:
    data = shared_data / "wmt21_deen_da"
    frame = read_tidy(data / "ad-deen-good-stnd-redup.csv")
    segments = sorted(set(frame.cells["sid"]), key=int)
    rows = [{"id": name, "context": {}} for name in segments]
    path = write_board(
        folder,
        rows,
        leaderboard="wmt21",
        protocol="rating-translation",
        scores={"z": True, "resamples": 400, "draw": draw},
    )
    create_board(store, read_board(path), author="test")
    names = {"system": "sys_id", "item": "sid", "annotator": "WorkerId", "score": "score"}
    kept = {"type": ("SYSTEM", "REPEAT")}
    now = datetime(2021, 10, 1, tzinfo=UTC)
    bring_ratings(store, "wmt21", frame, team="WMT21", who="test", now=now, names=names, keep=kept)

    def table(connection: object) -> Table:
        board = find_board(connection, "wmt21")  # type: ignore[arg-type]
        found = standings(connection, board, "adequate")  # type: ignore[arg-type]
        return standings_table(board, found, ["adequate"], "adequate")

    return store.read(table)


def test_wmt21_as_a_finished_board(sqlite: Store, tmp_path: Path, shared_data: Path) -> None:
    """The official ranking by z-scores, with intervals and rank ranges; the same seed gives the same bytes."""
    table = wmt_board(sqlite, tmp_path, shared_data)
    official = read_tidy(shared_data / "wmt21_deen_da" / "ad-sys-scores-de-en.csv").cells
    expected = dict(zip(official["SYS"], map(float, official["Z.SCR"]), strict=True))
    found = table.records()
    assert [row["system"] for row in found] == sorted(expected, key=lambda name: -expected[name])
    for row in found:
        assert row["adequate"] == pytest.approx(expected[str(row["system"])], abs=2e-6)
        low, high = row["adequate_low"], row["adequate_high"]
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert low < expected[str(row["system"])] < high
    # The ends of the official ranking differ by 0.25 and are told apart; its first four, within 0.013, are not.
    ranges = [tuple(int(end) for end in str(row["rank"]).split("-")) for row in found]
    assert {one[0] for one in ranges[:4]} == {1}
    assert ranges[-1][0] > 5
    assert ranges[0][-1] < 15
    # No range contradicts the official order: the official place lies in it.
    assert all(one[0] <= place <= one[-1] for place, one in enumerate(ranges, start=1))
    again = tmp_path / "again"
    again.mkdir()
    other = open_store(fresh(again))
    assert to_csv(wmt_board(other, again, shared_data)) == to_csv(table)
    other.close()


def test_wmt21_with_people_who_could_have_been_others(sqlite: Store, tmp_path: Path, shared_data: Path) -> None:
    """A HIT was one person on one system, so people and systems hang together; intervals are about twice as wide."""
    table = wmt_board(sqlite, tmp_path, shared_data, "items and annotators")
    width = [float(row["adequate_high"] or 0) - float(row["adequate_low"] or 0) for row in table.records()]
    assert 0.12 < float(np.mean(width)) < 0.3


def test_measured_deviation(sqlite: Store, tmp_path: Path) -> None:
    board = make_board(sqlite, tmp_path, items(400))
    assert sqlite.read(lambda connection: measured_deviation(connection, board, "correct")) is None
    rng = np.random.default_rng(4)
    lines = [
        {"system": "Good", "item": f"q{n}", "annotator": f"a{n}", "score": score}
        for n, score in enumerate(rng.normal(0.5, 0.2, 400))
    ]
    bring_ratings(sqlite, NAME, Frame.of(lines), team="Lab", who="test", now=NOW)
    found = sqlite.read(lambda connection: measured_deviation(connection, board, "correct"))
    assert found == pytest.approx(0.2, rel=0.1)


def test_a_worker_that_dies_in_the_middle_leaves_nothing_undone(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, metrics=["chrf"])
    send(sqlite, "Good")
    long_ago = datetime.now(UTC) + timedelta(seconds=1)
    held = sqlite.write(lambda connection: held_job.claim(connection, "killed", long_ago, timedelta(minutes=1)))
    assert held is not None  # taken by a worker that says nothing any more
    assert rows(sqlite)[0].metrics["chrf"].state == "waiting"
    Worker(sqlite, stale=timedelta(seconds=-5)).run_until_empty()
    assert rows(sqlite)[0].metrics["chrf"].state == "done"


def test_opening_the_standings_reads_no_single_items(sqlite: Store, tmp_path: Path) -> None:
    """However many systems there are, a handful of statements, none of which touches per-item scores.

    Only after a score has changed the ranks are made anew, from per-item scores.
    """
    measured_board(sqlite, tmp_path)
    rows(sqlite)
    said: list[str] = []

    def look(connection: Connection) -> list[Standing]:
        event.listen(connection, "before_cursor_execute", lambda *given: said.append(given[2]))
        return standings(connection, find_board(connection, NAME), "correct", ALL)

    assert len(sqlite.read(look)) == 8
    # The beginning of the transaction, the board, submissions, how many items, rounds, exclusions, scores, metrics.
    assert len(said) == 8
    assert "segments" not in " ".join(said)


def test_the_writer_is_asked_as_little_for_ratings_of_many_systems_as_of_few(
    sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New ones among them, and one that is there already in another case of letters."""
    make_board(sqlite, tmp_path)
    monkeypatch.setattr(import_ratings, "relate", lambda *_: None)  # of each system by itself
    asked = []
    for team, names in (("Lab", ["S0", "S1"]), ("Other lab", ["s0", "S1", "S2", "S3", "S4", "S5", "S6"])):
        lines = [
            {"system": name, "item": f"q{item}", "annotator": "Ann", "score": 0.5} for name in names for item in (0, 1)
        ]
        with asked_of_writer(sqlite) as written:
            bring_ratings(sqlite, NAME, Frame.of(lines), team=team, who="test", now=NOW)
        asked.append(len(written))
    assert asked[0] == asked[1]
    shown = sqlite.read(lambda connection: submissions.known_systems(connection, find_board(connection, NAME)))
    assert [one.name for one in shown] == ["S0", "S1", "S2", "S3", "S4", "S5", "S6"]
