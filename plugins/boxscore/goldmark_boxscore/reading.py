"""Claims: what a text says, sentence by sentence, each with what had been said before it.

The units of a sentence are looked through for claims by the grammar; two kinds have readers of their own, the next
games (`upcoming`) and who plays for whom (`membership`). Discourse then says whom each claim is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark_boxscore.claims import Claim, Part, Subject
from goldmark_boxscore.discourse import Discourse, SentenceView
from goldmark_boxscore.games import Player, Side
from goldmark_boxscore.grammar import claims_of
from goldmark_boxscore.judging import Court
from goldmark_boxscore.membership import membership_claims, mixed_names
from goldmark_boxscore.patterns import Sentence
from goldmark_boxscore.units import Lexicon, TextUnit, merge_records
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

# Words. Everything in a sentence is held against everything else in it, so one without an end is read in pieces.
LONGEST_SENTENCE = 200


@dataclass(frozen=True)
class Said:
    """A claim, what its judge may look at, and the sentence it is in."""

    claim: Claim
    court: Court
    units: tuple[TextUnit, ...]

    @property
    def names(self) -> list[TextUnit]:
        """The players and teams that its sentence names."""
        return [unit for unit in self.units if unit.team or unit.player]

    def word_before(self, part: Part) -> str:
        """What stands right before some words of it."""
        return next((unit.text.lower() for unit in reversed(self.units) if unit.end <= part.span.start), "")


def read(text: Text, court: Court, meant: Mapping[Span, Player | Side] | None = None) -> Iterator[Said]:
    """Every claim of a text, in its order; names that are known to be wrong are read as what was `meant` by them."""
    strangers = court.season.player_names if court.season else frozenset[str]()
    lexicon = Lexicon(court.game, court.league, court.words, strangers)
    discourse = Discourse(court.game)
    tokens = [text.token(position) for position in range(len(text.tokens))]
    for number, span in enumerate(_sentences(text)):
        units = merge_records([_as_meant(unit, meant or {}) for unit in lexicon.units(tokens, span.start, span.end)])
        here = replace(court, mentioned=list(discourse.mentioned), last=discourse.player)
        view = discourse.read(Sentence.of(units))
        for claim in _claims(view, units, number):
            yield Said(claim, here, view.units)


def _sentences(text: Text) -> Iterator[Span]:
    for span in text.sentences:
        for start in range(span.start, span.end, LONGEST_SENTENCE):
            yield Span(start, min(start + LONGEST_SENTENCE, span.end))


def _as_meant(unit: TextUnit, meant: Mapping[Span, Player | Side]) -> TextUnit:
    who = meant.get(Span(unit.start, unit.end))
    if who is None:
        return unit
    if isinstance(who, Player):
        return replace(unit, value=who, text=who.name)
    return replace(unit, value=who.name, text=who.city if unit.form == "city" else who.name)


def _claims(view: SentenceView, units: Sequence[TextUnit], number: int) -> Iterator[Claim]:
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


def _records(units: Sequence[TextUnit], number: int) -> Iterator[Claim]:
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
