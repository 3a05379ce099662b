"""Whole summaries with one more thing wrong in them, of a known sort: cases for `checker_introduced`.

The summaries are the 60 generated ones and the 60 of people about the same games. What the checker finds supported in
them is true; there a name, a word or figures are changed in one known way, as systems that copy from tables do it. All
else stays, so that the change meets real sentences, stories and pronouns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.checker_swaps import PERIODS
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.texts.readers.gsml import spaced_text
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.claims import Claim, Judgement, Part
from goldmark_boxscore.games import Game, Player, Side
from goldmark_boxscore.hypotheses import Anchor, anchors, shot_words
from goldmark_boxscore.judge_players import SHOTS, in_words, says_which, shot_kind
from goldmark_boxscore.judge_teams import percent_of
from goldmark_boxscore.judging import Court, judge
from goldmark_boxscore.league import read_words
from goldmark_boxscore.reading import Said, read

WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SHOT_PHRASES = {"fg": "from the field", "tp": "from beyond the arc", "ft": "from the free throw line"}
EACH = 2  # cases of one sort in one text


@dataclass(frozen=True)
class Edit:
    """Words put in the place of others; whether they are wrong."""

    span: Span
    words: str
    wrong: bool = True


@dataclass(frozen=True)
class Case:
    """A text with something wrong in it, and what had been marked in it before."""

    sort: str
    game: Game
    text: Text
    wrong: tuple[Mistake, ...]  # what was introduced
    before: tuple[Mistake, ...]  # the gold list where there is one, and what the checker marked before


@dataclass(frozen=True)
class Figure:
    """A number of a text that is right, and what it counts."""

    part: Part
    stat: str


@dataclass(frozen=True)
class Base:
    """A text as it is, and what the checker reads in it."""

    text: Text
    game: Game
    said: Sequence[Said]
    judged: Sequence[Judgement]
    marked: Sequence[Mistake]

    def hanging(self) -> Iterator[tuple[Anchor, list[Figure]]]:
        """The anchors of which all is true, with their figures."""
        taken = {place for mistake in self.marked for place in mistake.span.positions()}
        for anchor in anchors(self.said, self.game):
            judged = [self.judged[place] for place in anchor.claims]
            spans = [anchor.span, *(part.span for item in judged for part in item.claim.parts.values())]
            if any(item.status != "supported" for item in judged):
                continue
            if any(place in taken for span in spans for place in span.positions()):
                continue
            figures = [figure for item in judged if item.claim.subject.several == () for figure in figures_of(item)]
            yield anchor, figures

    def sentence_of(self, anchor: Anchor) -> Said:
        return self.said[anchor.claims[0]]


def figures_of(judged: Judgement) -> Iterator[Figure]:
    """The numbers of a claim about one player or team in the whole game."""
    claim = judged.claim
    if claim.kind == "count" and (stat := claim.part("stat")) is not None:
        yield Figure(claim.parts["value"], stat.unit.stat)
    elif claim.kind == "made-and-tried" and shot_kind(claim) in SHOTS:
        for role, stat_name in zip(("made", "tried"), SHOTS[shot_kind(claim)], strict=True):
            yield Figure(claim.parts[role], stat_name)
    elif claim.kind == "record":
        yield Figure(claim.parts["wins"], "wins")
        yield Figure(claim.parts["losses"], "losses")
    elif claim.kind == "percentage":
        yield Figure(claim.parts["value"], percent_of(claim))


def base_of(text: Text, game: Game, checker: BoxScoreChecker, gold: Sequence[Mistake]) -> Base:
    game = checker.season.corrected(game) if checker.season else game
    said = tuple(read(text, Court(game, checker.league, read_words(), checker.season)))
    marks = (*gold, *checker.check(text, game).mistakes)
    return Base(text, game, said, [judge(one.claim, one.court) for one in said], marks)


def cases(base: Base, *seed: int) -> Iterator[Case]:
    """Some cases of every sort that a text lends itself to."""
    for number, (sort, edits_of) in enumerate(SORTS.items()):
        rng = np.random.default_rng([*seed, number])  # of its own, so that a new sort leaves the others as they are
        every = [edits for edits in edits_of(base, rng) if edits]
        for place in rng.permutation(len(every))[:EACH]:
            yield _case(sort, base, every[place])


def _case(sort: str, base: Base, edits: list[Edit]) -> Case:
    tokens = [base.text.token(place) for place in range(len(base.text.tokens))]
    where = list(range(len(tokens) + 1))  # a token's new place
    wrong = []
    moved = 0
    made: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        made += tokens[done : edit.span.start]
        start = len(made)
        made += edit.words.split()
        done = edit.span.end
        if edit.wrong:
            wrong.append(Mistake("I", Span(start, len(made)), "NAME", id=f"i{start}"))
        moved += len(edit.words.split()) - len(edit.span)
        for place in range(edit.span.end, len(where)):
            where[place] = place + moved
    made += tokens[done:]
    changed = {place for edit in edits for place in edit.span.positions()}
    before = [
        Mistake("I", Span(where[mark.span.start], where[mark.span.end - 1] + 1), mark.label, id=f"b{number}")
        for number, mark in enumerate(base.marked)
        if not changed & set(mark.span.positions())
    ]
    return Case(sort, base.game, spaced_text("I", " ".join(made)), tuple(wrong), tuple(before))


def _holder(anchor: Anchor) -> Player | Side | None:
    return anchor.value if isinstance(anchor.value, Player | Side) else None


def _differing(figures: Sequence[Figure], holder: Player | Side) -> int:
    return sum(_off(figure, holder) for figure in figures)


def _off(figure: Figure, holder: Player | Side) -> bool:
    value = holder.value(figure.stat)
    return value is None or abs(round(value) - figure.part.number) > (1 if figure.stat.endswith("%") else 0)


def _players(base: Base, fewest: int) -> Iterator[tuple[Anchor, Player, list[Figure]]]:
    """Players of whom so many figures are told, named once in their sentence."""
    for anchor, figures in base.hanging():
        if isinstance(anchor.value, Player) and len(figures) >= fewest:
            names = [unit.player for unit in base.sentence_of(anchor).names]
            if names.count(anchor.value) == 1:
                yield anchor, anchor.value, figures


def _named_like(player: Player, words: str) -> str:
    return player.name if " " in words else player.last_name


def _words(base: Base, span: Span) -> str:
    return " ".join(base.text.token(place) for place in span.positions())


def _wrong_player(
    base: Base, rng: np.random.Generator, *, same_team: bool = True, besides: int = 0
) -> Iterator[list[Edit]]:
    """Another player's name, and perhaps figures that are neither's; never the points, by which people look him up."""
    for anchor, player, figures in _players(base, 2 + 2 * besides):
        named = [unit.player for unit in base.sentence_of(anchor).names]
        others = [
            other
            for other in base.game.players
            if other.played and other not in named and (other.team == player.team) == same_team
            if _differing(figures, other) >= 2 + besides
        ]
        spare = [figure for figure in figures if figure.stat != "points"]
        if others and len(spare) >= besides:
            other = others[rng.integers(len(others))]
            edits = [Edit(anchor.span, _named_like(other, _words(base, anchor.span)))]
            for place in rng.permutation(len(spare))[:besides]:
                figure = spare[place]
                edits.append(Edit(figure.part.span, in_words(_near(figure, rng), figure.part.text)))
            yield edits


def _near(figure: Figure, rng: np.random.Generator) -> float:
    """A little more or less; of minutes, which are rounded either way, by two or more."""
    value, step = figure.part.number, int(rng.integers(2 if figure.stat == "minutes" else 1, 5))
    return value - step if value > step + 1 and rng.random() < 0.5 else value + step


def _wrong_figures(base: Base, rng: np.random.Generator, *, how_many: int, copied: bool) -> Iterator[list[Edit]]:
    """Some figures changed: by a little, or to what different others had; never to a line that somebody had."""
    for _, player, figures in _players(base, max(how_many, 2)):
        chosen = [figures[place] for place in rng.permutation(len(figures))[: how_many or len(figures)]]
        others = [other for other in base.game.players if other != player and other.played]
        values = [_copied(figure, others, rng) if copied else _near(figure, rng) for figure in chosen]
        said = [(figure, value) for figure, value in zip(chosen, values, strict=True) if value is not None]
        if len(said) == len(chosen) and not any(
            all(other.value(figure.stat) == value for figure, value in said) for other in others
        ):
            yield [Edit(figure.part.span, in_words(value, figure.part.text)) for figure, value in said]


def _copied(figure: Figure, others: Sequence[Player], rng: np.random.Generator) -> float | None:
    had = [value for other in others if (value := other.value(figure.stat)) not in (None, figure.part.number)]
    return had[rng.integers(len(had))] if had and not figure.stat.endswith("%") else None


def _other_teams_line(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    """A player of the other team with his own figures, in a story that is not his."""
    for anchor, player, figures in _players(base, 2):
        judged = [base.judged[place] for place in anchor.claims]
        kinds = {item.claim.kind for item in judged}
        if "membership" not in kinds or kinds - {"count", "made-and-tried", "membership", "percentage"}:
            continue
        named = [unit.player for unit in base.sentence_of(anchor).names]
        others = [
            other
            for other in base.game.players
            if other.played and other not in named and other.team != player.team
            if all(other.value(figure.stat) is not None for figure in figures)
        ]
        if others:
            other = others[rng.integers(len(others))]
            edits = [Edit(anchor.span, _named_like(other, _words(base, anchor.span)))]
            for figure in figures:
                value = other.value(figure.stat)
                assert value is not None
                edits.append(Edit(figure.part.span, in_words(value, figure.part.text), wrong=False))
            yield edits


def _teams(base: Base, *, opponent_named: bool) -> Iterator[tuple[Anchor, Side, list[Figure]]]:
    for anchor, figures in base.hanging():
        if not isinstance(anchor.value, Side):
            continue
        names = base.sentence_of(anchor).names
        other = base.game.other(anchor.value)
        teams = [unit.team for unit in names if unit.team]
        alone = other.name not in teams and teams.count(anchor.value.name) == 1 and len(teams) == len(names)
        if (other.name in teams) if opponent_named else alone:
            yield anchor, anchor.value, figures


def _wrong_team(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    for anchor, side, figures in _teams(base, opponent_named=False):
        other = base.game.other(side)
        if len(figures) >= 2 and _differing(figures, other) >= 2:
            city = base.text.token(anchor.span.start) in side.city.split()
            named = other.city if city and len(anchor.span) == len(side.city.split()) else other.name
            yield [Edit(anchor.span, named)]


def _opponents_record(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    """The other team's record where that team is named besides, so that the record is what is wrong."""
    for _, side, figures in _teams(base, opponent_named=True):
        record = [figure for figure in figures if figure.stat in {"wins", "losses"}]
        other = base.game.other(side)
        if len(record) == 2 and all(_off(figure, other) for figure in record):
            yield [Edit(figure.part.span, str(other.value(figure.stat))) for figure in record]


def _wrong_team_figures(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    for _, _, figures in _teams(base, opponent_named=False):
        if len(figures) >= 2:
            near = [in_words(_near(figure, rng), figure.part.text) for figure in figures]
            yield [Edit(figure.part.span, words) for figure, words in zip(figures, near, strict=True)]


def _both_sides(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    """One team on both sides of a contrast."""
    for anchor, side, figures in _teams(base, opponent_named=True):
        shooting = [figure for figure in figures if figure.stat in {"fg%", "3p%", "turnovers", "rebounds", "assists"}]
        contrast = any(unit.text.lower() == "while" for unit in base.sentence_of(anchor).units)
        if len(shooting) >= 2 and contrast and _differing(shooting, base.game.other(side)) >= 2:
            yield [Edit(anchor.span, base.game.other(side).name)]


def _shots(base: Base, *, phrase: bool) -> Iterator[tuple[Claim, str]]:
    """Made and tried shots, in a phrase or in a table's brackets, and another kind that the sentence lacks."""
    taken = {place for mistake in base.marked for place in mistake.span.positions()}
    for place, item in enumerate(base.judged):
        claim = item.claim
        if claim.kind != "made-and-tried" or item.status != "supported" or shot_kind(claim) not in SHOTS:
            continue
        if not says_which(claim) or (shot_words(claim) is not None) != phrase or taken & set(claim.span.positions()):
            continue
        holder = claim.subject.player
        if holder is None:
            continue
        told = {
            shot_kind(other.claim)
            for other in base.judged
            if other.claim.kind == "made-and-tried" and other.claim.sentence == claim.sentence
            if other.claim.subject.player == holder
        }
        including = base.said[place].word_before(claim.parts["made"]) == "including"
        for kind in set(SHOTS) - told - ({"ft"} if including else set()):
            pair = [holder.value(stat) for stat in SHOTS[kind]]
            said = [claim.parts[role].number for role in ("made", "tried")]
            if None not in pair and pair[1] and all(a != b for a, b in zip(pair, said, strict=True)):
                yield claim, kind


def _wrong_shot(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    for claim, kind in _shots(base, phrase=True):
        part = next(part for role in ("deep", "stripe", "field", "shot") if (part := claim.part(role)) is not None)
        if part.span.start > claim.parts["tried"].span.start and part.text.startswith("from"):
            holder = claim.subject.player
            assert holder is not None
            yield [
                Edit(part.span, SHOT_PHRASES[shot_kind(claim)]),
                *(
                    Edit(claim.parts[role].span, in_words(holder.value(stat) or 0, claim.parts[role].text), wrong=False)
                    for role, stat in zip(("made", "tried"), SHOTS[kind], strict=True)
                ),
            ]


def _wrong_pair_in_brackets(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    for claim, kind in _shots(base, phrase=False):
        holder = claim.subject.player
        if holder is not None:
            yield [
                Edit(claim.parts[role].span, in_words(holder.value(stat) or 0, claim.parts[role].text))
                for role, stat in zip(("made", "tried"), SHOTS[kind], strict=True)
            ]


def _wrong_period(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    for anchor, _ in base.hanging():
        if anchor.sort != "period" or str(anchor.value) not in PERIODS:
            continue
        home, away = base.game.sides
        right = {home.scored(PERIODS[str(anchor.value)]), away.scored(PERIODS[str(anchor.value)])}
        others = [
            name for name, quarters in PERIODS.items() if not right & {home.scored(quarters), away.scored(quarters)}
        ]
        if others:
            yield [Edit(anchor.span, others[rng.integers(len(others))])]


def _wrong_day(base: Base, rng: np.random.Generator) -> Iterator[list[Edit]]:
    for item in base.judged:
        day = item.claim.part("day")
        if item.claim.kind in {"game-day", "next-game"} and item.status == "supported" and day is not None:
            others = [name for name in WEEK if name != day.text]
            yield [Edit(day.span, others[rng.integers(len(others))])]


SORTS: dict[str, Callable[[Base, np.random.Generator], Iterator[list[Edit]]]] = {
    "player's name, same team": _wrong_player,
    "player's name, other team": lambda base, rng: _wrong_player(base, rng, same_team=False),
    "player's name and a figure": lambda base, rng: _wrong_player(base, rng, besides=1),
    "player's name and two figures": lambda base, rng: _wrong_player(base, rng, besides=2),
    "one figure of a player": lambda base, rng: _wrong_figures(base, rng, how_many=1, copied=False),
    "two figures": lambda base, rng: _wrong_figures(base, rng, how_many=2, copied=False),
    "two figures, copied": lambda base, rng: _wrong_figures(base, rng, how_many=2, copied=True),
    "all figures": lambda base, rng: _wrong_figures(base, rng, how_many=0, copied=False),
    "all figures, copied": lambda base, rng: _wrong_figures(base, rng, how_many=0, copied=True),
    "player of the other team": _other_teams_line,
    "team's name": _wrong_team,
    "team's figures": _wrong_team_figures,
    "opponent's record, opponent named": _opponents_record,
    "one team on both sides": _both_sides,
    "kind of shot": _wrong_shot,
    "pair in brackets": _wrong_pair_in_brackets,
    "period": _wrong_period,
    "day": _wrong_day,
}
