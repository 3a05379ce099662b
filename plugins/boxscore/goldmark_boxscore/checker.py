"""One text and its game in, judged claims and mistakes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
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
from goldmark_boxscore.claims import Claim, Judgement, Part, Subject
from goldmark_boxscore.discourse import Discourse, SentenceView
from goldmark_boxscore.games import Game
from goldmark_boxscore.grammar import claims_of
from goldmark_boxscore.judging import Court, judge
from goldmark_boxscore.league import League, Words, read_words
from goldmark_boxscore.membership import membership_claims, mixed_names
from goldmark_boxscore.patterns import Sentence
from goldmark_boxscore.policy import faults_of
from goldmark_boxscore.season import Season
from goldmark_boxscore.units import Lexicon, Unit, merge_records
from goldmark_boxscore.upcoming import is_upcoming, next_game_claims

OF_THIS_GAME = {
    "game-day",
    "game-arena",
    "overtime",
    "final-score",
    "far-score",
    "margin",
    "bare-pair",
    "host",
    "game-city",
    "result-told",
    "pair-by-period",
}  # not read where another game is told of


@dataclass(frozen=True)
class Checked:
    """A text's claims with their verdicts, and the mistakes they add up to."""

    judgements: tuple[Judgement, ...]
    mistakes: tuple[Mistake, ...]


@dataclass(frozen=True)
class BoxScoreChecker:
    """Checks summaries of games of one league; a season's tables let it check what one game cannot tell."""

    league: League
    season: Season | None = None

    @cached_property
    def _words(self) -> Words:
        return read_words()

    def check(self, text: Text, game: Game) -> Checked:
        if self.season is not None:
            game = self.season.corrected(game)
        judgements = tuple(self._judged(text, game))
        faults = faults_of(judgements, game)
        mistakes = tuple(
            Mistake(text.id, fault.span, fault.label, fault.correction, fault.comment, str(number))
            for number, fault in enumerate(faults, 1)
        )
        return Checked(judgements, mistakes)

    def _judged(self, text: Text, game: Game) -> Iterator[Judgement]:
        strangers = self.season.player_names if self.season else frozenset()
        lexicon = Lexicon(game, self.league, self._words, strangers)
        discourse = Discourse(game)
        tokens = [text.token(position) for position in range(len(text.tokens))]
        court = Court(game, self.league, self._words, self.season)
        for number, span in enumerate(text.sentences):
            units = merge_records(list(lexicon.units(tokens, span.start, span.end)))
            court.mentioned, court.last = list(discourse.mentioned), discourse.player
            view = discourse.read(Sentence.of(units))
            for claim in self._claims(view, units, number):
                yield judge(claim, court)

    def _claims(self, view: SentenceView, units: list[Unit], number: int) -> Iterator[Claim]:
        upcoming = is_upcoming(view)
        elsewhere = view.names_another_team()
        yield from membership_claims(view, number)
        yield from _records(units, number)
        yield from mixed_names(view, number)
        yield from next_game_claims(view, number)
        for claim in claims_of(view.sentence, number):
            if (upcoming or elsewhere) and claim.kind in OF_THIS_GAME:
                continue
            yield replace(claim, subject=view.subject_of(claim), story=view.story)


def _records(units: list[Unit], number: int) -> Iterator[Claim]:
    for before, unit in pairwise(units):
        if unit.kind == "record" and before.team and isinstance(unit.value, tuple):
            wins, losses = unit.value
            yield Claim(
                "record",
                number,
                Span(before.start, unit.end),
                {"wins": Part((wins,)), "losses": Part((losses,))},
                Subject(team=before.team, mention=before),
            )
