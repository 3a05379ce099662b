"""The checker on the invented league of the samples: another league is only another file."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from goldmark.checkers.run import check_texts
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.stats.mistake_matching import by_text, match
from goldmark.texts.segmentation.text import make_text
from goldmark_boxscore.plugin import open_boxscore


def _spaced(row: dict[str, Any]) -> Text:
    """The text with a space between its tokens, which is how the checker's texts come; tokens stay the same."""
    words = make_text(row["id"], row["text"], tokeniser="rules", sentences="rules").words()
    return make_text(row["id"], " ".join(words), tokeniser="whitespace", sentences="rules")


def _planted(text: str, mark: dict[str, Any]) -> Mistake:
    return Mistake(text, Span(mark["start"], mark["end"]), mark["label"], mark.get("correction", ""))


def test_the_sample_league_is_checked_with_its_own_teams_and_schedule(tmp_path: Path) -> None:
    with as_file(files("goldmark.samples") / "accuracy") as sample:
        games = [json.loads(line) for line in (sample / "games.jsonl").read_text(encoding="utf-8").splitlines()]
        rows = [json.loads(line) for line in (sample / "texts.jsonl").read_text(encoding="utf-8").splitlines()]
        named = [games[row["game"]] | {"shared_task_text_id": row["id"]} for row in rows]
        (tmp_path / "games.jsonl").write_text("\n".join(map(json.dumps, named)), encoding="utf-8")
        season = tmp_path / "season"
        season.mkdir()
        (season / "schedule.csv").write_bytes((sample / "schedule.csv").read_bytes())
        sources = {"games": tmp_path / "games.jsonl", "season": season, "league": sample / "teams.json"}
        checker, problems = open_boxscore(sources)
        texts = {row["id"]: _spaced(row) for row in rows}
        gold = by_text([_planted(row["id"], mark) for row in rows for mark in row["planted"]])
        outcome = check_texts(checker, texts.values(), problems)
    assert not outcome.problems
    reported = by_text(outcome.mistakes)
    found = [pair for text in texts for pair in match(gold.get(text, []), reported.get(text, [])).found]
    # These texts were written freely, with planted mistakes of every sort: 81, of which the tables can tell about half.
    assert len(found) >= 30
    assert len(found) / len(outcome.mistakes) > 0.55
    corrected = [(first, second) for first, second in found if first.correction and second.correction]
    agree = [first.correction.split()[-1] == second.correction.split()[-1] for first, second in corrected]
    assert sum(agree) / len(agree) > 0.7
