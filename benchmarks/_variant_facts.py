"""The facts of a game under the names that `variants.yaml` uses, each with a right and some wrong ways to say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goldmark_boxscore.games import Game, Player, Side
from goldmark_boxscore.judge_players import in_words
from goldmark_boxscore.league import League
from goldmark_boxscore.season import Fixture, Season

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
PERIODS = {"q1": ("q1",), "q2": ("q2",), "q3": ("q3",), "q4": ("q4",), "h1": ("q1", "q2"), "h2": ("q3", "q4")}


class NotInThisGame(Exception):
    """A game has no such fact, so a sentence about it cannot be filled in."""


@dataclass(frozen=True)
class Fact:
    """How to say something rightly, and ways to say it wrongly."""

    right: str
    wrong: tuple[str, ...] = ()


def number(value: float | None, *, most: int = 4) -> Fact:
    """A count: words up to nine, digits beyond; wrong by up to `most`."""
    if value is None:
        raise NotInThisGame
    whole = round(value)
    others = [whole + step for size in range(1, most + 1) for step in (size, -size) if whole + step >= 0]
    return Fact(_said(whole), tuple(_said(other) for other in others))


def _said(value: int) -> str:
    return in_words(value, "word") if value < 10 else str(value)


class Scene:
    """One game: who is who in the sentences, and what is true of them."""

    def __init__(self, game: Game, season: Season, league: League) -> None:
        self.game, self._season, self._league = season.corrected(game), season, league
        winner = self.game.winner
        if winner is None:
            raise NotInThisGame
        self._sides = {"W": winner, "L": self.game.other(winner), "home": self.game.home, "away": self.game.away}
        self.people = self._people()

    def _people(self) -> dict[str, Player]:
        people: dict[str, Player] = {}
        for side, names in (("W", "XYZ"), ("L", "ABC")):
            ranked = self._sides[side].ranked()
            bench = next((player for player in ranked if not player.starter), None)
            if len(ranked) < 6 or bench is None or bench in ranked[:2] or not ranked[1].starter:
                raise NotInThisGame
            points = [player.value("points") or 0 for player in ranked[:3]]
            if not points[0] > points[1] > points[2] or not ranked[0].starter:
                raise NotInThisGame
            people |= dict(zip(names, (ranked[0], ranked[1], bench), strict=True))
        best = max(people.values(), key=lambda player: player.value("points") or 0)
        people["Q"] = next(player for player in self._sides["W"].ranked()[3:] if player.in_double_figures == 0)
        if len({player.last_name for player in people.values()}) < len(people) or best not in people.values():
            raise NotInThisGame
        return people

    def fact(self, name: str) -> Fact:
        """A fact by its name in the sentences."""
        if "<" in name:  # the one named in place of the other: always wrong
            named, _, meant = name.partition("<")
            return Fact(self.people[meant].name, (self.people[named].name,))
        who, _, what = name.partition(".")
        if "+" in who:
            one, other = (self.people[part] for part in who.split("+"))
            return number((one.value(what) or 0) + (other.value(what) or 0))
        if who in self.people:
            return self._of_player(self.people[who], what)
        if who in self._sides and what.startswith("next"):
            return self._next(self._sides[who], what)
        if who in self._sides:
            return self._of_side(self._sides[who], what)
        return self._of_game(name)

    def _of_player(self, player: Player, what: str) -> Fact:
        if not what:
            return Fact(player.name)
        value = player.value(what)
        if not value or (what in {"tpa", "fta"} and value < 2):
            raise NotInThisGame  # people do not tell of what did not happen
        return number(value)

    def _of_side(self, side: Side, what: str) -> Fact:
        if not what:
            return Fact(side.name, (self.game.other(side).name,))
        if what.startswith("at:"):
            return _either(what, at_home=side.home)
        if what in {"wins.ordinal", "losses.ordinal"}:
            return _ordinal(side.value(what.partition(".")[0]))
        if what == "city":
            if self.game.other(side).city == side.city:
                raise NotInThisGame
            return Fact(side.city, (self.game.other(side).city,))
        if what in PERIODS:
            return number(side.scored(PERIODS[what]))
        if what == "double":
            return number(sum((player.value("points") or 0) >= 10 for player in side.players), most=2)
        return self._runs(side, what) or number(side.value(what))

    def _runs(self, side: Side, what: str) -> Fact | None:
        games = self._season.last_games(side.name, self.game.day)
        if what[:3] == "won" or what[:4] == "lost":
            window = int(what[-1])
            if len(games) < window:
                raise NotInThisGame
            won = sum(game.won_by(side.name) for game in games[:window])
            return number(won if what[:3] == "won" else window - won, most=1)
        for verb, good in (("winrow", True), ("lossrow", False)):
            if what.startswith(verb):
                row = next((place for place, game in enumerate(games) if game.won_by(side.name) != good), len(games))
                if not 2 <= row <= 9:
                    raise NotInThisGame
                if what.endswith("ordinal"):
                    return _ordinal(row)
                return number(row, most=1)
        return None

    def _next(self, side: Side, what: str) -> Fact:
        fixture = self._season.next_game(side.name, self.game.day)
        if fixture is None:
            raise NotInThisGame
        opponent, part = fixture.opponent(side.name), what.removeprefix("next.")
        strangers = [team for team in self._league.teams if team.name not in {opponent, side.name, *self._playing}]
        if part == "opponent":
            return Fact(opponent, tuple(team.name for team in strangers))
        if part == "opponent.city":
            cities = {team.name: team.city for team in self._league.teams}
            return Fact(cities[opponent], tuple(team.city for team in strangers if team.city != cities[opponent]))
        if part.startswith("at:"):
            return _either(part, at_home=fixture.at_home(side.name))
        return _day_or_place(part, fixture, side)

    @property
    def _playing(self) -> set[str]:
        return {side.name for side in self.game.sides}

    def _of_game(self, name: str) -> Fact:
        game, home, away = self.game, self.game.home, self.game.away
        if name == "day":
            return _day(f"{game.day:%A}")
        if name == "arena":
            arenas = {team.name: team.arenas_on(game.day) for team in self._league.teams}
            right = arenas[home.name][-1]
            return Fact(right, tuple(places[-1] for team, places in arenas.items() if team not in self._playing))
        if name == "margin":
            return number(abs((home.value("points") or 0) - (away.value("points") or 0)))
        if name == "winner at home":
            if game.winner != home:
                raise NotInThisGame
            return Fact(home.name)
        if name in COMPARED:
            stat, higher = COMPARED[name]
            return Fact(self._ranked(lambda side: side.value(stat))[0 if higher else 1].name)
        before, _, after = name.partition(".")  # "half leader", "half.margin", "high.half"
        when = after if before in {"high", "low"} else before.split()[0]
        value = self._measure(when)
        ahead, behind = self._ranked(value)
        high, low = value(ahead) or 0, value(behind) or 0
        if name.endswith(("leader", "trailer")):
            return Fact((ahead if name.endswith("leader") else behind).name)
        return number({"high": high, "low": low}.get(before, high - low))

    def _measure(self, when: str) -> Callable[[Side], float | None]:
        """Points in a period ("q1", "h2"), up to a break ("half", "three"), or another of a team's figures."""
        quarters = {**PERIODS, "half": PERIODS["h1"], "three": ("q1", "q2", "q3")}.get(when)
        return (lambda side: side.scored(quarters)) if quarters else (lambda side: side.value(when))

    def _ranked(self, value: Callable[[Side], float | None]) -> Sequence[Side]:
        ranked = sorted(self.game.sides, key=lambda side: -(value(side) or 0))
        if value(ranked[0]) == value(ranked[1]):
            raise NotInThisGame
        return ranked


COMPARED = {
    "better shooters": ("fg%", True),
    "worse shooters": ("fg%", False),
    "more rebounds": ("rebounds", True),
    "fewer rebounds": ("rebounds", False),
    "more assists": ("assists", True),
    "fewer assists": ("assists", False),
    "more turnovers": ("turnovers", True),
    "fewer turnovers": ("turnovers", False),
    "more bench": ("bench points", True),
    "fewer bench": ("bench points", False),
}


def _ordinal(value: int | None) -> Fact:
    if value is None or not 1 <= value < len(ORDINALS) - 1:
        raise NotInThisGame
    return Fact(ORDINALS[value], tuple(ORDINALS[near] for near in (value + 1, value - 1) if near))


def _either(what: str, *, at_home: bool) -> Fact:
    """ "at:host/visit": what a team at home does, and what a team on the road does."""
    ways = what.removeprefix("at:").split("/")
    return Fact(ways[0 if at_home else 1], (ways[1 if at_home else 0],))


def _day(right: str) -> Fact:
    return Fact(right, tuple(day for day in DAYS if day != right))


def _day_or_place(part: str, fixture: Fixture, side: Side) -> Fact:
    at_home = fixture.at_home(side.name)
    if part == "day":
        return _day(f"{fixture.day:%A}")
    ways = {"where": ("at home", "on the road"), "verb": ("host", "visit")}[part]
    return Fact(ways[0 if at_home else 1], (ways[1 if at_home else 0],))
