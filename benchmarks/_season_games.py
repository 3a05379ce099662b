"""Games as the checker reads them, made from a season's tables: games that no text here was written about.

The tables have no quarters, so each team's points are dealt to four quarters at random; the checker is given the same.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np

from goldmark_boxscore.games import Game, Player, Side
from goldmark_boxscore.league import League
from goldmark_boxscore.season import Season

COLUMNS = {
    "points": "points",
    "rebounds": "rebounds",
    "assists": "assists",
    "steals": "steals",
    "blocks": "blocks",
    "turnovers": "turnovers",
    "minutes": "minutes",
    "fgm": "field_goals_made",
    "fga": "field_goals_attempted",
    "tpm": "three_point_field_goals_made",
    "tpa": "three_point_field_goals_attempted",
    "ftm": "free_throws_made",
    "fta": "free_throws_attempted",
}
FEWEST = 8  # players a side must have used


def season_games(
    folder: Path,
    season: Season,
    league: League,
    *,
    without: set[tuple[date, str]],
    count: int,
    rng: np.random.Generator,
) -> Iterator[Game]:
    """Some games of the tables at random, none of those that `without` names by day and home team."""
    games = _rows_by_game(folder)
    made = 0
    for place in rng.permutation(len(games)):
        game = _game(games[place], season, league, rng)
        if game is not None and (game.day, game.home.name) not in without:
            yield game
            made += 1
            if made == count:
                return


def game_on(folder: Path, season: Season, league: League, day: date, home: str) -> Game:
    """One game of the tables, without quarters, which the tables lack."""
    for rows in _rows_by_game(folder):
        if date.fromisoformat(rows[0]["game_date"]) == day:
            game = _game(rows, season, league, np.random.default_rng(0))
            if game is not None and game.home.name == home:
                return replace(game, home=_without_quarters(game.home), away=_without_quarters(game.away))
    raise LookupError(f"no game of the {home} on {day} in {folder}")


def _without_quarters(side: Side) -> Side:
    return replace(
        side, line={stat: value for stat, value in side.line.items() if stat in {"points", "wins", "losses"}}
    )


def _rows_by_game(folder: Path) -> list[list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    with gzip.open(folder / "player_box_2014_2018.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["season_type"] == "2":
                found.setdefault(row["game_id"], []).append(row)
    return list(found.values())


def _game(rows: list[dict[str, str]], season: Season, league: League, rng: np.random.Generator) -> Game | None:
    day = date.fromisoformat(rows[0]["game_date"])
    sides = []
    for where in ("home", "away"):
        lines = [row for row in rows if row["home_away"] == where and row["did_not_play"] != "True"]
        if len(lines) < FEWEST:
            return None
        name = league.known_as.get(lines[0]["team_name"], lines[0]["team_name"])
        if name not in league.by_name:
            return None
        players = tuple(_player(row, name) for row in lines)
        played = season.last_games(name, day)
        points = sum(player.stats["points"] for player in players)
        wins = sum(fixture.won_by(name) for fixture in played)
        line = {"points": points, "wins": wins, "losses": len(played) - wins, **_quarters(points, rng)}
        sides.append(Side(name, league.by_name[name].city, where == "home", line, players))
    if sides[0].value("points") == sides[1].value("points"):
        return None
    return Game("V", day, sides[0], sides[1])


def _player(row: Mapping[str, str], team: str) -> Player:
    stats = {ours: int(row[theirs]) for ours, theirs in COLUMNS.items() if row[theirs].isdigit()}
    return Player(row["athlete_display_name"], team, row["starter"] == "True", {"points": 0, **stats})


def _quarters(points: int, rng: np.random.Generator) -> dict[str, int]:
    shares = rng.multinomial(points, [0.25] * 4)
    return {f"q{number}": int(share) for number, share in enumerate(shares, 1)}
