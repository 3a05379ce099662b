"""Judges of two numbers joined by a hyphen whose words say little of what they are: the data help to tell."""

from __future__ import annotations

from dataclasses import replace

from goldmark_boxscore.claims import Claim, Fault, Judgement, contradicted, supported, unknown
from goldmark_boxscore.judge_periods import QUARTERS, played_by, quarters_of
from goldmark_boxscore.judge_teams import LOW_SCORE, final_score, pair_faults, record
from goldmark_boxscore.judging import Court, judges

GAMES_OFF = 4  # a pair whose sum is further from the games that a team has played is no record of it
FEW = 8  # points; hardly any team scored fewer in a quarter of these years


@judges("pair-by-period")
def pair_by_period(claim: Claim, court: Court) -> Judgement:
    """The score of a period or the one at its end, whichever fits better."""
    a, b = claim.parts["a"], claim.parts["b"]
    if claim.subject.player is not None or min(a.number, b.number) < FEW or max(a.number, b.number) > 2 * LOW_SCORE:
        return unknown(claim, "it does not look like a score of teams")
    readings: list[tuple[list[Fault], str]] = []
    for quarters in _stretches(claim, court):
        home, away = court.game.home.scored(quarters), court.game.away.scored(quarters)
        if home is not None and away is not None:
            comment = f"{court.game.home.name} {home}, {court.game.away.name} {away}"
            readings.append((pair_faults(a, b, (max(home, away), min(home, away)), comment), comment))
    if not readings:
        return unknown(claim, "no quarters in the data")
    faults, comment = min(readings, key=lambda reading: len(reading[0]))
    return contradicted(claim, *faults) if faults else supported(claim, comment)


def _stretches(claim: Claim, court: Court) -> list[tuple[str, ...]]:
    if claim.part("opening"):
        return [QUARTERS[:1]]
    over = played_by(claim, court)
    if over:
        return [over]
    period = quarters_of(claim.part("period"), court)
    return [period, QUARTERS[: QUARTERS.index(period[-1]) + 1]] if period else []


@judges("bare-pair")
def bare_pair(claim: Claim, court: Court) -> Judgement:
    """Two numbers alone: a final score if so high, a team's record if near its wins and losses, one of them right."""
    if min(claim.parts["a"].number, claim.parts["b"].number) >= LOW_SCORE:
        return final_score(claim, court)
    side = court.game.side(claim.subject.team) if claim.subject.player is None else None
    wins, losses = (side.value("wins"), side.value("losses")) if side else (None, None)
    if wins is None or losses is None:
        return unknown(claim, "it is not clear what is meant")
    said = (claim.parts["a"].number, claim.parts["b"].number)
    if abs(sum(said) - wins - losses) > GAMES_OFF or (said[0] != wins and said[1] != losses):
        return unknown(claim, "it does not look like a record")
    return record(replace(claim, parts={"wins": claim.parts["a"], "losses": claim.parts["b"]}), court)
