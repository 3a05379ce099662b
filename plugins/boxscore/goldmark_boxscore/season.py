"""What a single game cannot tell: schedules, records, streaks, averages and earlier games, from a season's tables.

The folder holds a schedule, box scores of teams and of players, as CSV (gzip allowed). Only the schedule is required;
player tables are read when a claim first needs them.
"""

from __future__ import annotations

import csv
import gzip
import io
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from goldmark.errors import GoldmarkError
from goldmark_boxscore.games import Game

SCHEDULE = {  # our name -> names of the column in the tables we know
    "day": ("game_date", "DATE"),
    "home": ("home_name", "HOME_NAME"),
    "away": ("away_name", "VIS_NAME"),
    "home_points": ("home_score", "HOME_PTS"),
    "away_points": ("away_score", "VIS_PTS"),
    "arena": ("venue_full_name", "ARENA"),
    "city": ("venue_address_city", "CITY"),
    "start": ("tipoff_et", "START"),
    "season": ("season", "SEASON"),
    "neutral": ("neutral_site", "NEUTRAL"),
}
PLAYER = {
    "points": "points",
    "rebounds": "rebounds",
    "assists": "assists",
    "steals": "steals",
    "blocks": "blocks",
    "fgm": "field_goals_made",
    "fga": "field_goals_attempted",
    "tpm": "three_point_field_goals_made",
    "tpa": "three_point_field_goals_attempted",
    "minutes": "minutes",
}


class UnusableSeason(GoldmarkError):
    code = "CHECK-02"
    message = "{folder} cannot be used as a season: {reason}"


@dataclass(frozen=True)
class Fixture:
    """One game of the schedule."""

    day: date
    home: str
    away: str
    home_points: int
    away_points: int
    arena: str = ""
    city: str = ""
    start: str = ""
    season: str = ""
    neutral: bool = False  # in neither team's own place

    def at_home(self, team: str) -> bool:
        return self.home == team

    def opponent(self, team: str) -> str:
        return self.away if self.home == team else self.home

    def points_of(self, team: str) -> int:
        return self.home_points if self.home == team else self.away_points

    def won_by(self, team: str) -> bool:
        return (self.home_points > self.away_points) == (self.home == team)


@dataclass(frozen=True)
class PlayerGame:
    """One player's statistics of one earlier game."""

    day: date
    season: str
    stats: Mapping[str, int]

    @property
    def in_double_figures(self) -> int:
        return sum(self.stats.get(stat, 0) >= 10 for stat in ("points", "rebounds", "assists", "steals", "blocks"))


class Season:
    """The tables of one folder, by team and by player, in the order of play."""

    def __init__(self, folder: Path, *, known_as: Mapping[str, str] | None = None) -> None:
        """`known_as` maps the tables' team names to the league's where they differ."""
        self.folder = folder
        self._known_as = known_as or {}
        if not folder.is_dir():
            raise UnusableSeason(folder=folder, reason="it is not a folder")
        self._tables = {path.name: path for path in sorted(folder.iterdir()) if ".csv" in path.suffixes}

    @cached_property
    def _fixtures(self) -> dict[str, list[Fixture]]:
        for path in self._tables.values():
            rows = _rows(path)
            first = next(rows, None)
            if first is None or not all(_column(first, names) for names in (SCHEDULE["day"], SCHEDULE["home"])):
                continue
            if "team_name" in first:
                continue
            fixtures: dict[str, list[Fixture]] = {}
            for row in [first, *rows]:
                fixture = self._fixture(row)
                if fixture is not None:
                    fixtures.setdefault(fixture.home, []).append(fixture)
                    fixtures.setdefault(fixture.away, []).append(fixture)
            for played in fixtures.values():
                played.sort(key=lambda fixture: fixture.day)
            return fixtures
        raise UnusableSeason(
            folder=self.folder, reason="no CSV in it has the schedule's columns game_date, home_name and away_name"
        )

    def _fixture(self, row: Mapping[str, str]) -> Fixture | None:
        cells = {ours: row[name] for ours, names in SCHEDULE.items() if (name := _column(row, names))}
        try:
            return Fixture(
                date.fromisoformat(cells["day"]),
                self._name(cells["home"]),
                self._name(cells["away"]),
                int(float(cells["home_points"])),
                int(float(cells["away_points"])),
                cells.get("arena", ""),
                cells.get("city", ""),
                cells.get("start", ""),
                cells.get("season", ""),
                cells.get("neutral", "").lower() in {"true", "1"},
            )
        except (KeyError, ValueError):
            return None  # a game that was never played has no score and no part in any claim

    def _name(self, name: str) -> str:
        return self._known_as.get(name, name)

    def team_games(self, team: str) -> list[Fixture]:
        return self._fixtures.get(team, [])

    def game_on(self, team: str, day: date) -> Fixture | None:
        games = self.team_games(team)
        place = bisect_left(games, day, key=lambda game: game.day)
        return games[place] if place < len(games) and games[place].day == day else None

    def next_game(self, team: str, day: date) -> Fixture | None:
        """The first game after a day, of the same season where the table tells seasons apart."""
        games = self.team_games(team)
        place = bisect_left(games, day, key=lambda game: game.day)
        now = games[place] if place < len(games) and games[place].day == day else None
        after = games[place + (now is not None) :][:1]
        return after[0] if after and (now is None or after[0].season == now.season) else None

    def last_games(self, team: str, day: date, *, including: bool = True) -> list[Fixture]:
        """A team's games of this season up to a day, the latest first."""
        games = self.team_games(team)
        place = bisect_left(games, day, key=lambda game: game.day)
        now = games[place] if place < len(games) and games[place].day == day else None
        past = games[: place + (including and now is not None)]
        season = now.season if now else (past[-1].season if past else "")
        return list(takewhile(lambda game: game.season == season, reversed(past)))

    @cached_property
    def _players(self) -> dict[str, list[PlayerGame]]:
        for path in self._tables.values():
            rows = _rows(path)
            first = next(rows, None)
            if first is None or "athlete_display_name" not in first:
                continue
            players: dict[str, list[PlayerGame]] = {}
            for row in [first, *rows]:
                if row.get("did_not_play") == "True":
                    continue
                stats = {ours: int(cell) for ours, name in PLAYER.items() if (cell := row.get(name) or "").isdigit()}
                if not stats.get("minutes"):
                    continue
                try:
                    day = date.fromisoformat(row.get("game_date") or "")
                except ValueError:
                    continue  # a line without a day belongs to no game
                game = PlayerGame(day, row.get("season", ""), stats)
                players.setdefault(plain_name(row["athlete_display_name"]), []).append(game)
            for played in players.values():
                played.sort(key=lambda game: game.day)
            return players
        return {}

    def player_games(self, player: str, day: date) -> list[PlayerGame]:
        """A player's games of the season up to and including a day, the latest first."""
        games = self._players.get(plain_name(player), [])
        place = bisect_left(games, day, key=lambda game: game.day)
        if place >= len(games) or games[place].day != day:
            return []
        season = games[place].season
        return list(takewhile(lambda game: game.season == season, games[place::-1]))

    @cached_property
    def _leads(self) -> dict[tuple[str, date], int]:
        leads: dict[tuple[str, date], int] = {}
        for path in self._tables.values():
            rows = _rows(path)
            first = next(rows, None)
            if first is None or not {"team_name", "game_date", "largest_lead"} <= set(first):
                continue
            for row in [first, *rows]:
                if (lead := row["largest_lead"].removesuffix(".0")).isdigit():
                    leads[self._name(row["team_name"]), date.fromisoformat(row["game_date"])] = int(lead)
        return leads

    def largest_lead(self, team: str, day: date) -> int | None:
        """By how much a team was ahead at most, where the tables tell."""
        return self._leads.get((team, day))

    def corrected(self, game: Game) -> Game:
        """A game with its players' lines as the season's tables have them; leagues correct counts afterwards."""
        sides = []
        for side in game.sides:
            players = []
            for player in side.players:
                lines = self.player_games(player.name, game.day) if player.played else []
                players.append(replace(player, stats={**player.stats, **lines[0].stats}) if lines else player)
            sides.append(replace(side, players=tuple(players)))
        return replace(game, home=sides[0], away=sides[1])

    @cached_property
    def player_names(self) -> frozenset[str]:
        return frozenset(self._players)


def plain_name(name: str) -> str:
    """A person's name without full stops, commas, hyphens and a final Jr or III, as different tables agree on it."""
    words = name.replace(".", "").replace(",", "").replace("-", " ").lower().split()
    while len(words) > 2 and words[-1] in {"jr", "sr", "ii", "iii", "iv"}:
        words.pop()
    return " ".join(words)


def _column(row: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in row), None)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    try:
        raw = path.read_bytes()
        content = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
        yield from csv.DictReader(io.StringIO(content, newline=""))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise UnusableSeason(folder=path, reason=error) from None
