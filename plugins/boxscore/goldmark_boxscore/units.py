"""Tokens into units: names of teams, players and arenas, days, numbers and statistics become one unit each.

A sentence is then a short string such as `the T defeated the T , N - N , at A on D .`, in which the grammar looks for
patterns; every unit remembers its tokens and what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from goldmark_boxscore.games import Game, Player
from goldmark_boxscore.league import League, Vocabulary
from goldmark_boxscore.season import plain_name

Kind = Literal["team", "player", "arena", "day", "number", "stat", "record", "coach", "word"]
CODES = {"team": "T", "player": "P", "arena": "A", "day": "D", "number": "N", "stat": "S", "record": "R", "coach": "K"}
LONGEST_NAME = 4
FIRST_AND_LAST = 2
# "three - point range" is a place and not a number of points.
PLACES_OF_THREE = {"range", "line", "land", "shooting", "arc", "territory", "field", "percentage", "shooters", "mark",
    "attempts", "attempt", "shots", "shot", "baskets", "goals"}  # fmt: skip


@dataclass(frozen=True)
class TextUnit:
    """A word or a name of the text: its tokens, and what it stands for."""

    kind: Kind
    start: int
    end: int
    text: str
    value: object = None
    form: str = ""  # of a team: "name", "city" or "one" (a Hawk); of a player: "full", "last", "mixed" or "stranger"

    @property
    def code(self) -> str:
        if self.kind == "stat" and self.value == "minutes":
            return "SM"
        return CODES.get(self.kind) or {"(": "LP", ")": "RP"}.get(self.text, self.text.lower())

    @property
    def team(self) -> str | None:
        return self.value if self.kind == "team" and isinstance(self.value, str) else None

    @property
    def player(self) -> Player | None:
        return self.value if isinstance(self.value, Player) else None

    @property
    def number(self) -> float:
        return float(self.value) if isinstance(self.value, int | float) else float("nan")

    @property
    def stat(self) -> str:
        return str(self.value)


class Lexicon:
    """All names that texts about one game may use."""

    def __init__(self, game: Game, league: League, words: Vocabulary, strangers: frozenset[str] = frozenset()) -> None:
        self._words = words
        self._strangers = strangers
        self._names: dict[tuple[str, ...], tuple[Kind, object, str]] = {}
        self._add_teams(game, league)
        for coach, team in league.coaches.items():
            self._add(coach, "coach", team, "")
        for day in words.days:
            self._names[(day,)] = ("day", day, "")
        self._stats = {tuple(phrase.split()): stat for phrase, stat in words.stats.items()}
        self._players = _player_names(game)
        self._first_names = {plain_name(player.name).split()[0] for player in game.players}

    def _add_teams(self, game: Game, league: League) -> None:
        playing = {side.name for side in game.sides}
        known = {team.name for team in league.teams}
        for side in game.sides:
            if side.name not in known:  # a team that the league's file lacks is still known from its game
                self._add(side.name, "team", side.name, "name")
                self._add(side.city, "team", side.name, "city")
        for team in sorted(league.teams, key=lambda team: team.name in playing):
            for name in (team.name, *team.also):
                self._add(name, "team", team.name, "name")
                if name.endswith("s") and len(name) > 4:
                    self._add(name[:-1], "team", team.name, "one")
                for city in (team.city, *team.places):
                    self._add(f"{city} {name}", "team", team.name, "name")
            for city in (team.city, *team.places):
                self._add(city, "team", team.name, "city")
            for arena in team.arenas:
                self._add(arena, "arena", arena, "")

    def _add(self, name: str, kind: Kind, value: object, form: str) -> None:
        if name:
            self._names[tuple(name.split())] = (kind, value, form)

    def units(self, tokens: Sequence[str], start: int, end: int) -> Iterator[TextUnit]:
        """The units of one sentence; a token such as `10-of-17` counts as the words it joins."""
        joined = [(word, place) for place in range(start, end) for word in _words(tokens[place])]
        words = [word for word, _ in joined]
        place = 0
        while place < len(words):
            unit = self._longest(words, place, len(words)) or TextUnit("word", place, place + 1, words[place])
            place = unit.end
            yield replace(unit, start=joined[unit.start][1], end=joined[unit.end - 1][1] + 1)

    def _longest(self, tokens: Sequence[str], place: int, end: int) -> TextUnit | None:
        for length in range(min(LONGEST_NAME + 1, end - place), 0, -1):
            words = tuple(tokens[place : place + length])
            text = " ".join(words)
            if found := self._names.get(words):
                return TextUnit(found[0], place, place + length, text, found[1], found[2])
            if stat := self._stats.get(words):
                return TextUnit("stat", place, place + length, text, stat)
            if words[0][:1].isupper() and (person := self._person(words)):
                return TextUnit("player", place, place + length, text, *person)
        return self._number(tokens, place, end)

    def _person(self, words: tuple[str, ...]) -> tuple[object, str] | None:
        name = plain_name(" ".join(words))
        if not words[-1][:1].isalnum():
            return None
        if name in self._players:
            return self._players[name]
        if len(words) > 1 and words[-1][:1].isupper() and self._players.get(name.split()[0], (None, ""))[1] == "full":
            return self._players[name.split()[0]]  # a player with one name, given a second
        if len(words) > 1 and words[-1][:1].isupper() and name in self._strangers:
            return name, "stranger"
        if len(words) == FIRST_AND_LAST and name.split()[0] in self._first_names:
            last = self._players.get(plain_name(words[-1]), (None, ""))
            if last[1] == "last":  # one player's first name before another's last
                return last[0], "mixed"
        return None

    def _number(self, tokens: Sequence[str], place: int, end: int) -> TextUnit | None:
        word = tokens[place]
        after = tokens[place + 1 : min(place + 4, end)]
        value: float | None = None
        if re.fullmatch(r"\d+(\.\d+)?", word):
            value = float(word) if "." in word else int(word)
        elif word.lower() in self._words.numbers:
            value = self._words.numbers[word.lower()]
        elif word.lower() in {"a", "an"} and after and (after[0],) in self._stats:
            value = 1
        elif word.lower() in {"pair", "trio"} and after[:1] == ["of"]:
            value = 2 if word.lower() == "pair" else 3
        if value is None:
            return None
        if value == 3 and len(after) == 3 and after[:2] == ["-", "point"] and after[2] in PLACES_OF_THREE:
            return TextUnit("word", place, place + 3, "three-point")
        return TextUnit("number", place, place + 1, word, value)


def _words(token: str) -> list[str]:
    """The words that hyphens or a printer's apostrophe join in one token; names keep their hyphens."""
    if token.endswith("’s"):
        return [token.removesuffix("’s"), "'s"]
    if "-" in token and len(token) > 1 and token == token.lower():
        return [word for word in re.split(r"(-)", token) if word]
    return [token]


def _player_names(game: Game) -> dict[str, tuple[object, str]]:
    """Players by whole name and, where only one bears it or plays most, by last name."""
    names: dict[str, tuple[object, str]] = {}
    for player in sorted(game.players, key=lambda player: player.stats.get("minutes", 0)):
        plain = plain_name(player.name)
        for last in {plain.split()[-1], " ".join(plain.split()[1:])} - {""}:
            names[last] = (player, "last")
    for player in game.players:
        names[plain_name(player.name)] = (player, "full")
    return names


def merge_records(units: Sequence[TextUnit]) -> list[TextUnit]:
    """`( N - N )` becomes one unit, a team's record of wins and losses."""
    merged: list[TextUnit] = []
    place = 0
    while place < len(units):
        five = units[place : place + 5]
        if [unit.code for unit in five] == ["LP", "N", "-", "N", "RP"]:
            merged.append(TextUnit("record", five[0].start, five[-1].end, "record", (five[1], five[3])))
            place += 5
        else:
            merged.append(units[place])
            place += 1
    return merged


Names = Mapping[str, tuple[object, str]]
