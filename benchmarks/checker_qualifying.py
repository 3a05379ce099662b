"""The checker takes the test that annotators of the shared task had to pass.

One text with an answer key of 20 mistakes, which played no part in writing the rules. Its game is not among the task's
box scores: it is made from a season's tables, which have no quarters. Needs ../shared/data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import date

from benchmarks._season_games import game_on
from benchmarks.checker import DATA
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.stats.mistake_matching import match
from goldmark.texts.readers.gsml import spaced_text, words_of
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.league import read_league
from goldmark_boxscore.season import Season

DAY, HOME = date(2015, 12, 27), "Thunder"


def main() -> None:
    if not DATA.is_dir():
        print("../shared/data is not here; nothing measured", file=sys.stderr)
        return
    test = json.loads((DATA / "annotators" / "qualifying_target.json").read_text(encoding="utf-8"))
    text = spaced_text("Q", test["text"])
    key = list(_places(text, [str(mistake["tokens"]) for mistake in test["mistakes"]]))
    league = read_league()
    season = Season(DATA / "nba", known_as=league.known_as)
    checked = BoxScoreChecker(league, season).check(text, game_on(DATA / "nba", season, league, DAY, HOME))
    for mode, marks in (("balanced", checked.mistakes), ("generous", (*checked.mistakes, *checked.doubts))):
        found = match(key, marks)
        print(f"{mode}: {len(found.found)} of {len(key)} mistakes of the key found with {len(marks)} marks")
        print("  not found: ", ", ".join(words_of(text, mistake.span) for mistake in found.missed))
        print("  not in the key: ", ", ".join(words_of(text, mistake.span) for mistake in found.invented))


def _places(text: Text, phrases: Sequence[str]) -> Iterator[Mistake]:
    """The key's phrases, which are in the text's order, as marks."""
    tokens = [text.token(place) for place in range(len(text.tokens))]
    begin = 0
    for number, phrase in enumerate(phrases):
        words = phrase.replace("-", " - ").split()
        begin = next(place for place in range(begin, len(tokens)) if tokens[place : place + len(words)] == words)
        yield Mistake(text.id, Span(begin, begin + len(words)), "WORD", id=str(number))
        begin += len(words)


if __name__ == "__main__":
    main()
