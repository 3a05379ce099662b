"""Judges of how a game went: who led when, who pulled away, prevailed or has something to recover from."""

from __future__ import annotations

from goldmark.checkers.boxscore.claims import Claim, Fault, Judgement, contradicted, supported, unknown
from goldmark.checkers.boxscore.games import Side
from goldmark.checkers.boxscore.judge_players import in_words
from goldmark.checkers.boxscore.judge_teams import PERIODS
from goldmark.checkers.boxscore.judging import Court, judges

HALF = 0.5
WINNING = 0.52  # share of games won above which a team is not struggling
LITTLE = 5  # points that make no solid showing
CLEARLY = 3  # points; less is no pulling away
EASY = 15  # points by which nobody escapes
FAR = 10  # points; a game that ended further apart was not caught up with


def _lead(side: Side, court: Court, quarters: tuple[str, ...]) -> int | None:
    mine, theirs = side.scored(quarters), court.game.other(side).scored(quarters)
    return None if mine is None or theirs is None else mine - theirs


@judges("half-story")
def half_story(claim: Claim, court: Court) -> Judgement:
    """Who pulls away wins the second half and the game; who battles back was behind and came near."""
    side = court.game.side(claim.subject.team) if claim.subject.player is None else None
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    words = claim.parts["words"]
    first, second = _lead(side, court, ("q1", "q2")), _lead(side, court, ("q3", "q4"))
    if first is None or second is None:
        return unknown(claim, "no quarters in the data")
    won = court.game.winner == side
    right = second > CLEARLY and won if words.text.startswith("pull") else first < 0 and first + second > -FAR
    comment = f"{side.name} by half: {first:+d}, {second:+d}"
    return supported(claim, comment) if right else contradicted(claim, Fault(words.span, "WORD", "", comment))


@judges("entirety")
def entirety(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team or claim.story)
    if side is None:
        return unknown(claim, "it is not clear which team is meant")
    at_half, at_three = _lead(side, court, ("q1", "q2")), _lead(side, court, ("q1", "q2", "q3"))
    if at_half is None or at_three is None:
        return unknown(claim, "no quarters in the data")
    double = claim.part("double")
    enough = FAR if double else 1
    if at_half >= enough and at_three >= enough:
        return supported(claim)
    words = double or claim.parts["words"]
    return contradicted(claim, Fault(words.span, "WORD", "", f"{side.name} at half-time: {at_half:+d}"))


@judges("close-game")
def close_game(claim: Claim, court: Court) -> Judgement:
    gap, period = claim.parts["gap"], claim.part("period")
    home = court.game.home
    if period is None:
        ends = (_lead(home, court, ("q1", "q2", "q3")), _lead(home, court, ("q1", "q2", "q3", "q4")))
        if None in ends or min(abs(end or 0) for end in ends) < FAR:
            return unknown(claim, "how the quarter went is not in the data")
        fault = Fault(gap.span, "NUMBER", "", f"the game ended {abs(ends[1] or 0)} points apart")
        return contradicted(claim, fault)
    last = PERIODS.get(period.text.lower(), ("q1", "q2"))[-1]
    lead = _lead(home, court, tuple(f"q{number}" for number in range(1, int(last[1]) + 1)))
    if lead is None or abs(lead) == gap.units[0].number:
        return supported(claim)
    return contradicted(claim, Fault(gap.span, "NUMBER", f"{in_words(abs(lead), 'x')}-point", f"it was {abs(lead)}"))


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
    """ "In the win", said of a team or of one of its players."""
    player = claim.subject.player
    side = court.game.side(player.team if player else claim.subject.team or claim.story)
    winner, words = court.game.winner, claim.parts["words"]
    if side is None or winner is None:
        return unknown(claim)
    if (words.text in {"win", "victory"}) == (side == winner):
        return supported(claim)
    right = {"win": "loss", "victory": "defeat", "loss": "win", "defeat": "victory"}[words.text]
    comment = f"the {side.name} {'won' if side == winner else 'lost'} this game"
    return contradicted(claim, Fault(words.span, "WORD", right, comment))


@judges("unseen")
def unseen(claim: Claim, court: Court) -> Judgement:
    """Ties and lead changes are in no table; what generators say of them is invented."""
    spans = [claim.parts[role].span for role in ("first", "second") if claim.part(role)]
    return contradicted(claim, *(Fault(span, "NOT_CHECKABLE", "", "not in the data") for span in spans))


@judges("overtime")
def overtime(claim: Claim, court: Court) -> Judgement:
    for side in court.game.sides:
        points, quarters = side.value("points"), side.scored(("q1", "q2", "q3", "q4"))
        if points is None or quarters is None or points != quarters:
            return supported(claim) if points is not None and quarters is not None else unknown(claim)
    words = claim.parts["words"]
    return contradicted(claim, Fault(words.span, "WORD", "", "the game ended after four quarters"))


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
    little = (player.value("points") or 0) <= LITTLE and player.in_double_figures == 0
    if not little:
        return supported(claim)
    comment = f"{player.name} scored {player.value('points')}"
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", comment))


@judges("hot-start")
def hot_start(claim: Claim, court: Court) -> Judgement:
    side = court.game.side(claim.subject.team or claim.story)
    if side is None:
        return unknown(claim)
    half = _lead(side, court, ("q1", "q2"))
    if half is None or half >= 0:
        return supported(claim) if half is not None else unknown(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"{side.name} at half-time: {half:+d}"))


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


@judges("close-throughout")
def close_throughout(claim: Claim, court: Court) -> Judgement:
    home = court.game.home
    leads = [_lead(home, court, quarters) for quarters in (("q1", "q2"), ("q1", "q2", "q3"), ("q1", "q2", "q3", "q4"))]
    known = [abs(lead) for lead in leads if lead is not None]
    if not known or min(known) < FAR:
        return supported(claim) if known else unknown(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"{known[0]} points apart at half-time"))


@judges("escape")
def escape(claim: Claim, court: Court) -> Judgement:
    home, away = court.game.home.value("points"), court.game.away.value("points")
    if home is None or away is None or abs(home - away) < EASY:
        return supported(claim) if home is not None else unknown(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", f"won by {abs(home - away)}"))


@judges("surpassed")
def surpassed(claim: Claim, court: Court) -> Judgement:
    """Over a mark in this game; for the first time only if in no game of the season before."""
    player, value, stat = claim.subject.player, claim.parts["value"].number, claim.parts["stat"].unit.stat
    if player is None:
        return unknown(claim, "it is not clear who is meant")
    if (player.value(stat) or 0) < value:
        comment = f"{player.name} had {player.value(stat)} {stat}"
        return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", comment))
    games = court.season.player_games(player.name, court.game.day)[1:] if court.season else []
    earlier = next((game for game in games if game.stats.get(stat, 0) > value), None)
    if claim.part("first") is None or earlier is None:
        return supported(claim)
    comment = f"{player.name} had {earlier.stats[stat]} {stat} on {earlier.day:%-d %B}"
    return contradicted(claim, Fault(claim.span, "WORD", "", comment))
