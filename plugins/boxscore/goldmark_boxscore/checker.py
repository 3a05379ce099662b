"""One text and its game in, judged claims and mistakes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark_boxscore import (  # noqa: F401 -- importing them registers their judges
    judge_pairs,
    judge_periods,
    judge_players,
    judge_runs,
    judge_season,
    judge_story,
    judge_teams,
    judge_wording,
)
from goldmark_boxscore.claims import Judgement
from goldmark_boxscore.confidence import fitted
from goldmark_boxscore.doubts import doubts_of
from goldmark_boxscore.games import Game
from goldmark_boxscore.judging import Court
from goldmark_boxscore.league import League, Vocabulary, read_words
from goldmark_boxscore.mistakes import Marked, marks_of
from goldmark_boxscore.season import Season
from goldmark_boxscore.verdicts import explain


@dataclass(frozen=True)
class Checked:
    """A text's claims with their verdicts, the mistakes they add up to, and what may be wrong besides."""

    judgements: tuple[Judgement, ...]
    mistakes: tuple[Mistake, ...]
    doubts: tuple[Mistake, ...]


@dataclass(frozen=True)
class BoxScoreChecker:
    """Checks summaries of games of one league; a season's tables let it check what one game cannot tell."""

    league: League
    season: Season | None = None

    @cached_property
    def _words(self) -> Vocabulary:
        return read_words()

    def check(self, text: Text, game: Game) -> Checked:
        if self.season is not None:
            game = self.season.corrected(game)
        court = Court(game, self.league, self._words, self.season)
        explanation = explain(text, court)
        marks = marks_of(explanation, game)
        doubts = doubts_of(explanation, marks)
        return Checked(explanation.as_said, tuple(_mistakes(text, marks)), tuple(_mistakes(text, doubts)))


def _mistakes(text: Text, marks: Sequence[Marked]) -> Iterator[Mistake]:
    for number, mark in enumerate(marks, 1):
        fault, probability = mark.fault, round(fitted().probability(mark.signs), 3)
        found = Mistake(text.id, fault.span, fault.label, fault.correction, fault.comment, str(number))
        yield replace(found, probability=probability)
