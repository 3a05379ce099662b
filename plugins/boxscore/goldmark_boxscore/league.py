"""What is known about a league and about the game's words; both are data files, another league is another file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from goldmark.errors import GoldmarkError

LAST_MONTH = 7  # of a season


class UnusableLeague(GoldmarkError):
    code = "CHECK-03"
    message = "{path} cannot be used as a league: {reason}; each team needs at least a name and a city"


@dataclass(frozen=True)
class LeagueTeam:
    """A team and every name it goes by."""

    name: str
    city: str
    arenas: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    division: str = ""
    conference: str = ""
    until: Mapping[str, int] = field(default_factory=dict)  # arena -> year of its last season

    def arenas_on(self, day: date) -> tuple[str, ...]:
        """Where the team plays in the season of a day; a season that ends in a year starts the autumn before."""
        season = day.year + (day.month > LAST_MONTH)
        return tuple(arena for arena in self.arenas if season <= self.until.get(arena, season))


@dataclass(frozen=True)
class League:
    """The teams of a league, found by any of their names."""

    teams: tuple[LeagueTeam, ...]
    coaches: Mapping[str, str] = field(default_factory=dict)  # coach -> team

    @cached_property
    def by_name(self) -> dict[str, LeagueTeam]:
        return {team.name: team for team in self.teams}

    @cached_property
    def known_as(self) -> dict[str, str]:
        """Other names of teams, such as former ones, to the name used here."""
        return {other: team.name for team in self.teams for other in team.also}


@dataclass(frozen=True)
class Vocabulary:
    """Number words, ordinals, days and the synonyms of statistics."""

    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    stats: Mapping[str, str]  # words -> statistic
    days: tuple[str, ...]
    periods: Mapping[str, tuple[str, ...]]  # words -> quarters of a game


def read_league(path: Path | None = None) -> League:
    """The league of a YAML or JSON file, or the one that comes with Goldmark."""
    source = path if path is not None else files("goldmark_boxscore") / "data" / "nba.yaml"
    try:
        content = source.read_text(encoding="utf-8")
        data = json.loads(content) if str(source).endswith(".json") else yaml.safe_load(content)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UnusableLeague(path=path, reason=str(error).splitlines()[0]) from None
    rows = data.get("teams") if isinstance(data, Mapping) else data
    if not isinstance(rows, list) or not all(
        isinstance(row, Mapping) and row.get("name") and row.get("city") for row in rows
    ):
        raise UnusableLeague(path=path, reason="it holds no list of teams")
    coaches = data.get("coaches") if isinstance(data, Mapping) else None
    return League(tuple(_team(row) for row in rows), {str(name): str(team) for name, team in (coaches or {}).items()})


def _team(row: Mapping[str, Any]) -> LeagueTeam:
    def words(key: str) -> tuple[str, ...]:
        value = row.get(key)
        return tuple(str(item) for item in value) if isinstance(value, list) else ()

    arenas = words("arenas") or ((str(row["arena"]),) if row.get("arena") else ())
    return LeagueTeam(
        str(row["name"]),
        str(row["city"]),
        arenas,
        words("also"),
        words("places"),
        str(row.get("division") or ""),
        str(row.get("conference") or ""),
        {str(arena): int(year) for arena, year in (row.get("until") or {}).items()},
    )


def read_words() -> Vocabulary:
    """The words of basketball that come with Goldmark."""
    source = files("goldmark_boxscore") / "data" / "basketball.yaml"
    data = yaml.safe_load(source.read_text(encoding="utf-8"))
    stats = {words: stat for stat, synonyms in data["stats"].items() for words in synonyms}
    periods = {words: tuple(quarters.split()) for quarters, ways in data["periods"].items() for words in ways}
    return Vocabulary(data["numbers"], data["ordinals"], stats, tuple(data["days"]), periods)
