"""Judges of runs of games: streaks, the last so many, wins and losses of the season so far."""

from __future__ import annotations

from goldmark_boxscore.claims import Claim, Fault, Judgement, Part, contradicted, supported, unknown
from goldmark_boxscore.judge_players import in_words
from goldmark_boxscore.judging import Court, judges
from goldmark_boxscore.season import Fixture

OPPOSITE = {"won": "lost", "lost": "won", "winning": "losing", "losing": "winning", "winners": "losers"}
OUTCOMES = ("outcome", "winning", "streak", "kind")  # the slots that say whether games were won, the clearest first
OF_WINS = {
    "won", "winners", "winning", "wins", "win", "victory", "victories", "triumph", "triumphs", "streak", "run",
    "string", "tear", "roll", "captured", "claimed", "taken", "victorious", "prevailed", "top", "ahead",
}  # fmt: skip
SKIDS = {"skid", "slide", "slump", "losing streak", "losing skid", "losing run", "rut", "drought", "losing slump"}
CHECKED_BACK = 5  # annotators were asked to look no further back than this many games


@judges("run")
def run(claim: Claim, court: Court) -> Judgement:
    team = claim.subject.team or claim.story
    if court.season is None or team is None or court.game.side(team) is None:
        return unknown(claim, "no season to look back on" if court.season is None else "it is not clear who is meant")
    games = court.season.last_games(team, court.game.day)
    count, window = claim.parts["count"], claim.part("games")
    outcome = next(part for role in OUTCOMES if (part := claim.part(role)) is not None)
    said = _said(count, court)
    won = _of_wins(outcome)
    if window is not None:
        length = int(window.number)
        if games and len(games) < length <= CHECKED_BACK:
            right = in_words(len(games), window.text)
            comment = f"the {team} have played {len(games)} games"
            return contradicted(claim, Fault(window.span, "NUMBER", right, comment))
        if length > CHECKED_BACK:
            truth = sum(game.won_by(team) == won for game in games[:length])
            comment = f"more than {CHECKED_BACK} games back; it was {truth} of their last {length}"
            return contradicted(claim, Fault(claim.span, "NOT_CHECKABLE", "", comment))
        truth = sum(game.won_by(team) == won for game in games[:length])
        opposite = sum(game.won_by(team) != won for game in games[:length])
    else:
        came_in = not any(claim.part(role) for role in ("streak", "now", "winning")) and _names_a_streak(outcome)
        if (came_in and _is_streak(claim)) or claim.part("before") is not None:
            games = court.season.last_games(team, court.game.day, including=False)
        truth = _in_a_row(games, team, won=won)
        opposite = _in_a_row(games, team, won=not won)
    if truth == said:
        return supported(claim, f"{team}: {truth}")
    if opposite == said:
        right = OPPOSITE.get(outcome.text.lower(), "")
        return contradicted(claim, Fault(outcome.span, "WORD", right, f"the {team} {'lost' if won else 'won'} them"))
    comment = f"the {team} {'won' if won else 'lost'} {truth}" + (
        f" of their last {int(window.number)}" if window else " in a row"
    )
    right = in_words(truth, count.text) if count.unit.kind == "number" else _ordinal(truth, court)
    return contradicted(claim, Fault(count.span, "NUMBER", right, comment))


@judges("stretch")
def stretch(claim: Claim, court: Court) -> Judgement:
    """ "Gone 3-1 over their last four games"."""
    team = claim.subject.team or claim.story
    if court.season is None or team is None or court.game.side(team) is None:
        return unknown(claim, "no season to look back on" if court.season is None else "it is not clear who is meant")
    length = int(claim.parts["games"].number)
    games = court.season.last_games(team, court.game.day)[:length]
    wins = sum(game.won_by(team) for game in games)
    comment = f"the {team} were {wins}-{len(games) - wins} over their last {len(games)}"
    if length > CHECKED_BACK:
        return contradicted(claim, Fault(claim.span, "NOT_CHECKABLE", "", comment))
    truths = (("won", wins), ("lost", len(games) - wins))
    faults = [
        Fault(part.span, "NUMBER", in_words(truth, part.text), comment)
        for role, truth in truths
        if (part := claim.parts[role]).number != truth
    ]
    return contradicted(claim, *faults) if faults else supported(claim, comment)


def _of_wins(outcome: Part) -> bool:
    """Do words such as "won", "losing", "been victorious in" or "skid" tell of games won?"""
    words = set(outcome.text.lower().split())
    return bool(words & OF_WINS) and "losing" not in words


def _names_a_streak(outcome: Part) -> bool:
    return outcome.text in {"winning", "losing", "win", *SKIDS}


def _said(count: Part, court: Court) -> float:
    return count.number if count.unit.kind == "number" else court.words.ordinals[count.text.lower()]


@judges("number-of-season")
def number_of_season(claim: Claim, court: Court) -> Judgement:
    """ "Their fifth win of the season", "14 losses this season": this game included."""
    side = court.game.side(claim.subject.team or claim.story) if claim.subject.player is None else None
    count, outcome = claim.parts["count"], claim.parts["outcome"]
    truth = side.value("wins" if _of_wins(outcome) else "losses") if side else None
    if side is None or truth is None:
        return unknown(claim, "it is not clear which team is meant")
    comment = f"the {side.name} were {side.value('wins')}-{side.value('losses')}"
    if _said(count, court) == truth:
        return supported(claim, comment)
    right = in_words(truth, count.text) if count.unit.kind == "number" else _ordinal(truth, court)
    return contradicted(claim, Fault(count.span, "NUMBER", right, comment))


def _ordinal(number: int, court: Court) -> str:
    return next((word for word, value in court.words.ordinals.items() if value == number), str(number))


def _is_streak(claim: Claim) -> bool:
    """A streak with which a team came in, rather than games of which this one was the last."""
    count = claim.parts["count"]
    return claim.parts["outcome"].span.start > count.span.end and count.unit.kind == "number"


def _in_a_row(games: list[Fixture], team: str, *, won: bool) -> int:
    return next((place for place, game in enumerate(games) if game.won_by(team) != won), len(games))


@judges("road-wins")
def road_wins(claim: Claim, court: Court) -> Judgement:
    team = claim.subject.team or claim.story
    side = court.game.side(team)
    if court.season is None or side is None or team is None:
        return unknown(claim, "no season to look back on")
    away = claim.parts["venue"].text == "road"
    including = claim.part("games") is None
    games = [
        game
        for game in court.season.last_games(team, court.game.day, including=including)
        if game.at_home(team) != away
    ]
    wins = sum(game.won_by(team) for game in games)
    count = claim.parts["count"]
    said = count.number if count.unit.kind == "number" else court.words.ordinals[count.text.lower()]
    faults = []
    if said != wins:
        faults.append(Fault(count.span, "NUMBER", in_words(wins, count.text), f"the {team} had {wins}"))
    played = claim.part("games")
    if played is not None and played.number != len(games):
        faults.append(Fault(played.span, "NUMBER", in_words(len(games), played.text), f"of {len(games)} games"))
    return contradicted(claim, *faults) if faults else supported(claim)
