"""Judges of what only a season tells: days, arenas, earlier games, averages, standings; runs are in `judge_runs`."""

from __future__ import annotations

from goldmark_boxscore.claims import Claim, Fault, Judgement, contradicted, supported, unknown
from goldmark_boxscore.judging import Court, judges
from goldmark_boxscore.season import Fixture

CLOSE = 0.6  # of an average; further off is not rounding
CLEARLY_AFTERNOON, CLEARLY_EVENING = "16:00", "19:00"


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
    if court.neutral:
        return unknown(claim, "the game was at a neutral place")
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


@judges("game-city")
def game_city(claim: Claim, court: Court) -> Judgement:
    """ "Met in Memphis": where the game was, if a place is named and not a team."""
    city, home = claim.parts["city"], court.game.home
    mine = court.league.by_name.get(home.name)
    if city.unit.form != "city" or mine is None or court.game.side(city.team) is None or court.neutral:
        return unknown(claim, "no place of this game's teams")
    if city.text in (home.city, mine.city, *mine.places):
        return supported(claim)
    return contradicted(claim, Fault(city.span, "NAME", home.city, f"the game was in {home.city}"))


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
    wrong = []
    for value_role, stat_role in (("value", "stat"), ("value2", "stat2"), ("value3", "stat3")):
        value, stat = claim.part(value_role), claim.part(stat_role)
        if value is None or stat is None or not games:
            continue
        truth = sum(game.stats.get(stat.unit.stat, 0) for game in games) / len(games)
        if abs(truth - value.number) > CLOSE:
            wrong.append(f"{truth:.1f} {stat.unit.stat}")
    # One statement, one mistake: annotators mark the whole of it.
    comment = f"{player.name} averaged {' and '.join(wrong)}"
    return contradicted(claim, Fault(claim.span, "NOT_CHECKABLE", "", comment)) if wrong else unknown(claim)


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
