"""Judges of what only a season tells: days, arenas, runs of wins and losses, earlier games, averages, standings."""

from __future__ import annotations

from goldmark.checkers.boxscore.claims import Claim, Fault, Judgement, contradicted, supported, unknown
from goldmark.checkers.boxscore.judge_players import in_words
from goldmark.checkers.boxscore.judging import Court, judges
from goldmark.checkers.boxscore.season import Fixture

OPPOSITE = {"won": "lost", "lost": "won", "winning": "losing", "losing": "winning", "winners": "losers"}
OF_WINS = {"won", "winners", "winning", "wins", "win", "victory", "victories"}
CLOSE = 0.6  # of an average; further off is not rounding
CLEARLY_AFTERNOON, CLEARLY_EVENING = "16:00", "19:00"
CHECKED_BACK = 5  # annotators were asked to look no further back than this many games


@judges("game-day")
def game_day(claim: Claim, court: Court) -> Judgement:
    day = f"{court.game.day:%A}"
    said = claim.parts["day"]
    faults = []
    if said.text != day:
        faults.append(Fault(said.span, "NAME", day, f"the game was on {court.game.day:%A, %-d %B %Y}"))
    fixture = court.season.game_on(court.game.home.name, court.game.day) if court.season else None
    part = claim.part("part")
    if part is not None and fixture is not None and (right := other_part_of_day(part.text, fixture)):
        faults.append(Fault(part.span, "WORD", right, f"the game started at {fixture.start}"))
    return contradicted(claim, *faults) if faults else supported(claim, "", ("game", "day", day))


def other_part_of_day(said: str, fixture: Fixture) -> str | None:
    """The right part of the day if the one said is clearly wrong; starts are in the league's own time zone."""
    if not fixture.start:
        return None
    if said == "afternoon" and fixture.start >= CLEARLY_EVENING:
        return "evening"
    return "afternoon" if said in {"evening", "night"} and fixture.start < CLEARLY_AFTERNOON else None


@judges("game-arena")
def game_arena(claim: Claim, court: Court) -> Judgement:
    arena = claim.parts["arena"]
    city = claim.part("city")
    # "Six wins in 17 games away from" its own arena, whoever is at home in this game
    away_from = court.game.side(claim.subject.team) if claim.part("own") else None
    home = away_from or court.game.home
    mine = court.league.by_name.get(home.name)
    faults = []
    ours = mine.arenas_on(court.game.day) if mine is not None else ()
    if ours and arena.text not in ours:
        right = ours[-1]
        faults.append(Fault(arena.span, "NAME", right, f"the {home.name} play at {right}"))
    if city is not None and city.team is not None and mine is not None:
        at_home = (
            city.text in (mine.city, *mine.places) if mine.city != home.city else city.text in (home.city, *mine.places)
        )
        if not at_home:
            faults.append(Fault(city.span, "NAME", home.city, f"the game was in {home.city}"))
    return contradicted(claim, *faults) if faults else supported(claim)


@judges("run")
def run(claim: Claim, court: Court) -> Judgement:
    team = claim.subject.team or claim.story
    if court.season is None or team is None or court.game.side(team) is None:
        return unknown(claim, "no season to look back on" if court.season is None else "it is not clear who is meant")
    games = court.season.last_games(team, court.game.day)
    count, window = claim.parts["count"], claim.part("games")
    outcome = claim.part("outcome") or claim.parts["streak"]
    said = count.number if count.unit.kind == "number" else court.words.ordinals[count.text.lower()]
    won = outcome.text.lower() in OF_WINS
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
        came_in = claim.part("streak") is None and outcome.text in {"winning", "losing", "win"}
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


def _ordinal(number: int, court: Court) -> str:
    return next((word for word, value in court.words.ordinals.items() if value == number), str(number))


def _is_streak(claim: Claim) -> bool:
    """A streak with which a team came in, rather than games of which this one was the last."""
    count = claim.parts["count"]
    return claim.parts["outcome"].span.start > count.span.end and count.unit.kind == "number"


def _in_a_row(games: list[Fixture], team: str, *, won: bool) -> int:
    return next((place for place, game in enumerate(games) if game.won_by(team) != won), len(games))


@judges("game-back-to-back")
def game_back_to_back(claim: Claim, court: Court) -> Judgement:
    team = claim.subject.team or claim.story
    if court.season is None or team is None:
        return unknown(claim, "no schedule to look it up in")
    near = [game.day for game in court.season.team_games(team) if abs((game.day - court.game.day).days) == 1]
    if near:
        return supported(claim)
    return contradicted(claim, Fault(claim.parts["words"].span, "WORD", "", "no game the day before or after"))


@judges("last-games")
def last_games(claim: Claim, court: Court) -> Judgement:
    """Sums or averages of a player's last games, this one included."""
    player = claim.subject.player
    if claim.subject.several and claim.part("games") is None:
        return _together(claim)
    if court.season is None or player is None:
        return unknown(claim, "no season to look back on")
    games = court.season.player_games(player.name, court.game.day)
    how, window, row = claim.part("how"), claim.part("games"), claim.part("row")
    length = int(window.number) if window else court.words.ordinals[row.text.lower()] if row else 2
    if not games or length < 1:
        return unknown(claim, "the player's games are not in the tables")
    average = how is not None and how.text in {"averaging", "averaged"}
    faults = []
    for value_role, stat_role in (("value", "stat"), ("value2", "stat2"), ("value3", "stat3")):
        value, stat = claim.part(value_role), claim.part(stat_role)
        if value is None or stat is None:
            continue
        total = sum(game.stats.get(stat.unit.stat, 0) for game in games[:length])
        truth = total / min(length, len(games)) if average else total
        if round(truth) != value.number:
            comment = f"{player.name}: {truth:g} {stat.unit.stat} over the last {length} games"
            faults.append(Fault(value.span, "NUMBER", str(round(truth)), comment))
    return contradicted(claim, *faults) if faults else supported(claim)


def _together(claim: Claim) -> Judgement:
    """ "X and Y combined for 29 points": in this game."""
    faults = []
    for value_role, stat_role in (("value", "stat"), ("value2", "stat2"), ("value3", "stat3")):
        value, stat = claim.part(value_role), claim.part(stat_role)
        if value is not None and stat is not None:
            truth = sum(player.value(stat.unit.stat) or 0 for player in claim.subject.several)
            if truth != value.number:
                comment = f"together they had {truth:g} {stat.unit.stat}"
                faults.append(Fault(value.span, "NUMBER", f"{truth:g}", comment))
    return contradicted(claim, *faults) if faults else supported(claim)


@judges("season-average")
def season_average(claim: Claim, court: Court) -> Judgement:
    player = claim.subject.player
    if player is None:
        return unknown(claim, "it is not clear who is meant")
    games = court.season.player_games(player.name, court.game.day) if court.season else []
    faults = []
    for value_role, stat_role in (("value", "stat"), ("value2", "stat2"), ("value3", "stat3")):
        value, stat = claim.part(value_role), claim.part(stat_role)
        if value is None or stat is None or not games:
            continue
        truth = sum(game.stats.get(stat.unit.stat, 0) for game in games) / len(games)
        if abs(truth - value.number) > CLOSE:
            comment = f"{player.name} averaged {truth:.1f} {stat.unit.stat}"
            faults.append(Fault(value.span, "NOT_CHECKABLE", f"{truth:.0f}", comment))
    return contradicted(claim, *faults) if faults else unknown(claim)


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


@judges("standing")
def standing(claim: Claim, court: Court) -> Judgement:
    fault = Fault(claim.span, "NOT_CHECKABLE", "", "standings are not in the data of the game")
    return contradicted(claim, fault)


@judges("previous-game")
def previous_game(claim: Claim, court: Court) -> Judgement:
    team = claim.subject.team or claim.story
    games = court.season.last_games(team, court.game.day, including=False) if court.season and team else []
    if not games or team is None:
        return unknown(claim, "no earlier game in the tables")
    last, outcome, opponent = games[0], claim.parts["outcome"], claim.part("opponent")
    comment = f"the {team} {'beat' if last.won_by(team) else 'lost to'} the {last.opponent(team)} on {last.day:%A}"
    faults = []
    if (outcome.text in {"win", "victory"}) != last.won_by(team):
        faults.append(Fault(outcome.span, "WORD", "win" if last.won_by(team) else "loss", comment))
    if opponent is not None and opponent.team != last.opponent(team):
        faults.append(Fault(opponent.span, "NAME", last.opponent(team), comment))
    return contradicted(claim, *faults) if faults else supported(claim, comment)


@judges("coach")
def coach(claim: Claim, court: Court) -> Judgement:
    person = claim.parts["coach"]
    if court.game.side(str(person.unit.value)) is not None:
        return supported(claim)
    return contradicted(claim, Fault(person.span, "NAME", "", f"{person.text} coached the {person.unit.value}"))
