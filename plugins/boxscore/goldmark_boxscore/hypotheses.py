"""Hypotheses: what a text may have meant where it says something wrong.

Summaries are written by systems that copy lines of a table, and that now and then put the wrong name before a line, or
the wrong word after it. All that is said of an anchor (a player's or a team's name, the kind of a shot, the period of a
game) then looks wrong, though one word is. For every anchor this module offers what else could have stood there, and
rewrites the claims that hang on it as if it had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from goldmark.records.spans import Span
from goldmark_boxscore.claims import Claim, Part, Subject
from goldmark_boxscore.games import Game, Player, Side
from goldmark_boxscore.judge_players import SHOTS, shot_kind
from goldmark_boxscore.reading import Said
from goldmark_boxscore.units import TextUnit

Sort = Literal["player", "team", "shot", "shot of these", "period"]
# Claims about other games, in which a team's name says against whom or where and is no anchor of this game.
ELSEWHERE = {"previous-game", "game-city", "host", "earlier"}
SHOT_WORDS = ("deep", "stripe", "field", "shot")  # the slots that say what kind of shot is told of
SHOT_SLOTS = {"fg": "field", "tp": "deep", "ft": "stripe"}
SHOT_NAMES = {"fg": "field", "tp": "three-point", "ft": "free throw"}
PERIODS = ("first quarter", "second quarter", "third quarter", "fourth quarter", "first half", "second half")
Meant = Player | Side | str


@dataclass(frozen=True)
class Anchor:
    """Words on which claims hang, with the places of those claims in the text's list."""

    sort: Sort
    span: Span
    value: Meant
    claims: tuple[int, ...]


def anchors(said: Sequence[Said], game: Game) -> list[Anchor]:
    """Every anchor of a text that something checkable is said of."""
    hanging: dict[Span, tuple[TextUnit, list[int]]] = {}
    for place, one in enumerate(said):
        for unit in _names_in(one.claim):
            hanging.setdefault(_span(unit), (unit, []))[1].append(place)
    found: list[Anchor] = []
    for span, (unit, places) in hanging.items():
        side = game.side(unit.team)
        if unit.player is not None:
            found.append(Anchor("player", span, unit.player, tuple(places)))
        elif side is not None:
            found.append(Anchor("team", span, side, tuple(places)))
    for place, one in enumerate(said):
        found += _words_of(one, place)
    return found


def _names_in(claim: Claim) -> list[TextUnit]:
    if claim.kind in ELSEWHERE:
        return []
    if claim.kind == "next-game":  # whose next game it is; whom they meet there is what is claimed
        return [claim.subject.mention] if claim.subject.mention is not None else []
    units = [unit for part in claim.parts.values() for unit in part.units if unit.team or unit.player]
    if claim.subject.anchor is not None:
        units.append(claim.subject.anchor)
    return list({_span(unit): unit for unit in units}.values())


def _words_of(one: Said, place: int) -> Iterator[Anchor]:
    """The kind of shot, where a phrase and not a table's bracket names it, and the period right after a score."""
    claim = one.claim
    some = claim.kind == "made-and-tried" and claim.parts["tried"].number > 0  # nothing of nothing fits everywhere
    if some and (words := shot_words(claim)) is not None and shot_kind(claim) in SHOTS:
        # "7-of-13 shooting, including 4-of-4 from long range": free throws are no part of shooting
        sort: Sort = "shot of these" if one.word_before(claim.parts["made"]) == "including" else "shot"
        yield Anchor(sort, words, shot_kind(claim), (place,))
    period, last = claim.part("period"), claim.part("b")
    scored = claim.kind in {"outscored", "period-score"}
    if scored and period is not None and last is not None and period.span.start > last.span.end:
        yield Anchor("period", period.span, period.text.lower(), (place,))


def shot_words(claim: Claim) -> Span | None:
    """The words of a phrase that say which shots: "three-point" of "from the three-point line"."""
    part = next((part for role in SHOT_WORDS if (part := claim.part(role)) is not None), None)
    if part is None or part.text in {"FG", "3Pt", "FT", "3PT"}:
        return None
    telling = [unit for unit in part.units if unit.text.lower() in {"three-point", "field", "floor"}]
    if claim.part("field") is not None and not telling:
        return None  # "5-of-9 shooting" is said of no other shots
    return _span(telling[0]) if telling else part.span


def alternatives(anchor: Anchor, game: Game) -> Iterator[Meant]:
    """What the data offer in an anchor's place."""
    if isinstance(anchor.value, Player):
        yield from (player for player in game.players if player.played and player != anchor.value)
    elif isinstance(anchor.value, Side):
        yield game.other(anchor.value)
    elif anchor.sort == "shot of these":
        yield from {"fg", "tp"} - {anchor.value}
    elif anchor.sort == "shot":
        yield from (kind for kind in SHOTS if kind != anchor.value)
    else:
        yield from (period for period in PERIODS if period != anchor.value)


def supposing(claim: Claim, anchor: Anchor, meant: Meant) -> Claim:
    """The claim as it would be had the anchor been another."""
    if anchor.sort in {"shot", "shot of these"}:
        words = claim.part("deep") or claim.part("stripe") or claim.part("field") or claim.parts["shot"]
        parts = {role: part for role, part in claim.parts.items() if role not in SHOT_WORDS}
        return replace(claim, parts={**parts, SHOT_SLOTS[str(meant)]: words})
    if anchor.sort == "period":
        unit = TextUnit("word", anchor.span.start, anchor.span.end, str(meant))
        return replace(claim, parts={**claim.parts, "period": Part((unit,))})
    said = {role: part for role, part in claim.parts.items() if any(_is_at(unit, anchor.span) for unit in part.units)}
    parts = {**claim.parts, **{role: _renamed(part, anchor.span, meant) for role, part in said.items()}}
    return replace(claim, parts=parts if said else claim.parts, subject=_as(claim.subject, anchor, meant))


def _renamed(part: Part, span: Span, meant: Meant) -> Part:
    if isinstance(meant, str):
        return part
    value = meant if isinstance(meant, Player) else meant.name
    units = (replace(unit, value=value, text=meant.name) if _is_at(unit, span) else unit for unit in part.units)
    return Part(tuple(units))


def _as(subject: Subject, anchor: Anchor, meant: Meant) -> Subject:
    if isinstance(meant, Player):
        several = tuple(meant if player == anchor.value else player for player in subject.several)
        if subject.anchor is not None and _is_at(subject.anchor, anchor.span):
            return replace(subject, player=meant, team=meant.team, several=several)
        return replace(subject, several=several) if several != subject.several else subject
    if isinstance(meant, Side) and subject.anchor is not None and _is_at(subject.anchor, anchor.span):
        return replace(subject, team=meant.name)
    return subject


def _is_at(unit: TextUnit, span: Span) -> bool:
    return unit.start == span.start and unit.end == span.end


def _span(unit: TextUnit) -> Span:
    return Span(unit.start, unit.end)
