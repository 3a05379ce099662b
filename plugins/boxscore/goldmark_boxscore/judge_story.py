"""Judges of how a game went: who led when, who pulled away, prevailed or has something to recover from."""

from __future__ import annotations

from goldmark_boxscore.claims import Claim, Fault, Judgement, contradicted, supported, unknown
from goldmark_boxscore.judge_periods import FAR, QUARTERS, lead, quarters_of
from goldmark_boxscore.judging import Court, judges

OPPOSITE = {
    "win": "loss", "victory": "defeat", "loss": "win", "defeat": "victory", "winning": "losing", "losing": "winning",
    "won": "lost", "lost": "won", "fell": "won", "triumph": "defeat", "setback": "win", "upset": "loss",
}  # fmt: skip
OF_WINNERS = {"win", "victory", "winning", "won", "triumph", "upset"}
OF_BOTH = {"rout", "blowout"}  # a team may be in one on either side of it
A_POINT, CLEARLY = (
    1,
    3,
)  # points; by one nobody pulls away, by more than three they do, and between is a matter of taste
EASY = 15  # points by which nobody escapes


@judges("half-story")
def half_story(claim: Claim, court: Court) -> Judgement:
    """Who pulls away wins the second half and the game; who battles back was behind and came near."""
    side = court.game.side(claim.subject.team) if claim.subject.player is None else None
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    words, period = claim.parts["words"], claim.part("period")
    named = quarters_of(period, court) if period is not None else ()
    when = named or QUARTERS[2:]
    then, before = lead(side, court, when), lead(side, court, QUARTERS[: QUARTERS.index(when[0])] or when)
    first, second = lead(side, court, QUARTERS[:2]), lead(side, court, QUARTERS[2:])
    if then is None or before is None or first is None or second is None:
        return unknown(claim, "no quarters in the data")
    comment = f"{side.name} by half: {first:+d}, {second:+d}"
    wrong = contradicted(claim, Fault(words.span, "WORD", "", comment))
    if words.text.startswith("pull"):
        if court.game.winner != side or then <= A_POINT:
            return wrong
        return supported(claim, comment) if then > CLEARLY or len(named) == 1 else unknown(claim, "by a little")
    if before >= 0 or then <= 0:
        return wrong
    return supported(claim, comment) if named or first + second > -FAR else wrong


@judges("entirety")
def entirety(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team or claim.story)
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    at_half, at_three = lead(side, court, ("q1", "q2")), lead(side, court, ("q1", "q2", "q3"))
    if at_half is None or at_three is None:
        return unknown(claim, "no quarters in the data")
    double = claim.part("double")
    enough = FAR if double else 1
    if at_half >= enough and at_three >= enough:
        return supported(claim)
    words = double or claim.parts["words"]
    return contradicted(claim, Fault(words.span, "WORD", "", f"{side.name} at half-time: {at_half:+d}"))


@judges("prevailed")
def prevailed(claim: Claim, court: Court) -> Judgement:
    team, winner = claim.parts["team"], court.game.winner
    if winner is None or court.game.side(team.team) is None:
        return unknown(claim)
    if winner.name == team.team:
        return supported(claim)
    return contradicted(claim, Fault(team.span, "NAME", winner.name, f"the {winner.name} won"))


@judges("not-enough")
def not_enough(claim: Claim, court: Court) -> Judgement:
    team = claim.part("team")
    side = court.game.side(team.team if team else claim.subject.team)
    if side is None or court.game.winner is None:
        return unknown(claim)
    if court.game.winner != side:
        return supported(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"the {side.name} won this game"))


@judges("recover")
def recover(claim: Claim, court: Court) -> Judgement:
    """Winners have nothing to recover from, and losers no win to build on."""
    winner = court.game.winner
    side = court.game.side(claim.subject.team or claim.story)
    if winner is None or side is None:
        return unknown(claim)
    part = claim.part("words") or claim.part("win") or claim.part("loss")
    needs_win = claim.part("win") is not None
    if part is None or (side == winner) == needs_win:
        return supported(claim)
    comment = f"the {side.name} {'won' if side == winner else 'lost'} this game"
    return contradicted(claim, Fault(part.span, "WORD", {"win": "loss", "loss": "win"}.get(part.text, ""), comment))


@judges("outcome")
def outcome(claim: Claim, court: Court) -> Judgement:
    """ "In the win", "emerged victorious", "came up short": said of a team or of one of its players."""
    player = claim.subject.player
    side = court.game.side(player.team if player else claim.subject.team or claim.story)
    won, lost = claim.part("win"), claim.part("loss")
    winner, words = court.game.winner, won or lost or claim.parts["words"]
    if side is None or winner is None or words.text in OF_BOTH:
        return unknown(claim)
    says_won = won is not None or (lost is None and words.text in OF_WINNERS)
    if says_won == (side == winner):
        return supported(claim)
    right = OPPOSITE.get(words.text, "")
    comment = f"the {side.name} {'won' if side == winner else 'lost'} this game"
    return contradicted(claim, Fault(words.span, "WORD", right, comment))


@judges("overtime")
def overtime(claim: Claim, court: Court) -> Judgement:
    for side in court.game.sides:
        points, quarters = side.value("points"), side.scored(("q1", "q2", "q3", "q4"))
        if points is None or quarters is None or points != quarters:
            return supported(claim) if points is not None and quarters is not None else unknown(claim)
    words = claim.parts["words"]
    return contradicted(claim, Fault(words.span, "WORD", "", "the game ended after four quarters"))


@judges("hot-start")
def hot_start(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team or claim.story)
    if side is None:
        return unknown(claim)
    start = lead(side, court, QUARTERS[:1])
    if start is None or start > -CLEARLY:
        return supported(claim) if start is not None else unknown(claim)
    comment = f"{side.name} after one quarter: {start:+d}"
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", comment))


@judges("close-throughout")
def close_throughout(claim: Claim, court: Court) -> Judgement:
    home = court.game.home
    leads = [lead(home, court, quarters) for quarters in (("q1", "q2"), ("q1", "q2", "q3"), ("q1", "q2", "q3", "q4"))]
    known = [abs(ahead) for ahead in leads if ahead is not None]
    if not known or min(known) < FAR:
        return supported(claim) if known else unknown(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"{known[0]} points apart at half-time"))


@judges("escape")
def escape(claim: Claim, court: Court) -> Judgement:
    home, away = court.game.home.value("points"), court.game.away.value("points")
    if home is None or away is None or abs(home - away) < EASY:
        return supported(claim) if home is not None else unknown(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"won by {abs(home - away)}"))


@judges("margin-word")
def margin_word(claim: Claim, court: Court) -> Judgement:
    home, away = court.game.home.value("points"), court.game.away.value("points")
    wide, narrow = claim.part("wide"), claim.part("narrow")
    part = wide or narrow
    if home is None or away is None or part is None:
        return unknown(claim)
    margin = abs(home - away)
    if (wide and margin >= FAR) or (narrow and margin < EASY):
        return supported(claim)
    return contradicted(claim, Fault(part.span, "WORD", "", f"it was {max(home, away)}-{min(home, away)}"))
