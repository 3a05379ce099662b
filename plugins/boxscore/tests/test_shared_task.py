"""The checker on the accuracy shared task's texts: its figures must not fall below what was once reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.checkers.run import check_texts
from goldmark.results.scoring.scores import score
from goldmark.texts.readers.gsml import CATEGORIES, read_mistakes, read_spaced_texts
from goldmark_boxscore.plugin import open_boxscore

FLOORS = {"recall": 0.90, "precision": 0.93, "token_recall": 0.84, "token_precision": 0.85}  # reached, rounded down


def test_recall_and_precision_stay_where_they_are(shared_data: Path) -> None:
    task = shared_data / "accuracy-shared-task" / "train"
    texts = read_spaced_texts(task / "texts")
    checker, problems = open_boxscore({"games": task / "shared_task.jsonl", "season": shared_data / "nba"})
    outcome = check_texts(checker, texts.values())
    assert not problems
    assert not outcome.problems
    sheet = score(
        read_mistakes(task / "gsml.csv", texts),
        outcome.mistakes,
        texts=texts,
        categories=CATEGORIES,
    )
    row = next(iter(sheet.rows.values()))
    for measure, floor in FLOORS.items():
        assert getattr(row, measure).value >= floor, measure


@pytest.mark.slow
def test_without_a_season_what_is_said_is_more_often_right_than_wrong(shared_data: Path) -> None:
    task = shared_data / "accuracy-shared-task" / "train"
    texts = read_spaced_texts(task / "texts")
    checker, _ = open_boxscore({"games": task / "shared_task.jsonl"})
    outcome = check_texts(checker, texts.values())
    gold = {
        (mistake.text_id, position)
        for mistake in read_mistakes(task / "gsml.csv", texts)
        for position in mistake.span.positions()
    }
    right = [
        mistake
        for mistake in outcome.mistakes
        if any((mistake.text_id, place) in gold for place in mistake.span.positions())
    ]
    assert len(right) / len(outcome.mistakes) == pytest.approx(0.9, abs=0.05)
