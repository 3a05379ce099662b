"""Judges of what is said about teams in the game: results, scores, quarters, shooting, comparisons, records."""

from __future__ import annotations

from goldmark_boxscore.claims import Claim, Fault, Judgement, Part, contradicted, supported, unknown
from goldmark_boxscore.judge_players import in_words, number_fault, says_which, shot_kind
from goldmark_boxscore.judging import Court, judges

LOW_SCORE = 65  # points; hardly any team of these years ended with fewer
HIGH_SCORE = 190  # points; nobody ever scored more
COMPARED = {  # slot of a comparison -> the statistic, and whether it says that the team had more of it
    "rebounds": ("rebounds", True), "fewer_rebounds": ("rebounds", False), "assists": ("assists", True),
    "shooting": ("fg%", True), "worse_shooting": ("fg%", False), "bench": ("bench points", True),
    "turnovers": ("turnovers", False), "more_turnovers": ("turnovers", True),
}  # fmt: skip
AT_HOME = {"host", "hosting", "hosts", "home"}
USUAL_FROM_DEEP = 36  # percent; the league's mean of these years is between 35 and 36


@judges("result", "result-told")
def result(claim: Claim, court: Court) -> Judgement:
    first, second = claim.parts["first"], claim.parts["second"]
    winner = court.game.winner
    if winner is None:
        return unknown(claim, "the final score is not known")
    loser = court.game.other(winner)
    if claim.kind == "result-told" and {first.team, second.team} != {winner.name, loser.name}:
        return unknown(claim, "another game may be meant")
    lost = claim.part("lose")
    expected = (loser, winner) if lost else (winner, loser)
    if first.team == second.team:
        wrong, right = (first, expected[0]) if first.team != expected[0].name else (second, expected[1])
        return contradicted(claim, Fault(wrong.span, "NAME", right.name, "a team does not play itself"))
    faults = []
    playing = {winner.name, loser.name}
    for part, other in ((first, second), (second, first)):
        if part.team not in playing:
            missing = next(iter(sorted(playing - {other.team or ""})))
            faults.append(Fault(part.span, "NAME", missing, f"{winner.name} played {loser.name}"))
    if faults:
        return contradicted(claim, *faults)
    if first.team == expected[0].name:
        return supported(claim, f"{winner.name} won", (winner.name, "beat", loser.name))
    verb = claim.part("verb") or lost
    if verb is None:
        return unknown(claim)
    return contradicted(
        claim, Fault(verb.span, "WORD", "defeated" if lost else "lost to", f"the {winner.name} won the game")
    )


def pair_faults(a: Part, b: Part, truth: tuple[int, int], what: str) -> list[Fault]:
    """Two numbers against two numbers, the larger against the larger: texts name either team first."""
    high, low = max(truth), min(truth)
    right = (high, low) if a.number >= b.number else (low, high)
    return [
        Fault(part.span, "NUMBER", in_words(value, part.text), what)
        for part, value in zip((a, b), right, strict=True)
        if part.number != value
    ]


@judges("final-score", "far-score")
def final_score(claim: Claim, court: Court) -> Judgement:
    home, away = court.game.home.value("points"), court.game.away.value("points")
    said = sorted(claim.parts[role].number for role in ("a", "b"))
    if claim.kind != "final-score" and not LOW_SCORE <= said[0] <= said[1] <= HIGH_SCORE:
        return unknown(claim, "it does not look like a final score")
    if home is None or away is None:
        return unknown(claim, "the final score is not known")
    high, low = max(home, away), min(home, away)
    faults = pair_faults(claim.parts["a"], claim.parts["b"], (high, low), f"the final score was {high}-{low}")
    return contradicted(claim, *faults) if faults else supported(claim, "", ("game", "score", f"{high}-{low}"))


@judges("record")
def record(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team)
    if side is None:
        return unknown(claim, "the team does not play in this game")
    faults = []
    for role in ("wins", "losses"):
        truth = side.value(role)
        if truth is None:
            return unknown(claim, "no record in the data")
        if claim.parts[role].number != truth:
            comment = f"the {side.name} were {side.value('wins')}-{side.value('losses')}"
            faults.append(Fault(claim.parts[role].span, "NUMBER", str(truth), comment))
    text = f"{side.value('wins')}-{side.value('losses')}"
    return contradicted(claim, *faults) if faults else supported(claim, "", (side.name, "record", text))


@judges("venue-of-team")
def venue_of_team(claim: Claim, court: Court) -> Judgement:
    word, team = claim.parts["venue"], claim.part("team")
    side = court.game.side(team.team if team else claim.subject.team or claim.story)
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    if court.neutral:
        return unknown(claim, "the game was at a neutral place")
    said = set(word.text.lower().split())
    says_home = bool(said & AT_HOME or "own" in said) and "away" not in said
    if says_home == side.home:
        return supported(claim, f"{side.name} played {'at home' if side.home else 'away'}")
    right = {"host": "visiting", "visiting": "host", "home": "road", "road": "home"}.get(word.text.lower(), "")
    comment = f"the {side.name} were the {'home' if side.home else 'road'} team"
    return contradicted(claim, Fault(word.span, "WORD", right, comment))


@judges("host")
def host(claim: Claim, court: Court) -> Judgement:
    """Who was at whose place."""
    side, other = court.game.side(claim.parts["first"].team), court.game.side(claim.parts["second"].team)
    home, away = claim.part("home"), claim.part("away")
    words = home or away
    if side is None or other is None or side == other or words is None:
        return unknown(claim, "another game may be meant")
    if court.neutral:
        return unknown(claim, "the game was at a neutral place")
    if (home is not None) == side.home:
        return supported(claim)
    comment = f"the {side.name} were the {'home' if side.home else 'road'} team"
    return contradicted(claim, Fault(words.span, "WORD", "hosted" if side.home else "visited", comment))


@judges("margin")
def margin(claim: Claim, court: Court) -> Judgement:
    home, away = court.game.home.value("points"), court.game.away.value("points")
    if home is None or away is None:
        return unknown(claim)
    if claim.parts["value"].number == abs(home - away):
        return supported(claim)
    value = claim.parts["value"]
    return contradicted(claim, Fault(value.span, "NUMBER", str(abs(home - away)), f"it was {home}-{away}"))


@judges("battle")
def battle(claim: Claim, court: Court) -> Judgement:
    first = court.game.side(claim.subject.team or claim.story)
    if first is None:
        return unknown(claim, "it is not clear which team is meant")
    other = court.game.other(first)
    mine, theirs = first.value("rebounds"), other.value("rebounds")
    if mine is None or theirs is None:
        return unknown(claim, "no rebounds in the data")
    comment = f"rebounds: {first.name} {mine}, {other.name} {theirs}"
    faults = pair_faults(claim.parts["a"], claim.parts["b"], (mine, theirs), comment)
    return contradicted(claim, *faults) if faults else supported(claim, comment)


def percent_of(claim: Claim) -> str:
    """Which shots a percentage is of."""
    return {"fg": "fg%", "tp": "3p%", "ft": "ft%"}.get(shot_kind(claim), "fg%")


@judges("percentage")
def percentage(claim: Claim, court: Court) -> Judgement:
    value = claim.parts["value"]
    stat = percent_of(claim)
    player, side = claim.subject.player, court.game.side(claim.subject.team)
    holder = player or side
    if holder is None:
        return unknown(claim, "it is not clear who is meant")
    truth = holder.value(stat)
    if truth is None:
        return unknown(claim, f"no {stat} of {holder.name} in the data")
    if abs(round(truth) - value.number) <= (1 if player else 0):
        return supported(claim, f"{holder.name} {stat} {truth}", (holder.name, stat, str(round(truth))))
    if not says_which(claim) and value.number in (holder.value("3p%"), holder.value("ft%")):
        return supported(claim, "right for shots of another kind, and it does not say which")
    return contradicted(
        claim, Fault(value.span, "NUMBER", str(round(truth)), f"{holder.name} shot {round(truth)} percent")
    )


@judges("percentage-pair")
def percentage_pair(claim: Claim, court: Court) -> Judgement:
    """ "48 and 43 percent from the field and three-point range"."""
    side = court.game.side(claim.subject.team)
    if side is None or claim.subject.player is not None:
        return unknown(claim, "it is not clear who is meant")
    faults = []
    for role, stat in (("value", "fg%"), ("value2", "3p%")):
        truth, part = side.value(stat), claim.parts[role]
        if truth is not None and truth != part.number:
            faults.append(Fault(part.span, "NUMBER", str(truth), f"{side.name} shot {truth} percent"))
    return contradicted(claim, *faults) if faults else supported(claim)


@judges("belittled")
def belittled(claim: Claim, court: Court) -> Judgement:
    """A meager percentage from deep is below what teams usually make there."""
    side = court.game.side(claim.subject.team) if claim.subject.player is None else None
    truth = side.value("3p%") if side else None
    if side is None or truth is None or truth < USUAL_FROM_DEEP:
        return supported(claim) if truth is not None else unknown(claim)
    words = claim.parts["words"]
    return contradicted(claim, Fault(words.span, "WORD", "", f"{truth} percent from deep is not {words.text}"))


@judges("threshold")
def threshold(claim: Claim, court: Court) -> Judgement:
    side = claim.subject.player or court.game.side(claim.subject.team)
    truth = side.value("3p%" if claim.part("deep") else "fg%") if side else None
    value = claim.parts["value"]
    if side is None or truth is None:
        return unknown(claim)
    above = claim.parts["than"].text.lower() in {"over", "at least", "more than", "better than"}
    if (truth >= value.number) == above or round(truth) == value.number:
        return supported(claim)
    return contradicted(claim, Fault(value.span, "NUMBER", str(round(truth)), f"it was {round(truth)} percent"))


@judges("players-in-double-figures")
def players_in_double_figures(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team or claim.story)
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    among = True if claim.part("every") else None
    truth = sum((player.value("points") or 0) >= 10 for player in side.ranked(starters=among))
    value = claim.parts["value"]
    if truth == value.number:
        return supported(claim)
    comment = f"{truth} players of the {side.name} scored in double figures"
    return contradicted(claim, Fault(value.span, "NUMBER", in_words(truth, value.text), comment))


@judges("superior")
def superior(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.parts["team"].team)
    if side is None:
        return unknown(claim)
    other = court.game.other(side)
    mine, theirs = side.value("fg%"), other.value("fg%")
    if mine is None or theirs is None or mine >= theirs:
        return supported(claim) if mine is not None else unknown(claim)
    comment = f"{side.name} shot {mine} percent, {other.name} {theirs}"
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", comment))


@judges("compared")
def compared(claim: Claim, court: Court) -> Judgement:
    """One team better than the other in something, without a number."""
    side = court.game.side(claim.subject.team or claim.story) if claim.subject.player is None else None
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    than = claim.part("than")
    if than is not None:
        named = claim.part("stat")
        words, stat, more = than, named.unit.stat if named else "turnovers", than.text == "more"
    else:
        role = next(role for role in claim.parts if role in COMPARED)
        words, (stat, more) = claim.parts[role], COMPARED[role]
    other = court.game.other(side)
    mine, theirs = side.value(stat), other.value(stat)
    if mine is None or theirs is None:
        return unknown(claim, f"no {stat} in the data")
    comment = f"{stat}: {side.name} {mine}, {other.name} {theirs}"
    right = mine >= theirs if more else mine <= theirs
    return supported(claim, comment) if right else contradicted(claim, Fault(words.span, "WORD", "", comment))


@judges("forced")
def forced(claim: Claim, court: Court) -> Judgement:
    """Turnovers that a team forced are the other team's."""
    side = court.game.side(claim.subject.team or claim.story) if claim.subject.player is None else None
    stat, value = claim.parts["stat"].unit.stat, claim.parts["value"]
    if side is None or stat != "turnovers":
        return unknown(claim, "it is not clear which team is meant")
    other = court.game.other(side)
    truth = other.value(stat)
    if truth is None or truth == value.number:
        return supported(claim) if truth is not None else unknown(claim, "no turnovers in the data")
    return contradicted(claim, number_fault(value, truth, f"the {other.name}", stat))


@judges("bench-points")
def bench_points(claim: Claim, court: Court) -> Judgement:
    """What those who did not start had together."""
    team = claim.part("team")
    side = court.game.side((team.team if team else None) or claim.subject.team or claim.story)
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    stat = claim.parts["stat"].unit.stat if claim.part("stat") else "points"
    faults = []
    for role, bench in (("value", side), ("a", side), ("b", court.game.other(side))):
        value = claim.part(role)
        truth = sum(player.value(stat) or 0 for player in bench.ranked(starters=False))
        if value is not None and truth != value.number:
            faults.append(number_fault(value, truth, f"the bench of the {bench.name}", stat))
    return contradicted(claim, *faults) if faults else supported(claim)
