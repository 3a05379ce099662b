"""Judges of quarters and halves: who outscored whom in them, who led after them and by how much."""

from __future__ import annotations

from goldmark.records.spans import Span
from goldmark_boxscore.claims import Claim, Fault, Judgement, Part, contradicted, supported, unknown
from goldmark_boxscore.games import Side
from goldmark_boxscore.judge_players import in_words
from goldmark_boxscore.judge_teams import pair_faults
from goldmark_boxscore.judging import Court, judges
from goldmark_boxscore.units import TextUnit

QUARTER = 12  # minutes
QUARTERS = ("q1", "q2", "q3", "q4")
FIRST_HALF = QUARTERS[:2]
FAR = 10  # points; a game that ended further apart was not caught up with
BEHIND = {"trailed", "trailing", "deficit", "down", "behind", "hole", "trail"}


def lead(side: Side, court: Court, quarters: tuple[str, ...]) -> int | None:
    """By how much a team outscored the other in some quarters."""
    mine, theirs = side.scored(quarters), court.game.other(side).scored(quarters)
    return None if mine is None or theirs is None else mine - theirs


def quarters_of(part: Part | None, court: Court) -> tuple[str, ...]:
    """The quarters that words such as "the opening period" or "the final two quarters" mean; none if they mean none."""
    return court.words.periods.get(part.text.lower(), ()) if part is not None else QUARTERS[-1:]


def played_by(claim: Claim, court: Court) -> tuple[str, ...] | None:
    """The quarters that were over at a point in the game: halftime, after one, heading into the fourth."""
    after, into = claim.part("after"), claim.part("into")
    if claim.part("pause") is not None:
        return FIRST_HALF
    if after is not None:
        over = QUARTERS[: int(after.number)] if after.unit.kind == "number" else quarters_of(after, court)
        return QUARTERS[: QUARTERS.index(over[-1]) + 1] if over else None
    ahead = quarters_of(into, court) if into is not None else ()
    return QUARTERS[: QUARTERS.index(ahead[0])] or None if ahead else None


@judges("outscored")
def outscored(claim: Claim, court: Court) -> Judgement:
    verb = claim.parts["verb"]
    period = claim.part("period")
    quarters = quarters_of(period, court)
    second = claim.parts["second"]
    first = court.game.side(claim.subject.team or claim.story)
    other = court.game.side(second.team) if second.team else (court.game.other(first) if first else None)
    if first is None and other is not None:
        first = court.game.other(other)
    faults = []
    if first is None or other is None:
        return unknown(claim, "it is not clear who outscored whom")
    if first == other:
        first, other, wrong = _apart(first, quarters, claim, court)
        faults.append(wrong)
    mine, theirs = first.scored(quarters), other.scored(quarters)
    if mine is None or theirs is None:
        return unknown(claim, "no quarters in the data")
    when = period.text if period else "fourth quarter"
    if (minutes := claim.part("span")) is not None and minutes.number != QUARTER:
        faults.append(Fault(minutes.span, "NUMBER", in_words(QUARTER, minutes.text), "a quarter has 12 minutes"))
    comment = f"{first.name} {mine}, {other.name} {theirs} in the {when}"
    if (gap := claim.part("margin")) is not None:
        if mine < theirs:
            faults.append(Fault(verb.span, "WORD", "", comment))
        if gap.number != abs(mine - theirs):
            faults.append(Fault(gap.span, "NUMBER", in_words(abs(mine - theirs), gap.text), comment))
        return contradicted(claim, *faults) if faults else supported(claim, comment)
    a, b = claim.parts["a"], claim.parts["b"]
    if (a.number, b.number) == (theirs, mine) and mine != theirs and claim.subject.mention is not None and second.team:
        # The numbers are right for the teams the other way round: two wrong names, not two wrong numbers and a verb.
        mention = claim.subject.mention
        names = (
            Fault(_span(mention), "NAME", other.name, comment),
            Fault(second.span, "NAME", first.name, comment),
        )
        return contradicted(claim, *names)
    if mine <= theirs:
        faults.append(Fault(verb.span, "WORD", "", comment))
    ordered = _in_order(a, b, mine, theirs, comment)
    if mine <= theirs:
        swapped = pair_faults(a, b, (mine, theirs), comment)
        ordered = ordered if len(ordered) <= len(swapped) else swapped
    faults += ordered
    return contradicted(claim, *faults) if faults else supported(claim, comment)


def _apart(side: Side, quarters: tuple[str, ...], claim: Claim, court: Court) -> tuple[Side, Side, Fault]:
    """A team does not outscore itself: the name that is wrong is the one of the team that scored less."""
    other = court.game.other(side)
    mention, comment = claim.subject.mention, "a team does not outscore itself"
    if mention is not None and (side.scored(quarters) or 0) < (other.scored(quarters) or 0):
        return other, side, Fault(_span(mention), "NAME", other.name, comment)
    return side, other, Fault(claim.parts["second"].span, "NAME", other.name, comment)


def _span(unit: TextUnit) -> Span:
    return Span(unit.start, unit.end)


def _in_order(a: Part, b: Part, mine: int, theirs: int, comment: str) -> list[Fault]:
    pairs = ((a, mine), (b, theirs))
    return [
        Fault(part.span, "NUMBER", in_words(right, part.text), comment) for part, right in pairs if part.number != right
    ]


@judges("period-score")
def period_score(claim: Claim, court: Court) -> Judgement:
    """ "Won the third quarter, 33-21" or "a 29-17 second quarter": both teams' points, whoever had which."""
    return _pair(claim, court, quarters_of(claim.parts["period"], court))


@judges("lead-after")
def lead_after(claim: Claim, court: Court) -> Judgement:
    quarters = played_by(claim, court)
    return _pair(claim, court, quarters) if quarters else unknown(claim)


def _pair(claim: Claim, court: Court, quarters: tuple[str, ...]) -> Judgement:
    home, away = court.game.home.scored(quarters), court.game.away.scored(quarters)
    if home is None or away is None:
        return unknown(claim, "no quarters in the data")
    comment = f"{court.game.home.name} {home}, {court.game.away.name} {away}"
    faults = pair_faults(claim.parts["a"], claim.parts["b"], (max(home, away), min(home, away)), comment)
    return contradicted(claim, *faults) if faults else supported(claim, comment)


@judges("after-the-break")
def after_the_break(claim: Claim, court: Court) -> Judgement:
    """ "Regrouped at halftime and came out strong in the second quarter", which was over then."""
    fault = Fault(claim.parts["period"].span, "WORD", "third quarter", "the third quarter follows half-time")
    return contradicted(claim, fault)


@judges("quarter-points")
def quarter_points(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team) if claim.subject.player is None else None
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    value, truth = claim.parts["value"], side.scored(quarters_of(claim.parts["period"], court))
    if truth is None or truth == value.number:
        return supported(claim) if truth is not None else unknown(claim)
    return contradicted(claim, Fault(value.span, "NUMBER", str(truth), f"{side.name} scored {truth}"))


@judges("lead-by")
def lead_by(claim: Claim, court: Court) -> Judgement:
    """A lead or deficit at the end of a quarter."""
    side = court.game.side(claim.subject.team or claim.story) if claim.subject.player is None else None
    verb, gap, quarters = claim.parts["verb"], claim.parts["gap"], played_by(claim, court)
    ahead = lead(side, court, quarters) if side and quarters else None
    if side is None or ahead is None:
        return unknown(claim)
    faults = []
    if ahead and (ahead < 0) != (verb.text.lower() in BEHIND):
        faults.append(Fault(verb.span, "WORD", "", f"{side.name}: {ahead:+d}"))
    if abs(ahead) != gap.number:
        faults.append(Fault(gap.span, "NUMBER", in_words(abs(ahead), gap.text), f"{side.name}: {ahead:+d}"))
    return contradicted(claim, *faults) if faults else supported(claim)


@judges("largest-lead")
def largest_lead(claim: Claim, court: Court) -> Judgement:
    """The lead at some time: "as many as" says the largest, "at times" that it was once as large."""
    side = court.game.side(claim.subject.team or claim.story) if claim.subject.player is None else None
    most = court.season.largest_lead(side.name, court.game.day) if court.season and side else None
    gap = claim.parts["gap"]
    if side is None or most is None:
        return unknown(claim, "the tables do not tell")
    if most == gap.number or (claim.part("once") is not None and most >= gap.number):
        return supported(claim, f"the {side.name} led by {most} at most")
    return contradicted(claim, Fault(gap.span, "NUMBER", in_words(most, gap.text), f"they led by {most} at most"))


@judges("lead-word")
def lead_word(claim: Claim, court: Court) -> Judgement:
    """Ahead or behind at a point of the game, or in one of its periods, by however much."""
    side = court.game.side(claim.parts["team"].team)
    ahead, period = claim.part("ahead"), claim.part("period")
    quarters = quarters_of(period, court) if period is not None else played_by(claim, court)
    by = lead(side, court, quarters) if side and quarters else None
    words = ahead or claim.part("behind")
    if side is None or by is None or words is None:
        return unknown(claim)
    if by > 0 if ahead is not None else by < 0:
        return supported(claim, f"{side.name}: {by:+d}")
    return contradicted(claim, Fault(words.span, "WORD", "", f"{side.name}: {by:+d}"))


@judges("gap-at")
def gap_at(claim: Claim, court: Court) -> Judgement:
    """How far apart the teams were, whoever led."""
    gap, period = claim.parts["gap"], claim.part("period")
    quarters = quarters_of(period, court) if period is not None else played_by(claim, court)
    ahead = lead(court.game.home, court, quarters) if quarters else None
    if ahead is None or abs(ahead) == gap.number:
        return supported(claim) if ahead is not None else unknown(claim)
    return contradicted(claim, Fault(gap.span, "NUMBER", in_words(abs(ahead), gap.text), f"it was {abs(ahead)}"))


@judges("close-game")
def close_game(claim: Claim, court: Court) -> Judgement:
    gap, quarters = claim.parts["gap"], played_by(claim, court)
    home = court.game.home
    if quarters is None:
        ends = (lead(home, court, QUARTERS[:3]), lead(home, court, QUARTERS))
        if None in ends or min(abs(end or 0) for end in ends) < FAR:
            return unknown(claim, "how the quarter went is not in the data")
        fault = Fault(gap.span, "NUMBER", "", f"the game ended {abs(ends[1] or 0)} points apart")
        return contradicted(claim, fault)
    ahead = lead(home, court, quarters)
    if ahead is None or abs(ahead) == gap.units[0].number:
        return supported(claim)
    return contradicted(claim, Fault(gap.span, "NUMBER", f"{in_words(abs(ahead), 'x')}-point", f"it was {abs(ahead)}"))
