"""Errors of known sorts in whole summaries: which the checker finds, and what else it then marks.

Each case is a summary of people or of a system in which one more thing is wrong (`_introduced_cases`). Found is the
share of what was introduced that is marked; "also marked" are marks that were not there before and share no word with
what was introduced; "no longer" are true marks of before that are gone. Needs ../shared/data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping

from benchmarks._introduced_cases import Case, base_of, cases
from benchmarks.checker import DATA
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.stats.mistake_matching import by_text, match
from goldmark.texts.readers.gsml import read_mistakes, read_spaced_texts, spaced_text
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.games import Game
from goldmark_boxscore.plugin import open_boxscore


def introduced(seed: int = 5) -> tuple[dict[str, list[Case]], BoxScoreChecker]:
    """The cases of the generated texts and of people's, and a checker for them."""
    task = DATA / "accuracy-shared-task" / "train"
    texts = read_spaced_texts(task / "texts")
    gold = by_text(read_mistakes(task / "gsml.csv", texts))
    opened, _ = open_boxscore({"games": task / "shared_task.jsonl", "season": DATA / "nba"})
    rows = [json.loads(line) for line in (task / "shared_task.jsonl").read_text(encoding="utf-8").splitlines()]
    people = {str(row["shared_task_text_id"]): str(row["cleaned_text"]) for row in rows}
    humans = {text: spaced_text(text, words) for text, words in people.items()}
    found = {
        "generated": list(_cases(texts, opened.games, opened.checker, gold, seed)),
        "people's": list(_cases(humans, opened.games, opened.checker, {}, seed + 1)),
    }
    return found, opened.checker


def _cases(
    texts: Mapping[str, Text],
    games: Mapping[str, Game],
    checker: BoxScoreChecker,
    gold: Mapping[str, list[Mistake]],
    seed: int,
) -> Iterator[Case]:
    for number, text in enumerate(texts.values()):
        yield from cases(base_of(text, games[text.id], checker, gold.get(text.id, [])), seed, number)


def tally(case: Case, marks: Iterable[Mistake]) -> tuple[int, int, int]:
    """Found, introduced, marked besides."""
    marks = list(marks)
    matched = match(case.wrong, marks)
    old = {place for mark in case.before for place in mark.span.positions()}
    besides = [mark for mark in matched.invented if not old & set(mark.span.positions())]
    return len(matched.found), len(case.wrong), len(besides)


def main() -> None:
    if not DATA.is_dir():
        print("../shared/data is not here; nothing measured", file=sys.stderr)
        return
    every, checker = introduced()
    for source, chosen in every.items():
        print(f"{source} summaries, one more error in each case")
        print("  what is wrong                       cases   wrong   found   also marked a case")
        table: dict[str, list[tuple[int, int, int]]] = {}
        for case in chosen:
            table.setdefault(case.sort, []).append(tally(case, checker.check(case.text, case.game).mistakes))
        table["all"] = [row for kept in table.values() for row in kept]
        for sort, rows in table.items():
            found, wrong, besides = (sum(column) for column in zip(*rows, strict=True))
            print(f"  {sort:35} {len(rows):5} {wrong:7}   {found / wrong:.3f}   {besides / len(rows):.3f}")


if __name__ == "__main__":
    main()
