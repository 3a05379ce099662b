"""Games as the shared task stores them: one JSON object per line with box score, line scores, names and date."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from goldmark.errors import GoldmarkError, Problem

COUNTS = {  # our name of a statistic -> its column in the box score
    "points": "PTS",
    "rebounds": "REB",
    "assists": "AST",
    "steals": "STL",
    "blocks": "BLK",
    "turnovers": "TO",
    "fouls": "PF",
    "minutes": "MIN",
    "offensive rebounds": "OREB",
    "defensive rebounds": "DREB",
    "fgm": "FGM",
    "fga": "FGA",
    "tpm": "FG3M",
    "tpa": "FG3A",
    "ftm": "FTM",
    "fta": "FTA",
}
LINES = {
    "points": "TEAM-PTS",
    "rebounds": "TEAM-REB",
    "assists": "TEAM-AST",
    "turnovers": "TEAM-TOV",
    "fg%": "TEAM-FG_PCT",
    "3p%": "TEAM-FG3_PCT",
    "ft%": "TEAM-FT_PCT",
    "wins": "TEAM-WINS",
    "losses": "TEAM-LOSSES",
    "q1": "TEAM-PTS_QTR1",
    "q2": "TEAM-PTS_QTR2",
    "q3": "TEAM-PTS_QTR3",
    "q4": "TEAM-PTS_QTR4",
}
MADE_AND_TRIED = {"fg%": ("fgm", "fga"), "3p%": ("tpm", "tpa"), "ft%": ("ftm", "fta")}
TEN_OR_MORE = ("points", "rebounds", "assists", "steals", "blocks")


class UnreadableGames(GoldmarkError):
    code = "CHECK-01"
    message = "{path} cannot be read: {reason}"


@dataclass(frozen=True)
class Player:
    """One player's line of a box score; a statistic that the table does not have is absent."""

    name: str
    team: str
    starter: bool
    stats: Mapping[str, int]

    @property
    def played(self) -> bool:
        return bool(self.stats.get("minutes")) or any(self.stats.get(stat) for stat in TEN_OR_MORE)

    @property
    def last_name(self) -> str:
        words = self.name.split()
        return " ".join(words[1:]) if len(words) > 1 else self.name

    def value(self, stat: str) -> float | None:
        if stat in MADE_AND_TRIED:
            made, tried = (self.stats.get(part) for part in MADE_AND_TRIED[stat])
            return None if made is None or not tried else 100 * made / tried
        # A player who sat out has blanks, which people read as nothing.
        return self.stats.get(stat, None if self.played else 0)

    @property
    def in_double_figures(self) -> int:
        """In how many of the five counted statistics the player reached ten."""
        return sum((self.stats.get(stat) or 0) >= 10 for stat in TEN_OR_MORE)


@dataclass(frozen=True)
class Side:
    """One team's line of a game."""

    name: str
    city: str
    home: bool
    line: Mapping[str, int]
    players: tuple[Player, ...] = field(repr=False)

    def value(self, stat: str) -> int | None:
        if stat in self.line:
            return self.line[stat]
        counts = [player.stats[stat] for player in self.players if stat in player.stats]
        if counts and (stat in COUNTS):
            return sum(counts)
        if stat in MADE_AND_TRIED:
            made, tried = (self.value(part) for part in MADE_AND_TRIED[stat])
            return None if made is None or not tried else round(100 * made / tried)
        if stat == "bench points":
            return sum(player.stats.get("points", 0) for player in self.players if not player.starter)
        return None

    def scored(self, periods: tuple[str, ...]) -> int | None:
        """Points in some quarters; unknown if none are meant or the line score lacks one of them."""
        quarters = [self.line.get(period) for period in periods]
        known = [points for points in quarters if points is not None]
        return sum(known) if quarters and len(known) == len(quarters) else None

    def ranked(self, stat: str = "points", *, starters: bool | None = None) -> list[Player]:
        """Who played, the best first; only starters or only the bench if asked."""
        chosen = [
            player for player in self.players if player.played and (starters is None or player.starter == starters)
        ]
        return sorted(chosen, key=lambda player: -(player.value(stat) or 0))


@dataclass(frozen=True)
class Game:
    """One game: who played whom on which day, with both teams' lines."""

    text_id: str
    day: date
    home: Side
    away: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.home, self.away

    def side(self, team: str | None) -> Side | None:
        return next((side for side in self.sides if side.name == team), None)

    def other(self, side: Side) -> Side:
        return self.away if side.home else self.home

    @property
    def winner(self) -> Side | None:
        home, away = self.home.value("points"), self.away.value("points")
        if home is None or away is None or home == away:
            return None
        return self.home if home > away else self.away

    @property
    def players(self) -> tuple[Player, ...]:
        return self.home.players + self.away.players


def read_games(path: Path) -> tuple[dict[str, Game], list[Problem]]:
    """Games by the text that tells of them, and what is wrong with the lines that could not be read."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableGames(path=path, reason=getattr(error, "strerror", None) or str(error)) from None
    games: dict[str, Game] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path.name}:{number}"
        try:
            game = parse_game(json.loads(line), default_id=str(number))
        except json.JSONDecodeError as error:
            problems.append(Problem(where, f"is not JSON: {error.msg}", "write one JSON object per line"))
        except _Unusable as error:
            problems.append(Problem(where, str(error), "see the columns of a game in docs/how-to/check-basketball.md"))
        else:
            if game.text_id in games:
                problems.append(Problem(where, f"text {game.text_id!r} already has a game", "keep one of the two"))
            else:
                games[game.text_id] = game
    return games, problems


class _Unusable(Exception):
    """A game that lacks what no claim can be checked without."""


def parse_game(data: object, *, default_id: str = "") -> Game:
    """A game from its JSON object; blanks and N/A are absent statistics, not zeros."""
    if not isinstance(data, Mapping):
        raise _Unusable("is not a JSON object")
    missing = [key for key in ("home_name", "vis_name", "day", "box_score") if not data.get(key)]
    if missing:
        raise _Unusable(f"lacks {', '.join(missing)}")
    sides = []
    for prefix, home in (("home", True), ("vis", False)):
        name, city = str(data[f"{prefix}_name"]), str(data.get(f"{prefix}_city") or "")
        line = data.get(f"{prefix}_line")
        values = _whole_numbers(line if isinstance(line, Mapping) else {}, LINES)
        sides.append((name, city, home, values))
    players: dict[str, list[Player]] = {name: [] for name, *_ in sides}
    for player in _players(data["box_score"], sides):
        players[player.team].append(player)
    home_side, away_side = (Side(name, city, home, values, tuple(players[name])) for name, city, home, values in sides)
    return Game(str(data.get("shared_task_text_id") or default_id), _day(data["day"]), home_side, away_side)


def _day(text: object) -> date:
    for form in ("%m_%d_%y", "%Y-%m-%d"):
        try:
            return datetime.strptime(str(text), form).date()  # noqa: DTZ007 -- a calendar day has no zone
        except ValueError:
            continue
    raise _Unusable(f"has the day {text!r}, which is not MM_DD_YY")


def _whole_numbers(cells: Mapping[str, object], names: Mapping[str, str]) -> dict[str, int]:
    found = {}
    for ours, theirs in names.items():
        cell = str(cells.get(theirs, "")).strip()
        if cell.lstrip("-").isdigit():
            found[ours] = int(cell)
    return found


def _players(box: object, sides: list[tuple[str, str, bool, dict[str, int]]]) -> list[Player]:
    if not isinstance(box, Mapping) or not isinstance(box.get("PLAYER_NAME"), Mapping):
        raise _Unusable("has a box_score without PLAYER_NAME")
    rows = box["PLAYER_NAME"]
    keys = sorted(rows, key=lambda key: int(key) if str(key).isdigit() else 0)
    cities = {key: str((box.get("TEAM_CITY") or {}).get(key, "")) for key in keys}
    home, away = sides[0], sides[1]
    same_city = home[1] == away[1]
    players: list[Player] = []
    restarted = False
    for place, key in enumerate(keys):
        cells = {column: values.get(key, "") for column, values in box.items() if isinstance(values, Mapping)}
        position = str(cells.get("START_POSITION", "N/A"))
        starter = position not in {"N/A", "", "None"}
        # Two teams of one city: the visitors' rows come first, and starters open each team's rows.
        if same_city and place and starter and not players[-1].starter:
            restarted = True
        team = (home if restarted else away)[0] if same_city else (home if cities[key] == home[1] else away)[0]
        players.append(Player(str(rows[key]), team, starter, _whole_numbers(cells, COUNTS)))
    return players
