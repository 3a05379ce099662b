"""Judges of words that value: struggling, productive, player of the game, one of the best, marks surpassed."""

from __future__ import annotations

from goldmark_boxscore.claims import Claim, Fault, Judgement, contradicted, supported, unknown
from goldmark_boxscore.games import Side
from goldmark_boxscore.judging import Court, judges

HALF = 0.5
WINNING = 0.52  # share of games won above which a team is not struggling
LITTLE, IN_ALL = 5, 10  # points, and points, rebounds and assists together, that make no solid showing


@judges("praise")
def praise(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team)
    wins, losses = (side.value("wins"), side.value("losses")) if side else (None, None)
    if side is None or wins is None or losses is None:
        return unknown(claim)
    if wins >= losses:
        return supported(claim)
    comment = f"the {side.name} were {wins}-{losses}"
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", comment))


@judges("unseen")
def unseen(claim: Claim, court: Court) -> Judgement:
    """Ties and lead changes are in no table; what generators say of them is invented."""
    spans = [claim.parts[role].span for role in ("first", "second") if claim.part(role)]
    return contradicted(claim, *(Fault(span, "NOT_CHECKABLE", "", "not in the data") for span in spans))


@judges("struggling")
def struggling(claim: Claim, court: Court) -> Judgement:
    """A team with a clearly winning record does not struggle."""
    both = claim.part("both")
    side = court.game.side(claim.subject.team or claim.story)
    sides = court.game.sides if both else (side,)
    shares = [_share_won(item) for item in sides if item is not None]
    if not shares or None in shares:
        return unknown(claim)
    if min(share or 0 for share in shares) <= WINNING:
        return supported(claim)
    part = both or claim.parts["words"]
    return contradicted(claim, Fault(part.span, "WORD", "", "a winning record"))


def _share_won(side: Side) -> float | None:
    wins, losses = side.value("wins"), side.value("losses")
    return None if wins is None or losses is None or not wins + losses else wins / (wins + losses)


@judges("best-player")
def best_player(claim: Claim, court: Court) -> Judgement:
    """The player of the game comes from the winners, unless nobody outscored him."""
    player, winner = claim.parts["player"].player, court.game.winner
    if player is None or winner is None or player.team == winner.name:
        return supported(claim) if player is not None else unknown(claim)
    most = max((other.value("points") or 0 for other in court.game.players), default=0)
    if (player.value("points") or 0) >= most:
        return supported(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"the {winner.name} won"))


@judges("showing")
def showing(claim: Claim, court: Court) -> Judgement:
    player = claim.subject.player
    if player is None:
        return unknown(claim, "it is not clear who is meant")
    had = [player.value(stat) or 0 for stat in ("points", "rebounds", "assists")]
    if had[0] > LITTLE or sum(had) > IN_ALL:
        return supported(claim)
    comment = f"{player.name} had {had[0]:g} points, {had[1]:g} rebounds and {had[2]:g} assists"
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", comment))


@judges("rebounding-key")
def rebounding_key(claim: Claim, court: Court) -> Judgement:
    """Rebounding decides nothing for a team with fewer rebounds, nor in a sentence that goes on about other things."""
    team, topic = claim.part("team"), claim.part("topic")
    side = court.game.side(team.team) if team else None
    mine = side.value("rebounds") if side else None
    theirs = court.game.other(side).value("rebounds") if side else None
    if mine is not None and theirs is not None and mine < theirs:
        return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"rebounds: {mine} to {theirs}"))
    if topic is not None and claim.part("off") is not None:
        return contradicted(claim, Fault(topic.span, "WORD", "", "what follows is not about rebounds"))
    return supported(claim) if mine is not None else unknown(claim)


@judges("missing-player")
def missing_player(claim: Claim, court: Court) -> Judgement:
    player = claim.parts["absent"].player
    if player is None or not player.played:
        return supported(claim, "he is not among those who played")
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"{player.name} played in this game"))


@judges("acted-on-self")
def acted_on_self(claim: Claim, court: Court) -> Judgement:
    victim = claim.parts["victim"]
    side = court.game.side(victim.team)
    if side is None or claim.subject.team != victim.team or claim.subject.player is not None:
        return supported(claim) if side else unknown(claim)
    other = court.game.other(side)
    return contradicted(claim, Fault(victim.span, "NAME", other.name, "a team does not do this to itself"))


@judges("faint-hopes")
def faint_hopes(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team)
    share = _share_won(side) if side else None
    if share is None or share < HALF:
        return unknown(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", "a winning record"))


@judges("surpassed")
def surpassed(claim: Claim, court: Court) -> Judgement:
    """Over a mark in this game; for the first time only if in no game of the season before."""
    player, value, stat = claim.subject.player, claim.parts["value"].number, claim.parts["stat"].unit.stat
    if player is None:
        return unknown(claim, "it is not clear who is meant")
    if (player.value(stat) or 0) < value:
        comment = f"{player.name} had {player.value(stat)} {stat}"
        return contradicted(claim, Fault(claim.parts["verb"].span, "WORD", "", comment))
    games = court.season.player_games(player.name, court.game.day)[1:] if court.season else []
    earlier = next((game for game in games if game.stats.get(stat, 0) > value), None)
    if claim.part("first") is None or earlier is None:
        return supported(claim)
    comment = f"{player.name} had {earlier.stats[stat]} {stat} on {earlier.day:%-d %B}"
    return contradicted(claim, Fault(claim.span, "WORD", "", comment))
