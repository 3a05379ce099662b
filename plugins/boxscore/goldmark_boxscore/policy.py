"""From failed claims to the words an annotator would mark: the fewest mistakes that explain what is wrong.

A line of statistics that is wrong for the player it names, and right for another, is one wrong name and not several
wrong numbers. Spans never overlap: of two that do, the one of the stronger kind stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from goldmark.records.spans import Span
from goldmark_boxscore.claims import Claim, Fault, Judgement, Part
from goldmark_boxscore.games import Game, Player, Side
from goldmark_boxscore.judge_players import SHOTS, in_words, shot_kind
from goldmark_boxscore.judge_teams import percent_of

STRENGTH = ("NAME", "NUMBER", "CONTEXT", "WORD", "NOT_CHECKABLE", "OTHER")  # the protocol's order of precedence
LINE_KINDS = {"count", "made-and-tried"}
TEAM_KINDS = {"count", "percentage"}
EXPLAINED = LINE_KINDS | TEAM_KINDS | {"superior", "compared", "leader"}  # what a wrong name puts right
SETTLED = {"NAME": {"venue-of-team", "superior", "compared"}, "CONTEXT": {"next-scorer"}}  # by a name that is wrong
ENOUGH_OF_TEAM = 2
ENOUGH = 3  # numbers that a line must have before it can identify another player


def faults_of(judgements: Sequence[Judgement], game: Game) -> list[Fault]:
    """The faults to report, from left to right."""
    kept = [fault for judgement in judgements for fault in judgement.faults]
    kept += _strangers(judgements)
    for line in [*_lines(judgements, LINE_KINDS), *_lines(judgements, TEAM_KINDS, of_teams=True)]:
        mention = line[0].claim.subject.mention
        other = _better_owner(line, judgements, game)
        if other is None or mention is None:
            continue
        about = [item for item in judgements if item.claim.subject.mention is mention]
        explained = {id(fault) for item in about if item.claim.kind in EXPLAINED for fault in item.faults}
        kept = [fault for fault in kept if id(fault) not in explained]
        kept.append(Fault(Span(mention.start, mention.end), "NAME", other.name, f"these are {other.name}'s figures"))
        kept += _still_wrong(line, other)
    kept = _records_of_renamed(kept, judgements, game)
    kept = _without_excused(kept, judgements)
    return without_overlap(_settled(kept, judgements))


def _without_excused(faults: list[Fault], judgements: Sequence[Judgement]) -> list[Fault]:
    """A good showing is no second mistake where the points that made it one are wrong already."""
    wrong = {
        (item.claim.sentence, item.claim.subject.player.name)
        for item in judgements
        if item.claim.kind == "count" and item.faults and item.claim.subject.player is not None
    }
    excused = {
        id(fault)
        for item in judgements
        if item.claim.kind == "showing" and item.claim.subject.player is not None
        if (item.claim.sentence, item.claim.subject.player.name) in wrong
        for fault in item.faults
    }
    return [fault for fault in faults if id(fault) not in excused]


def _records_of_renamed(faults: list[Fault], judgements: Sequence[Judgement], game: Game) -> list[Fault]:
    """A record belongs to the team that should have been named before it."""
    renamed = {fault.span: fault.correction for fault in faults if fault.label == "NAME"}
    doubled = {fault.span for item in judgements if item.claim.kind in {"result", "outscored"} for fault in item.faults}
    for item in judgements:
        mention = item.claim.subject.mention
        if item.claim.kind != "record" or mention is None or Span(mention.start, mention.end) not in renamed:
            continue
        if not item.faults and Span(mention.start, mention.end) not in doubled:
            continue  # right for the team that is named, and the sentence names no team twice
        right = renamed[Span(mention.start, mention.end)]
        side = next((side for side in game.sides if right.endswith(side.name)), None)
        if side is None:
            continue
        gone = {id(fault) for fault in item.faults}
        faults = [fault for fault in faults if id(fault) not in gone]
        for role in ("wins", "losses"):
            truth, part = side.value(role), item.claim.parts[role]
            if truth is not None and truth != part.number:
                comment = f"the {side.name} were {side.value('wins')}-{side.value('losses')}"
                faults.append(Fault(part.span, "NUMBER", str(truth), comment))
    return faults


def _settled(faults: Sequence[Fault], judgements: Sequence[Judgement]) -> list[Fault]:
    """Leave out what is no longer wrong once a name is right."""
    renamed = {fault.span: fault.label for fault in faults if fault.label in SETTLED}
    done = {
        id(fault)
        for item in judgements
        if (mention := item.claim.subject.mention) is not None
        if item.claim.kind in SETTLED.get(renamed.get(Span(mention.start, mention.end), ""), ())
        for fault in item.faults
        if fault.span not in renamed
    }
    return [fault for fault in faults if id(fault) not in done]


def _strangers(judgements: Sequence[Judgement]) -> list[Fault]:
    """People with figures of this game who are in no box score of it."""
    mentions = [item.claim.subject.mention for item in judgements if item.claim.kind in LINE_KINDS]
    spans = {Span(unit.start, unit.end): unit for unit in mentions if unit is not None and unit.form == "stranger"}
    return [Fault(span, "NAME", "", f"{unit.text} is not in the box score") for span, unit in spans.items()]


def _still_wrong(line: Sequence[Judgement], owner: Player | Side) -> list[Fault]:
    """Numbers that do not fit the right owner of a line either."""
    faults = []
    for judgement in line:
        for stat, part in numbers_in(judgement.claim):
            truth = owner.value(stat)
            if truth is not None and round(truth) != part.number:
                comment = f"{owner.name} had {round(truth)}"
                faults.append(Fault(part.span, "NUMBER", in_words(truth, part.text), comment))
    return faults


def _lines(judgements: Iterable[Judgement], kinds: Collection[str], *, of_teams: bool = False) -> list[list[Judgement]]:
    """Claims about numbers, grouped by the words that name their player or team."""
    lines: dict[tuple[int, int], list[Judgement]] = {}
    for judgement in judgements:
        subject = judgement.claim.subject
        right_sort = (subject.player is None) == of_teams and not subject.several
        if judgement.claim.kind in kinds and subject.mention is not None and right_sort:
            lines.setdefault((subject.mention.start, subject.mention.end), []).append(judgement)
    return list(lines.values())


def _better_owner(line: Sequence[Judgement], judgements: Sequence[Judgement], game: Game) -> Player | Side | None:
    """Another player or team whom the numbers of a line fit where they do not fit the one it names."""
    values = [(stat, part.number) for judgement in line for stat, part in numbers_in(judgement.claim)]
    named: Player | Side | None = line[0].claim.subject.player or game.side(line[0].claim.subject.team)
    if named is None:
        return None
    wrong = _wrong(named, values)
    if isinstance(named, Side):
        other = game.other(named)
        fits = wrong >= ENOUGH_OF_TEAM and wrong == len(values) and _wrong(other, values) == 0
        return other if fits and not _told_of(other, values, line, judgements) else None
    if len(values) < ENOUGH or wrong < 2:
        return None
    start = line[0].claim.span.start
    told = [item.claim.subject.player for item in judgements if item.claim.span.start < start]
    team = _named_team(line[0], judgements)
    candidates = [
        player
        for player in game.players
        if player.played and (player not in told or (player.team == team and team != named.team))
    ]
    best = min(candidates, key=lambda player: _wrong(player, values), default=None)
    if best is None or best == named:
        return None
    left = _wrong(best, values)
    return best if left == 0 or (left == 1 and len(values) > ENOUGH + 1 and wrong > left + 1) else None


def _named_team(first: Judgement, judgements: Sequence[Judgement]) -> str | None:
    """The team that a sentence says its player led, if it does."""
    for item in judgements:
        team = item.claim.part("team") or item.claim.part("scope")
        if item.claim.kind == "leader" and item.claim.sentence == first.claim.sentence and team is not None:
            return team.team
    return None


def _told_of(
    other: Side, values: Sequence[tuple[str, float]], line: Sequence[Judgement], judgements: Sequence[Judgement]
) -> bool:
    """Does the same sentence give the same figures to the other team as well? Then they are merely repeated."""
    said = [
        (stat, part.number)
        for item in judgements
        if item.claim.sentence == line[0].claim.sentence
        and item.claim.kind in TEAM_KINDS
        and item.claim.subject.team == other.name
        for stat, part in numbers_in(item.claim)
    ]
    return bool(set(said) & set(values))


def _wrong(owner: Player | Side, values: Sequence[tuple[str, float]]) -> int:
    return sum(round(owner.value(stat) or 0) != value for stat, value in values)


def numbers_in(claim: Claim) -> list[tuple[str, Part]]:
    """The statistics a claim gives, by our names, with the words that give them."""
    if claim.kind in {"count", "percentage"}:
        stat = claim.part("stat")
        if claim.kind == "count":
            return [(stat.unit.stat if stat else "turnovers", claim.parts["value"])]
        return [(percent_of(claim), claim.parts["value"])]
    kind = shot_kind(claim)
    if kind not in SHOTS:
        return []
    return [(stat, claim.parts[role]) for stat, role in zip(SHOTS[kind], ("made", "tried"), strict=True)]


def without_overlap(faults: Iterable[Fault]) -> list[Fault]:
    """At most one fault per token; the stronger kind, then the shorter span, stays."""
    ordered = sorted(faults, key=lambda fault: (STRENGTH.index(fault.label), len(fault.span), fault.span))
    taken: set[int] = set()
    kept = []
    for fault in ordered:
        positions = set(fault.span.positions())
        if not positions & taken:
            taken |= positions
            kept.append(fault)
    return sorted(kept, key=lambda fault: fault.span)
