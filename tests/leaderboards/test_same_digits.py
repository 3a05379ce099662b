"""A board's round and its judgements as a tidy table: whoever computes from either gets the same digits."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from goldmark.campaigns.transfer.observe import observing
from goldmark.cli import run
from goldmark.jobs import Worker
from goldmark.leaderboards.definition.boards import BoardRow, chosen_names, find_board
from goldmark.leaderboards.human.import_ratings import bring_ratings
from goldmark.leaderboards.human.scheduling.scheduler import tick
from goldmark.leaderboards.human.score_round import counting_answers
from goldmark.leaderboards.scores.correlations import correlations
from goldmark.leaderboards.scores.standings import Standing, Viewer, standings, standings_table
from goldmark.leaderboards.submitted import metric_jobs
from goldmark.leaderboards.submitted.submissions import publish
from goldmark.records.tidy.columns import Frame
from goldmark.results.output.tables import to_csv
from goldmark.store import Store
from goldmark.store.tables import board_metric, board_submission, board_system
from tests.databases import on_sqlite
from tests.leaderboards.ground import NAME, NOW, OPERATOR, answer_all, items, make_board, outputs, send

ALL = Viewer(everything=True)
SEED = 23


def rows_of(store: Store) -> dict[str, Standing]:
    found = store.read(lambda connection: standings(connection, find_board(connection, NAME), "correct", ALL))
    return {one.submission.system: one for one in found}


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """A tidy file, its rows in an order that says nothing."""
    mixed = Random(1).sample(list(rows), len(rows))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(mixed[0]))
        writer.writeheader()
        writer.writerows(mixed)
    return path


def ranked(path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert run(["rank", str(path), "--score", "value", "--seed", str(SEED), "--json", *more]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def assert_same(table: Mapping[str, Any], board: Mapping[str, Standing], *, z: bool = False) -> None:
    assert {row["system"] for row in table["systems"]} == set(board)
    for row in table["systems"]:
        standing = board[row["system"]]
        score = standing.scores["correct"]
        assert row["mean"] == score.value
        assert row["interval"] == (None if score.low is None else [score.low, score.high])
        assert row["standard_error"] == score.error
        assert row["rank"] == {"best": standing.best, "worst": standing.worst}
        assert standing.judged is not None
        judged = standing.judged
        assert (row["judgements"], row["items"], row["annotators"]) == (judged.labels, judged.items, judged.annotators)
    # The board's line says besides which question and which round it is about.
    said = next(iter(board.values())).scores["correct"].signature
    assert table["signature"] == said.replace("|axis:correct|round:1", "")
    assert "|ranks:step-down|" in said
    assert f"|seed:{SEED}|" in said
    assert f"|z:{'annotator' if z else 'no'}|" in said


JUDGED = [
    {
        "unit": f"q{item} / {system}",
        "item": f"q{item}",
        "system": f"System {system}",
        "annotator": f"person {person}",
        "question": "correct",
        "value": float(score),
    }
    for system in range(6)
    for item in range(40)
    for person, score in [
        ((5 * item + 3 * label + system) % people, np.clip(np.sin(item + 3 * system + label) / 6 + system / 6, 0, 1))
        for people in (14,)
        for label in range(1 + (item + system) % 2)
    ]
    if (item + 5 * system) % 11
]


@pytest.mark.parametrize(
    ("rules", "more"),
    [
        ({}, ()),
        ({"draw": "items"}, ("--draw", "items")),
        ({"z": True, "level": 0.9, "resamples": 500}, ("--z", "--level", "0.9", "--resamples", "500")),
    ],
    ids=["people and items", "items", "z-scores"],
)
@on_sqlite
def test_scores_that_were_brought_in(
    store: Store,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rules: dict[str, Any],
    more: tuple[str, ...],
) -> None:
    make_board(store, tmp_path, items(40), scores={"seed": SEED, **rules})
    bring_ratings(store, NAME, Frame.of(JUDGED), team="Lab", who="test", now=NOW)
    board = rows_of(store)
    assert len({one.rank for one in board.values()}) > 1  # some systems are told apart, so ranks say something
    table = ranked(write(tmp_path / "ratings.csv", JUDGED), capsys, *more)
    assert_same(table, board, z=bool(rules.get("z")))


@pytest.mark.parametrize("people", [1, 3], ids=["one annotator", "three annotators"])
def test_a_round_that_a_campaign_judged(
    sqlite: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], people: int
) -> None:
    """Three systems share a round; the campaign's labels, written as a table, are ranked as the board ranks them."""
    plan = {"start": "automatic", "labels_per_unit": people, "together": 4}
    make_board(sqlite, tmp_path, items(20), human=plan, scores={"seed": SEED}, subset={"size": 12, "seed": 2})
    for system in ("Zeta", "Alpha", "Mid"):  # in another order than their names
        sent = send(sqlite, system, outputs(20, f"{system} says {{}}."))
        publish(sqlite, NAME, sent.id, who=OPERATOR)
    tick(sqlite, NOW)
    for person in range(people):
        chosen = {
            f"{system} says {n}.": (n + person + 2 * place) % 5
            for place, system in enumerate(("Zeta", "Alpha", "Mid"))
            for n in range(20)
        }
        answer_all(sqlite, f"{NAME}-round-1", chosen, f"Person {person}")
    tick(sqlite, NOW)
    labels = observing(sqlite, f"{NAME}-round-1", counting_answers).labels
    assert len(labels) == 36 * people
    rows = [
        {
            "unit": f"{one.item} / {one.submission}",
            "item": one.item,
            "system": one.system,
            "annotator": one.annotator,
            "question": one.axis,
            "value": one.value,
        }
        for one in labels
    ]
    assert_same(ranked(write(tmp_path / "ratings.csv", rows), capsys), rows_of(sqlite))


# --- metrics and people -----------------------------------------------------------------------------------------------


def measured_board(store: Store, folder: Path, systems: int = 7) -> BoardRow:
    """Systems that say more of what is right the later they come; people judge 20 of 30 items, twice each."""
    board = make_board(store, folder, items(30), metrics=["chrf", "rougeL"], subset={"size": 20, "seed": 5})
    lines = []
    for number in range(systems):
        words = [f"It is {n + 1}." if (n * 7) % 30 < 4 * number else f"Nobody knows {n}" for n in range(30)]
        content = "\n".join(json.dumps({"id": f"q{n}", "output": one}) for n, one in enumerate(words)).encode()
        publish(store, NAME, send(store, f"S{systems - number}", content).id, who=OPERATOR)
        lines += [
            {
                "unit": f"q{n} / S{systems - number}",
                "item": f"q{n}",
                "system": f"S{systems - number}",
                "annotator": f"a{(n + 3 * label) % 12}",
                "question": "correct",
                "value": round(0.1 * number + 0.04 * ((5 * n + 3 * label) % 9), 3),
            }
            for n in range(30)
            for label in range(2)
        ]
    assert callable(metric_jobs.measure)  # imported, so that the worker knows this kind of job
    Worker(store).run_until_empty()
    chosen = set(store.read(lambda connection: chosen_names(connection, board)))
    judged = [line for line in lines if line["item"] in chosen]
    bring_ratings(store, NAME, Frame.of(judged), team="Lab", who="test", now=NOW)
    write(folder / "ratings.csv", judged)
    write(folder / "scores.csv", exported_metrics(store))
    return board


def exported_metrics(store: Store) -> list[dict[str, Any]]:
    """What `goldmark metrics compute --segments` would write: every output with its metrics' scores."""
    query = (
        select(board_system.c.name, board_metric.c.metric, board_metric.c.segments)
        .join(board_submission, board_submission.c.id == board_metric.c.submission_id)
        .join(board_system, board_system.c.id == board_submission.c.system_id)
    )
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for system, metric, segments in store.read(lambda connection: connection.execute(query).all()):
        for number, value in enumerate(segments):
            row = found.setdefault((system, f"q{number}"), {"system": system, "item": f"q{number}"})
            row[metric] = value
    return list(found.values())


def page_of(store: Store, board: BoardRow) -> dict[tuple[Any, ...], dict[str, Any]]:
    rows = list(rows_of(store).values())
    table = store.read(lambda connection: correlations(connection, board, rows, "correct"))
    return {(row["metric"], row["level"], row["method"]): row for row in table.records()}


def correlated(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    command = ["metrics", "correlate", str(folder / "scores.csv"), "--test", "none", "--json", *more]
    assert run(command) == 0
    table = json.loads(capsys.readouterr().out)["tables"][0]
    return {(row["metric"], row["level"], row["method"]): row for row in table["rows"]}


@pytest.mark.parametrize("systems", [7, 4], ids=["with intervals", "too few systems"])
def test_metrics_and_people(sqlite: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], systems: int) -> None:
    board = measured_board(sqlite, tmp_path, systems)
    page = page_of(sqlite, board)
    levels = [part for level in ("segment", "within-system", "system") for part in ("--level", level)]
    table = correlated(tmp_path, capsys, "--ratings", str(tmp_path / "ratings.csv"), "--question", "correct", *levels)
    compared = [key for key in page if key[1] != "corpus"]
    assert len(compared) == 2 * (3 + 1 + 2)
    for key in compared:
        assert table[key] == page[key]
    assert (page["chrf", "segment", "pearson"]["correlation_low"] is not None) == (systems == 7)
    assert page["chrf", "system", "pearson"]["correlation"] != page["chrf", "corpus", "pearson"]["correlation"]


def test_corpus_scores_are_those_of_the_standings(
    sqlite: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = measured_board(sqlite, tmp_path)
    page = page_of(sqlite, board)
    table = sqlite.read(
        lambda connection: standings_table(board, standings(connection, board, "correct"), ["correct"], "correct")
    )
    (tmp_path / "scores.csv").write_text(to_csv(table), encoding="utf-8")
    metrics = ("--metric", "chrf", "--metric", "rougeL")
    found = correlated(tmp_path, capsys, "--human", "correct", "--level", "system", *metrics)
    assert len(found) == 6
    for (metric, _, method), row in found.items():
        assert row == {**page[metric, "corpus", method], "level": "system"}
